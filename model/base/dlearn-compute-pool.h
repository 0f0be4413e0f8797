/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_COMPUTE_POOL_H
#define DLEARN_COMPUTE_POOL_H

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Threads for the numerical work of learners, beside the one that simulates.
 *
 * A gradient takes simulated time. Its inputs are fixed when that time begins, and no event asks
 * for its result before that time is over: meanwhile another thread can compute it. So work is
 * started when the simulated computation begins and finished when it ends:
 *
 *     auto job = ComputePool::Get().Start([this] { m_rule->Compute(); });
 *     ...
 *     ComputePool::Get().Finish(job); // at the end of the compute time
 *
 * Finish() does the work itself when no thread has taken it up yet, so with one thread (the
 * default) everything is done in the order of the events, and with any number of threads the
 * results are the same. That holds because work must be a pure function of what belongs to one
 * learner: it must not touch packets, events, random streams, nor copy a Ptr (ns-3's reference
 * counts are not atomic).
 *
 * All methods are for the simulating thread.
 */
class ComputePool
{
  public:
    /** Work that was started. */
    class Job;
    /** Refers to it; null for none. */
    using JobPtr = std::shared_ptr<Job>;

    /** @return the pool of the process */
    static ComputePool& Get();

    ~ComputePool() { StopThreads(); }

    ComputePool(const ComputePool&) = delete;
    ComputePool& operator=(const ComputePool&) = delete;

    /**
     * No work may be under way.
     * @param threads threads that compute, the simulating one included: 1 to 256
     * @throw std::invalid_argument when out of range
     */
    void SetThreads(uint32_t threads);

    /** @return threads that compute, the simulating one included */
    uint32_t GetThreads() const { return 1 + m_threads.size(); }

    /**
     * @param work what to do
     * @return the job; to be given to Finish() or Drop()
     */
    JobPtr Start(std::function<void()> work);

    /**
     * Wait until the work is done; does it here when no thread has begun.
     *
     * @param job from Start(); becomes null
     * @throw whatever the work has thrown
     */
    void Finish(JobPtr& job);

    /**
     * Do all work that was started and wait for it, as something that it reads is about to change:
     * work has the inputs of its start, whatever the number of threads. What it throws is for
     * Finish(). Does nothing within work.
     */
    void Settle();

    /**
     * Make sure that the work is not under way and will not be done any more, whether or not
     * it was done before.
     *
     * @param job from Start(); becomes null. Null is allowed
     */
    void Drop(JobPtr& job);

  private:
    ComputePool() = default;
    /** Of each thread, until StopThreads(). */
    void Serve();

    void Withdraw(const JobPtr& job);

    /** @param lock is held, and released while the job runs */
    void Run(std::unique_lock<std::mutex>& lock, Job& job);

    void StopThreads();

    std::vector<std::thread> m_threads; //!< beside the simulating one
    std::mutex m_mutex;                 //!< guards all that follows
    std::condition_variable m_wake;     //!< there is work, or the end
    std::condition_variable m_done;     //!< a job is done
    std::deque<JobPtr> m_queue;         //!< not begun; oldest first
    uint32_t m_running{0};              //!< jobs under way
    bool m_stopping{false};             //!< threads are to end
};

/** Work that was started. */
class ComputePool::Job
{
  private:
    friend class ComputePool;

    /** How far it is. */
    enum class State
    {
        WAITING, //!< in the queue
        RUNNING, //!< on some thread
        DONE     //!< done, or dropped
    };

    std::function<void()> m_work;   //!< what to do
    State m_state{State::WAITING};  //!< how far it is
    std::exception_ptr m_exception; //!< what it has thrown
};

} // namespace ns3::dlearn

#endif // DLEARN_COMPUTE_POOL_H

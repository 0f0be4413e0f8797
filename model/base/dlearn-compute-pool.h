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
 * The inputs of a gradient are fixed when its simulated computation begins, and no event needs its
 * result before the computation ends: meanwhile another thread can compute it:
 *
 *     auto job = ComputePool::Get().Start([this] { m_rule->Compute(); });
 *     ...
 *     ComputePool::Get().Finish(job); // at the end of the compute time
 *
 * Finish() does the work itself when no thread has begun it, so one thread (the default) works in
 * the order of the events. Results do not depend on the number of threads, because work must be a
 * pure function of the data of one learner: it must not touch packets, events, random streams, nor
 * copy a Ptr (ns-3's reference counts are not atomic).
 *
 * All methods are for the simulating thread.
 */
class ComputePool
{
  public:
    /** Work that was started. */
    class Job;
    using JobPtr = std::shared_ptr<Job>;

    /** @return the pool of the process */
    static ComputePool& Get();

    ~ComputePool() { StopThreads(); }

    ComputePool(const ComputePool&) = delete;
    ComputePool& operator=(const ComputePool&) = delete;

    /** @param threads threads that compute, with the simulating one: 1 to 256; no work is pending
     */
    void SetThreads(uint32_t threads);

    /** @return threads that compute, with the simulating one */
    uint32_t GetThreads() const { return 1 + m_threads.size(); }

    /** @return the job, to be passed to Finish() or Drop() */
    JobPtr Start(std::function<void()> work);

    /**
     * Wait until the work is done; does it here when no thread has begun.
     *
     * @param job from Start(); becomes null
     * @throw whatever the work has thrown
     */
    void Finish(JobPtr& job);

    /**
     * Finish all work that was started, before its inputs change. Exceptions are kept for Finish().
     * Does nothing within work.
     */
    void Settle();

    /** Cancel work, or wait for it if it has begun. @param job from Start(), or null; becomes null
     */
    void Drop(JobPtr& job);

  private:
    ComputePool() = default;
    void Serve();

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

    enum class State
    {
        WAITING, //!< in the queue
        RUNNING, //!< on some thread
        DONE     //!< done, or dropped
    };

    std::function<void()> m_work;
    State m_state{State::WAITING};
    std::exception_ptr m_exception; //!< thrown by the work
};

} // namespace ns3::dlearn

#endif // DLEARN_COMPUTE_POOL_H

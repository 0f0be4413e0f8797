/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-compute-pool.h"

#include "dlearn-check.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t MOST_THREADS = 256;

thread_local bool s_working = false; //!< whether this thread does a job

} // namespace

ComputePool&
ComputePool::Get()
{
    static ComputePool pool;
    return pool;
}

void
ComputePool::SetThreads(uint32_t threads)
{
    Require(threads >= 1 && threads <= MOST_THREADS,
            "threads must be from 1 to {}, got {}",
            MOST_THREADS,
            threads);
    if (threads == GetThreads())
    {
        return;
    }
    StopThreads();
    for (uint32_t k = 1; k < threads; ++k)
    {
        m_threads.emplace_back(&ComputePool::Serve, this);
    }
}

void
ComputePool::StopThreads()
{
    {
        const std::lock_guard<std::mutex> lock(m_mutex);
        m_stopping = true;
    }
    m_wake.notify_all();
    for (std::thread& thread : m_threads)
    {
        thread.join();
    }
    m_threads.clear();
    m_stopping = false;
}

ComputePool::JobPtr
ComputePool::Start(std::function<void()> work)
{
    auto job = std::make_shared<Job>();
    job->m_work = std::move(work);
    const std::lock_guard<std::mutex> lock(m_mutex);
    while (!m_queue.empty() && m_queue.front().use_count() == 1) // it has no owner any more
    {
        m_queue.pop_front();
    }
    m_queue.push_back(job);
    m_wake.notify_one();
    return job;
}

void
ComputePool::Settle()
{
    if (s_working)
    {
        return;
    }
    std::unique_lock<std::mutex> lock(m_mutex);
    while (!m_queue.empty())
    {
        const JobPtr job = m_queue.front();
        m_queue.pop_front();
        if (job.use_count() > 1) // else it has no owner any more
        {
            Run(lock, *job);
        }
    }
    m_done.wait(lock, [this] { return m_running == 0; });
}

void
ComputePool::Finish(JobPtr& job)
{
    const JobPtr finished = std::move(job);
    job = nullptr;
    std::unique_lock<std::mutex> lock(m_mutex);
    if (finished->m_state == Job::State::WAITING)
    {
        m_queue.erase(std::find(m_queue.begin(), m_queue.end(), finished));
        Run(lock, *finished);
    }
    m_done.wait(lock, [&] { return finished->m_state == Job::State::DONE; });
    if (finished->m_exception)
    {
        std::rethrow_exception(finished->m_exception);
    }
}

void
ComputePool::Drop(JobPtr& job)
{
    const JobPtr dropped = std::move(job);
    job = nullptr;
    if (!dropped)
    {
        return;
    }
    std::unique_lock<std::mutex> lock(m_mutex);
    m_queue.erase(std::remove(m_queue.begin(), m_queue.end(), dropped), m_queue.end());
    m_done.wait(lock, [&] { return dropped->m_state != Job::State::RUNNING; });
    dropped->m_state = Job::State::DONE;
}

void
ComputePool::Serve()
{
    std::unique_lock<std::mutex> lock(m_mutex);
    while (true)
    {
        m_wake.wait(lock, [this] { return m_stopping || !m_queue.empty(); });
        if (m_stopping)
        {
            return;
        }
        const JobPtr job = m_queue.front();
        m_queue.pop_front();
        Run(lock, *job);
    }
}

void
ComputePool::Run(std::unique_lock<std::mutex>& lock, Job& job)
{
    job.m_state = Job::State::RUNNING;
    ++m_running;
    lock.unlock();
    s_working = true;
    std::exception_ptr exception;
    try
    {
        job.m_work();
    }
    catch (...)
    {
        exception = std::current_exception(); // it belongs to whoever calls Finish()
    }
    s_working = false;
    lock.lock();
    --m_running;
    job.m_exception = exception;
    job.m_state = Job::State::DONE;
    m_done.notify_all();
}

} // namespace ns3::dlearn

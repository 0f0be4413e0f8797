/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-learner-computation.h"

#include "ns3/dlearn-check.h"
#include "ns3/simulator.h"

#include <stdexcept>
#include <utility>

namespace ns3::dlearn
{

void
LearnerComputation::SetCallback(std::function<void()> finished,
                                std::function<std::string()> describe)
{
    m_finished = std::move(finished);
    m_describe = std::move(describe);
}

void
LearnerComputation::Start(Time time, std::function<void()> work)
{
    Require(m_endEvent.IsExpired(), "LearnerComputation: another one is under way");
    m_time = time;
    m_endEvent = Simulator::Schedule(time, &LearnerComputation::End, this);
    if (work)
    {
        m_job = ComputePool::Get().Start(std::move(work));
    }
}

void
LearnerComputation::Cancel()
{
    if (!m_endEvent.IsExpired())
    {
        m_time -= Simulator::GetDelayLeft(m_endEvent);
    }
    m_endEvent.Cancel();
    ComputePool::Get().Drop(m_job);
}

void
LearnerComputation::End()
{
    try
    {
        if (m_job)
        {
            ComputePool::Get().Finish(m_job);
        }
        m_finished();
    }
    catch (const std::invalid_argument& error)
    {
        throw std::invalid_argument(m_describe() + ": " + error.what());
    }
}

} // namespace ns3::dlearn

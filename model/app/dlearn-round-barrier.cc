/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-round-barrier.h"

#include <set>

namespace ns3::dlearn
{

RoundBarrier::RoundBarrier(Ptr<const RoundPolicy> roundPolicy, Ptr<MissingPolicy> missingPolicy)
    : m_roundPolicy(roundPolicy),
      m_missingPolicy(missingPolicy)
{
}

bool
RoundBarrier::ShouldClose(const MessageWindow& window, Time elapsed) const
{
    RoundStatus status;
    status.expected = window.GetExpected();
    status.received = window.GetReceived();
    status.elapsed = elapsed;
    for (const auto& source : window.GetMissing())
    {
        const bool mayCome = m_watch.IsAlive(source.first) && !window.HasPassed(source);
        status.waitable += mayCome ? 1 : 0;
    }
    const bool held = status.waitable > 0 && !m_missingPolicy->MayClose();
    return !held && m_roundPolicy->ShouldClose(status);
}

std::vector<LearnerId>
RoundBarrier::RecordTimeouts(const MessageWindow& window, Time waited, Time suspicionTimeout)
{
    std::set<LearnerId> unused; // each once, however many of its channels are missing
    for (const auto& source : window.GetUnused())
    {
        unused.insert(source.first);
    }
    std::vector<LearnerId> suspected;
    for (const LearnerId neighbor : unused)
    {
        if (m_watch.RecordTimeout(neighbor, waited, suspicionTimeout))
        {
            suspected.push_back(neighbor);
        }
    }
    return suspected;
}

void
RoundBarrier::Remember(const MessageWindow::Source& source, const Arrival& arrival)
{
    m_missingPolicy->Remember(source, arrival);
}

void
RoundBarrier::Complete(Inbox& inbox, const std::vector<MessageWindow::Source>& expected)
{
    for (const auto& [source, arrival] : inbox.arrivals)
    {
        if (arrival.IsComplete())
        {
            m_missingPolicy->Remember(source, arrival);
        }
    }
    for (const auto& source : expected)
    {
        const Arrival* standIn = m_missingPolicy->GetStandIn(source);
        if (standIn && inbox.arrivals.count(source) == 0)
        {
            inbox.arrivals.emplace(source, *standIn);
        }
    }
}

} // namespace ns3::dlearn

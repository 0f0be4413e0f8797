/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-round-wait.h"

#include <set>

namespace ns3::dlearn
{

RoundWait::RoundWait(Ptr<const RoundPolicy> roundPolicy,
                     Ptr<MissingPolicy> missingPolicy,
                     Time tolerance)
    : m_roundPolicy(roundPolicy),
      m_missingPolicy(missingPolicy),
      m_watch(tolerance)
{
}

void
RoundWait::Heard(LearnerId neighbor)
{
    m_watch.Heard(neighbor);
}

bool
RoundWait::IsAlive(LearnerId neighbor) const
{
    return m_watch.IsAlive(neighbor);
}

void
RoundWait::Reset()
{
    m_watch.Reset();
}

bool
RoundWait::ShouldClose(const MessageWindow& window, Time elapsed) const
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

void
RoundWait::Blame(const MessageWindow& window, Time waited)
{
    std::set<LearnerId> unused; // each once, however many of its channels are missing
    for (const auto& source : window.GetUnused())
    {
        unused.insert(source.first);
    }
    for (const LearnerId neighbor : unused)
    {
        m_watch.Missed(neighbor, waited);
    }
}

void
RoundWait::Remember(const MessageWindow::Source& source, const Arrival& arrival)
{
    m_missingPolicy->Remember(source, arrival);
}

void
RoundWait::Complete(Inbox& inbox, const std::vector<MessageWindow::Source>& expected)
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

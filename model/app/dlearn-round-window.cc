/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-round-window.h"

#include "ns3/dlearn-check.h"

#include <algorithm>

namespace ns3::dlearn
{

RoundWindow::RoundWindow(const std::vector<Source>& sources, uint32_t ahead)
    : MessageWindow("RoundWindow", sources),
      m_ahead(ahead)
{
    Require(ahead >= 1, "RoundWindow: ahead must be at least 1, got ", ahead);
}

void
RoundWindow::DoOpen()
{
    const uint32_t round = GetRound();
    m_current.clear();
    // What waited for rounds that are skipped is of no use any more.
    while (!m_early.empty() && m_early.begin()->first < round)
    {
        GiveUp(m_early.begin()->second.size());
        m_early.erase(m_early.begin());
    }
    if (!m_early.empty() && m_early.begin()->first == round)
    {
        m_current = std::move(m_early.begin()->second);
        m_early.erase(m_early.begin());
    }
}

RoundWindow::Disposition
RoundWindow::Classify(const Source& source, uint32_t round) const
{
    if (m_sources.count(source) == 0)
    {
        return Disposition::UNEXPECTED;
    }
    if (IsOpen() && round == GetRound())
    {
        return m_current.count(source) > 0 ? Disposition::DUPLICATE : Disposition::ON_TIME;
    }
    const bool past = HasStarted() && round <= GetRound();
    if (past)
    {
        if (m_missed.count({round, source}) > 0)
        {
            return Disposition::LATE;
        }
        const auto record = std::lower_bound(
            GetRecords().begin(),
            GetRecords().end(),
            round,
            [](const RoundRecord& r, uint32_t wanted) { return r.round < wanted; });
        const bool closed = record != GetRecords().end() && record->round == round;
        return closed ? Disposition::DUPLICATE : Disposition::UNEXPECTED;
    }
    const uint32_t next = HasStarted() ? GetRound() + 1 : 0;
    if (round - next >= m_ahead)
    {
        return Disposition::TOO_EARLY;
    }
    const auto early = m_early.find(round);
    const bool waits = early != m_early.end() && early->second.count(source) > 0;
    return waits ? Disposition::DUPLICATE : Disposition::EARLY;
}

void
RoundWindow::TakeOnTime(const Source& source, uint32_t /* round */, std::optional<Arrival> arrival)
{
    m_current.emplace(source, std::move(arrival));
}

void
RoundWindow::TakeLate(const Source& source, uint32_t round)
{
    const auto missed = m_missed.find({round, source});
    RecordLate(missed->second);
    m_missed.erase(missed);
}

std::vector<RoundWindow::Source>
RoundWindow::GetMissing() const
{
    std::vector<Source> missing;
    for (const Source& source : m_sources)
    {
        if (m_current.count(source) == 0)
        {
            missing.push_back(source);
        }
    }
    return missing;
}

std::vector<RoundWindow::Source>
RoundWindow::GetUnused() const
{
    std::vector<Source> unused;
    for (const Source& source : m_sources)
    {
        const auto found = m_current.find(source);
        if (found == m_current.end() || !found->second)
        {
            unused.push_back(source);
        }
    }
    return unused;
}

bool
RoundWindow::HasPassed(const Source& source) const
{
    for (const auto& [round, messages] : m_early)
    {
        const auto message = messages.find(source);
        if (message != messages.end() && message->second)
        {
            return true;
        }
    }
    return false;
}

std::map<RoundWindow::Source, Arrival>
RoundWindow::DoClose(RoundRecord& record)
{
    record.expected = m_sources.size();
    record.received = m_current.size();
    record.lost = record.expected - record.received;
    for (const Source& source : GetMissing())
    {
        m_missed[{record.round, source}] = GetRecords().size();
    }
    std::map<Source, Arrival> usable;
    for (auto& [source, arrival] : m_current)
    {
        if (arrival)
        {
            usable.emplace(source, std::move(*arrival));
        }
    }
    m_current.clear();
    return usable;
}

uint64_t
RoundWindow::DoAbandon()
{
    const uint64_t held = m_current.size();
    m_current.clear();
    return held;
}

uint64_t
RoundWindow::CountWaiting() const
{
    uint64_t waiting = m_current.size();
    for (const auto& [round, messages] : m_early)
    {
        waiting += messages.size();
    }
    return waiting;
}

} // namespace ns3::dlearn

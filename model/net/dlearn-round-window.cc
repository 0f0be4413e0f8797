/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-round-window.h"

#include "ns3/dlearn-check.h"

#include <algorithm>

namespace ns3
{
namespace dlearn
{

RoundWindow::RoundWindow(std::vector<Source> sources, uint32_t ahead)
    : m_sources(sources.begin(), sources.end()),
      m_ahead(ahead)
{
    Require(m_sources.size() == sources.size(), "RoundWindow: a source is listed twice");
    Require(ahead >= 1, "RoundWindow: ahead must be at least 1, got ", ahead);
}

void
RoundWindow::Open(uint32_t round)
{
    Require(!m_open, "RoundWindow: round ", m_round, " is still open");
    Require(!m_started || round > m_round,
            "RoundWindow: rounds must increase, got ",
            round,
            " after ",
            m_round);
    m_open = true;
    m_started = true;
    m_round = round;
    m_current.clear();
    // What waited for rounds that are skipped is of no use any more.
    while (!m_early.empty() && m_early.begin()->first < round)
    {
        m_abandoned += m_early.begin()->second.size();
        m_early.erase(m_early.begin());
    }
    if (!m_early.empty() && m_early.begin()->first == round)
    {
        m_current = std::move(m_early.begin()->second);
        m_early.erase(m_early.begin());
    }
}

RoundWindow::Verdict
RoundWindow::Judge(const Source& source, uint32_t round) const
{
    if (m_sources.count(source) == 0)
    {
        return Verdict::UNEXPECTED;
    }
    if (m_open && round == m_round)
    {
        return m_current.count(source) > 0 ? Verdict::DUPLICATE : Verdict::ON_TIME;
    }
    const bool past = m_started && round <= m_round;
    if (past)
    {
        if (m_missed.count({round, source}) > 0)
        {
            return Verdict::LATE;
        }
        const auto record = std::lower_bound(
            m_records.begin(),
            m_records.end(),
            round,
            [](const RoundRecord& r, uint32_t wanted) { return r.round < wanted; });
        const bool closed = record != m_records.end() && record->round == round;
        return closed ? Verdict::DUPLICATE : Verdict::UNEXPECTED;
    }
    const uint32_t next = m_started ? m_round + 1 : 0;
    if (round - next >= m_ahead)
    {
        return Verdict::TOO_EARLY;
    }
    const auto early = m_early.find(round);
    const bool waits = early != m_early.end() && early->second.count(source) > 0;
    return waits ? Verdict::DUPLICATE : Verdict::EARLY;
}

RoundWindow::Verdict
RoundWindow::Offer(const Source& source, uint32_t round, std::optional<Arrival> arrival)
{
    const Verdict verdict = Judge(source, round);
    switch (verdict)
    {
    case Verdict::ON_TIME:
        ++m_tally.onTime;
        m_current.emplace(source, std::move(arrival));
        break;
    case Verdict::EARLY:
        ++m_tally.early;
        m_early[round].emplace(source, std::move(arrival));
        break;
    case Verdict::LATE: {
        ++m_tally.late;
        const auto missed = m_missed.find({round, source});
        RoundRecord& record = m_records[missed->second];
        ++record.late;
        --record.lost;
        m_missed.erase(missed);
        break;
    }
    case Verdict::DUPLICATE:
        ++m_tally.duplicate;
        break;
    case Verdict::TOO_EARLY:
        ++m_tally.tooEarly;
        break;
    case Verdict::UNEXPECTED:
        ++m_tally.unexpected;
        break;
    }
    return verdict;
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

uint32_t
RoundWindow::GetReceived() const
{
    return m_current.size();
}

uint32_t
RoundWindow::GetExpected() const
{
    return m_sources.size();
}

bool
RoundWindow::IsOpen() const
{
    return m_open;
}

uint32_t
RoundWindow::GetRound() const
{
    return m_round;
}

std::map<RoundWindow::Source, Arrival>
RoundWindow::Close()
{
    Require(m_open, "RoundWindow: no round is open");
    RoundRecord record;
    record.round = m_round;
    record.expected = m_sources.size();
    record.received = m_current.size();
    record.lost = record.expected - record.received;
    for (const Source& source : GetMissing())
    {
        m_missed[{m_round, source}] = m_records.size();
    }
    std::map<Source, Arrival> usable;
    for (auto& [source, arrival] : m_current)
    {
        if (arrival)
        {
            usable.emplace(source, std::move(*arrival));
        }
    }
    record.used = usable.size();
    record.rejected = record.received - record.used;
    m_records.push_back(record);
    m_current.clear();
    m_open = false;
    return usable;
}

void
RoundWindow::Abandon()
{
    if (m_open)
    {
        m_abandoned += m_current.size();
        m_current.clear();
        m_open = false;
    }
}

std::vector<RoundRecord>&
RoundWindow::GetRecords()
{
    return m_records;
}

const std::vector<RoundRecord>&
RoundWindow::GetRecords() const
{
    return m_records;
}

const RoundWindow::Tally&
RoundWindow::GetTally() const
{
    return m_tally;
}

void
RoundWindow::CheckConservation() const
{
    uint64_t received = 0;
    uint64_t late = 0;
    for (const RoundRecord& record : m_records)
    {
        record.CheckConservation();
        received += record.received;
        late += record.late;
    }
    uint64_t waiting = m_current.size();
    for (const auto& [round, messages] : m_early)
    {
        waiting += messages.size();
    }
    RequireLaw(m_tally.onTime + m_tally.early,
               received + waiting + m_abandoned,
               "messages taken = received + still waiting + given up",
               "over the run");
    RequireLaw(m_tally.late, late, "late messages = sum of late over rounds", "over the run");
}

const char*
ToString(RoundWindow::Verdict verdict)
{
    switch (verdict)
    {
    case RoundWindow::Verdict::ON_TIME:
        return "on time";
    case RoundWindow::Verdict::EARLY:
        return "early";
    case RoundWindow::Verdict::LATE:
        return "late";
    case RoundWindow::Verdict::DUPLICATE:
        return "duplicate";
    case RoundWindow::Verdict::TOO_EARLY:
        return "too early";
    case RoundWindow::Verdict::UNEXPECTED:
        return "unexpected";
    }
    return "unknown";
}

} // namespace dlearn
} // namespace ns3

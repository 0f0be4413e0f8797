/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-dispatch-book.h"

#include "ns3/dlearn-check.h"

namespace ns3::dlearn
{

void
DispatchBook::Add(LearnerId client, Dispatch dispatch)
{
    Require(m_open.count(client) == 0, "DispatchBook: client ", client, " has an open dispatch");
    const auto last = m_lastTicket.find(client);
    Require(last == m_lastTicket.end() || dispatch.ticket > last->second,
            "DispatchBook: tickets must increase, got ",
            dispatch.ticket,
            " for client ",
            client);
    m_lastTicket[client] = dispatch.ticket;
    m_open.emplace(client, std::move(dispatch));
}

bool
DispatchBook::IsOpen(LearnerId client) const
{
    return m_open.count(client) > 0;
}

const std::map<LearnerId, Dispatch>&
DispatchBook::GetOpen() const
{
    return m_open;
}

DispatchBook::Verdict
DispatchBook::Judge(LearnerId client, uint32_t ticket) const
{
    const auto open = m_open.find(client);
    if (open != m_open.end() && open->second.ticket == ticket)
    {
        return Verdict::ON_TIME;
    }
    if (m_missed.count({ticket, client}) > 0)
    {
        return Verdict::LATE;
    }
    const auto last = m_lastTicket.find(client);
    const bool given = last != m_lastTicket.end() && ticket <= last->second;
    return given ? Verdict::DUPLICATE : Verdict::UNEXPECTED;
}

const Dispatch*
DispatchBook::Find(LearnerId client, uint32_t ticket) const
{
    const auto open = m_open.find(client);
    if (open != m_open.end() && open->second.ticket == ticket)
    {
        return &open->second;
    }
    const auto missed = m_missed.find({ticket, client});
    return missed == m_missed.end() ? nullptr : &missed->second.dispatch;
}

DispatchBook::Verdict
DispatchBook::Answer(LearnerId client, uint32_t ticket, bool usable)
{
    const Verdict verdict = Judge(client, ticket);
    if (verdict == Verdict::ON_TIME)
    {
        ++m_tally.answered;
        ++m_current.expected;
        ++m_current.received;
        ++(usable ? m_current.used : m_current.rejected);
        m_open.erase(client);
    }
    else if (verdict == Verdict::LATE)
    {
        ++m_tally.late;
        const auto missed = m_missed.find({ticket, client});
        RoundRecord& record = GetRecord(missed->second.record);
        ++record.late;
        --record.lost;
        m_missed.erase(missed);
    }
    else
    {
        ++(verdict == Verdict::DUPLICATE ? m_tally.duplicate : m_tally.unexpected);
    }
    return verdict;
}

void
DispatchBook::GiveUp(LearnerId client)
{
    const auto open = m_open.find(client);
    Require(open != m_open.end(), "DispatchBook: client ", client, " has no open dispatch");
    const uint32_t ticket = open->second.ticket;
    m_missed.emplace(std::make_pair(ticket, client),
                     Missed{std::move(open->second), m_records.size()});
    m_open.erase(open);
    ++m_current.expected;
    ++m_current.lost;
}

RoundRecord&
DispatchBook::GetRecord(size_t index)
{
    return index < m_records.size() ? m_records[index] : m_current;
}

void
DispatchBook::Close(uint32_t round)
{
    m_current.round = round;
    m_records.push_back(m_current);
    m_current = RoundRecord();
}

RoundRecord&
DispatchBook::GetLastRecord()
{
    return m_records.back();
}

const RoundRecord&
DispatchBook::GetCurrent() const
{
    return m_current;
}

const std::vector<RoundRecord>&
DispatchBook::GetRecords() const
{
    return m_records;
}

const DispatchBook::Tally&
DispatchBook::GetTally() const
{
    return m_tally;
}

void
DispatchBook::CheckConservation() const
{
    RoundRecord sum = m_current;
    for (const RoundRecord& record : m_records)
    {
        record.CheckConservation();
        sum.received += record.received;
        sum.late += record.late;
    }
    RequireLaw(m_tally.answered, sum.received, "answers in time = received", "over all rounds");
    RequireLaw(m_tally.late, sum.late, "late answers = late", "over all rounds");
}

} // namespace ns3::dlearn

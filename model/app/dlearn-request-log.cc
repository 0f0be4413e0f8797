/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-request-log.h"

#include "ns3/dlearn-check.h"

namespace ns3::dlearn
{

void
RequestLog::Add(LearnerId client, Dispatch dispatch)
{
    Require(m_open.count(client) == 0, "RequestLog: client ", client, " has an open dispatch");
    const auto last = m_lastRequestId.find(client);
    Require(last == m_lastRequestId.end() || dispatch.requestId > last->second,
            "RequestLog: requestIds must increase, got ",
            dispatch.requestId,
            " for client ",
            client);
    m_lastRequestId[client] = dispatch.requestId;
    m_open.emplace(client, std::move(dispatch));
}

RequestLog::Disposition
RequestLog::Classify(LearnerId client, uint32_t requestId) const
{
    const auto open = m_open.find(client);
    if (open != m_open.end() && open->second.requestId == requestId)
    {
        return Disposition::ON_TIME;
    }
    if (m_missed.count({requestId, client}) > 0)
    {
        return Disposition::LATE;
    }
    const auto last = m_lastRequestId.find(client);
    const bool given = last != m_lastRequestId.end() && requestId <= last->second;
    return given ? Disposition::DUPLICATE : Disposition::UNEXPECTED;
}

const Dispatch*
RequestLog::Find(LearnerId client, uint32_t requestId) const
{
    const auto open = m_open.find(client);
    if (open != m_open.end() && open->second.requestId == requestId)
    {
        return &open->second;
    }
    const auto missed = m_missed.find({requestId, client});
    return missed == m_missed.end() ? nullptr : &missed->second.dispatch;
}

RequestLog::Disposition
RequestLog::Answer(LearnerId client, uint32_t requestId, bool usable)
{
    const Disposition disposition = Classify(client, requestId);
    if (disposition == Disposition::ON_TIME)
    {
        ++m_tally.answered;
        ++m_current.expected;
        ++m_current.received;
        ++(usable ? m_current.used : m_current.rejected);
        m_open.erase(client);
    }
    else if (disposition == Disposition::LATE)
    {
        ++m_tally.late;
        const auto missed = m_missed.find({requestId, client});
        RoundRecord& record = GetRecord(missed->second.record);
        ++record.late;
        --record.lost;
        m_missed.erase(missed);
    }
    else
    {
        ++(disposition == Disposition::DUPLICATE ? m_tally.duplicate : m_tally.unexpected);
    }
    return disposition;
}

void
RequestLog::GiveUp(LearnerId client)
{
    const auto open = m_open.find(client);
    Require(open != m_open.end(), "RequestLog: client ", client, " has no open dispatch");
    const uint32_t requestId = open->second.requestId;
    m_missed.emplace(std::make_pair(requestId, client),
                     Missed{std::move(open->second), m_records.size()});
    m_open.erase(open);
    ++m_current.expected;
    ++m_current.lost;
}

void
RequestLog::Close(uint32_t round)
{
    m_current.round = round;
    m_records.push_back(m_current);
    m_current = RoundRecord();
}

void
RequestLog::TakeBack(uint64_t updates, bool closed)
{
    RoundRecord& record = closed ? GetLastRecord() : m_current;
    record.used -= updates;
    record.rejected += updates;
}

void
RequestLog::CheckConservation() const
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

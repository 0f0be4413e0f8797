/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-pair-statistics.h"

#include "ns3/dlearn-state-archive.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

/** Messages of a stream that may be under way; an older one is lost, or comes without a latency. */
constexpr size_t MOST_OPEN = 256;

} // namespace

PairStatistics::PairStatistics(const std::vector<Ptr<LearnerApplication>>& learners)
{
    for (const auto& learner : learners)
    {
        const LearnerId node = learner->GetLearnerId();
        learner->GetExchange()->TraceConnectWithoutContext(
            "MessageTx",
            MakeCallback(&PairStatistics::HandleTx, this, node));
        learner->TraceConnectWithoutContext("MessageRx",
                                            MakeCallback(&PairStatistics::HandleRx, this, node));
    }
}

void
PairStatistics::HandleTx(LearnerId from,
                         const EncodedMessage& message,
                         const std::vector<LearnerId>& to)
{
    if (!message.GetChannel())
    {
        return; // bytes of an attack
    }
    for (const LearnerId receiver : to)
    {
        ++m_counters[{from, receiver}].expected;
        auto& open = m_open[{from, receiver, *message.GetChannel()}];
        open.emplace_back(message.GetRound(), Simulator::Now());
        if (open.size() > MOST_OPEN)
        {
            open.pop_front();
        }
    }
}

void
PairStatistics::HandleRx(LearnerId to,
                         const RoundWindow::Source& source,
                         uint32_t round,
                         Reception reception)
{
    const auto stream = m_open.find({source.first, to, source.second});
    if (stream == m_open.end() || reception == Reception::PARTIAL)
    {
        return; // the rest of a partial message may still come
    }
    auto& open = stream->second;
    const auto sent = std::find_if(open.begin(), open.end(), [round](const auto& message) {
        return message.first == round;
    });
    if (sent == open.end())
    {
        return; // a copy, or not of this sender
    }
    Counters& counters = m_counters[{source.first, to}];
    ++(reception == Reception::LATE ? counters.late : counters.received);
    counters.latency += Simulator::Now() - sent->second;
    open.erase(sent);
}

std::vector<PairRecord>
PairStatistics::GetRecords() const
{
    std::vector<PairRecord> records;
    for (const auto& [pair, counters] : m_counters)
    {
        PairRecord record;
        record.from = pair.first;
        record.to = pair.second;
        record.expected = counters.expected;
        record.received = counters.received;
        record.late = counters.late;
        record.lost = counters.expected - counters.received - counters.late;
        record.latency = counters.latency;
        records.push_back(record);
    }
    return records;
}

void
PairStatistics::VisitState(StateArchive& archive)
{
    archive.Begin("pairs");
    archive(m_counters, m_open);
}

} // namespace ns3::dlearn

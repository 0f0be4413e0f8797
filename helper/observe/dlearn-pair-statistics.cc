/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-pair-statistics.h"

#include "ns3/dlearn-ranks.h"
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
        m_traces.Add(learner->GetExchange(),
                     "MessageTx",
                     MakeCallback(&PairStatistics::HandleTx, this, node));
        m_traces.Add(learner, "MessageRx", MakeCallback(&PairStatistics::HandleRx, this, node));
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
        Take({Simulator::Now(), {from, receiver, *message.GetChannel()}, message.GetRound()});
    }
}

void
PairStatistics::Take(const Note& note)
{
    if (Ranks::GetCount() > 1)
    {
        m_notes.push_back(note);
        return;
    }
    Count(note);
}

void
PairStatistics::CountSent(const Note& note)
{
    ++m_counters[{std::get<0>(note.stream), std::get<1>(note.stream)}].expected;
    auto& open = m_open[note.stream];
    open.emplace_back(note.round, note.time);
    if (open.size() > MOST_OPEN)
    {
        open.pop_front();
    }
}

void
PairStatistics::HandleRx(LearnerId to,
                         const MessageSource& source,
                         uint32_t round,
                         Reception reception)
{
    Take({Simulator::Now(), {source.first, to, source.second}, round, true, reception});
}

void
PairStatistics::Count(const Note& note)
{
    if (!note.arrived)
    {
        CountSent(note);
        return;
    }
    const auto stream = m_open.find(note.stream);
    if (stream == m_open.end())
    {
        return;
    }
    auto& open = stream->second;
    const auto sent = std::find_if(open.begin(), open.end(), [&note](const auto& message) {
        return message.first == note.round;
    });
    if (sent == open.end())
    {
        return; // a copy, or not of this sender
    }
    Counters& counters = m_counters[{std::get<0>(note.stream), std::get<1>(note.stream)}];
    if (note.reception == Reception::PARTIAL) // the rest of the message may still come
    {
        counters.partly = true;
        return;
    }
    ++(note.reception == Reception::LATE ? counters.late : counters.received);
    counters.latency += note.time - sent->second;
    open.erase(sent);
}

void
PairStatistics::AddNotes(StateArchive& archive)
{
    std::vector<Note> notes = m_notes;
    archive(notes);
    if (archive.IsLoading())
    {
        m_notes.insert(m_notes.end(), notes.begin(), notes.end());
    }
}

void
PairStatistics::CountNotes()
{
    std::stable_sort(m_notes.begin(), m_notes.end(), [](const Note& a, const Note& b) {
        return std::tie(a.time, a.arrived) < std::tie(b.time, b.arrived);
    });
    for (const Note& note : m_notes)
    {
        Count(note);
    }
    m_notes.clear();
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
        record.partly = counters.partly;
        record.lost = counters.expected - counters.received - counters.late;
        record.latency = counters.latency;
        records.push_back(record);
    }
    return records;
}

} // namespace ns3::dlearn

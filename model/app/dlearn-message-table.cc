/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-message-table.h"

#include "ns3/dlearn-learner-rule.h"
#include "ns3/dlearn-transport.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace ns3::dlearn
{

void
RoundRecord::SetPrivacy(const LearnerRule& rule)
{
    if (const auto ledger = rule.GetLedger())
    {
        epsilon = ledger->GetEpsilon();
        epsilonNominal = ledger->GetNominalEpsilon();
    }
}

void
RoundRecord::CheckConservation() const
{
    const std::string where =
        "at node " + std::to_string(node) + " in round " + std::to_string(round);
    RequireLaw(expected, received + late + lost, "expected = received + late + lost", where);
    RequireLaw(received, used + rejected, "received = used + rejected", where);
}

void
UnrecordedExposure::Note(uint32_t round)
{
    m_last = {Simulator::Now(), round};
}

void
UnrecordedExposure::Record(LearnerId learner,
                           const LearnerRule& rule,
                           std::vector<RoundRecord>& records)
{
    const auto ledger = rule.GetLedger();
    const double shown = records.empty() ? 0 : records.back().epsilon;
    if (!m_last || !ledger ||
        ledger->GetEpsilon() <= shown) // an update that has not left costs nothing
    {
        return;
    }
    RoundRecord record;
    record.node = learner;
    record.closed = m_last->first;
    record.round = m_last->second;
    record.SetPrivacy(rule);
    records.push_back(record);
    m_last.reset();
}

void
RequireLaw(uint64_t left, uint64_t right, const char* law, const std::string& where)
{
    if (left != right)
    {
        std::ostringstream message;
        message << "conservation law broken " << where << ": " << law << ", but " << left
                << " != " << right;
        throw std::logic_error(message.str());
    }
}

void
TrafficCounter::CountSent(const Transport& transport, RoundRecord& record)
{
    const uint64_t sent = transport.GetTxBytes();
    record.txBytes += sent - std::exchange(m_sent, sent);
}

void
TrafficCounter::Count(const Transport& transport, RoundRecord& record)
{
    CountSent(transport, record);
    const uint64_t received = transport.GetRxBytes();
    record.rxBytes += received - std::exchange(m_received, received);
}

void
TrafficCounter::Finish(const Transport& transport,
                       RoundRecord* last,
                       std::map<std::string, uint64_t>& totals)
{
    if (last)
    {
        Count(transport, *last);
        return;
    }
    RoundRecord none;
    Count(transport, none);
    if (none.txBytes > 0)
    {
        totals["tx_bytes_without_row"] += none.txBytes;
    }
    if (none.rxBytes > 0)
    {
        totals["rx_bytes_without_row"] += none.rxBytes;
    }
}

void
MessageTable::RecordActivity(LearnerId sender)
{
    m_waited.erase(sender);
    m_suspected.erase(sender);
}

bool
MessageTable::RecordTimeout(LearnerId sender, Time waited, Time suspicionTimeout)
{
    m_waited[sender] += waited;
    return m_waited[sender] >= suspicionTimeout && m_suspected.insert(sender).second;
}

void
MessageTable::Trust()
{
    m_waited.clear();
    m_suspected.clear();
}

const MessageTable::Stream*
MessageTable::Find(const MessageSource& source) const
{
    const auto stream = m_streams.find(source);
    return stream == m_streams.end() ? nullptr : &stream->second;
}

bool
MessageTable::IsMissed(const Stream& stream, uint32_t number)
{
    const auto gap = stream.gaps.upper_bound(number);
    return gap != stream.gaps.begin() && number <= std::prev(gap)->second.last;
}

void
MessageTable::Miss(Stream& stream, uint64_t first, uint64_t last)
{
    stream.gaps[first] = {last, m_records.size()};
    m_current.expected += last - first + 1;
    m_current.lost += last - first + 1;
}

void
MessageTable::Receive(LearnerId sender)
{
    ++m_current.expected;
    ++m_current.received;
    m_current.last = sender;
}

MessageTable::Disposition
MessageTable::Note(const MessageSource& source, uint32_t number)
{
    const Disposition disposition = Classify(source, number);
    switch (disposition)
    {
    case Disposition::ON_TIME:
        ++m_tally.onTime;
        break;
    case Disposition::EARLY:
        ++m_tally.early;
        break;
    case Disposition::DUPLICATE:
        ++m_tally.duplicate;
        break;
    case Disposition::TOO_EARLY:
        ++m_tally.tooEarly;
        break;
    case Disposition::UNEXPECTED:
        ++m_tally.unexpected;
        break;
    case Disposition::LATE: {
        ++m_tally.late;
        auto& gaps = m_streams.at(source).gaps;
        const auto [first, gap] = *std::prev(gaps.upper_bound(number));
        gaps.erase(first);
        if (first < number)
        {
            gaps[first] = {uint64_t{number} - 1, gap.record};
        }
        if (number < gap.last)
        {
            gaps[uint64_t{number} + 1] = gap;
        }
        RoundRecord& record = gap.record < m_records.size() ? m_records[gap.record] : m_current;
        ++record.late;
        --record.lost;
        break;
    }
    }
    return disposition;
}

void
MessageTable::WriteRecord(uint32_t round)
{
    m_current.round = round;
    m_records.push_back(std::exchange(m_current, {}));
}

void
MessageTable::CheckConservation() const
{
    RoundRecord sum = m_current;
    for (const RoundRecord& record : m_records)
    {
        record.CheckConservation();
        sum.received += record.received;
        sum.late += record.late;
    }
    RequireLaw(m_tally.onTime + m_tally.early,
               sum.received + m_waiting + m_abandoned,
               "messages taken = received + still waiting + given up",
               "over the run");
    RequireLaw(m_tally.late, sum.late, "late messages = sum of late over rounds", "over the run");
}

RequestTable::Disposition
RequestTable::Classify(const MessageSource& source, uint32_t number) const
{
    const Stream* stream = Find(source);
    if (!stream || number < m_oldest)
    {
        return Disposition::UNEXPECTED;
    }
    const auto open = m_open.find(source.first);
    if (open != m_open.end() && open->second == number)
    {
        return Disposition::ON_TIME;
    }
    if (IsMissed(*stream, number))
    {
        return Disposition::LATE;
    }
    return number < stream->next ? Disposition::DUPLICATE : Disposition::UNEXPECTED;
}

void
RequestTable::Expect(LearnerId client, uint32_t number)
{
    Stream& stream = m_streams[{client, m_channel}];
    stream.next = uint64_t{number} + 1;
    m_open[client] = number;
}

RequestTable::Disposition
RequestTable::Answer(LearnerId client, uint32_t number, bool usable)
{
    const Disposition disposition = Note({client, m_channel}, number);
    if (disposition == Disposition::ON_TIME)
    {
        Receive(client);
        ++(usable ? m_current.used : m_current.rejected);
        m_open.erase(client);
    }
    return disposition;
}

void
RequestTable::GiveUp(LearnerId client)
{
    const auto open = m_open.find(client);
    Miss(m_streams.at({client, m_channel}), open->second, open->second);
    m_open.erase(open);
}

void
RequestTable::TakeBack(uint64_t answers, bool closed)
{
    RoundRecord& record = closed ? m_records.back() : m_current;
    record.used -= answers;
    record.rejected += answers;
}

RoundTable::RoundTable(const std::vector<MessageSource>& sources, uint32_t ahead)
    : m_ahead(ahead)
{
    for (const MessageSource& source : sources)
    {
        m_streams.try_emplace(source);
    }
}

RoundTable::Disposition
RoundTable::Classify(const MessageSource& source, uint32_t round) const
{
    const Stream* stream = Find(source);
    if (!stream)
    {
        return Disposition::UNEXPECTED;
    }
    if (stream->held.count(round) > 0)
    {
        return Disposition::DUPLICATE;
    }
    if (m_open && round == m_round)
    {
        return Disposition::ON_TIME;
    }
    if (!m_started || round > m_round)
    {
        const uint32_t next = m_started ? m_round + 1 : 0;
        return round - next >= m_ahead ? Disposition::TOO_EARLY : Disposition::EARLY;
    }
    if (IsMissed(*stream, round))
    {
        return Disposition::LATE;
    }
    const auto record =
        std::lower_bound(m_records.begin(), m_records.end(), round, [](const auto& r, uint32_t n) {
            return r.round < n;
        });
    const bool closed = record != m_records.end() && record->round == round;
    return closed ? Disposition::DUPLICATE : Disposition::UNEXPECTED;
}

void
RoundTable::Open(uint32_t round)
{
    m_open = true;
    m_started = true;
    m_round = round;
    Begin();
}

void
RoundTable::Begin()
{
    for (auto& [source, stream] : m_streams)
    {
        auto& held = stream.held;
        for (; !held.empty() && held.begin()->first < m_round; held.erase(held.begin()))
        {
            --m_waiting; // its round is skipped
            ++m_abandoned;
        }
        if (held.count(m_round) > 0)
        {
            --m_waiting;
            Receive(source.first);
        }
    }
}

RoundTable::Disposition
RoundTable::Offer(const MessageSource& source, uint32_t round, std::optional<Arrival> arrival)
{
    const Disposition disposition = Note(source, round);
    if (disposition == Disposition::ON_TIME || disposition == Disposition::EARLY)
    {
        Take(source, round, std::move(arrival));
    }
    return disposition;
}

void
RoundTable::Take(const MessageSource& source, uint32_t round, std::optional<Arrival> arrival)
{
    m_streams.at(source).held.emplace(round, std::move(arrival));
    if (m_open && round == m_round)
    {
        Receive(source.first);
    }
    else
    {
        ++m_waiting;
    }
}

std::vector<MessageSource>
RoundTable::GetMissing() const
{
    std::vector<MessageSource> missing;
    for (const auto& [source, stream] : m_streams)
    {
        if (stream.held.count(m_round) == 0)
        {
            missing.push_back(source);
        }
    }
    return missing;
}

std::vector<MessageSource>
RoundTable::GetUnused() const
{
    std::vector<MessageSource> unused;
    for (const auto& [source, stream] : m_streams)
    {
        const auto found = stream.held.find(m_round);
        if (found == stream.held.end() || !found->second)
        {
            unused.push_back(source);
        }
    }
    return unused;
}

bool
RoundTable::HasPassed(const MessageSource& source) const
{
    const auto& held = m_streams.at(source).held;
    return std::any_of(held.upper_bound(m_round), held.end(), [](const auto& message) {
        return message.second.has_value();
    });
}

RoundStatus
RoundTable::GetStatus() const
{
    RoundStatus status;
    status.expected = m_streams.size();
    for (const auto& [source, stream] : m_streams)
    {
        status.received += !stream.held.empty() && IsCurrent(stream.held.begin()->first) ? 1 : 0;
    }
    for (const MessageSource& source : GetMissing())
    {
        status.waitable += IsAlive(source.first) && !HasPassed(source) ? 1 : 0;
    }
    return status;
}

std::map<MessageSource, Arrival>
RoundTable::Close()
{
    m_open = false;
    MissRest();
    std::map<MessageSource, Arrival> usable;
    for (auto& [source, stream] : m_streams)
    {
        auto& held = stream.held;
        for (; !held.empty() && IsCurrent(held.begin()->first); held.erase(held.begin()))
        {
            if (auto& arrival = held.begin()->second)
            {
                usable.emplace(source, std::move(*arrival));
            }
        }
    }
    m_current.used = usable.size();
    m_current.rejected = m_current.received - m_current.used;
    WriteRecord(m_round);
    return usable;
}

void
RoundTable::MissRest()
{
    for (auto& [source, stream] : m_streams)
    {
        if (stream.held.count(m_round) == 0)
        {
            Miss(stream, m_round, m_round);
        }
    }
}

void
RoundTable::Abandon()
{
    if (!m_open)
    {
        return;
    }
    m_open = false;
    for (auto& [source, stream] : m_streams)
    {
        auto& held = stream.held;
        while (!held.empty() && IsCurrent(held.begin()->first))
        {
            held.erase(held.begin());
        }
    }
    m_abandoned += m_current.received;
    m_current.expected -= m_current.received; // the next record counts missed and late ones
    m_current.received = 0;
    m_current.last = -1;
}

void
RoundTable::Count(std::map<std::string, uint64_t>& totals) const
{
    totals["duplicate"] += m_tally.duplicate;
    totals["too_early"] += m_tally.tooEarly;
    totals["unexpected"] += m_tally.unexpected;
    totals["superseded"] += m_tally.superseded;
}

LatestTable::Disposition
LatestTable::Classify(const MessageSource& source, uint32_t round) const
{
    const Stream* stream = Find(source);
    if (!stream)
    {
        return Disposition::UNEXPECTED;
    }
    if (round < stream->next)
    {
        return IsMissed(*stream, round) ? Disposition::LATE : Disposition::DUPLICATE;
    }
    const uint64_t silent = std::min<uint64_t>(m_records.size() - stream->closed, 20);
    const uint64_t believed = std::min<uint64_t>(LARGEST_GAP, uint64_t{FIRST_GAP} << silent);
    return round - stream->next <= believed ? Disposition::ON_TIME : Disposition::TOO_EARLY;
}

void
LatestTable::Take(const MessageSource& source, uint32_t round, std::optional<Arrival> arrival)
{
    Stream& stream = m_streams.at(source);
    if (round > stream.next)
    {
        Miss(stream, stream.next, uint64_t{round} - 1);
    }
    Receive(source.first);
    stream.next = uint64_t{round} + 1;
    stream.closed = m_records.size();
    if (arrival)
    {
        const auto older = std::find_if(stream.held.rbegin(), stream.held.rend(), [](auto& held) {
            return held.second.has_value();
        });
        if (older != stream.held.rend())
        {
            older->second.reset();
            ++m_tally.superseded;
        }
    }
    stream.held.emplace(round, std::move(arrival));
}

} // namespace ns3::dlearn

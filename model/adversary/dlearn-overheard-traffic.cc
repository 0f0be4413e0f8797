/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-overheard-traffic.h"

#include "ns3/simulator.h"

namespace ns3::dlearn
{

OverheardTraffic::OverheardTraffic(std::function<void(const Overheard&)> visit)
    : m_visit(std::move(visit))
{
}

void
OverheardTraffic::Read(const Limits& limits, FrameKind kind, const uint8_t* bytes, size_t size)
{
    m_limits = limits;
    ++m_counters.frames;
    const Dissection dissection = DissectFrame(kind, bytes, size);
    m_counters.foreign += dissection.foreign;
    m_counters.unreadable += dissection.unreadable;
    for (const OverheardSegment& segment : dissection.segments)
    {
        segment.tcp ? ReadSegment(segment) : ReadDatagram(segment);
        Shrink();
    }
}

void
OverheardTraffic::Clear()
{
    m_traffic.clear();
    m_streams.clear();
    m_unfinished.clear();
    m_held = 0;
}

void
OverheardTraffic::ReadDatagram(const OverheardSegment& segment)
{
    ModelHeader header;
    if (segment.size >= ModelHeader::SIZE)
    {
        header.Read(segment.payload);
    }
    const uint8_t* payload = segment.payload + ModelHeader::SIZE;
    if (segment.size < ModelHeader::SIZE || !header.IsValid() ||
        header.payloadLength != segment.size - ModelHeader::SIZE || !header.IsIntact(payload))
    {
        ++m_counters.noFragment;
        return;
    }
    ReadFragment({segment.source, segment.destination}, header, payload);
}

void
OverheardTraffic::WithStream(const StreamKey& key,
                             const std::function<void(OverheardStream&)>& action)
{
    const auto [found, fresh] = m_streams.try_emplace(key, m_limits.stream);
    Stream& stream = found->second;
    const uint64_t before = fresh ? 0 : stream.stream.GetBytes();
    if (!fresh)
    {
        m_unfinished.erase(stream.age);
    }
    stream.age = m_age++;
    m_unfinished.emplace(stream.age, key);
    action(stream.stream);
    m_held += stream.stream.GetBytes() - before;
}

void
OverheardTraffic::ReadSegment(const OverheardSegment& segment)
{
    const auto visitor = [this](const Flow& flow) {
        return [this, flow](const ModelHeader& header, const uint8_t* payload) {
            ReadFragment(flow, header, payload);
        };
    };
    const StreamKey there{segment.source,
                          segment.sourcePort,
                          segment.destination,
                          segment.destinationPort};
    const StreamKey back{segment.destination,
                         segment.destinationPort,
                         segment.source,
                         segment.sourcePort};
    WithStream(there, [&](OverheardStream& stream) {
        uint32_t sequence = segment.sequence;
        if ((segment.flags & OverheardSegment::SYN) != 0)
        {
            stream.Begin(++sequence); // it takes one sequence number
        }
        const auto visit = visitor({segment.source, segment.destination});
        stream.Add(sequence, segment.payload, segment.size, visit);
        if ((segment.flags & OverheardSegment::FIN) != 0)
        {
            stream.End(sequence + segment.size);
        }
    });
    if ((segment.flags & OverheardSegment::ACK) != 0)
    {
        WithStream(back, [&](OverheardStream& stream) {
            stream.Acknowledge(segment.acknowledgement,
                               visitor({segment.destination, segment.source}));
        });
    }
}

void
OverheardTraffic::ReadFragment(const Flow& flow, const ModelHeader& header, const uint8_t* payload)
{
    ++m_counters.fragments;
    Traffic& traffic =
        m_traffic.try_emplace(flow, m_limits.unfinished, m_limits.bytes).first->second;
    const MessageAssembler::Key key{header.sender, header.channel, header.round};
    if (traffic.done.count(key) > 0)
    {
        ++m_counters.repeated;
        return;
    }
    const uint64_t before = traffic.assembler.GetBytes();
    std::optional<MessageAssembler::Key> evicted;
    const auto result = traffic.assembler.Add(header, payload, &evicted);
    m_held += traffic.assembler.GetBytes() - before;
    if (evicted)
    {
        GiveUp(flow, *evicted);
    }
    if (result == MessageAssembler::Result::TOO_LARGE)
    {
        ++m_counters.tooLarge;
        return;
    }
    if (traffic.open.try_emplace(key, m_age).second)
    {
        m_unfinished.emplace(m_age++, std::make_pair(flow, key));
    }
    m_counters.repeated += result == MessageAssembler::Result::DUPLICATE ? 1 : 0;
    m_counters.contrary += result == MessageAssembler::Result::CONTRADICTORY ? 1 : 0;
    if (result == MessageAssembler::Result::COMPLETE)
    {
        Finish(flow, traffic, key);
    }
}

void
OverheardTraffic::Shrink()
{
    while (m_held > m_limits.bytes && !m_unfinished.empty())
    {
        ++m_counters.givenUp;
        const Unfinished oldest = m_unfinished.begin()->second;
        if (const auto* message = std::get_if<std::pair<Flow, MessageAssembler::Key>>(&oldest))
        {
            GiveUp(message->first, message->second);
        }
        else
        {
            GiveUp(std::get<StreamKey>(oldest));
        }
    }
}

void
OverheardTraffic::GiveUp(const Flow& flow, const MessageAssembler::Key& key)
{
    Traffic& traffic = m_traffic.at(flow);
    const uint64_t before = traffic.assembler.GetBytes();
    traffic.assembler.Forget(key);
    m_held -= before - traffic.assembler.GetBytes();
    m_unfinished.erase(traffic.open.at(key));
    traffic.open.erase(key);
    ++m_counters.unfinished;
}

void
OverheardTraffic::GiveUp(const StreamKey& key)
{
    const auto found = m_streams.find(key);
    m_held -= found->second.stream.GetBytes();
    m_counters.lostBytes += found->second.stream.GetLost();
    m_unfinished.erase(found->second.age);
    m_streams.erase(found);
}

void
OverheardTraffic::Finish(const Flow& flow, Traffic& traffic, const MessageAssembler::Key& key)
{
    traffic.done.insert(key);
    traffic.doneOrder.push_back(key);
    if (traffic.doneOrder.size() > DONE_LIMIT)
    {
        traffic.done.erase(traffic.doneOrder.front());
        traffic.doneOrder.pop_front();
    }
    m_unfinished.erase(traffic.open.at(key));
    traffic.open.erase(key);
    const bool readable = traffic.assembler.GetFlaw(key) != MessageAssembler::Flaw::UNDECODABLE;
    const uint64_t before = traffic.assembler.GetBytes();
    auto arrival = traffic.assembler.Take(key);
    m_held -= before - traffic.assembler.GetBytes();
    if (!readable)
    {
        ++m_counters.undecodable;
        return;
    }
    ++m_counters.messages;
    const auto [sender, channel, round] = key;
    m_visit({Simulator::Now(),
             flow.first,
             flow.second,
             sender,
             channel,
             round,
             std::move(arrival->values)});
}

OverheardTraffic::Counters
OverheardTraffic::GetCounters() const
{
    Counters counters = m_counters;
    for (const auto& [flow, traffic] : m_traffic)
    {
        counters.unfinished += traffic.open.size();
    }
    for (const auto& [key, stream] : m_streams)
    {
        counters.lostBytes += stream.stream.GetLost();
    }
    return counters;
}

} // namespace ns3::dlearn

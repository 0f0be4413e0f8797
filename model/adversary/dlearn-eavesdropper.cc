/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-eavesdropper.h"

#include "ns3/csma-net-device.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-net-device.h"

#include <type_traits>

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Eavesdropper);

TypeId
Eavesdropper::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<Eavesdropper, Object>("ns3::dlearn::Eavesdropper")
            .AddAttribute("UnfinishedLimit",
                          "Unfinished messages kept of each sender between two addresses; when "
                          "one more begins, the oldest round's is forgotten.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&Eavesdropper::m_unfinishedLimit),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("StreamLimit",
                          "Bytes of a TCP stream that may wait for missing ones before these are "
                          "given up without an acknowledgement.",
                          UintegerValue(1 << 22),
                          MakeUintegerAccessor(&Eavesdropper::m_streamLimit),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxBytes",
                          "Bytes of memory for unfinished messages and streams in all, and for any "
                          "one vector; when there is more, the oldest is given up.",
                          UintegerValue(1 << 28),
                          MakeUintegerAccessor(&Eavesdropper::m_maxBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddTraceSource("Overheard",
                            "A whole vector was overheard.",
                            MakeTraceSourceAccessor(&Eavesdropper::m_overheard),
                            "ns3::dlearn::Eavesdropper::OverheardTracedCallback");
    return tid;
}

void
Eavesdropper::DoDispose()
{
    m_disposed = true;
    m_traffic.clear();
    m_streams.clear();
    m_unfinished.clear();
    m_held = 0;
    Object::DoDispose();
}

template <typename... Others>
Callback<void, Ptr<const Packet>, Others...>
Eavesdropper::MakeSink(FrameKind kind)
{
    // A counted pointer: the object whose trace is connected keeps the listener alive.
    return
        [self = Ptr<Eavesdropper>(this), kind](Ptr<const Packet> frame, const Others&... others) {
            // A part of an A-MPDU begins with a delimiter.
            [[maybe_unused]] const auto isPart = [](const auto& other) {
                if constexpr (std::is_same_v<std::decay_t<decltype(other)>, MpduInfo>)
                {
                    return other.type != NORMAL_MPDU;
                }
                return false;
            };
            self->Read((isPart(others) || ...) ? FrameKind::WIFI_SUBFRAME : kind, frame);
        };
}

void
Eavesdropper::Listen(Ptr<NetDevice> device)
{
    if (DynamicCast<PointToPointNetDevice>(device))
    {
        device->TraceConnectWithoutContext("PromiscSniffer", MakeSink<>(FrameKind::PPP));
    }
    else if (DynamicCast<CsmaNetDevice>(device))
    {
        device->TraceConnectWithoutContext("PromiscSniffer", MakeSink<>(FrameKind::ETHERNET));
    }
    else if (const auto wifi = DynamicCast<WifiNetDevice>(device))
    {
        // Not PhyRxEnd, which has frames with errors, too.
        wifi->GetPhy()->TraceConnectWithoutContext(
            "MonitorSnifferRx",
            MakeSink<uint16_t, WifiTxVector, MpduInfo, SignalNoiseDbm, uint16_t>(FrameKind::WIFI));
        wifi->GetPhy()->TraceConnectWithoutContext(
            "MonitorSnifferTx",
            MakeSink<uint16_t, WifiTxVector, MpduInfo, uint16_t>(FrameKind::WIFI));
    }
    else
    {
        Require(false,
                "Eavesdropper: device must be a PointToPointNetDevice, CsmaNetDevice or "
                "WifiNetDevice, got {}; ListenAt() its node hears what passes through IP",
                device->GetInstanceTypeId().GetName());
    }
}

void
Eavesdropper::ListenAt(Ptr<Node> node)
{
    const auto ipv4 = node ? node->GetObject<Ipv4L3Protocol>() : nullptr;
    const auto ipv6 = node ? node->GetObject<Ipv6L3Protocol>() : nullptr;
    Require(ipv4 || ipv6, "Eavesdropper: node must have a stack of IP");
    for (const std::string trace : {"Tx", "Rx"})
    {
        if (ipv4)
        {
            ipv4->TraceConnectWithoutContext(trace, MakeSink<Ptr<Ipv4>, uint32_t>(FrameKind::IP));
        }
        if (ipv6)
        {
            ipv6->TraceConnectWithoutContext(trace, MakeSink<Ptr<Ipv6>, uint32_t>(FrameKind::IP));
        }
    }
}

void
Eavesdropper::Read(FrameKind kind, Ptr<const Packet> frame)
{
    if (m_disposed)
    {
        return;
    }
    m_bytes.resize(frame->GetSize());
    frame->CopyData(m_bytes.data(), frame->GetSize());
    ++m_counters.frames;
    const Dissection dissection = DissectFrame(kind, m_bytes.data(), m_bytes.size());
    m_counters.foreign += dissection.foreign;
    m_counters.unreadable += dissection.unreadable;
    for (const OverheardSegment& segment : dissection.segments)
    {
        segment.tcp ? ReadSegment(segment) : ReadDatagram(segment);
        Shrink();
    }
}

void
Eavesdropper::ReadDatagram(const OverheardSegment& segment)
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
Eavesdropper::WithStream(const StreamKey& key, const std::function<void(OverheardStream&)>& action)
{
    const auto [found, fresh] = m_streams.try_emplace(key, m_streamLimit);
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
Eavesdropper::ReadSegment(const OverheardSegment& segment)
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
Eavesdropper::ReadFragment(const Flow& flow, const ModelHeader& header, const uint8_t* payload)
{
    ++m_counters.fragments;
    Traffic& traffic = m_traffic.try_emplace(flow, m_unfinishedLimit, m_maxBytes).first->second;
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
Eavesdropper::Shrink()
{
    while (m_held > m_maxBytes && !m_unfinished.empty())
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
Eavesdropper::GiveUp(const Flow& flow, const MessageAssembler::Key& key)
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
Eavesdropper::GiveUp(const StreamKey& key)
{
    const auto found = m_streams.find(key);
    m_held -= found->second.stream.GetBytes();
    m_counters.lostBytes += found->second.stream.GetLost();
    m_unfinished.erase(found->second.age);
    m_streams.erase(found);
}

void
Eavesdropper::Finish(const Flow& flow, Traffic& traffic, const MessageAssembler::Key& key)
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
    m_overheard({Simulator::Now(),
                 flow.first,
                 flow.second,
                 sender,
                 channel,
                 round,
                 std::move(arrival->values)});
}

Eavesdropper::Counters
Eavesdropper::GetCounters() const
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

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-eavesdropper.h"

#include "ns3/csma-net-device.h"
#include "ns3/dlearn-check.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-net-device.h"

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Eavesdropper);

TypeId
Eavesdropper::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::Eavesdropper")
            .SetParent<Object>()
            .SetGroupName("Dlearn")
            .AddConstructor<Eavesdropper>()
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
            .AddTraceSource("Overheard",
                            "A whole vector was overheard.",
                            MakeTraceSourceAccessor(&Eavesdropper::m_overheard),
                            "ns3::dlearn::Eavesdropper::OverheardTracedCallback");
    return tid;
}

Eavesdropper::Eavesdropper() = default;

Eavesdropper::~Eavesdropper() = default;

void
Eavesdropper::DoDispose()
{
    m_disposed = true;
    m_traffic.clear();
    m_streams.clear();
    Object::DoDispose();
}

void
Eavesdropper::Listen(Ptr<NetDevice> device)
{
    Require(device != nullptr, "Eavesdropper: there is no device to listen at");
    // Counted pointers: whoever is listened at keeps the listener.
    const Ptr<Eavesdropper> self(this);
    if (DynamicCast<PointToPointNetDevice>(device))
    {
        device->TraceConnectWithoutContext("PromiscSniffer",
                                           MakeCallback(&Eavesdropper::HandlePpp, self));
    }
    else if (DynamicCast<CsmaNetDevice>(device))
    {
        device->TraceConnectWithoutContext("PromiscSniffer",
                                           MakeCallback(&Eavesdropper::HandleEthernet, self));
    }
    else if (const auto wifi = DynamicCast<WifiNetDevice>(device))
    {
        // Not PhyRxEnd, which has frames with errors, too.
        wifi->GetPhy()->TraceConnectWithoutContext("MonitorSnifferRx",
                                                   MakeCallback(&Eavesdropper::HandleWifiRx, self));
        wifi->GetPhy()->TraceConnectWithoutContext("MonitorSnifferTx",
                                                   MakeCallback(&Eavesdropper::HandleWifiTx, self));
    }
    else
    {
        Require(false,
                "Eavesdropper: device must be a PointToPointNetDevice, CsmaNetDevice or "
                "WifiNetDevice, got ",
                device->GetInstanceTypeId().GetName(),
                "; ListenAt() its node hears what passes through IP");
    }
}

void
Eavesdropper::ListenAt(Ptr<Node> node)
{
    const auto ipv4 = node ? node->GetObject<Ipv4L3Protocol>() : nullptr;
    Require(ipv4 != nullptr, "Eavesdropper: node must have an IPv4 stack");
    const Ptr<Eavesdropper> self(this);
    ipv4->TraceConnectWithoutContext("Tx", MakeCallback(&Eavesdropper::HandleIp, self));
    ipv4->TraceConnectWithoutContext("Rx", MakeCallback(&Eavesdropper::HandleIp, self));
}

void
Eavesdropper::HandlePpp(Ptr<const Packet> frame)
{
    Read(FrameKind::PPP, frame);
}

void
Eavesdropper::HandleEthernet(Ptr<const Packet> frame)
{
    Read(FrameKind::ETHERNET, frame);
}

void
Eavesdropper::HandleWifiRx(Ptr<const Packet> frame,
                           uint16_t /* frequency */,
                           WifiTxVector /* vector */,
                           MpduInfo mpdu,
                           SignalNoiseDbm /* signal */,
                           uint16_t /* station */)
{
    Read(mpdu.type == NORMAL_MPDU ? FrameKind::WIFI : FrameKind::WIFI_SUBFRAME, frame);
}

void
Eavesdropper::HandleWifiTx(Ptr<const Packet> frame,
                           uint16_t /* frequency */,
                           WifiTxVector /* vector */,
                           MpduInfo mpdu,
                           uint16_t /* station */)
{
    Read(mpdu.type == NORMAL_MPDU ? FrameKind::WIFI : FrameKind::WIFI_SUBFRAME, frame);
}

void
Eavesdropper::HandleIp(Ptr<const Packet> packet, Ptr<Ipv4> /* ipv4 */, uint32_t /* interface */)
{
    Read(FrameKind::IP, packet);
}

void
Eavesdropper::Read(FrameKind kind, Ptr<const Packet> frame)
{
    if (m_disposed)
    {
        return;
    }
    ++m_counters.frames;
    m_bytes.resize(frame->GetSize());
    frame->CopyData(m_bytes.data(), frame->GetSize());
    const Dissection dissection = DissectFrame(kind, m_bytes.data(), m_bytes.size());
    m_counters.foreign += dissection.foreign;
    m_counters.unreadable += dissection.unreadable;
    for (const OverheardSegment& segment : dissection.segments)
    {
        segment.tcp ? ReadSegment(segment) : ReadDatagram(segment);
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

OverheardStream&
Eavesdropper::GetStream(const StreamKey& key)
{
    return m_streams.try_emplace(key, m_streamLimit).first->second;
}

void
Eavesdropper::ReadSegment(const OverheardSegment& segment)
{
    const auto visitor = [this](const Flow& flow) {
        return [this, flow](const ModelHeader& header, const uint8_t* payload) {
            ReadFragment(flow, header, payload);
        };
    };
    const Flow flow{segment.source, segment.destination};
    const Flow back{segment.destination, segment.source};
    OverheardStream& stream = GetStream(
        {segment.source, segment.sourcePort, segment.destination, segment.destinationPort});
    uint32_t sequence = segment.sequence;
    if ((segment.flags & OverheardSegment::SYN) != 0)
    {
        stream.Begin(++sequence); // it takes a number of its own
    }
    stream.Add(sequence, segment.payload, segment.size, visitor(flow));
    if ((segment.flags & OverheardSegment::FIN) != 0)
    {
        stream.End(sequence + segment.size);
    }
    if ((segment.flags & OverheardSegment::ACK) != 0)
    {
        GetStream(
            {segment.destination, segment.destinationPort, segment.source, segment.sourcePort})
            .Acknowledge(segment.acknowledgement, visitor(back));
    }
}

void
Eavesdropper::ReadFragment(const Flow& flow, const ModelHeader& header, const uint8_t* payload)
{
    ++m_counters.fragments;
    Traffic& traffic = m_traffic.try_emplace(flow, m_unfinishedLimit).first->second;
    const MessageAssembler::Key key{header.sender, header.channel, header.round};
    const auto& done = traffic.done[{header.sender, header.channel}];
    const bool old = done.size() == DONE_LIMIT && header.round < *done.begin();
    if (old || done.count(header.round) > 0)
    {
        ++m_counters.repeated;
        return;
    }
    traffic.open.insert(key);
    switch (traffic.assembler.Add(header, payload))
    {
    case MessageAssembler::Result::STORED:
        break;
    case MessageAssembler::Result::DUPLICATE:
        ++m_counters.repeated;
        break;
    case MessageAssembler::Result::CONTRADICTORY:
        ++m_counters.contrary;
        break;
    case MessageAssembler::Result::COMPLETE:
        Finish(flow, traffic, key);
        break;
    }
}

void
Eavesdropper::Finish(const Flow& flow, Traffic& traffic, const MessageAssembler::Key& key)
{
    const auto [sender, channel, round] = key;
    std::set<uint32_t>& done = traffic.done[{sender, channel}];
    done.insert(round);
    if (done.size() > DONE_LIMIT)
    {
        done.erase(done.begin());
    }
    traffic.open.erase(key);
    const bool readable = traffic.assembler.GetFlaw(key) != MessageAssembler::Flaw::UNDECODABLE;
    auto arrival = traffic.assembler.Take(key);
    if (!readable)
    {
        ++m_counters.undecodable;
        return;
    }
    ++m_counters.messages;
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
        counters.lostBytes += stream.GetLost();
    }
    return counters;
}

} // namespace dlearn
} // namespace ns3

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fault-filter.h"

#include "ns3/arp-l3-protocol.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/udp-l4-protocol.h"

#include <algorithm>
#include <vector>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnFaultFilter");

DLEARN_TYPE_WITHOUT_ATTRIBUTES(FaultFilter, Object);

namespace
{

constexpr uint32_t UDP_HEADER = 8; //!< bytes

/** Fields of the IP header of a packet. */
struct IpStart
{
    IpAddress source;
    IpAddress destination;
    uint32_t header;  //!< bytes before the payload
    uint32_t size;    //!< bytes of header and payload; a link may have added some
    uint8_t protocol; //!< of the payload
    bool first;       //!< whether the payload begins with the header of UDP or TCP
};

std::optional<IpStart>
ReadIpHeader(const Packet& packet, uint16_t protocol)
{
    if (Ipv4Header header; protocol == Ipv4L3Protocol::PROT_NUMBER && packet.PeekHeader(header) > 0)
    {
        const uint32_t begin = header.GetSerializedSize();
        return IpStart{header.GetSource(),
                       header.GetDestination(),
                       begin,
                       begin + header.GetPayloadSize(),
                       header.GetProtocol(),
                       header.GetFragmentOffset() == 0};
    }
    if (Ipv6Header header; protocol == Ipv6L3Protocol::PROT_NUMBER && packet.PeekHeader(header) > 0)
    {
        const uint32_t begin = header.GetSerializedSize();
        return IpStart{header.GetSource(),
                       header.GetDestination(),
                       begin,
                       begin + header.GetPayloadLength(),
                       header.GetNextHeader(),
                       true};
    }
    return std::nullopt;
}

/** @return begin of the data of the application; without data the end of the packet */
uint32_t
FindData(const IpStart& ip, const std::vector<uint8_t>& bytes)
{
    const uint32_t begin = ip.header;
    const auto end = static_cast<uint32_t>(bytes.size());
    if (!ip.first)
    {
        return begin;
    }
    if (ip.protocol == UdpL4Protocol::PROT_NUMBER)
    {
        return std::min(end, begin + UDP_HEADER);
    }
    if (ip.protocol == TcpL4Protocol::PROT_NUMBER && begin + 12 < end)
    {
        return std::min<uint32_t>(end, begin + 4 * (bytes[begin + 12] >> 4));
    }
    return end;
}

template <typename Ip>
std::vector<Ptr<NetDevice>>
ListDevices(const Ptr<Ip>& ip)
{
    std::vector<Ptr<NetDevice>> devices;
    for (uint32_t k = 0; ip && k < ip->GetNInterfaces(); ++k)
    {
        devices.push_back(ip->GetNetDevice(k));
    }
    return devices;
}

} // namespace

void
FaultFilter::Counters::Add(const Counters& other)
{
    cut += other.cut;
    lost += other.lost;
    corrupted += other.corrupted;
    duplicated += other.duplicated;
    reordered += other.reordered;
}

void
FaultFilter::DoDispose()
{
    m_node = nullptr;
    Object::DoDispose();
}

void
FaultFilter::Install(Ptr<Node> node)
{
    NS_LOG_FUNCTION(this << node);
    Require(!m_node, "FaultFilter: a filter can be installed only once");
    m_node = node;
    const Ptr<TrafficControlLayer> layer = node->GetObject<TrafficControlLayer>();
    const auto devices4 = ListDevices(node->GetObject<Ipv4>());
    const auto devices6 = ListDevices(node->GetObject<Ipv6>());
    Require(layer && !(devices4.empty() && devices6.empty()),
            "FaultFilter: node {} needs the internet stack first",
            node->GetId());
    // A callback is equal to another one only when both hold the same type of pointer. The stack
    // registers itself once for each interface and protocol (IPv4 and ARP, IPv6): all entries go.
    const auto old = MakeCallback(&TrafficControlLayer::Receive, layer);
    const auto raw = MakeCallback(&TrafficControlLayer::Receive, PeekPointer(layer));
    for (size_t k = 0; k < 2 * devices4.size() + devices6.size(); ++k)
    {
        node->UnregisterProtocolHandler(old);
        node->UnregisterProtocolHandler(raw);
    }
    const auto own = MakeCallback(&FaultFilter::Receive, Ptr<FaultFilter>(this));
    for (const auto& device : devices4)
    {
        node->RegisterProtocolHandler(own, Ipv4L3Protocol::PROT_NUMBER, device);
        node->RegisterProtocolHandler(own, ArpL3Protocol::PROT_NUMBER, device);
    }
    for (const auto& device : devices6)
    {
        node->RegisterProtocolHandler(own, Ipv6L3Protocol::PROT_NUMBER, device);
    }
}

int64_t
FaultFilter::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

bool
FaultFilter::Draw(double probability)
{
    return probability >= 1 || (probability > 0 && m_random->GetValue() < probability);
}

LinkFaults*
FaultFilter::FindFaults(Ptr<const Packet> packet, uint16_t protocol)
{
    const auto ip = ReadIpHeader(*packet, protocol);
    const auto sender = ip ? m_senders.find(ip->source) : m_senders.end();
    if (sender == m_senders.end() || m_senders.count(ip->destination) > 0)
    {
        return nullptr;
    }
    const auto faults = m_faults.find(sender->second);
    return faults == m_faults.end() ? nullptr : &faults->second;
}

bool
FaultFilter::IsLost(LinkFaults& faults)
{
    if (Draw(faults.loss))
    {
        return true;
    }
    const BurstLoss& burst = faults.burst;
    if (burst.goodToBad == 0 && burst.good == 0 && !faults.bad.value_or(false))
    {
        return false;
    }
    // The first state has the long-run distribution.
    faults.bad = !faults.bad   ? Draw(burst.GetShareBad())
                 : *faults.bad ? !Draw(burst.badToGood)
                               : Draw(burst.goodToBad);
    return Draw(*faults.bad ? burst.bad : burst.good);
}

Ptr<const Packet>
FaultFilter::Corrupt(Ptr<const Packet> packet, uint16_t protocol)
{
    const IpStart ip = *ReadIpHeader(*packet, protocol);
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    // A link may have filled the packet up to the least size of its frames.
    bytes.resize(std::min<size_t>(bytes.size(), ip.size));
    const uint32_t begin = FindData(ip, bytes);
    if (begin >= bytes.size())
    {
        return packet;
    }
    const uint32_t bits = 8 * (bytes.size() - begin);
    const uint32_t bit = m_random->GetInteger(0, bits - 1);
    bytes[begin + bit / 8] ^= 1 << (bit % 8);
    ++m_counters.corrupted;
    NS_LOG_INFO("node " << m_node->GetId() << ": bit " << bit << " of the data of a packet from "
                        << ip.source << " is flipped");
    return Create<Packet>(bytes.data(), bytes.size());
}

void
FaultFilter::Receive(Ptr<NetDevice> device,
                     Ptr<const Packet> packet,
                     uint16_t protocol,
                     const Address& from,
                     const Address& to,
                     NetDevice::PacketType type)
{
    NS_LOG_FUNCTION(this << device << packet << protocol << from << to << type);
    const Ptr<FaultFilter> self = this;
    const auto deliver = [self, device, protocol, from, to, type](Ptr<const Packet> arrived) {
        if (self->m_node)
        {
            const auto layer = self->m_node->GetObject<TrafficControlLayer>();
            layer->Receive(device, arrived, protocol, from, to, type);
        }
    };
    LinkFaults* faults = FindFaults(packet, protocol);
    if (!faults)
    {
        deliver(packet);
        return;
    }
    if (!faults->up || faults->cut)
    {
        ++m_counters.cut;
        return;
    }
    if (IsLost(*faults))
    {
        ++m_counters.lost;
        return;
    }
    if (Draw(faults->corrupt))
    {
        packet = Corrupt(packet, protocol);
    }
    const bool twice = Draw(faults->duplicate);
    const bool late = Draw(faults->reorder);
    m_counters.duplicated += twice ? 1 : 0;
    m_counters.reordered += late ? 1 : 0;
    const Time wait = late ? faults->reorderDelay : Time(0);
    const auto later = [deliver, packet] { deliver(packet); };
    if (twice)
    {
        Simulator::Schedule(wait, later);
    }
    if (late)
    {
        Simulator::Schedule(wait, later);
    }
    else
    {
        deliver(packet);
    }
}

} // namespace ns3::dlearn

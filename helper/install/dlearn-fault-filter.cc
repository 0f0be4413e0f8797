/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fault-filter.h"

#include "ns3/arp-l3-protocol.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4.h"
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

NS_OBJECT_ENSURE_REGISTERED(FaultFilter);
DLEARN_STATE_ENSURE_REGISTERED(FaultFilter);

namespace
{

constexpr uint32_t UDP_HEADER = 8; //!< bytes

/**
 * @param header of an IP packet
 * @param bytes the packet
 * @return where the data of the application begin; the end of the packet when there are none
 */
uint32_t
FindData(const Ipv4Header& header, const std::vector<uint8_t>& bytes)
{
    const uint32_t begin = header.GetSerializedSize();
    const auto end = static_cast<uint32_t>(bytes.size());
    if (header.GetFragmentOffset() > 0)
    {
        return begin;
    }
    if (header.GetProtocol() == UdpL4Protocol::PROT_NUMBER)
    {
        return std::min(end, begin + UDP_HEADER);
    }
    if (header.GetProtocol() == TcpL4Protocol::PROT_NUMBER && begin + 12 < end)
    {
        return std::min<uint32_t>(end, begin + 4 * (bytes[begin + 12] >> 4));
    }
    return end;
}

} // namespace

TypeId
FaultFilter::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::FaultFilter")
                            .SetParent<Object>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<FaultFilter>();
    return tid;
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
    const Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
    Require(layer && ipv4, "FaultFilter: node ", node->GetId(), " needs the internet stack first");
    // A callback is equal to another one only when both hold the same type of pointer.
    const auto old = MakeCallback(&TrafficControlLayer::Receive, layer);
    const auto raw = MakeCallback(&TrafficControlLayer::Receive, PeekPointer(layer));
    const auto own = MakeCallback(&FaultFilter::Receive, Ptr<FaultFilter>(this));
    for (uint32_t k = 0; k < ipv4->GetNInterfaces(); ++k)
    {
        // The stack registers itself once for each interface and protocol. Which of these entries
        // is removed does not matter, as all of them are.
        for (const uint16_t protocol : {Ipv4L3Protocol::PROT_NUMBER, ArpL3Protocol::PROT_NUMBER})
        {
            node->UnregisterProtocolHandler(old);
            node->UnregisterProtocolHandler(raw);
            node->RegisterProtocolHandler(own, protocol, ipv4->GetNetDevice(k));
        }
    }
}

void
FaultFilter::AddSender(Ipv4Address address, LearnerId sender)
{
    m_senders[address] = sender;
}

LinkFaults&
FaultFilter::GetFaults(LearnerId sender)
{
    return m_faults[sender];
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
    Ipv4Header header;
    if (protocol != Ipv4L3Protocol::PROT_NUMBER || packet->PeekHeader(header) == 0)
    {
        return nullptr;
    }
    const auto sender = m_senders.find(header.GetSource());
    if (sender == m_senders.end() || m_senders.count(header.GetDestination()) > 0)
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
        return false; // there are no bursts
    }
    // The first packet finds the channel in the state in which it is in the long run.
    faults.bad = !faults.bad   ? Draw(burst.GetShareBad())
                 : *faults.bad ? !Draw(burst.badToGood)
                               : Draw(burst.goodToBad);
    return Draw(*faults.bad ? burst.bad : burst.good);
}

Ptr<const Packet>
FaultFilter::Corrupt(Ptr<const Packet> packet)
{
    Ipv4Header header;
    packet->PeekHeader(header);
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    // A link may have filled the packet up to the least size of its frames.
    const uint32_t size = header.GetSerializedSize() + header.GetPayloadSize();
    bytes.resize(std::min<size_t>(bytes.size(), size));
    const uint32_t begin = FindData(header, bytes);
    if (begin >= bytes.size())
    {
        return packet;
    }
    const uint32_t bits = 8 * (bytes.size() - begin);
    const uint32_t bit = m_random->GetInteger(0, bits - 1);
    bytes[begin + bit / 8] ^= 1 << (bit % 8);
    ++m_counters.corrupted;
    NS_LOG_INFO("node " << m_node->GetId() << ": bit " << bit << " of the data of a packet from "
                        << header.GetSource() << " is flipped");
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
    LinkFaults* faults = FindFaults(packet, protocol);
    if (!faults)
    {
        Deliver(device, packet, protocol, from, to, type);
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
        packet = Corrupt(packet);
    }
    const bool twice = Draw(faults->duplicate);
    const bool late = Draw(faults->reorder);
    m_counters.duplicated += twice ? 1 : 0;
    m_counters.reordered += late ? 1 : 0;
    const Ptr<FaultFilter> self = this;
    const auto deliver = [=] { self->Deliver(device, packet, protocol, from, to, type); };
    const Time wait = late ? faults->reorderDelay : Time(0);
    if (twice)
    {
        Simulator::Schedule(wait, deliver);
    }
    if (late)
    {
        Simulator::Schedule(wait, deliver);
    }
    else
    {
        deliver();
    }
}

void
FaultFilter::Deliver(Ptr<NetDevice> device,
                     Ptr<const Packet> packet,
                     uint16_t protocol,
                     const Address& from,
                     const Address& to,
                     NetDevice::PacketType type)
{
    if (m_node)
    {
        m_node->GetObject<TrafficControlLayer>()->Receive(device, packet, protocol, from, to, type);
    }
}

void
FaultFilter::VisitState(StateArchive& archive)
{
    // The probabilities are as the schedule has set them by now.
    for (auto& [sender, faults] : m_faults)
    {
        archive(faults.bad);
    }
    archive(m_counters, m_random);
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tcp-segments.h"

#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"

namespace ns3::dlearn
{

TcpSegments::TcpSegments(const Ptr<Node>& node)
{
    if (const auto ip = node->GetObject<Ipv4L3Protocol>())
    {
        ip->TraceConnectWithoutContext("SendOutgoing",
                                       MakeCallback(&TcpSegments::HandleSend4, this));
    }
    if (const auto ip = node->GetObject<Ipv6L3Protocol>())
    {
        ip->TraceConnectWithoutContext("SendOutgoing",
                                       MakeCallback(&TcpSegments::HandleSend6, this));
    }
}

void
TcpSegments::HandleSend4(const Ipv4Header& header,
                         Ptr<const Packet> packet,
                         uint32_t /* interface */)
{
    if (header.GetProtocol() == TcpL4Protocol::PROT_NUMBER)
    {
        ReadSegment(header.GetDestination(), packet);
    }
}

void
TcpSegments::HandleSend6(const Ipv6Header& header,
                         Ptr<const Packet> packet,
                         uint32_t /* interface */)
{
    if (header.GetNextHeader() == TcpL4Protocol::PROT_NUMBER)
    {
        ReadSegment(header.GetDestination(), packet);
    }
}

void
TcpSegments::ReadSegment(const IpAddress& destination, Ptr<const Packet> packet)
{
    TcpHeader tcp;
    if (packet->PeekHeader(tcp) == 0)
    {
        return;
    }
    const uint32_t size = packet->GetSize() - tcp.GetSerializedSize();
    const SequenceNumber32 begin = tcp.GetSequenceNumber();
    const Flow flow{destination, tcp.GetSourcePort(), tcp.GetDestinationPort()};
    const auto [next, isNew] = m_next.try_emplace(flow, begin);
    if ((tcp.GetFlags() & TcpHeader::SYN) != 0)
    {
        next->second = begin; // of a connection to come
        return;
    }
    if (size > 0 && begin < next->second)
    {
        m_repeated.insert(packet->GetUid());
    }
    next->second = std::max(next->second, begin + size);
}

bool
TcpSegments::TakeRepeated(const Packet& packet)
{
    return m_repeated.erase(packet.GetUid()) > 0;
}

} // namespace ns3::dlearn

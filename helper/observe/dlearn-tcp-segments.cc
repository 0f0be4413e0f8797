/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tcp-segments.h"

#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/tag.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"

namespace ns3::dlearn
{

namespace
{

/** Marks a segment that is sent again; packets do not get longer by it. */
class RepeatedTag : public Tag
{
  public:
    /** @param node number of the node whose TCP sends it again */
    explicit RepeatedTag(uint32_t node = 0)
        : m_node(node)
    {
    }

    /** @return the TypeId */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::RepeatedTag")
                                .SetParent<Tag>()
                                .SetGroupName("Dlearn")
                                .AddConstructor<RepeatedTag>();
        return tid;
    }

    TypeId GetInstanceTypeId() const override { return GetTypeId(); }

    uint32_t GetSerializedSize() const override { return sizeof m_node; }

    void Serialize(TagBuffer buffer) const override { buffer.WriteU32(m_node); }

    void Deserialize(TagBuffer buffer) override { m_node = buffer.ReadU32(); }

    void Print(std::ostream& os) const override { os << "sent again by node " << m_node; }

    /** @return number of the node */
    uint32_t GetNode() const { return m_node; }

  private:
    uint32_t m_node; //!< number of the node
};

} // namespace

TcpSegments::TcpSegments(const Ptr<Node>& node)
    : m_node(node->GetId())
{
    if (const auto ip = node->GetObject<Ipv4L3Protocol>())
    {
        m_traces.Add(ip, "SendOutgoing", MakeCallback(&TcpSegments::HandleSend4, this));
    }
    if (const auto ip = node->GetObject<Ipv6L3Protocol>())
    {
        m_traces.Add(ip, "SendOutgoing", MakeCallback(&TcpSegments::HandleSend6, this));
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
        // The UID does not do, as segments of one vector share it.
        if (RepeatedTag old; !packet->PeekPacketTag(old))
        {
            packet->AddPacketTag(RepeatedTag(m_node));
        }
    }
    next->second = std::max(next->second, begin + size);
}

bool
TcpSegments::IsRepeated(const Packet& packet) const
{
    RepeatedTag tag;
    return packet.PeekPacketTag(tag) && tag.GetNode() == m_node;
}

} // namespace ns3::dlearn

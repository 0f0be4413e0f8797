/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_SEGMENTS_H
#define DLEARN_TCP_SEGMENTS_H

#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/sequence-number.h"

#include <cstdint>
#include <map>
#include <tuple>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Knows which packets of a node are segments that its TCP sends again.
 */
class TcpSegments
{
  public:
    /** @param node with IPv4 or IPv6 */
    explicit TcpSegments(const Ptr<Node>& node);

    TcpSegments(const TcpSegments&) = delete;
    TcpSegments& operator=(const TcpSegments&) = delete;

    /**
     * @param packet that a device of the node begins to send
     * @return whether it is a segment that TCP of the node sends again
     */
    bool IsRepeated(const Packet& packet) const;

  private:
    /** Destination, and ports of sender and receiver. */
    using Flow = std::tuple<IpAddress, uint16_t, uint16_t>;

    /** Trace SendOutgoing of IPv4. */
    void HandleSend4(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t interface);

    /** Trace SendOutgoing of IPv6. */
    void HandleSend6(const Ipv6Header& header, Ptr<const Packet> packet, uint32_t interface);

    /**
     * @param destination of a packet of TCP
     * @param packet without the header of IP
     */
    void ReadSegment(const IpAddress& destination, Ptr<const Packet> packet);

    uint32_t m_node;                         //!< number of the node
    std::map<Flow, SequenceNumber32> m_next; //!< after all bytes that were sent of it
    TraceConnections m_traces;               //!< all that call this
};

} // namespace ns3::dlearn

#endif // DLEARN_TCP_SEGMENTS_H

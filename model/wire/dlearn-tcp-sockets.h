/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_SOCKETS_H
#define DLEARN_TCP_SOCKETS_H

#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/socket.h"

#include <cstdint>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The sockets of TCP that a TcpTransport works with. Where a user has chosen the default of an
 * attribute of ns3::TcpSocket, that is in force.
 */
struct TcpSockets
{
    Ptr<Node> node;          //!< of the learner
    uint32_t segmentSize{0}; //!< attribute SegmentSize of the transport; 0: what fills a packet
    uint32_t mtu{0};         //!< the smallest of the devices of the node
    bool ipv6{false};        //!< version of IP
    Time callTimeout;        //!< attribute CallTimeout of the transport

    /**
     * Refuse what a user has chosen of ns-3's TCP, where it excludes an attribute or is too small.
     *
     * @param segmentSize attribute SegmentSize of the transport
     * @param hasCallTimeout whether the user has chosen the default of CallTimeout, too
     * @throw std::invalid_argument naming both, or the size
     */
    static void Check(uint32_t segmentSize, bool hasCallTimeout);

    /** @return bytes of a segment, without headers */
    uint32_t GetSegment() const;

    /**
     * @param failures calls in a row that failed
     * @return a socket, which waits the longer for an answer the more calls have failed
     */
    Ptr<Socket> Create(uint32_t failures) const;

    /** @return a socket that listens; what it accepts answers a call more often than it is made */
    Ptr<Socket> CreateListener() const;

    /**
     * The least time before a segment counts as lost by ns-3's TCP. On slow links, the first window
     * of 10 segments takes longer than TCP's second, and what is sent twice then keeps the other
     * direction's acknowledgements waiting until connections break.
     *
     * @return the time of two such windows on the slowest device of the node
     */
    Time GetWindowTime() const;

    static constexpr uint32_t FIRST_WINDOW = 10;  //!< segments that TCP sends at first
    static constexpr uint32_t LEAST_SEGMENT = 64; //!< bytes
};

} // namespace ns3::dlearn

#endif // DLEARN_TCP_SOCKETS_H

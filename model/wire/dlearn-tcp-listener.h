/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_LISTENER_H
#define DLEARN_TCP_LISTENER_H

#include "ns3/callback.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/event-id.h"
#include "ns3/ipv4-header.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/socket.h"
#include "ns3/tcp-header.h"

#include <cstdint>
#include <functional>

namespace ns3
{

class TcpSocketBase;
} // namespace ns3

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Accepts calls of TCP on one port, as a host does that was away for a while.
 *
 * A peer may still hold a connection of which this host knows nothing any more, because it has
 * restarted while no packet could tell the peer. What the peer sends over it then arrives at the
 * listener, and has to be answered by a reset (RFC 9293, 3.10.7.2), so that the peer calls again.
 * The listener of ns-3 does not answer; the peer would send the segment again and again, for more
 * than a minute. So the reset is sent from here.
 */
class TcpListener
{
  public:
    /** Creates a socket that can listen. */
    using SocketMaker = std::function<Ptr<Socket>()>;
    /** Whether a call from an address may come. */
    using RequestCallback = Callback<bool, Ptr<Socket>, const Address&>;
    /** Takes the socket of a call and the caller's address. */
    using AcceptCallback = Callback<void, Ptr<Socket>, const Address&>;

    /**
     * @param node with a stack of the version of IP
     * @param here all addresses of the node, and the port on which calls come
     * @param create makes sockets
     * @param request decides on a call
     * @param accept takes a call
     */
    TcpListener(Ptr<Node> node,
                const Endpoint& here,
                SocketMaker create,
                RequestCallback request,
                AcceptCallback accept);

    ~TcpListener();

    TcpListener(const TcpListener&) = delete;
    TcpListener& operator=(const TcpListener&) = delete;

    /**
     * Accept calls from now on.
     * @throw std::invalid_argument when the port is in use
     */
    void Open();

    /** Accept no more calls. */
    void Close();

  private:
    /** Listen with a new socket. */
    void Listen();

    /** Forget the socket. */
    void Release();

    /** Begin, or cease, to hear from where the next segment comes. */
    void WatchDelivery(bool on);

    /**
     * Sink of the trace LocalDeliver: from where the next segment comes.
     * @tparam Header of IPv4 or IPv6
     */
    template <typename Header>
    void HandleDeliver(const Header& header, Ptr<const Packet> packet, uint32_t interface);

    /** Sink of the trace Rx of the socket, and of those that it forked. */
    void HandleRx(Ptr<const Packet> packet,
                  const TcpHeader& header,
                  Ptr<const TcpSocketBase> socket);

    /** Answer a segment of a connection that there is not. */
    void Reset(const TcpHeader& header) const;

    Ptr<Node> m_node;          //!< whose port it is
    Endpoint m_here;           //!< where calls come
    SocketMaker m_create;      //!< makes sockets
    RequestCallback m_request; //!< decides on a call
    AcceptCallback m_accept;   //!< takes a call
    Ptr<Socket> m_socket;      //!< listens; null while closed
    EventId m_renewEvent;      //!< makes a new socket
    IpAddress m_remote;        //!< source of the packet that was delivered last
    IpAddress m_local;         //!< destination of it
};

} // namespace ns3::dlearn

#endif // DLEARN_TCP_LISTENER_H

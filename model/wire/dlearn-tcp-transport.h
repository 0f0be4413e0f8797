/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_TRANSPORT_H
#define DLEARN_TCP_TRANSPORT_H

namespace ns3
{

class TcpSocketBase;
} // namespace ns3

#include "dlearn-interface-line.h"
#include "dlearn-tcp-peer-connection.h"
#include "dlearn-transport.h"

#include "ns3/callback.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/event-id.h"
#include "ns3/ipv4-header.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/socket.h"
#include "ns3/tcp-header.h"

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>

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

    /** Sink of the trace LocalDeliver: from where the next segment comes. */
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

/**
 * @ingroup dlearn
 * Fragments back to back in a TCP stream; a fragment's header tells where the next begins.
 *
 * Each pair of neighbours shares one connection, opened by the learner with the higher
 * number (the workers of server 0 call the server). The same learner opens it again:
 * RetryInterval after it broke, or after CallTimeout without an answer; CallTimeout doubles with
 * every call that fails, so that a call succeeds however long the delay of the path is. After
 * Finish(), which peers call when they have closed their rounds, a learner calls for what waits
 * only, twelve times, each time after twice the interval, so that a simulation of peers ends
 * although one cannot be reached; a client calls its server for ever. Messages of which the peer
 * has not acknowledged all bytes are sent again over the next connection, so that a peer may get a
 * message twice.
 *
 * A learner that only listens does not notice that a connection is dead. The caller therefore sends
 * one byte 0 when it is connected, and again when nothing has arrived for ProbeInterval, then after
 * twice that time, and so on, ten times. This byte is no version of a header and is skipped
 * wherever a fragment may begin. Such bytes are not counted. A peer that has forgotten the
 * connection answers by a reset (TcpListener).
 *
 * A call comes from an arbitrary port, so that the address alone does not tell learners of one node
 * apart. So a caller whose port is not that of the learner it calls says first which one it is:
 * three bytes, TCP_GREETING and its port. Only a peer that is known to be at the caller's address
 * can be meant. Where all peers have the same port nothing is said, and nothing is waited for.
 *
 * TCP gets what it can send soon, see TcpPeerConnection. What waits for that, or for a connection,
 * is limited to QueueLimit messages a peer: then the oldest message of which nothing was sent yet
 * is given up and counted as refused. Where only the newest vectors are of use (PreferNewest()),
 * this happens to all that are older than another of their channel. Bytes that are no fragment
 * break the stream: the connection is closed and opened again.
 */
class TcpTransport : public Transport, private TcpPeerConnection::Owner
{
  public:
    static TypeId GetTypeId();
    TcpTransport();
    ~TcpTransport() override;

    void Open() override;
    void Close() override;
    void Send(const Message& message, const std::vector<LearnerId>& recipients) override;
    bool Settle(uint32_t round) override;
    bool IsWaitingForTurn(uint32_t round) const override;

    uint32_t GetFragmentSize() const override { return m_fragmentSize; }

    uint32_t GetPacketSize() const override;
    double CountRoundTrips(uint64_t bytes) const override;

    bool IsReliable() const override { return true; }

    void Count(std::map<std::string, uint64_t>& totals) const override;

    /** @return connections that broke or could not be made so far */
    uint64_t GetBroken() const { return m_broken; }

  protected:
    void DoDispose() override;

    uint16_t GetPort() const override { return m_port; }

    void CheckAttributes() const override;

  private:
    bool IsOpen() const override { return m_open; }

    TcpPeerConnection::Settings GetSettings() const override;

    Endpoint GetPeerAddress(LearnerId peer) const override { return GetAddress(peer); }

    Ptr<Socket> CreateSocket(uint32_t failures) const override;
    InterfaceLine& GetLine(LearnerId peer) override;
    void HandleSent(const EncodedMessage& message, uint32_t bytes) override;
    void HandleRefused(uint32_t fragments) override;

    void HandleReceived(uint32_t bytes) override { m_rxBytes += bytes; }

    bool HandleFragment(LearnerId peer, const uint8_t* bytes, uint32_t size) override;
    void HandleMalformed(uint32_t bytes) override;
    void HandleBroken() override;

    /** @return how sockets are made */
    TcpSockets GetSockets() const;

    /** @return whether a call may come from a peer */
    bool HandleRequest(Ptr<Socket> socket, const Address& from);

    void HandleAccept(Ptr<Socket> socket, const Address& from);

    /**
     * @param caller that has said who it is
     * @param port that it listens on; nothing if it did not tell one
     */
    void HandleGreeting(TcpCaller& caller, std::optional<uint16_t> port);

    /**
     * @return whether all peers have the port of this learner, so that callers need not tell theirs
     */
    bool HasSamePorts() const;

    uint16_t m_port{0};                      //!< attribute Port
    bool m_samePorts{true};                  //!< of the peers, since Open()
    uint32_t m_fragmentSize{0};              //!< attribute FragmentSize
    uint32_t m_segmentSize{0};               //!< attribute SegmentSize
    uint32_t m_segment{0};                   //!< of TcpSockets, since Open()
    uint32_t m_queueLimit{0};                //!< attribute QueueLimit
    Time m_retryInterval;                    //!< attribute RetryInterval
    Time m_callTimeout;                      //!< attribute CallTimeout
    Time m_probeInterval;                    //!< attribute ProbeInterval
    bool m_open{false};                      //!< between Open() and Close()
    std::optional<uint32_t> m_newest;        //!< round of the newest message so far
    std::optional<uint32_t> m_before;        //!< m_newest when a state was loaded
    uint64_t m_broken{0};                    //!< connections broken or refused
    std::unique_ptr<TcpListener> m_listener; //!< accepts calls of higher learners
    std::map<uint32_t, std::unique_ptr<InterfaceLine>> m_lines;            //!< by interface
    std::map<LearnerId, std::unique_ptr<TcpPeerConnection>> m_connections; //!< by peer
    std::list<std::unique_ptr<TcpCaller>> m_callers; //!< who has not said yet who they are
};

} // namespace ns3::dlearn

#endif // DLEARN_TCP_TRANSPORT_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_TRANSPORT_H
#define DLEARN_TCP_TRANSPORT_H

#include "dlearn-interface-line.h"
#include "dlearn-tcp-send-queue.h"
#include "dlearn-tcp-shortcut.h"
#include "dlearn-transport.h"

#include "ns3/callback.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/event-id.h"
#include "ns3/ipv4-header.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/sequence-number.h"
#include "ns3/socket.h"
#include "ns3/tcp-header.h"

#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ns3
{

class TcpSocketBase;

namespace dlearn
{

class TcpTransport;

/** A byte without meaning: not a version of a header, skipped wherever a fragment may begin. */
constexpr uint8_t TCP_FILLER = 0;

/** Begins a stream: the port of the calling learner follows, high byte first. */
constexpr uint8_t TCP_GREETING = 0xff;

/** Bytes of a greeting: TCP_GREETING and a port. */
constexpr uint32_t TCP_GREETING_SIZE = 3;

/**
 * @ingroup dlearn
 * When a learner calls a peer again whose connection broke or could not be made: after the same
 * interval each time, for ever. Once no message will follow (Transport::Finish(), of peers), the
 * interval doubles with each call and LAST_CALLS are made, so that a simulation of peers ends
 * although a peer cannot be reached.
 */
class TcpCallSchedule
{
  public:
    static constexpr uint32_t LAST_CALLS = 12; //!< once no message will follow

    /** @param call calls the peer; must outlive the planned calls */
    explicit TcpCallSchedule(std::function<void()> call)
        : m_call(std::move(call))
    {
    }

    /** @return calls that failed since one was answered */
    uint32_t GetFailures() const { return m_failures; }

    /** A call was not answered, or the connection broke. */
    void NoteFailure() { ++m_failures; }

    /** A call was answered. */
    void NoteAnswer() { m_failures = m_last = 0; }

    /**
     * Plan the next call instead of a planned one; none after LAST_CALLS.
     *
     * @param interval until then
     * @param last whether no message will follow
     */
    void Plan(Time interval, bool last);

    /** Plan no call, and start counting the last calls again. */
    void Cancel();

  private:
    std::function<void()> m_call; //!< calls the peer
    EventId m_next;               //!< the next call
    uint32_t m_failures{0};       //!< since a call was answered
    uint32_t m_last{0};           //!< calls that were planned since no message will follow
};

/**
 * @ingroup dlearn
 * A connection that a TcpTransport accepted from a node with several learners, until its first
 * bytes identify the caller: TCP_GREETING and the caller's port, or TCP_FILLER, which stands for
 * the port of the called learner. A part of TcpTransport in a separate file.
 */
class TcpCaller
{
  public:
    /** Called once, with the caller's port; without one when the caller left or sent none. */
    using GreetingCallback = Callback<void, TcpCaller&, std::optional<uint16_t>>;

    /**
     * @param socket an accepted connection
     * @param address where it comes from
     * @param port of the called learner
     * @param greeting may delete this object
     */
    TcpCaller(Ptr<Socket> socket, IpAddress address, uint16_t port, GreetingCallback greeting);

    /** Closes the socket, unless it was released. */
    ~TcpCaller();

    TcpCaller(const TcpCaller&) = delete;
    TcpCaller& operator=(const TcpCaller&) = delete;

    /** @return where the connection comes from */
    const IpAddress& GetAddress() const { return m_address; }

    /** @return the socket, without callbacks to this object */
    Ptr<Socket> Release();

  private:
    void Finish(std::optional<uint16_t> port);
    void HandleRead(Ptr<Socket> socket);
    void HandleClosed(Ptr<Socket> socket);

    Ptr<Socket> m_socket;         //!< the connection; null once released
    IpAddress m_address;          //!< where it comes from
    uint16_t m_port;              //!< of the called learner
    GreetingCallback m_greeting;  //!< called when the caller is known
    std::vector<uint8_t> m_bytes; //!< of the greeting, as far as it came
};

/**
 * @ingroup dlearn
 * The connection of a TcpTransport to one peer: its socket, the messages that wait, and received
 * bytes that are not a whole fragment yet. A part of TcpTransport in a separate file.
 *
 * Data that TCP cannot send at once stays in the queue of messages, where newer messages can
 * replace older ones. So the socket gets two segments more than it has sent, and none while the
 * interface has no room for them; but something is always under way.
 */
class TcpPeerConnection
{
  public:
    /**
     * @param transport owns this object
     * @param peer one of the transport's peers
     * @param calls whether this side opens the connection
     */
    TcpPeerConnection(TcpTransport& transport, LearnerId peer, bool calls);
    ~TcpPeerConnection();

    TcpPeerConnection(const TcpPeerConnection&) = delete;
    TcpPeerConnection& operator=(const TcpPeerConnection&) = delete;

    /** Open the connection if this side does. */
    void Connect();

    /** @param socket an accepted connection; replaces an open one */
    void Adopt(Ptr<Socket> socket);

    /** Close for good: no events, no queue. */
    void Close();

    /** As Close(), but send nothing: the devices of the node may be disposed. */
    void Release();

    /** @param message to be sent */
    void Enqueue(const Transport::Message& message);

    /** @return messages that wait, and rounds that were sent */
    TcpSendQueue& GetQueue() { return m_queue; }

    /** @return whether bytes can be sent */
    bool IsConnected() const { return m_connected; }

    /** Hand over to TCP as much of the queue as it can send soon. */
    void Flush();

    /** @param socket has received bytes; ignored unless it is this connection's */
    void HandleRead(Ptr<Socket> socket);

  private:
    static constexpr uint32_t PROBES = 10; //!< in a row; finite, so that idle runs end

    void Use(Ptr<Socket> socket);
    void Drop();

    /** @return the socket, without callbacks to this object; null: none */
    Ptr<Socket> Detach();

    /** @return bytes that TCP should get now; whole segments together with those that it has */
    uint32_t GetAllowance() const;

    /** @return bytes that the socket took and has not sent yet; 0 when this is not known */
    uint32_t GetUnsent() const;

    void HandleHighest(SequenceNumber32 /* before */, SequenceNumber32 now) { m_highest = now; }

    void SendOther(const uint8_t* bytes, uint32_t size);
    uint32_t CountFillers() const;

    /** @return the header at @p bytes; nothing if it is not a valid one of this connection */
    std::optional<ModelHeader> ReadHeader(const uint8_t* bytes) const;

    /** Pass on the whole fragments among the received bytes. @return whether all are intact */
    bool ParseFragments();

    /** Send a byte that belongs to no message, so that a broken connection is detected. */
    void Probe();
    void ScheduleProbe();

    void HandleConnected(Ptr<Socket> socket);
    void HandleFailed(Ptr<Socket> socket);

    void HandleSpace(Ptr<Socket> /* socket */, uint32_t /* available */) { Flush(); }

    TcpTransport& m_transport;             //!< owns this object
    LearnerId m_peer;                      //!< at the other end
    bool m_calls;                          //!< whether this side opens the connection
    bool m_connected{false};               //!< whether bytes can be sent
    Ptr<Socket> m_socket;                  //!< null while there is no connection
    std::optional<TcpShortcut> m_shortcut; //!< while connected
    SequenceNumber32 m_highest;            //!< after all bytes that the socket has sent
    InterfaceLine* m_line{nullptr};        //!< of the interface; null while not connected
    TcpSendQueue m_queue;                  //!< messages to send
    std::vector<uint8_t> m_received;       //!< came, not yet delivered
    TcpCallSchedule m_schedule;            //!< of calls to the peer
    Ptr<Socket> m_unused;                  //!< for the next call; null: a new one
    EventId m_probeEvent;                  //!< next probe
    uint32_t m_probes{0};                  //!< sent since something came
};

/**
 * @ingroup dlearn
 * Accepts calls of TCP on one port, as a host does that was away for a while.
 *
 * A peer may still hold a connection that this host has forgotten, because it has restarted while
 * no packet could reach the peer. Segments of that connection then arrive at the listener, and a
 * reset has to answer them (RFC 9293, 3.10.7.2), so that the peer calls again. The listener of ns-3
 * does not answer; the peer would repeat the segment for more than a minute. So this class sends
 * the reset.
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

    ~TcpListener() { Close(); }

    TcpListener(const TcpListener&) = delete;
    TcpListener& operator=(const TcpListener&) = delete;

    /** Accept calls from now on. @throw std::invalid_argument when the port is in use */
    void Open();

    /** Accept no more calls. */
    void Close();

  private:
    void Listen();

    void Release();

    /** Begin, or cease, to record the addresses of the next segment. */
    void WatchDelivery(bool on);

    /** Sink of the trace LocalDeliver: the addresses of the next segment. */
    template <typename Header>
    void HandleDeliver(const Header& header, Ptr<const Packet> packet, uint32_t interface);
    void HandleRx(Ptr<const Packet> packet,
                  const TcpHeader& header,
                  Ptr<const TcpSocketBase> socket);

    /** Answer a segment of a connection that does not exist. */
    void Reset(const TcpHeader& header) const;

    Ptr<Node> m_node;          //!< has the port
    Endpoint m_here;           //!< where calls come
    SocketMaker m_create;      //!< makes sockets
    RequestCallback m_request; //!< decides on a call
    AcceptCallback m_accept;   //!< takes a call
    Ptr<Socket> m_socket;      //!< listens; null while closed
    EventId m_renewEvent;      //!< makes a new socket
    IpAddress m_remote;        //!< source of the packet that was delivered last
    IpAddress m_local;         //!< its destination
};

/**
 * @ingroup dlearn
 * Fragments back to back in a TCP stream; the header of a fragment defines where the next begins.
 *
 * Each pair of neighbours shares one connection, opened by the learner with the higher number (the
 * clients of server 0 call the server). The same learner opens it again: RetryInterval after it
 * broke, or after CallTimeout without an answer; CallTimeout doubles with every failed call, so
 * that a call succeeds however long the delay of the path is. After Finish(), which peers call when
 * they have closed their rounds, a learner calls only for messages that wait, twelve times, each
 * time after twice the interval, so that a simulation of peers ends although a peer cannot be
 * reached; a client calls its server for ever. Messages of which the peer has not acknowledged all
 * bytes are sent again over the next connection, so that a peer may get a message twice.
 *
 * A learner that only listens does not detect a dead connection. The caller therefore sends one
 * byte 0 when it is connected, and again when nothing has arrived for ProbeInterval, then after
 * twice that time, and so on, ten times. This byte is not a version of a header and is skipped
 * wherever a fragment may begin. Such bytes are not counted. A peer that has forgotten the
 * connection answers by a reset (TcpListener).
 *
 * A call comes from an arbitrary port, so the address alone does not distinguish the learners of
 * one node. A caller whose port is not that of the called learner therefore sends a greeting first:
 * three bytes, TCP_GREETING and its port. It must be the port of a peer at the caller's address.
 * Where all peers have the same port there is no greeting, and nothing waits for one.
 *
 * TCP gets the data that it can send soon, see TcpPeerConnection. At most QueueLimit messages a
 * peer wait for that, or for a connection; then the oldest message of which nothing was sent is
 * given up and counted as refused. Where only the newest vectors are used (PreferNewest()), this
 * happens to all that are older than another of their channel. Bytes that are not a fragment break
 * the stream: the connection is closed and opened again.
 *
 * Where a user has chosen the default of an attribute of ns3::TcpSocket, sockets have that.
 */
class TcpTransport : public Transport
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
    friend class TcpPeerConnection;

    /** @return a socket, which waits the longer for an answer the more calls in a row failed */
    Ptr<Socket> CreateSocket(uint32_t failures) const;

    /** @return a socket that listens; what it accepts answers a call more often than it is made */
    Ptr<Socket> CreateListener() const;

    /**
     * The least time before a segment counts as lost by ns-3's TCP. On slow links, the first window
     * takes longer than TCP's second, and the segments that are then sent twice delay the
     * acknowledgements of the other direction until connections break.
     *
     * @return the time of two such windows on the slowest device of the node
     */
    Time GetWindowTime() const;
    InterfaceLine& GetLine(LearnerId peer);

    bool HandleRequest(Ptr<Socket> socket, const Address& from);
    void HandleAccept(Ptr<Socket> socket, const Address& from);
    void HandleGreeting(TcpCaller& caller, std::optional<uint16_t> port);

    uint16_t m_port{0};                      //!< attribute Port
    bool m_samePorts{true};                  //!< of all peers, since Open(): callers do not greet
    uint32_t m_fragmentSize{0};              //!< attribute FragmentSize
    uint32_t m_segmentSize{0};               //!< attribute SegmentSize
    uint32_t m_segment{0};                   //!< GetPacketSize(), since Open()
    uint32_t m_queueLimit{0};                //!< attribute QueueLimit
    Time m_retryInterval;                    //!< attribute RetryInterval
    Time m_callTimeout;                      //!< attribute CallTimeout
    Time m_probeInterval;                    //!< attribute ProbeInterval
    bool m_open{false};                      //!< between Open() and Close()
    uint64_t m_broken{0};                    //!< connections broken or refused
    std::unique_ptr<TcpListener> m_listener; //!< accepts calls of higher learners
    std::map<uint32_t, std::unique_ptr<InterfaceLine>> m_lines;            //!< by interface
    std::map<LearnerId, std::unique_ptr<TcpPeerConnection>> m_connections; //!< by peer
    std::list<std::unique_ptr<TcpCaller>> m_callers; //!< that have not greeted yet
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_TCP_TRANSPORT_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_PEER_CONNECTION_H
#define DLEARN_TCP_PEER_CONNECTION_H

#include "dlearn-interface-line.h"
#include "dlearn-tcp-send-queue.h"
#include "dlearn-tcp-shortcut.h"
#include "dlearn-transport.h"

#include "ns3/callback.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/sequence-number.h"
#include "ns3/socket.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ns3::dlearn
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

} // namespace ns3::dlearn

#endif // DLEARN_TCP_PEER_CONNECTION_H

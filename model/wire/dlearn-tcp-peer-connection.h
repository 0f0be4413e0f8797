/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_PEER_CONNECTION_H
#define DLEARN_TCP_PEER_CONNECTION_H

/**
 * @file
 * What a stream of TcpTransport holds besides fragments; see there what it is for.
 */

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

/** Means nothing between fragments: no version of a header, skipped wherever one may begin. */
constexpr uint8_t TCP_FILLER = 0;

/** Begins a stream: the port of the learner that calls follows, high byte first. */
constexpr uint8_t TCP_GREETING = 0xff;

/** Bytes of a greeting: TCP_GREETING and a port. */
constexpr uint32_t TCP_GREETING_SIZE = 3;

/**
 * @ingroup dlearn
 * When a learner calls a peer again whose connection broke or could not be made: after the same
 * interval each time, for ever; once no message will follow (Transport::Finish(), of peers), after
 * twice the interval of the call before, and LAST_CALLS times, so that a simulation of peers ends
 * although one cannot be reached.
 */
class TcpCallSchedule
{
  public:
    static constexpr uint32_t LAST_CALLS = 12; //!< once no message will follow

    /** @param call calls the peer; must outlive what is planned */
    explicit TcpCallSchedule(std::function<void()> call);

    /** @return calls that failed since one was answered */
    uint32_t GetFailures() const { return m_failures; }

    /** A call was not answered, or the connection broke. */
    void NoteFailure() { ++m_failures; }

    /** A call was answered. */
    void NoteAnswer();

    /**
     * Plan the next call in the place of one that is planned; after LAST_CALLS plan none.
     *
     * @param interval until then
     * @param last whether no message will follow
     */
    void Plan(Time interval, bool last);

    /** Plan no call; what follows begins anew. */
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
 * bytes say which of them calls: TCP_GREETING and the caller's port, or TCP_FILLER, which stands
 * for the port of the learner that is called. A part of TcpTransport in a separate file.
 */
class TcpCaller
{
  public:
    /** Called once, with the port that the caller said; nothing when it said none and left. */
    using GreetingCallback = Callback<void, TcpCaller&, std::optional<uint16_t>>;

    /**
     * @param socket an accepted connection
     * @param address where it comes from
     * @param port of the learner that is called
     * @param greeting may delete this object
     */
    TcpCaller(Ptr<Socket> socket, IpAddress address, uint16_t port, GreetingCallback greeting);

    /** Hangs up, unless the socket was released. */
    ~TcpCaller();

    TcpCaller(const TcpCaller&) = delete;
    TcpCaller& operator=(const TcpCaller&) = delete;

    /** @return where the connection comes from */
    const IpAddress& GetAddress() const { return m_address; }

    /** @return the socket, which is not watched any more */
    Ptr<Socket> Release();

  private:
    /** @param port that the caller listens on; nothing if it did not tell one */
    void Finish(std::optional<uint16_t> port);

    /** @param socket that has received bytes */
    void HandleRead(Ptr<Socket> socket);

    /** @param socket that was closed */
    void HandleClosed(Ptr<Socket> socket);

    Ptr<Socket> m_socket;         //!< the connection; null once released
    IpAddress m_address;          //!< where it comes from
    uint16_t m_port;              //!< of the learner that is called
    GreetingCallback m_greeting;  //!< wants to know who calls
    std::vector<uint8_t> m_bytes; //!< of the greeting, as far as it came
};

/**
 * @ingroup dlearn
 * The connection of a TcpTransport to one peer: its socket, what waits to be sent, and the
 * bytes that came but are no whole fragment yet. A part of TcpTransport in a separate file.
 *
 * What TCP cannot send at once stays in the queue of messages, where newer ones can take the place
 * of older ones. So the socket gets two segments more than it has sent, and none while the
 * interface has no room for them; but something is always under way.
 */
class TcpPeerConnection
{
  public:
    /** What holds for all connections of a transport. */
    struct Settings
    {
        uint16_t port{0};         //!< of the local learner
        uint32_t fragmentSize{0}; //!< most bytes of payload after one header
        uint32_t segmentSize{0};  //!< bytes that a packet carries
        uint32_t queueLimit{0};   //!< messages that may wait
        bool newestOnly{false};   //!< whether newer messages supersede those that wait
        bool finished{false};     //!< whether no message will follow (Transport::Finish)
        Time retryInterval;       //!< between a broken connection and the next call
        Time probeInterval;       //!< without anything from the peer, until the first probe
    };

    /** The transport, as its connections see it. */
    class Owner
    {
      public:
        virtual ~Owner() = default;

        /** @return whether connections that break are opened again */
        virtual bool IsOpen() const = 0;

        /** @return what holds for all connections */
        virtual Settings GetSettings() const = 0;

        /**
         * @param peer who is at the other end of a connection
         * @return where it listens
         */
        virtual Endpoint GetPeerAddress(LearnerId peer) const = 0;

        /**
         * @param failures calls that failed since one was answered
         * @return a socket for the next call
         */
        virtual Ptr<Socket> CreateSocket(uint32_t failures) const = 0;

        /**
         * @param peer who is at the other end of a connection that was made
         * @return those who send by the same interface
         */
        virtual InterfaceLine& GetLine(LearnerId peer) = 0;

        /**
         * The socket took bytes of a message.
         *
         * @param message which
         * @param bytes how many
         */
        virtual void HandleSent(const EncodedMessage& message, uint32_t bytes) = 0;

        /** @param fragments that no socket will get, as too many messages wait */
        virtual void HandleRefused(uint32_t fragments) = 0;

        /** @param bytes that came; a filler, which belongs to no message, is taken back as -1 */
        virtual void HandleReceived(uint32_t bytes) = 0;

        /**
         * @param peer who sent it
         * @param bytes what should be a fragment
         * @param size how many bytes there are
         * @return whether it was intact
         */
        virtual bool HandleFragment(LearnerId peer, const uint8_t* bytes, uint32_t size) = 0;

        /** @param bytes that came and are no fragment */
        virtual void HandleMalformed(uint32_t bytes) = 0;

        /** A connection broke or could not be made. */
        virtual void HandleBroken() = 0;
    };

    /**
     * @param owner owns this object
     * @param peer one of the transport's peers
     * @param calls whether this side opens the connection
     */
    TcpPeerConnection(Owner& owner, LearnerId peer, bool calls);
    ~TcpPeerConnection();

    TcpPeerConnection(const TcpPeerConnection&) = delete;
    TcpPeerConnection& operator=(const TcpPeerConnection&) = delete;

    /** Open the connection if this side does. */
    void Connect();

    /** @param socket an accepted connection; replaces one that is still open */
    void Adopt(Ptr<Socket> socket);

    /** Close for good: no events, no queue. */
    void Close();

    /** As Close(), but send nothing: the devices of the node may be no more. */
    void Release();

    /** @param message what to send */
    void Enqueue(const Transport::Message& message);

    /** @return what waits to be sent, and what was */
    TcpSendQueue& GetQueue() { return m_queue; }

    /** @return what waits to be sent, and what was */
    const TcpSendQueue& GetQueue() const { return m_queue; }

    /** @return whether bytes can be sent */
    bool IsConnected() const { return m_connected; }

    /** Hand over to TCP as much of the queue as it can send soon. */
    void Flush();

    /**
     * Read the bytes that have arrived.
     * @param socket the connection's; others are ignored
     */
    void HandleRead(Ptr<Socket> socket);

  private:
    static constexpr uint32_t PROBES = 10; //!< in a row; finite, so that idle runs end

    /** @param socket to send and receive by from now on */
    void Use(Ptr<Socket> socket);

    /** Give up the connection, if there is one. */
    void Drop();

    /** @return the socket, from which no callback comes any more; null for none */
    Ptr<Socket> Detach();

    /** @return bytes that TCP should get now; whole segments together with those that it has */
    uint32_t GetAllowance() const;

    /** @return bytes that the socket took and has not sent yet; 0 when this is not known */
    uint32_t GetUnsent() const;

    /** Trace HighestSequence of the socket. */
    void HandleHighest(SequenceNumber32 before, SequenceNumber32 now);

    /** Send bytes that belong to no message. */
    void SendOther(const uint8_t* bytes, uint32_t size);

    /** @return how many of the bytes received belong to no fragment and are skipped */
    uint32_t CountFillers() const;

    /**
     * Pass on the whole fragments among the bytes received.
     *
     * @return whether the stream makes sense so far
     */
    bool ParseFragments();

    /** Tell the peer which port this learner listens on, when that is not its own. */
    void Greet();

    /** Send a byte that belongs to no message, so that a broken connection is noticed. */
    void Probe();

    /** Probe later, unless that happened often enough without an answer. */
    void ScheduleProbe();

    /** @param socket that is connected */
    void HandleConnected(Ptr<Socket> socket);

    /** @param socket whose connection failed or was closed */
    void HandleFailed(Ptr<Socket> socket);

    void HandleSpace(Ptr<Socket> socket, uint32_t available);

    Owner& m_owner;                        //!< the transport
    LearnerId m_peer;                      //!< who is at the other end
    bool m_calls;                          //!< whether this side opens the connection
    bool m_connected{false};               //!< whether bytes can be sent
    Ptr<Socket> m_socket;                  //!< null while there is no connection
    std::optional<TcpShortcut> m_shortcut; //!< while connected
    SequenceNumber32 m_highest;            //!< after all bytes that the socket has sent
    InterfaceLine* m_line{nullptr};        //!< of the interface; null while not connected
    TcpSendQueue m_queue;                  //!< messages to send
    std::vector<uint8_t> m_received;       //!< came, not yet delivered
    TcpCallSchedule m_schedule;            //!< when the peer is called again
    Ptr<Socket> m_unused;                  //!< for the next call; null for a new one
    EventId m_probeEvent;                  //!< next probe
    uint32_t m_probes{0};                  //!< sent since something came
};

} // namespace ns3::dlearn

#endif // DLEARN_TCP_PEER_CONNECTION_H

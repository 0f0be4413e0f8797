/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_PEER_CONNECTION_H
#define DLEARN_TCP_PEER_CONNECTION_H

#include "dlearn-interface-line.h"
#include "dlearn-tcp-call-schedule.h"
#include "dlearn-tcp-send-queue.h"
#include "dlearn-tcp-shortcut.h"
#include "dlearn-transport.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/sequence-number.h"
#include "ns3/socket.h"

#include <optional>
#include <vector>

namespace ns3::dlearn
{

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

    /**
     * @param socket that takes more bytes
     * @param available how many
     */
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

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_PEER_CONNECTION_H
#define DLEARN_TCP_PEER_CONNECTION_H

#include "dlearn-tcp-transport.h"

#include "ns3/event-id.h"

#include <deque>
#include <set>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The connection of a TcpTransport to one peer: its socket, what waits to be sent, and the
 * bytes that came but are no whole fragment yet. A part of TcpTransport in a file of its own.
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

    /** @param socket an accepted connection; replaces one that is still open */
    void Adopt(Ptr<Socket> socket);

    /** Close for good: no events, no queue. */
    void Close();

    /** @param message what to send */
    void Enqueue(const Transport::Message& message);

    /**
     * @param round a round
     * @return whether any byte of that round's messages was handed to a socket
     */
    bool HasSent(uint32_t round) const;

    /** @param round a round that HasSent() on no connection: forget what waits of it */
    void Withdraw(uint32_t round);

    /** @param round a round that will not be asked about again */
    void Forget(uint32_t round);

    /**
     * Take what came.
     * @param socket the connection's; others are ignored
     */
    void HandleRead(Ptr<Socket> socket);

  private:
    /** A message of which something waits to be sent. */
    struct Waiting
    {
        Transport::Message message; //!< what
        uint32_t next{0};           //!< its fragment that is sent next
        Ptr<Packet> fragment;       //!< that fragment; null before any byte of it was sent
        uint32_t offset{0};         //!< bytes sent of it

        /** @return whether any byte was sent */
        bool HasBegun() const
        {
            return next > 0 || offset > 0;
        }

        /** @return fragments that are not wholly sent */
        uint32_t GetLeft() const
        {
            return message->GetFragments() - next;
        }
    };

    void Use(Ptr<Socket> socket);
    void Drop();
    void Flush();
    bool SendSome(Waiting& waiting);
    bool ParseFragments();
    void ScheduleRetry();
    void Greet();
    void Probe();
    void ScheduleProbe();

    void HandleConnected(Ptr<Socket> socket);
    void HandleFailed(Ptr<Socket> socket);
    void HandleSpace(Ptr<Socket> socket, uint32_t available);

    TcpTransport& m_transport;       //!< owner
    LearnerId m_peer;                //!< who is at the other end
    bool m_calls;                    //!< whether this side opens the connection
    bool m_connected{false};         //!< whether bytes can be sent
    Ptr<Socket> m_socket;            //!< null while there is no connection
    std::deque<Waiting> m_queue;     //!< messages to send, oldest first
    std::set<uint32_t> m_sentRounds; //!< rounds of which something was sent
    std::vector<uint8_t> m_received; //!< came, not yet delivered
    EventId m_retryEvent;            //!< next call
    uint32_t m_failures{0};          //!< calls that failed since one was answered
    EventId m_probeEvent;            //!< next probe
    uint32_t m_probes{0};            //!< sent since something came
};

} // namespace ns3::dlearn

#endif // DLEARN_TCP_PEER_CONNECTION_H

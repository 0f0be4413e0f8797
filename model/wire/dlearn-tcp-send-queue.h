/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TCP_SEND_QUEUE_H
#define DLEARN_TCP_SEND_QUEUE_H

#include "dlearn-transport.h"

#include "ns3/packet.h"
#include "ns3/socket.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <set>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Messages of a TcpTransport to one peer, oldest first: those that wait, and those that TCP has not
 * delivered yet. When a connection breaks, the latter wait again for the next one.
 */
class TcpSendQueue
{
  public:
    /** Called with a message and the number of its bytes that the socket took. */
    using SentCallback = std::function<void(const EncodedMessage&, uint32_t)>;

    /**
     * Append a message. Where too many wait, the oldest one that has not begun makes room; if there
     * is none, the new message is given up.
     *
     * @param message to be sent
     * @param limit messages that may wait
     * @param newestOnly whether it replaces older messages of its channel that have not begun
     * @return fragments that were given up
     */
    uint32_t Push(const Transport::Message& message, uint32_t limit, bool newestOnly);

    /**
     * Hand the socket as many bytes as it takes at once of the first message.
     *
     * @param socket of the connection
     * @param most bytes that it gets, at least 1
     * @param sent called when it took some; may close the connection, and so clear this queue
     * @return whether it is worth trying again
     */
    bool SendSome(const Ptr<Socket>& socket, uint32_t most, const SentCallback& sent);

    /** @return whether the next byte to be sent begins a fragment */
    bool IsBetweenFragments() const { return m_queue.empty() || m_queue.front().offset == 0; }

    /** @param bytes that the socket took and that belong to no message */
    void CountOther(uint32_t bytes) { m_bytes += bytes; }

    /** @param unacknowledged bytes that the socket took and the peer has not acknowledged */
    void Confirm(uint64_t unacknowledged);

    /**
     * The connection broke: data that the peer has not acknowledged are sent again, as whole
     * messages. Where too many wait, the oldest are given up, as are those for which three
     * connections broke: a peer may restart whenever it gets one.
     *
     * @param unacknowledged bytes that the socket took and the peer has not acknowledged
     * @param limit messages that may wait
     * @return fragments that no connection took and that were given up
     */
    uint32_t Rewind(uint64_t unacknowledged, uint32_t limit);

    /** @return whether any byte of a round's messages was handed to a socket */
    bool HasSent(uint32_t round) const { return m_sentRounds.count(round) > 0; }

    /** @return whether a message of a round waits that has not begun */
    bool HasUnsent(uint32_t round) const;

    /** Forget the messages of a round that have not begun. */
    void Withdraw(uint32_t round);

    /** @param round it and those before will not be asked about again */
    void Forget(uint32_t round)
    {
        m_sentRounds.erase(m_sentRounds.begin(), m_sentRounds.upper_bound(round));
    }

    /** Forget everything. */
    void Clear();

    /** @return whether something of the first message was sent, but not all */
    bool HasBegun() const { return !m_queue.empty() && m_queue.front().HasBegun(); }

    /** @return whether nothing waits */
    bool IsEmpty() const { return m_queue.empty(); }

  private:
    /** A message of which something waits to be sent. */
    struct Waiting
    {
        Transport::Message message; //!< the message
        uint32_t next{0};           //!< its fragment that is sent next
        Ptr<Packet> fragment;       //!< that fragment; null before any byte of it was sent
        uint32_t offset{0};         //!< bytes sent of it
        uint32_t failures{0};       //!< connections that broke on it

        /** @return whether any byte was sent */
        bool HasBegun() const { return next > 0 || offset > 0; }

        /** @return fragments that are not wholly sent */
        uint32_t GetLeft() const { return message->GetFragments() - next; }
    };

    /** A message that a socket took as a whole. */
    struct Taken
    {
        Transport::Message message; //!< the message
        uint64_t end;               //!< bytes that the socket had taken after it
        uint32_t failures;          //!< connections that had broken on it
    };

    /** @return fragments of the messages that are forgotten, as a newer one has come */
    uint32_t Supersede(const EncodedMessage& newer);

    std::deque<Waiting> m_queue;     //!< messages to send, oldest first
    std::deque<Taken> m_taken;       //!< messages that may not have arrived, oldest first
    uint64_t m_bytes{0};             //!< that the socket of this connection took
    std::set<uint32_t> m_sentRounds; //!< rounds of which something was sent
};

} // namespace ns3::dlearn

#endif // DLEARN_TCP_SEND_QUEUE_H

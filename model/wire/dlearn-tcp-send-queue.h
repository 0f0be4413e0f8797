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
 * Messages that wait for one connection of a TcpTransport, oldest first.
 */
class TcpSendQueue
{
  public:
    /** Called with a message and the number of its bytes that the socket took. */
    using SentCallback = std::function<void(const EncodedMessage&, uint32_t)>;

    /**
     * Append a message. Where too many wait, the oldest of which nothing was sent yet makes room;
     * if there is none, the new message is given up.
     *
     * @param message what to send
     * @param limit messages that may wait
     * @return fragments that were given up
     */
    uint32_t Push(const Transport::Message& message, uint32_t limit);

    /**
     * Hand the socket as many bytes as it takes at once of the first message.
     *
     * @param socket of the connection
     * @param sent called when it took some; may close the connection, and so clear this queue
     * @return whether it is worth trying again
     */
    bool SendSome(const Ptr<Socket>& socket, const SentCallback& sent);

    /** @return whether the next byte to be sent begins a fragment */
    bool IsBetweenFragments() const;

    /** The connection broke: the rest of a message of which something was sent is of no use. */
    void DropBegun();

    /**
     * @param round a round
     * @return whether any byte of that round's messages was handed to a socket
     */
    bool HasSent(uint32_t round) const;

    /** @param round forget the messages of it of which nothing was sent */
    void Withdraw(uint32_t round);

    /** @param round it and those before will not be asked about again */
    void Forget(uint32_t round);

    /** Forget everything. */
    void Clear();

    /** @return whether nothing waits */
    bool IsEmpty() const
    {
        return m_queue.empty();
    }

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

    std::deque<Waiting> m_queue;     //!< messages to send, oldest first
    std::set<uint32_t> m_sentRounds; //!< rounds of which something was sent
};

} // namespace ns3::dlearn

#endif // DLEARN_TCP_SEND_QUEUE_H

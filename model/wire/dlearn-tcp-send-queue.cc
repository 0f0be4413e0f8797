/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tcp-send-queue.h"

#include <algorithm>

namespace ns3::dlearn
{

uint32_t
TcpSendQueue::Push(const Transport::Message& message, uint32_t limit)
{
    uint32_t givenUp = 0;
    if (m_queue.size() >= limit)
    {
        const auto oldest = std::find_if(m_queue.begin(), m_queue.end(), [](const Waiting& w) {
            return !w.HasBegun();
        });
        if (oldest == m_queue.end())
        {
            return message->GetFragments();
        }
        givenUp = oldest->GetLeft();
        m_queue.erase(oldest);
    }
    m_queue.push_back(Waiting{message, 0, nullptr, 0});
    return givenUp;
}

bool
TcpSendQueue::SendSome(const Ptr<Socket>& socket, const SentCallback& sent)
{
    const uint32_t available = socket->GetTxAvailable();
    if (available == 0)
    {
        return false;
    }
    Waiting& waiting = m_queue.front();
    if (!waiting.fragment)
    {
        waiting.fragment = waiting.message->CreateFragment(waiting.next);
    }
    const uint32_t whole = waiting.fragment->GetSize();
    const uint32_t size = std::min(whole - waiting.offset, available);
    const Ptr<Packet> piece =
        size == whole ? waiting.fragment : waiting.fragment->CreateFragment(waiting.offset, size);
    if (socket->Send(piece) != static_cast<int>(size))
    {
        return false;
    }
    // The callback may clear the queue, so it comes last.
    const Transport::Message message = waiting.message;
    m_sentRounds.insert(message->GetRound());
    waiting.offset += size;
    if (waiting.offset == whole)
    {
        waiting.fragment = nullptr;
        waiting.offset = 0;
        if (++waiting.next == message->GetFragments())
        {
            m_queue.pop_front();
        }
    }
    sent(*message, size);
    return true;
}

bool
TcpSendQueue::IsBetweenFragments() const
{
    return m_queue.empty() || m_queue.front().offset == 0;
}

void
TcpSendQueue::DropBegun()
{
    if (!m_queue.empty() && m_queue.front().HasBegun())
    {
        m_queue.pop_front();
    }
}

bool
TcpSendQueue::HasSent(uint32_t round) const
{
    return m_sentRounds.count(round) > 0;
}

void
TcpSendQueue::Withdraw(uint32_t round)
{
    m_queue.erase(std::remove_if(m_queue.begin(),
                                 m_queue.end(),
                                 [round](const Waiting& w) {
                                     // The peer could not parse what follows half a message.
                                     return !w.HasBegun() && w.message->GetRound() == round;
                                 }),
                  m_queue.end());
}

void
TcpSendQueue::Forget(uint32_t round)
{
    m_sentRounds.erase(m_sentRounds.begin(), m_sentRounds.upper_bound(round));
}

void
TcpSendQueue::Clear()
{
    m_queue.clear();
    m_sentRounds.clear();
}

} // namespace ns3::dlearn

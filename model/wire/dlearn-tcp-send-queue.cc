/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tcp-send-queue.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t MOST_FAILURES = 3; //!< connections that break on a message

} // namespace

uint32_t
TcpSendQueue::Supersede(const EncodedMessage& newer)
{
    uint32_t givenUp = 0;
    const auto old = std::remove_if(m_queue.begin(), m_queue.end(), [&](const Waiting& w) {
        const bool superseded = !w.HasBegun() && w.message->GetChannel() &&
                                w.message->GetChannel() == newer.GetChannel() &&
                                w.message->GetRound() < newer.GetRound();
        givenUp += superseded ? w.GetLeft() : 0;
        return superseded;
    });
    m_queue.erase(old, m_queue.end());
    return givenUp;
}

uint32_t
TcpSendQueue::Push(const Transport::Message& message, uint32_t limit, bool newestOnly)
{
    uint32_t givenUp = newestOnly ? Supersede(*message) : 0;
    if (m_queue.size() >= limit)
    {
        const auto oldest = std::find_if(m_queue.begin(), m_queue.end(), [](const Waiting& w) {
            return !w.HasBegun();
        });
        if (oldest == m_queue.end())
        {
            return givenUp + message->GetFragments();
        }
        givenUp += oldest->GetLeft();
        m_queue.erase(oldest);
    }
    m_queue.push_back(Waiting{message, 0, nullptr, 0, 0});
    return givenUp;
}

bool
TcpSendQueue::SendSome(const Ptr<Socket>& socket, uint32_t most, const SentCallback& sent)
{
    const uint32_t available = std::min(socket->GetTxAvailable(), most);
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
    m_bytes += size;
    if (waiting.offset == whole)
    {
        waiting.fragment = nullptr;
        waiting.offset = 0;
        if (++waiting.next == message->GetFragments())
        {
            m_taken.push_back({message, m_bytes, waiting.failures});
            m_queue.pop_front();
        }
    }
    sent(*message, size);
    return true;
}

void
TcpSendQueue::Confirm(uint64_t unacknowledged)
{
    while (!m_taken.empty() && m_taken.front().end + unacknowledged <= m_bytes)
    {
        m_taken.pop_front();
    }
}

uint32_t
TcpSendQueue::Rewind(uint64_t unacknowledged, uint32_t limit)
{
    Confirm(unacknowledged);
    if (HasBegun())
    {
        ++m_queue.front().failures;
    }
    for (auto taken = m_taken.rbegin(); taken != m_taken.rend(); ++taken)
    {
        const uint32_t sent = taken->message->GetFragments();
        m_queue.push_front(Waiting{taken->message, sent, nullptr, 0, taken->failures + 1});
    }
    m_taken.clear();
    m_bytes = 0;
    uint32_t givenUp = 0;
    const auto hopeless = std::remove_if(m_queue.begin(), m_queue.end(), [&](const Waiting& w) {
        const bool givesUp = w.failures >= MOST_FAILURES;
        givenUp += givesUp ? w.GetLeft() : 0;
        return givesUp;
    });
    m_queue.erase(hopeless, m_queue.end());
    while (m_queue.size() > limit)
    {
        givenUp += m_queue.front().GetLeft();
        m_queue.pop_front();
    }
    for (Waiting& waiting : m_queue)
    {
        waiting = Waiting{waiting.message, 0, nullptr, 0, waiting.failures};
    }
    return givenUp;
}

bool
TcpSendQueue::HasUnsent(uint32_t round) const
{
    return std::any_of(m_queue.begin(), m_queue.end(), [round](const Waiting& w) {
        return !w.HasBegun() && w.message->GetRound() == round;
    });
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
TcpSendQueue::Clear()
{
    m_queue.clear();
    m_taken.clear();
    m_sentRounds.clear();
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-overheard-stream.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-tcp-peer-connection.h"

#include <algorithm>

namespace ns3::dlearn
{

OverheardStream::OverheardStream(uint32_t limit)
    : m_limit(limit)
{
    Require(limit >= 1, "OverheardStream: limit must be at least 1, got ", limit);
}

void
OverheardStream::Begin(uint32_t sequence)
{
    if (m_begun && sequence == m_first && m_end == UINT64_MAX)
    {
        return; // said twice, or seen at two places
    }
    m_begun = true;
    m_aligned = true;
    m_first = sequence;
    // Room below, so that positions a little before the first byte are not negative.
    m_next = (uint64_t{1} << 32) + sequence;
    m_end = UINT64_MAX;
    m_lost += m_bytes.size() + m_heldBytes;
    m_bytes.clear();
    m_held.clear();
    m_heldBytes = 0;
}

void
OverheardStream::End(uint32_t sequence)
{
    if (m_begun)
    {
        m_end = GetPosition(sequence);
    }
}

uint64_t
OverheardStream::GetPosition(uint32_t sequence) const
{
    // Sequence numbers wrap around; the nearest position is meant (RFC 9293, section 3.4).
    return m_next + static_cast<int32_t>(sequence - static_cast<uint32_t>(m_next));
}

void
OverheardStream::Add(uint32_t sequence, const uint8_t* bytes, uint32_t size, const Visitor& visitor)
{
    if (size == 0)
    {
        return;
    }
    if (!m_begun)
    {
        Begin(sequence);
        m_aligned = false;
    }
    const uint64_t position = GetPosition(sequence);
    if (position <= m_next)
    {
        Append(position, bytes, size);
        TakeHeld();
    }
    else
    {
        std::vector<uint8_t>& held = m_held[position];
        if (held.size() < size)
        {
            m_heldBytes += size - held.size();
            held.assign(bytes, bytes + size);
        }
        while (m_heldBytes > m_limit)
        {
            FindFragments(visitor);
            Skip(m_held.begin()->first);
        }
    }
    FindFragments(visitor);
}

void
OverheardStream::Acknowledge(uint32_t sequence, const Visitor& visitor)
{
    if (!m_begun)
    {
        return;
    }
    const uint64_t position = std::min(GetPosition(sequence), m_end);
    while (m_next < position)
    {
        const uint64_t seen = m_held.empty() ? position : m_held.begin()->first;
        Skip(std::min(position, seen));
        FindFragments(visitor);
    }
}

void
OverheardStream::Append(uint64_t position, const uint8_t* bytes, uint64_t size)
{
    const uint64_t known = m_next - position;
    if (known < size)
    {
        m_bytes.insert(m_bytes.end(), bytes + known, bytes + size);
        m_next = position + size;
    }
}

void
OverheardStream::Skip(uint64_t position)
{
    m_lost += m_bytes.size() + (position - m_next);
    m_bytes.clear();
    m_aligned = false;
    m_next = position;
    TakeHeld();
}

void
OverheardStream::TakeHeld()
{
    while (!m_held.empty() && m_held.begin()->first <= m_next)
    {
        const auto first = m_held.begin();
        Append(first->first, first->second.data(), first->second.size());
        m_heldBytes -= first->second.size();
        m_held.erase(first);
    }
}

void
OverheardStream::FindFragments(const Visitor& visitor)
{
    size_t begin = 0;
    while (begin < m_bytes.size())
    {
        const uint8_t* bytes = m_bytes.data() + begin;
        const size_t there = m_bytes.size() - begin;
        if (m_aligned && *bytes == TCP_FILLER)
        {
            ++begin;
            continue;
        }
        if (m_aligned && *bytes == TCP_GREETING && there >= TCP_GREETING_SIZE)
        {
            begin += TCP_GREETING_SIZE;
            continue;
        }
        if (there < ModelHeader::SIZE)
        {
            break; // the rest is still to come
        }
        ModelHeader header;
        header.Read(bytes);
        const bool possible = header.IsValid() && header.payloadLength <= MAX_PAYLOAD;
        const size_t size = ModelHeader::SIZE + size_t{header.payloadLength};
        if (possible && there < size)
        {
            break;
        }
        m_aligned = possible && header.IsIntact(bytes + ModelHeader::SIZE);
        if (m_aligned)
        {
            visitor(header, bytes + ModelHeader::SIZE);
        }
        else
        {
            ++m_lost;
        }
        begin += m_aligned ? size : 1;
    }
    m_bytes.erase(m_bytes.begin(), m_bytes.begin() + static_cast<ptrdiff_t>(begin));
}

uint64_t
OverheardStream::GetBytes() const
{
    return STREAM_BYTES + m_bytes.size() + m_heldBytes + m_held.size() * PIECE_BYTES;
}

} // namespace ns3::dlearn

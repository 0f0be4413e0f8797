/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-frame-dissector.h"

#include "ns3/dlearn-network-order.h"
#include "ns3/dlearn-tcp-transport.h"

#include <algorithm>
#include <cstring>

namespace ns3::dlearn
{

namespace
{

constexpr uint16_t ETHERTYPE_IPV4 = 0x0800; //!< after Ethernet and SNAP
constexpr uint16_t ETHERTYPE_IPV6 = 0x86dd; //!< after Ethernet and SNAP
constexpr uint16_t PPP_IPV4 = 0x0021;       //!< after PPP
constexpr uint16_t PPP_IPV6 = 0x0057;       //!< after PPP
constexpr uint8_t PROTOCOL_TCP = 6;         //!< in a header of IP
constexpr uint8_t PROTOCOL_UDP = 17;        //!< in a header of IP
constexpr uint8_t PROTOCOL_FRAGMENT = 44;   //!< in a header of IPv6: a fragment of a packet
constexpr size_t CHECKSUM_SIZE = 4;         //!< at the end of frames of 802.11

/** Bytes that are still to be read. */
class Rest
{
  public:
    Rest(const uint8_t* bytes, size_t size)
        : m_bytes(bytes),
          m_size(size)
    {
    }

    const uint8_t* GetBytes() const { return m_bytes; }

    size_t GetSize() const { return m_size; }

    uint8_t At(size_t position) const { return m_bytes[position]; }

    /** @return two bytes, the higher first */
    uint16_t Get16(size_t position) const
    {
        return static_cast<uint16_t>(m_bytes[position] << 8 | m_bytes[position + 1]);
    }

    /** @return the rest behind the first bytes; empty if there are fewer */
    Rest After(size_t count) const
    {
        const size_t skipped = std::min(count, m_size);
        return {m_bytes + skipped, m_size - skipped};
    }

    Rest First(size_t count) const { return {m_bytes, std::min(count, m_size)}; }

  private:
    const uint8_t* m_bytes;
    size_t m_size;
};

void
ReadTcp(Rest packet, OverheardSegment segment, Dissection& result)
{
    const size_t header = packet.GetSize() < 20 ? 0 : 4 * (packet.At(12) >> 4);
    if (header < 20 || header > packet.GetSize())
    {
        ++result.unreadable;
        return;
    }
    segment.tcp = true;
    segment.sourcePort = packet.Get16(0);
    segment.destinationPort = packet.Get16(2);
    segment.sequence = Get32(packet.GetBytes() + 4);
    segment.acknowledgement = Get32(packet.GetBytes() + 8);
    segment.flags = packet.At(13);
    segment.payload = packet.GetBytes() + header;
    segment.size = static_cast<uint32_t>(packet.GetSize() - header);
    result.segments.push_back(segment);
}

void
ReadUdp(Rest packet, OverheardSegment segment, Dissection& result)
{
    const size_t length = packet.GetSize() < 8 ? 0 : packet.Get16(4);
    if (length < 8 || length > packet.GetSize())
    {
        ++result.unreadable;
        return;
    }
    segment.sourcePort = packet.Get16(0);
    segment.destinationPort = packet.Get16(2);
    segment.payload = packet.GetBytes() + 8;
    segment.size = static_cast<uint32_t>(length - 8);
    result.segments.push_back(segment);
}

void
ReadPayload(Rest payload,
            uint8_t protocol,
            const IpAddress& source,
            const IpAddress& destination,
            Dissection& result)
{
    OverheardSegment segment;
    segment.source = source;
    segment.destination = destination;
    if (protocol == PROTOCOL_TCP)
    {
        ReadTcp(payload, segment, result);
    }
    else if (protocol == PROTOCOL_UDP)
    {
        ReadUdp(payload, segment, result);
    }
    else
    {
        ++(protocol == PROTOCOL_FRAGMENT ? result.unreadable : result.foreign);
    }
}

void
ReadIpv4(Rest packet, Dissection& result)
{
    const size_t header = packet.GetSize() >= 20 ? 4 * (packet.At(0) & 15) : 0;
    const size_t length = header >= 20 ? packet.Get16(2) : 0;
    if (header < 20 || length < header || length > packet.GetSize())
    {
        ++result.unreadable;
        return;
    }
    // A fragment: more follow, or this is not the first.
    const bool fragment = (packet.Get16(6) & 0x3fff) != 0;
    const uint8_t protocol = packet.At(9);
    const bool known = protocol == PROTOCOL_TCP || protocol == PROTOCOL_UDP;
    ReadPayload(packet.First(length).After(header), // without padding of the frame
                known && fragment ? PROTOCOL_FRAGMENT : protocol,
                Ipv4Address(Get32(packet.GetBytes() + 12)),
                Ipv4Address(Get32(packet.GetBytes() + 16)),
                result);
}

void
ReadIpv6(Rest packet, Dissection& result)
{
    const size_t header = 40;
    const size_t length = packet.GetSize() < header ? 0 : header + packet.Get16(4);
    if (length == 0 || length > packet.GetSize())
    {
        ++result.unreadable;
        return;
    }
    ReadPayload(packet.First(length).After(header),
                packet.At(6),
                Ipv6Address::Deserialize(packet.GetBytes() + 8),
                Ipv6Address::Deserialize(packet.GetBytes() + 24),
                result);
}

void
ReadIp(Rest packet, Dissection& result)
{
    const int version = packet.GetSize() > 0 ? packet.At(0) >> 4 : 0;
    if (version == 4)
    {
        ReadIpv4(packet, result);
    }
    else if (version == 6)
    {
        ReadIpv6(packet, result);
    }
    else
    {
        ++result.unreadable;
    }
}

bool
IsIp(uint16_t type)
{
    return type == ETHERTYPE_IPV4 || type == ETHERTYPE_IPV6;
}

void
ReadLlc(Rest body, Dissection& result)
{
    const uint8_t snap[] = {0xaa, 0xaa, 3, 0, 0, 0};
    if (body.GetSize() < 8 || std::memcmp(body.GetBytes(), snap, sizeof(snap)) != 0 ||
        !IsIp(body.Get16(6)))
    {
        ++result.foreign;
        return;
    }
    ReadIp(body.After(8), result);
}

void
ReadEthernet(Rest frame, Dissection& result)
{
    if (frame.GetSize() < 14)
    {
        ++result.unreadable;
        return;
    }
    const uint16_t type = frame.Get16(12);
    if (IsIp(type))
    {
        ReadIp(frame.After(14), result);
    }
    else if (type <= 1500) // a length: IEEE 802.3 with LLC
    {
        ReadLlc(frame.After(14).First(type), result);
    }
    else
    {
        ++result.foreign;
    }
}

/** Several packets in one frame: each with addresses and length, padded to 4 bytes. */
void
ReadAggregate(Rest body, Dissection& result)
{
    do
    {
        const size_t length = body.GetSize() < 14 ? 0 : body.Get16(12);
        if (length == 0 || length > body.GetSize() - 14)
        {
            ++result.unreadable;
            return;
        }
        ReadLlc(body.After(14).First(length), result);
        body = body.After((14 + length + 3) / 4 * 4);
    } while (body.GetSize() > 0);
}

void
ReadWifi(Rest frame, Dissection& result)
{
    if (frame.GetSize() < 2)
    {
        ++result.unreadable;
        return;
    }
    const uint8_t type = frame.At(0) >> 2 & 3;
    const uint8_t subtype = frame.At(0) >> 4;
    if (type != 2 || (subtype & 4) != 0)
    {
        ++result.foreign; // management, control, and data frames without data
        return;
    }
    const uint8_t flags = frame.At(1);
    const bool relayed = (flags & 3) == 3; // to and from the distribution system
    const bool fragmented = (flags & 4) != 0;
    const bool encrypted = (flags & 64) != 0;
    const bool qos = (subtype & 8) != 0;
    const size_t control = relayed ? 30 : 24; // where the QoS control field is, if any
    const size_t header = control + (qos ? 2 : 0) + (qos && (flags & 128) != 0 ? 4 : 0);
    if (frame.GetSize() < header + CHECKSUM_SIZE || fragmented || encrypted ||
        (frame.At(22) & 15) != 0) // not the first fragment
    {
        ++result.unreadable;
        return;
    }
    const bool aggregate = qos && (frame.At(control) & 128) != 0;
    const Rest body = frame.First(frame.GetSize() - CHECKSUM_SIZE).After(header);
    aggregate ? ReadAggregate(body, result) : ReadLlc(body, result);
}

/** A delimiter with the length of the frame, the frame, padding. */
void
ReadWifiSubframe(Rest subframe, Dissection& result)
{
    // As ns-3 writes it: the length in the lower 14 bits, the lower byte first.
    const size_t length =
        subframe.GetSize() < 4 ? 0 : (subframe.At(1) << 8 | subframe.At(0)) & 0x3fff;
    if (length == 0 || length > subframe.GetSize() - 4)
    {
        ++result.unreadable;
        return;
    }
    ReadWifi(subframe.After(4).First(length), result);
}

} // namespace

Dissection
DissectFrame(FrameKind kind, const uint8_t* bytes, size_t size)
{
    Dissection result;
    const Rest frame(bytes, size);
    switch (kind)
    {
    case FrameKind::IP:
        ReadIp(frame, result);
        break;
    case FrameKind::PPP:
        if (size < 2)
        {
            ++result.unreadable;
        }
        else if (frame.Get16(0) != PPP_IPV4 && frame.Get16(0) != PPP_IPV6)
        {
            ++result.foreign;
        }
        else
        {
            ReadIp(frame.After(2), result);
        }
        break;
    case FrameKind::ETHERNET:
        ReadEthernet(frame, result);
        break;
    case FrameKind::WIFI:
        ReadWifi(frame, result);
        break;
    case FrameKind::WIFI_SUBFRAME:
        ReadWifiSubframe(frame, result);
        break;
    }
    return result;
}

void
OverheardStream::Begin(uint32_t sequence)
{
    if (m_begun && sequence == m_first && m_end == UINT64_MAX)
    {
        return; // sent twice, or seen at two places
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

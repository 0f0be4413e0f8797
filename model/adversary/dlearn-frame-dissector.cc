/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-frame-dissector.h"

#include "ns3/dlearn-network-order.h"

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

    /** @return the byte at a position that is there */
    uint8_t At(size_t position) const { return m_bytes[position]; }

    /** @return two bytes, the higher first */
    uint16_t Get16(size_t position) const
    {
        return static_cast<uint16_t>(m_bytes[position] << 8 | m_bytes[position + 1]);
    }

    /** Leave the first bytes out: all if there are fewer. */
    Rest After(size_t count) const
    {
        const size_t skipped = std::min(count, m_size);
        return {m_bytes + skipped, m_size - skipped};
    }

    /** Leave all but the first bytes out. */
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

/**
 * @param payload of an IP packet
 * @param protocol that it belongs to
 * @param source who sent the packet
 * @param destination the receiver
 * @param result gets what is in it
 */
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

/** @return whether a packet of IP follows a type of Ethernet or SNAP */
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

} // namespace ns3::dlearn

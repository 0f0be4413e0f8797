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
constexpr uint16_t PPP_IPV4 = 0x0021;       //!< after PPP
constexpr uint8_t PROTOCOL_TCP = 6;         //!< in an IPv4 header
constexpr uint8_t PROTOCOL_UDP = 17;        //!< in an IPv4 header
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

    const uint8_t* GetBytes() const
    {
        return m_bytes;
    }

    size_t GetSize() const
    {
        return m_size;
    }

    /** @return the byte at a position that is there */
    uint8_t At(size_t position) const
    {
        return m_bytes[position];
    }

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
    Rest First(size_t count) const
    {
        return {m_bytes, std::min(count, m_size)};
    }

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
ReadIp(Rest packet, Dissection& result)
{
    const bool ipv4 = packet.GetSize() >= 20 && packet.At(0) >> 4 == 4;
    const size_t header = ipv4 ? 4 * (packet.At(0) & 15) : 0;
    const size_t length = ipv4 ? packet.Get16(2) : 0;
    if (header < 20 || length < header || length > packet.GetSize())
    {
        ++result.unreadable;
        return;
    }
    const uint8_t protocol = packet.At(9);
    if (protocol != PROTOCOL_TCP && protocol != PROTOCOL_UDP)
    {
        ++result.foreign;
        return;
    }
    if ((packet.Get16(6) & 0x3fff) != 0) // more fragments follow, or this is not the first
    {
        ++result.unreadable;
        return;
    }
    OverheardSegment segment;
    segment.source = Ipv4Address(Get32(packet.GetBytes() + 12));
    segment.destination = Ipv4Address(Get32(packet.GetBytes() + 16));
    const Rest payload = packet.First(length).After(header); // without padding of the frame
    protocol == PROTOCOL_TCP ? ReadTcp(payload, segment, result)
                             : ReadUdp(payload, segment, result);
}

void
ReadLlc(Rest body, Dissection& result)
{
    const uint8_t snap[] = {0xaa, 0xaa, 3, 0, 0, 0};
    if (body.GetSize() < 8 || std::memcmp(body.GetBytes(), snap, sizeof(snap)) != 0 ||
        body.Get16(6) != ETHERTYPE_IPV4)
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
    if (type == ETHERTYPE_IPV4)
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
        else if (frame.Get16(0) != PPP_IPV4)
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

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"

#include "ns3/dlearn-frame-dissector.h"
#include "ns3/ethernet-header.h"
#include "ns3/ethernet-trailer.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/llc-snap-header.h"
#include "ns3/packet.h"
#include "ns3/ppp-header.h"
#include "ns3/tcp-header.h"
#include "ns3/udp-header.h"
#include "ns3/wifi-mac-header.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace ns3::dlearn
{
namespace
{

using test::Bytes;

const Ipv4Address SOURCE("10.1.2.3");
const Ipv4Address DESTINATION("10.4.5.6");
const Ipv6Address SOURCE6("2001:db8::1:2:3");
const Ipv6Address DESTINATION6("2001:db8::4:5:6");

/** What a packet of the tests is. */
struct Kind
{
    bool tcp;             //!< TCP or UDP
    bool ipv6;            //!< version of IP
    bool fragment{false}; //!< a fragment of IP

    /** @return as Ethernet tells it */
    uint16_t GetEtherType() const { return ipv6 ? 0x86dd : 0x0800; }
};

const std::vector<Kind> KINDS{{false, false}, {true, false}, {false, true}, {true, true}};

/** @return an IP packet, written by the classes of ns-3: an oracle that knows the formats */
Ptr<Packet>
MakeIp(const Bytes& payload, const Kind& kind)
{
    const Ptr<Packet> packet = Create<Packet>(payload.data(), payload.size());
    if (kind.tcp)
    {
        TcpHeader header;
        header.SetSourcePort(4660);
        header.SetDestinationPort(49153);
        header.SetSequenceNumber(SequenceNumber32(0xdeadbeef));
        header.SetAckNumber(SequenceNumber32(77));
        header.SetFlags(TcpHeader::ACK | TcpHeader::FIN);
        packet->AddHeader(header);
    }
    else
    {
        UdpHeader header;
        header.SetSourcePort(4660);
        header.SetDestinationPort(49153);
        packet->AddHeader(header);
    }
    if (kind.ipv6)
    {
        Ipv6Header ip;
        ip.SetSource(SOURCE6);
        ip.SetDestination(DESTINATION6);
        ip.SetNextHeader(kind.fragment ? 44 : kind.tcp ? 6 : 17);
        ip.SetPayloadLength(packet->GetSize());
        packet->AddHeader(ip);
        return packet;
    }
    Ipv4Header ip;
    ip.SetSource(SOURCE);
    ip.SetDestination(DESTINATION);
    ip.SetProtocol(kind.tcp ? 6 : 17);
    ip.SetPayloadSize(packet->GetSize());
    ip.SetTtl(64);
    if (kind.fragment)
    {
        ip.SetMoreFragments();
    }
    packet->AddHeader(ip);
    return packet;
}

void
AddLlc(Ptr<Packet> packet, const Kind& kind)
{
    LlcSnapHeader llc;
    llc.SetType(kind.GetEtherType());
    packet->AddHeader(llc);
}

/** 802.11: MAC header before, room for the checksum behind. */
void
AddWifi(Ptr<Packet> packet, bool qos, bool aggregate, bool toAccessPoint)
{
    WifiMacHeader header;
    header.SetType(qos ? WIFI_MAC_QOSDATA : WIFI_MAC_DATA);
    header.SetAddr1(Mac48Address("00:00:00:00:00:01"));
    header.SetAddr2(Mac48Address("00:00:00:00:00:02"));
    header.SetAddr3(Mac48Address("00:00:00:00:00:03"));
    toAccessPoint ? header.SetDsTo() : header.SetDsNotTo();
    header.SetDsNotFrom();
    header.SetSequenceNumber(100);
    if (qos)
    {
        header.SetQosTid(0);
        aggregate ? header.SetQosAmsdu() : header.SetQosNoAmsdu();
    }
    packet->AddHeader(header);
    packet->AddAtEnd(Create<Packet>(4));
}

/** A subframe of an A-MSDU as IEEE 802.11-2020, 9.3.2.2.2 has it. */
Ptr<Packet>
MakeSubframe(Ptr<Packet> msdu, bool last)
{
    Bytes head(14, 7);
    head[12] = msdu->GetSize() >> 8;
    head[13] = msdu->GetSize() & 255;
    const Ptr<Packet> subframe = Create<Packet>(head.data(), head.size());
    subframe->AddAtEnd(msdu);
    if (!last)
    {
        subframe->AddAtEnd(Create<Packet>((4 - subframe->GetSize() % 4) % 4));
    }
    return subframe;
}

Bytes
ToBytes(Ptr<const Packet> packet)
{
    Bytes bytes(packet->GetSize());
    packet->CopyData(bytes.data(), bytes.size());
    return bytes;
}

/** A frame with one packet, in every wrapping. */
struct Wrapped
{
    FrameKind kind;
    Bytes bytes;
};

std::vector<Wrapped>
WrapAll(const Bytes& payload, const Kind& kind)
{
    std::vector<Wrapped> frames;
    frames.push_back({FrameKind::IP, ToBytes(MakeIp(payload, kind))});
    Ptr<Packet> packet = MakeIp(payload, kind);
    PppHeader ppp;
    ppp.SetProtocol(kind.ipv6 ? 0x0057 : 0x0021);
    packet->AddHeader(ppp);
    frames.push_back({FrameKind::PPP, ToBytes(packet)});
    for (const bool llc : {false, true})
    {
        packet = MakeIp(payload, kind);
        if (llc)
        {
            AddLlc(packet, kind);
        }
        EthernetHeader ethernet(false);
        ethernet.SetLengthType(llc ? packet->GetSize() : kind.GetEtherType());
        packet->AddHeader(ethernet);
        packet->AddAtEnd(Create<Packet>(30)); // padding of short frames
        packet->AddTrailer(EthernetTrailer());
        frames.push_back({FrameKind::ETHERNET, ToBytes(packet)});
    }
    for (const bool qos : {false, true})
    {
        packet = MakeIp(payload, kind);
        AddLlc(packet, kind);
        AddWifi(packet, qos, false, qos);
        Bytes bytes = ToBytes(packet);
        frames.push_back({FrameKind::WIFI, bytes});
        const auto size = static_cast<uint16_t>(bytes.size());
        const Bytes delimiter{uint8_t(size & 255), uint8_t(size >> 8 | 0x80), 1, 'N'};
        bytes.insert(bytes.begin(), delimiter.begin(), delimiter.end());
        bytes.resize(bytes.size() + 3); // padding
        frames.push_back({FrameKind::WIFI_SUBFRAME, bytes});
    }
    return frames;
}

Dissection
Dissect(const Wrapped& frame)
{
    return DissectFrame(frame.kind, frame.bytes.data(), frame.bytes.size());
}

TEST(FrameDissector, ReadsWhatTheHeadersOfNs3Wrote)
{
    const Bytes payload{1, 2, 3, 4, 5, 6, 7};
    for (const Kind& kind : KINDS)
    {
        for (const Wrapped& frame : WrapAll(payload, kind))
        {
            SCOPED_TRACE(static_cast<int>(frame.kind));
            const Dissection result = Dissect(frame);
            ASSERT_EQ(result.segments.size(), 1U);
            EXPECT_EQ(result.foreign + result.unreadable, 0U);
            const OverheardSegment& segment = result.segments[0];
            EXPECT_EQ(segment.source, kind.ipv6 ? IpAddress(SOURCE6) : IpAddress(SOURCE));
            EXPECT_EQ(segment.destination,
                      kind.ipv6 ? IpAddress(DESTINATION6) : IpAddress(DESTINATION));
            EXPECT_EQ(segment.sourcePort, 4660);
            EXPECT_EQ(segment.destinationPort, 49153);
            EXPECT_EQ(segment.tcp, kind.tcp);
            if (kind.tcp)
            {
                EXPECT_EQ(segment.sequence, 0xdeadbeefU);
                EXPECT_EQ(segment.acknowledgement, 77U);
                EXPECT_EQ(segment.flags, OverheardSegment::ACK | OverheardSegment::FIN);
            }
            EXPECT_EQ(Bytes(segment.payload, segment.payload + segment.size), payload);
        }
    }
}

TEST(FrameDissector, ReadsAllPacketsOfAnAggregate)
{
    const Ptr<Packet> frame = Create<Packet>();
    for (uint8_t k = 0; k < 3; ++k)
    {
        const Ptr<Packet> msdu = MakeIp(Bytes(5 + k, k), {k == 1, k == 2});
        AddLlc(msdu, {k == 1, k == 2});
        frame->AddAtEnd(MakeSubframe(msdu, k == 2));
    }
    AddWifi(frame, true, true, false);
    const Dissection result = Dissect({FrameKind::WIFI, ToBytes(frame)});
    // The result points into bytes that no longer exist, so only sizes are compared.
    ASSERT_EQ(result.segments.size(), 3U);
    EXPECT_EQ(result.segments[0].size, 5U);
    EXPECT_EQ(result.segments[1].size, 6U);
    EXPECT_TRUE(result.segments[1].tcp);
    EXPECT_EQ(result.segments[2].size, 7U);
}

TEST(FrameDissector, CountsWhatItDoesNotRead)
{
    const uint8_t ICMP = 1;
    const uint8_t ICMP6 = 58;
    for (const bool ipv6 : {false, true})
    {
        for (const Wrapped& frame : WrapAll(Bytes(9), {false, ipv6, true})) // fragments of IP
        {
            EXPECT_EQ(Dissect(frame).unreadable, 1U);
        }
        Bytes icmp = ToBytes(MakeIp(Bytes(9), {false, ipv6}));
        icmp[ipv6 ? 6 : 9] = ipv6 ? ICMP6 : ICMP;
        EXPECT_EQ(Dissect({FrameKind::IP, icmp}).foreign, 1U);
        icmp[0] = 0x50; // no version of IP
        EXPECT_EQ(Dissect({FrameKind::IP, icmp}).unreadable, 1U);
    }
    Bytes arp(60);
    arp[12] = 8;
    arp[13] = 6;
    EXPECT_EQ(Dissect({FrameKind::ETHERNET, arp}).foreign, 1U);
    Bytes beacon(60);
    beacon[0] = 0x80;
    EXPECT_EQ(Dissect({FrameKind::WIFI, beacon}).foreign, 1U);
    Ptr<Packet> encrypted = MakeIp(Bytes(9), KINDS[0]);
    AddLlc(encrypted, KINDS[0]);
    AddWifi(encrypted, true, false, false);
    Bytes bytes = ToBytes(encrypted);
    bytes[1] |= 0x40;
    EXPECT_EQ(Dissect({FrameKind::WIFI, bytes}).unreadable, 1U);
}

TEST(FrameDissector, NothingInAFrameLeadsBeyondIt)
{
    std::mt19937_64 engine(5);
    uint64_t read = 0;
    for (const Kind& kind : KINDS)
    {
        for (const Wrapped& frame : WrapAll(Bytes(40), kind))
        {
            for (uint32_t trial = 0; trial < 2000; ++trial)
            {
                // Cut short or damaged, in an allocation of just that size.
                Wrapped bad{frame.kind, frame.bytes};
                bad.bytes.resize(engine() % (frame.bytes.size() + 1));
                bad.bytes.shrink_to_fit();
                for (uint64_t k = engine() % 4; k > 0 && !bad.bytes.empty(); --k)
                {
                    bad.bytes[engine() % bad.bytes.size()] = engine();
                }
                const Dissection result = Dissect(bad);
                for (const OverheardSegment& segment : result.segments)
                {
                    ++read;
                    EXPECT_GE(segment.payload, bad.bytes.data());
                    EXPECT_LE(segment.payload + segment.size, bad.bytes.data() + bad.bytes.size());
                }
                EXPECT_GE(result.segments.size() + result.foreign + result.unreadable, 1U);
            }
        }
    }
    EXPECT_GT(read, 0U);
}

using test::Exact;
using test::MakeFragment;

/** A stream of fragments, with fillers between some, and the position of each. */
struct Stream
{
    Bytes bytes;
    std::vector<std::pair<size_t, size_t>> places; //!< begin and end of fragment k = its round
};

Stream
MakeStream(uint32_t fragments, std::mt19937_64& engine)
{
    Stream stream;
    for (uint32_t round = 0; round < fragments; ++round)
    {
        stream.bytes.resize(stream.bytes.size() + engine() % 3, 0); // fillers
        const Bytes fragment = MakeFragment(3, round, Exact(1 + engine() % 90, round));
        stream.places.emplace_back(stream.bytes.size(), stream.bytes.size() + fragment.size());
        stream.bytes.insert(stream.bytes.end(), fragment.begin(), fragment.end());
    }
    return stream;
}

/** Observes a stream whose first byte has the number FIRST, near where numbers wrap around. */
class Observer
{
  public:
    static constexpr uint32_t FIRST = 0xfffff000;

    explicit Observer(const Stream& stream, uint32_t limit = 1 << 20)
        : reader(limit),
          m_stream(stream)
    {
    }

    void See(size_t begin, size_t end)
    {
        // From an allocation of just that size, so that reading too far is noticed.
        const Bytes bytes(m_stream.bytes.begin() + begin, m_stream.bytes.begin() + end);
        reader.Add(static_cast<uint32_t>(FIRST + begin), bytes.data(), end - begin, visitor);
    }

    void Acknowledge(size_t position)
    {
        reader.Acknowledge(static_cast<uint32_t>(FIRST + position), visitor);
    }

    OverheardStream reader;
    std::vector<uint32_t> rounds; //!< of the fragments found

  private:
    const Stream& m_stream;
    OverheardStream::Visitor visitor = [this](const ModelHeader& header, const uint8_t* payload) {
        const auto [begin, end] = m_stream.places.at(header.round);
        EXPECT_EQ(std::memcmp(payload,
                              m_stream.bytes.data() + begin + ModelHeader::SIZE,
                              end - begin - ModelHeader::SIZE),
                  0);
        rounds.push_back(header.round);
    };
};

/** A piece of a stream. */
struct Piece
{
    size_t begin;
    size_t end;
};

std::vector<Piece>
Cut(const Stream& stream, std::mt19937_64& engine)
{
    std::vector<Piece> pieces;
    for (size_t begin = 0; begin < stream.bytes.size();)
    {
        const size_t end = std::min<size_t>(stream.bytes.size(), begin + 1 + engine() % 300);
        pieces.push_back({begin, end});
        begin = end;
    }
    return pieces;
}

TEST(OverheardStream, PutsAnyOrderWithRepetitionsAndOverlapsRight)
{
    std::mt19937_64 engine(1);
    for (uint32_t trial = 0; trial < 200; ++trial)
    {
        const Stream stream = MakeStream(40, engine); // about 8,000 bytes: numbers wrap
        std::vector<Piece> pieces = Cut(stream, engine);
        for (size_t k = pieces.size() / 2; k > 0; --k)
        {
            Piece again = pieces[engine() % pieces.size()];
            again.begin -= std::min<size_t>(again.begin, engine() % 100);
            pieces.push_back(again);
        }
        std::shuffle(pieces.begin(), pieces.end(), engine);
        Observer observer(stream);
        observer.reader.Begin(Observer::FIRST);
        for (const Piece& piece : pieces)
        {
            observer.See(piece.begin, piece.end);
            observer.reader.Begin(Observer::FIRST); // seen again elsewhere: no matter
        }
        ASSERT_EQ(observer.rounds.size(), 40U);
        EXPECT_TRUE(std::is_sorted(observer.rounds.begin(), observer.rounds.end()));
        EXPECT_EQ(observer.reader.GetLost(), 0U);
    }
}

TEST(OverheardStream, FindsExactlyTheFragmentsOfWhichNothingIsMissing)
{
    std::mt19937_64 engine(2);
    uint64_t found = 0;
    for (uint32_t trial = 0; trial < 200; ++trial)
    {
        const Stream stream = MakeStream(40, engine);
        const bool fromBeginning = trial % 2 == 0;
        const bool acknowledged = trial % 4 < 2; // else a small limit makes it go on
        Observer observer(stream, acknowledged ? 1 << 20 : 1);
        if (fromBeginning)
        {
            observer.reader.Begin(Observer::FIRST);
        }
        std::vector<bool> seen(stream.bytes.size(), false);
        for (const Piece& piece : Cut(stream, engine))
        {
            if (engine() % 5 != 0)
            {
                observer.See(piece.begin, piece.end);
                std::fill(seen.begin() + piece.begin, seen.begin() + piece.end, true);
            }
            if (acknowledged && engine() % 3 == 0)
            {
                observer.Acknowledge(piece.end);
            }
        }
        std::vector<uint32_t> whole;
        for (uint32_t round = 0; round < stream.places.size(); ++round)
        {
            const auto [begin, end] = stream.places[round];
            if (std::all_of(seen.begin() + begin, seen.begin() + end, [](bool b) { return b; }))
            {
                whole.push_back(round);
            }
        }
        if (acknowledged)
        {
            observer.Acknowledge(stream.bytes.size());
        }
        EXPECT_EQ(observer.rounds, whole) << "trial " << trial;
        EXPECT_GT(observer.reader.GetLost(), 0U);
        found += whole.size();
    }
    EXPECT_GT(found, 1000U); // the test is about something
}

TEST(OverheardStream, WaitsForWhatTheReceiverMisses)
{
    std::mt19937_64 engine(3);
    const Stream stream = MakeStream(3, engine);
    const size_t middle = stream.places[1].first + 5;
    Observer observer(stream);
    observer.reader.Begin(Observer::FIRST);
    observer.See(middle, stream.bytes.size());
    observer.Acknowledge(0);
    EXPECT_TRUE(observer.rounds.empty());
    observer.See(0, middle); // sent again
    EXPECT_EQ(observer.rounds, (std::vector<uint32_t>{0, 1, 2}));
    // The end has a number of its own, which is no byte.
    observer.reader.End(static_cast<uint32_t>(Observer::FIRST + stream.bytes.size()));
    observer.Acknowledge(stream.bytes.size() + 1);
    EXPECT_EQ(observer.reader.GetLost(), 0U);
}

TEST(OverheardStream, NoiseIsOnlyCounted)
{
    std::mt19937_64 engine(4);
    Bytes noise(100000);
    for (uint8_t& byte : noise)
    {
        byte = engine();
    }
    OverheardStream reader(1 << 20);
    reader.Begin(0);
    reader.Add(0, noise.data(), noise.size(), [](const ModelHeader&, const uint8_t*) {
        ADD_FAILURE() << "there is no fragment"; // a checksum of 32 bits: 1 in 2^32 candidates
    });
    EXPECT_GT(reader.GetLost(), 90000U);
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The message layer against those who send what no learner of ours would.
 */

#include "app/dlearn-net-test-support.h"

#include <limits>

namespace ns3::dlearn
{
namespace
{

using test::Bytes;
using test::Complete;
using test::Exact;
using test::ExchangeNet;
using test::MakeFragment;
using test::Pair;
using Disposition = MessageDisposition;

/** What one bad datagram should do to the counters, and what the sink hears of it. */
struct Attack
{
    const char* name;
    Bytes datagram;
    uint64_t MessageExchange::Counters::*counter;
    uint32_t offers; //!< messages "came, but not usable"
};

std::vector<Attack>
MakeAttacks(uint32_t dimension)
{
    using Counters = MessageExchange::Counters;
    const Bytes good = MakeFragment(0, 50, Exact(dimension));
    std::vector<Attack> attacks;
    Bytes bytes = good;
    bytes.pop_back();
    attacks.push_back({"truncated payload", bytes, &Counters::malformed, 0});
    bytes.resize(10);
    attacks.push_back({"truncated header", bytes, &Counters::malformed, 0});
    attacks.push_back({"one byte", {1}, &Counters::malformed, 0});
    bytes = good;
    bytes.back() ^= 1;
    attacks.push_back({"corrupted payload", bytes, &Counters::malformed, 0});
    bytes = good;
    bytes[7] ^= 1;
    attacks.push_back({"corrupted round", bytes, &Counters::malformed, 0});
    bytes = good;
    bytes[0] = 2;
    ModelHeader header;
    header.Read(bytes.data());
    attacks.push_back({"version 2, sealed",
                       test::Seal(header, Bytes(good.begin() + ModelHeader::SIZE, good.end())),
                       &Counters::malformed,
                       0});
    attacks.push_back(
        {"the id of no learner", MakeFragment(9, 50, Exact(dimension)), &Counters::wrongSender, 0});
    attacks.push_back(
        {"the victim's own id", MakeFragment(1, 50, Exact(dimension)), &Counters::wrongSender, 0});
    attacks.push_back({"another neighbour's id",
                       MakeFragment(2, 50, Exact(dimension)),
                       &Counters::wrongSender,
                       0});
    attacks.push_back(
        {"too many numbers", MakeFragment(0, 51, Exact(dimension + 1)), &Counters::wrongLength, 1});
    attacks.push_back(
        {"too few numbers", MakeFragment(0, 52, Exact(dimension - 1)), &Counters::wrongLength, 1});
    header = ModelHeader();
    header.round = 53;
    header.vectorLength = 0x3fffffff; // 4 GiB if anybody believed it
    header.messageLength = 0xfffffffc;
    header.fragmentOffset = 0xfffffff8;
    header.payloadLength = 4;
    attacks.push_back({"huge", test::Seal(header, Bytes(4, 1)), &Counters::wrongLength, 0});
    ModelVector poison = Exact(dimension);
    poison[dimension / 2] = std::nan("");
    attacks.push_back({"NaN", MakeFragment(0, 54, poison), &Counters::notFinite, 1});
    poison[dimension / 2] = -std::numeric_limits<double>::infinity();
    attacks.push_back({"infinity", MakeFragment(0, 55, poison), &Counters::notFinite, 1});
    poison[dimension / 2] = 1e200; // whose square is not finite
    attacks.push_back({"too large", MakeFragment(0, 59, poison), &Counters::notFinite, 1});
    const auto packed = [&](Encoding encoding, uint32_t round, const Bytes& payload) {
        header = ModelHeader();
        header.encoding = encoding;
        header.round = round;
        header.vectorLength = dimension;
        header.payloadLength = header.messageLength = payload.size();
        return test::Seal(header, payload);
    };
    attacks.push_back({"index out of range",
                       packed(Encoding::SPARSE32, 56, {0, 0, 0, 5, 0, 0, 0, 0}),
                       &Counters::undecodable,
                       1});
    attacks.push_back({"indices descend",
                       packed(Encoding::SPARSE16, 57, {0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0}),
                       &Counters::undecodable,
                       1});
    attacks.push_back({"NaN for a norm",
                       packed(Encoding::QSGD, 58, {0x7f, 0xc0, 0, 0, 0, 0, 0, 1, 0, 0}),
                       &Counters::undecodable,
                       1});
    attacks.push_back({"more levels than there is room for",
                       packed(Encoding::QSGD, 59, {0x3f, 0x80, 0, 0, 0, 0, 0, 7, 0, 0}),
                       &Counters::undecodable,
                       1});
    attacks.push_back({"longer than any such vector",
                       packed(Encoding::QSGD, 60, Bytes(24)),
                       &Counters::malformed,
                       0});
    attacks.push_back({"infinite entry",
                       packed(Encoding::SPARSE32, 61, {0, 0, 0, 4, 0x7f, 0x80, 0, 0}),
                       &Counters::notFinite,
                       1});
    return attacks;
}

TEST(HostileExchange, BadDatagramsAreCountedAndRealOnesStillCome)
{
    const uint32_t dimension = 5;
    for (const Attack& attack : MakeAttacks(dimension))
    {
        ExchangeNet net("ideal", Complete(3), dimension);
        net.Open();
        net.SendAt(Seconds(1), 0, {1}, 0, Exact(dimension, 1));
        net.InjectAt(Seconds(2), 0, 1, {attack.datagram});
        net.SendAt(Seconds(3), 0, {1}, 1, Exact(dimension, 2));
        Simulator::Run();
        const auto counters = net.exchanges[1]->GetCounters();
        EXPECT_EQ(counters.*attack.counter, 1U) << attack.name;
        EXPECT_EQ(counters.malformed + counters.unknownSender + counters.wrongSender +
                      counters.contradictory + counters.unwanted + counters.wrongLength +
                      counters.undecodable + counters.notFinite,
                  1U)
            << attack.name;
        EXPECT_EQ(net.recorders[1].entries.size(), 2 + attack.offers) << attack.name;
        EXPECT_EQ(net.recorders[1].GetVectors(),
                  (std::vector<ModelVector>{Exact(dimension, 1), Exact(dimension, 2)}))
            << attack.name;
    }
}

// Only messages from learner 0's node and port count as its own: not those of another neighbour,
// over either transport, nor those of another program on its node.
TEST(HostileExchange, WhoSpeaksUnderAnotherNameIsNotHeard)
{
    for (const char* transport : {"ns3::dlearn::UdpTransport", "ns3::dlearn::TcpTransport"})
    {
        for (const char* network : {"p2p", "csma"})
        {
            ExchangeNet net(network, Complete(3), 2, transport);
            net.Open();
            net.InjectAt(Seconds(1), 2, 1, {MakeFragment(0, 0, Exact(2, 9))});
            net.InjectAsStrangerAt(Seconds(1), 0, 1, {MakeFragment(0, 0, Exact(2, 9))});
            net.SendAt(Seconds(2), 0, {1}, 0, Exact(2, 1));
            Simulator::Stop(Seconds(4));
            Simulator::Run();
            EXPECT_EQ(net.recorders[1].GetVectors(), std::vector<ModelVector>{Exact(2, 1)});
            EXPECT_EQ(net.recorders[1].entries.size(), 1U);
            const auto counters = net.exchanges[1]->GetCounters();
            EXPECT_EQ(counters.wrongSender, 1U) << transport << " " << network;
            const bool udp = transport == std::string("ns3::dlearn::UdpTransport");
            EXPECT_EQ(counters.unknownSender, udp ? 1U : 0U);
        }
    }
}

TEST(HostileExchange, ContradictionsAndRepetitionsAreCounted)
{
    const uint32_t dimension = 400;
    ExchangeNet net("ideal", Complete(3), dimension);
    net.Open();
    ModelHeader header; // of the message that learner 0 will send, but in 64 bits
    header.encoding = Encoding::FLOAT64;
    header.round = 7;
    header.vectorLength = dimension;
    header.messageLength = 8 * dimension;
    header.payloadLength = 8;
    // Learner 0 sends one fragment of round 7 (its second is lost), then the forgery comes.
    Bytes first = MakeFragment(0, 7, Exact(dimension));
    ModelHeader half;
    half.Read(first.data());
    half.payloadLength = 800;
    const Bytes part(first.begin() + ModelHeader::SIZE, first.begin() + ModelHeader::SIZE + 800);
    net.InjectAt(Seconds(1), 0, 1, {test::Seal(half, part), test::Seal(half, part)});
    net.InjectAt(Seconds(2), 0, 1, {test::Seal(header, Bytes(8, 0))});
    net.SendAt(Seconds(3), 0, {1}, 7, Exact(dimension));
    net.SendAt(Seconds(4), 0, {1}, 7, Exact(dimension)); // all of it again
    Simulator::Run();
    EXPECT_EQ(net.exchanges[1]->GetCounters().contradictory, 1U);
    EXPECT_EQ(net.exchanges[1]->GetCounters().unwanted, 2U); // fragments
    ASSERT_EQ(net.recorders[1].entries.size(), 2U);          // messages
    EXPECT_EQ(net.recorders[1].entries[0].disposition, Disposition::ON_TIME);
    EXPECT_EQ(net.recorders[1].entries[0].when, Seconds(3));
    EXPECT_EQ(net.recorders[1].entries[0].arrival->values, Exact(dimension));
    EXPECT_EQ(net.recorders[1].entries[1].disposition, Disposition::DUPLICATE);
    EXPECT_FALSE(net.recorders[1].entries[1].arrival.has_value());
}

TEST(HostileExchange, NumbersTooLargeForTheWireAreRefusedByTheReceiver)
{
    ExchangeNet net("ideal", Pair(), 2);
    net.Open();
    net.SendAt(Seconds(1), 0, {1}, 0, ModelVector::Constant(2, 1e39)); // beyond 32-bit floats
    Simulator::Run();
    EXPECT_EQ(net.exchanges[1]->GetCounters().notFinite, 1U);
    EXPECT_TRUE(net.recorders[1].GetVectors().empty());
}

} // namespace
} // namespace ns3::dlearn

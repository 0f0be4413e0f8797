/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-eavesdropper.h"
#include "ns3/dlearn-wifi-network.h"

#include <algorithm>

namespace ns3::dlearn
{
namespace
{

using test::Complete;
using test::Exact;
using test::ExchangeNet;
using test::Pair;

const char* const UDP = "ns3::dlearn::UdpTransport";
const char* const BROADCAST = "ns3::dlearn::UdpBroadcastTransport";
const char* const TCP = "ns3::dlearn::TcpTransport";

/** An eavesdropper and what it heard. */
class Spy
{
  public:
    Spy()
        : eavesdropper(CreateObject<Eavesdropper>())
    {
        eavesdropper->TraceConnectWithoutContext("Overheard", MakeCallback(&Spy::Note, this));
    }

    /** Times that a vector was heard on its way from a sender to some address. */
    uint32_t Count(LearnerId sender, uint32_t round) const
    {
        return std::count_if(heard.begin(), heard.end(), [&](const Overheard& o) {
            return o.sender == sender && o.round == round;
        });
    }

    Ptr<Eavesdropper> eavesdropper;
    std::vector<Overheard> heard; //!< in the order it was

  private:
    void Note(const Overheard& overheard)
    {
        EXPECT_EQ(overheard.time, Simulator::Now());
        heard.push_back(overheard);
    }
};

/** A vector that tells sender and round. */
ModelVector
MakeVector(uint32_t size, LearnerId sender, uint32_t round)
{
    return Exact(size, 1000.0 * sender + round);
}

/** Every learner sends every other one a vector in every round; then the simulation runs. */
void
Exchange(ExchangeNet& net, uint32_t size, uint32_t rounds, Time interval = Seconds(1))
{
    net.Open();
    const auto learners = static_cast<LearnerId>(net.exchanges.size());
    for (uint32_t round = 0; round < rounds; ++round)
    {
        for (LearnerId from = 0; from < learners; ++from)
        {
            std::vector<LearnerId> others;
            for (LearnerId to = 0; to < learners; ++to)
            {
                if (to != from)
                {
                    others.push_back(to);
                }
            }
            // Not all at the same time, so that they do not collide on every radio.
            net.SendAt(Seconds(5) + interval * round + MilliSeconds(100) * from,
                       from,
                       others,
                       round,
                       MakeVector(size, from, round));
        }
    }
    Simulator::Stop(Seconds(65) + interval * rounds);
    Simulator::Run();
}

/** Expect that what was heard is what was sent, byte for byte. */
void
ExpectTruth(const Spy& spy, uint32_t size)
{
    for (const Overheard& overheard : spy.heard)
    {
        EXPECT_EQ(overheard.channel, ModelChannel::STATE);
        EXPECT_EQ(overheard.values, MakeVector(size, overheard.sender, overheard.round));
    }
    EXPECT_EQ(spy.eavesdropper->GetCounters().messages, spy.heard.size());
    EXPECT_EQ(spy.eavesdropper->GetCounters().contrary, 0U);
    EXPECT_EQ(spy.eavesdropper->GetCounters().undecodable, 0U);
}

TEST(Eavesdropper, AtALinkHearsWhatCrossesIt)
{
    for (const char* transport : {UDP, TCP})
    {
        ExchangeNet net("p2p", Complete(3), 5000, transport);
        Spy spy;
        spy.eavesdropper->Listen(net.network->GetNodes().Get(0)->GetDevice(1));
        Exchange(net, 5000, 4);
        ExpectTruth(spy, 5000);
        // The first device of node 0 is its end of link 0-1; of node 2 nothing passes there.
        ASSERT_EQ(spy.heard.size(), 8U) << transport;
        for (uint32_t round = 0; round < 4; ++round)
        {
            EXPECT_EQ(spy.Count(0, round), 1U);
            EXPECT_EQ(spy.Count(1, round), 1U);
        }
        for (const Overheard& overheard : spy.heard)
        {
            EXPECT_EQ(overheard.destination,
                      net.network->GetAddress(overheard.sender, 1 - overheard.sender));
            EXPECT_EQ(overheard.source,
                      net.network->GetAddress(1 - overheard.sender, overheard.sender));
        }
        const auto counters = spy.eavesdropper->GetCounters();
        EXPECT_EQ(counters.unfinished + counters.unreadable + counters.noFragment, 0U);
        EXPECT_EQ(counters.lostBytes + counters.repeated, 0U);
    }
}

TEST(Eavesdropper, AtOneEndOfALossyLinkHearsWhatLeavesAndWhatArrives)
{
    ExchangeNet net("p2p,loss=0.05", Pair(), 3000, UDP);
    Spy spy;
    spy.eavesdropper->Listen(net.network->GetNodes().Get(0)->GetDevice(1));
    Exchange(net, 3000, 60);
    ExpectTruth(spy, 3000);
    // 9 datagrams a message, so about a third of the messages miss one.
    const size_t arrived = net.recorders[0].GetVectors().size();
    EXPECT_LT(arrived, 60U);
    EXPECT_EQ(spy.heard.size(), 60 + arrived);
    EXPECT_EQ(spy.eavesdropper->GetCounters().unfinished, 60 - arrived);
}

TEST(Eavesdropper, OnABusHearsAll)
{
    for (const char* transport : {UDP, BROADCAST, TCP})
    {
        ExchangeNet net("csma", Complete(4), 2000, transport);
        Spy spy;
        spy.eavesdropper->Listen(net.network->GetNodes().Get(3)->GetDevice(1));
        Exchange(net, 2000, 3);
        ExpectTruth(spy, 2000);
        const uint32_t copies = transport == BROADCAST ? 1 : 3; // one a pair of addresses
        EXPECT_EQ(spy.heard.size(), 4 * 3 * copies) << transport;
        for (LearnerId sender = 0; sender < 4; ++sender)
        {
            EXPECT_EQ(spy.Count(sender, 2), copies) << transport;
        }
        EXPECT_EQ(spy.eavesdropper->GetCounters().lostBytes, 0U);
    }
}

/** Radio: networks, transports, and whether an access point says everything again. */
class EavesdropperInTheAir : public testing::TestWithParam<std::tuple<const char*, const char*>>
{
  protected:
    /** Three learners near the origin and a listener at a distance from it. */
    void Run(double distance)
    {
        const auto [name, transport] = GetParam();
        NetworkSetup options;
        options.positions = {{0, 0}, {5, 0}, {0, 5}};
        net = std::make_unique<ExchangeNet>(name, Complete(3), 2000, transport, 32, options);
        const auto radio = DynamicCast<WifiNetwork>(net->network);
        ASSERT_NE(radio, nullptr);
        spy.eavesdropper->Listen(radio->AddListener(distance, 0, 1 << 20));
        Exchange(*net, 2000, 10);
        ExpectTruth(spy, 2000);
        for (const auto& recorder : net->recorders)
        {
            ASSERT_EQ(recorder.GetVectors().size(), 20U); // they hear each other well
        }
    }

    std::unique_ptr<ExchangeNet> net;
    Spy spy;
};

TEST_P(EavesdropperInTheAir, HearsEverythingFromNearby)
{
    Run(10);
    const bool broadcast = std::get<1>(GetParam()) == BROADCAST;
    EXPECT_EQ(spy.heard.size(), broadcast ? 30U : 60U);
    const auto counters = spy.eavesdropper->GetCounters();
    EXPECT_EQ(counters.unfinished + counters.unreadable, 0U);
}

TEST_P(EavesdropperInTheAir, HearsNothingFromAfar)
{
    Run(1000);
    EXPECT_EQ(spy.eavesdropper->GetCounters().frames, 0U);
}

INSTANTIATE_TEST_SUITE_P(Wifi,
                         EavesdropperInTheAir,
                         testing::Values(std::make_tuple("wifi-adhoc", UDP),
                                         std::make_tuple("wifi-adhoc", BROADCAST),
                                         std::make_tuple("wifi-adhoc", TCP),
                                         std::make_tuple("wifi-infra", UDP),
                                         std::make_tuple("wifi-infra", TCP)),
                         [](const auto& info) {
                             std::string name = std::get<0>(info.param) +
                                                std::string(std::get<1>(info.param)).substr(13);
                             name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
                             return name;
                         });

TEST(Eavesdropper, WhatItMissesOfATcpStreamCostsItTheMessagesConcerned)
{
    // Every device of the bus loses 2 % of the frames, each others: TCP sends again what the
    // receiver lost, not what the eavesdropper lost.
    Graph links(3);
    links.AddEdge(0, 1);
    links.AddEdge(1, 2);
    ExchangeNet net("csma,loss=0.02", Pair(), 6000, TCP, 32, {}, links);
    Spy spy;
    spy.eavesdropper->Listen(net.network->GetNodes().Get(2)->GetDevice(1));
    Exchange(net, 6000, 100);
    ExpectTruth(spy, 6000);
    EXPECT_EQ(net.recorders[0].GetVectors().size(), 100U);
    // 24,064 bytes are 17 segments of at most 1,448 bytes or more smaller ones: a message is
    // heard with probability at most 0.98^17 = 0.71, so more than 180 of 200 are with
    // probability 6e-11. It is not lost with its neighbours either: at least 10 are.
    EXPECT_LT(spy.heard.size(), 180U);
    EXPECT_GT(spy.heard.size(), 10U);
    EXPECT_GT(spy.eavesdropper->GetCounters().lostBytes, 0U);
}

TEST(Eavesdropper, AtANodesIpLayerHearsWhatPassesThroughIt)
{
    ExchangeNet net("ideal", Complete(3), 1000, TCP);
    Spy spy;
    spy.eavesdropper->ListenAt(net.network->GetNodes().Get(2));
    Exchange(net, 1000, 2);
    ExpectTruth(spy, 1000);
    EXPECT_EQ(spy.heard.size(), 8U); // two rounds, from and to each of two others
}

TEST(Eavesdropper, ForgeriesAndNoiseAreCounted)
{
    ExchangeNet net("p2p", Pair(), 2, UDP);
    Spy spy;
    spy.eavesdropper->Listen(net.network->GetNodes().Get(0)->GetDevice(1));
    const auto good = test::MakeFragment(9, 5, Exact(2)); // who is 9? It cannot tell.
    auto flipped = good;
    flipped.back() ^= 1;
    ModelHeader packed; // SPARSE32 of 100 numbers whose bytes mean nothing
    packed.encoding = Encoding::SPARSE32;
    packed.vectorLength = 100;
    packed.payloadLength = packed.messageLength = 16;
    packed.round = 6;
    const auto undecodable = test::Seal(packed, test::Bytes(16, 0xff));
    net.InjectAsStrangerAt(Seconds(1), 1, 0, {good, good, flipped, test::Bytes(5), undecodable});
    Simulator::Stop(Seconds(2));
    Simulator::Run();
    ASSERT_EQ(spy.heard.size(), 1U);
    EXPECT_EQ(spy.heard[0].sender, 9U);
    const auto counters = spy.eavesdropper->GetCounters();
    EXPECT_EQ(counters.frames, 10U); // no socket is bound to the port, and ICMP says so
    EXPECT_EQ(counters.foreign, 5U);
    EXPECT_EQ(counters.repeated, 1U);
    EXPECT_EQ(counters.noFragment, 2U);
    EXPECT_EQ(counters.undecodable, 1U);
}

/** @return one fragment of a message that claims to be long */
test::Bytes
MakePart(LearnerId sender, uint32_t round, Encoding encoding, uint32_t length)
{
    ModelHeader header;
    header.encoding = encoding;
    header.sender = sender;
    header.round = round;
    header.vectorLength = length;
    header.messageLength = encoding == Encoding::SPARSE32 ? 8 : 4 * length;
    header.payloadLength = encoding == Encoding::SPARSE32 ? 8 : 4;
    return test::Seal(header, test::Bytes(header.payloadLength, 0));
}

// One datagram that asks for 8 or 34 GB, and thousands that ask for 10 MB each.
TEST(Eavesdropper, HoldsABoundedNumberOfBytes)
{
    Config::SetDefault("ns3::dlearn::Eavesdropper::MaxBytes", UintegerValue(1 << 20));
    ExchangeNet net("p2p", Pair(), 100, UDP);
    Spy spy;
    Config::Reset();
    spy.eavesdropper->Listen(net.network->GetNodes().Get(0)->GetDevice(1));
    std::vector<test::Bytes> flood{MakePart(1, 0, Encoding::FLOAT32, 0x3fffffff),
                                   MakePart(1, 0, Encoding::SPARSE32, 0xffffffff),
                                   MakePart(1, 0, Encoding::SPARSE32, 100000000)};
    const uint32_t many = 6000; // 4,096 have 256 bytes each
    for (uint32_t k = 0; k < many; ++k)
    {
        flood.push_back(MakePart(k, k, Encoding::FLOAT32, 1 << 17)); // the largest that fits
    }
    net.Open();
    net.InjectAt(Seconds(1), 1, 0, flood);
    net.SendAt(Seconds(10), 1, {0}, 7, Exact(100));
    Simulator::Stop(Seconds(11));
    Simulator::Run();
    const auto counters = spy.eavesdropper->GetCounters();
    EXPECT_EQ(counters.tooLarge, 3U);
    EXPECT_LE(spy.eavesdropper->GetBytes(), uint64_t{1} << 20);
    EXPECT_GT(counters.givenUp, many - (1U << 20) / 256);
    EXPECT_EQ(counters.unfinished, many);
    ASSERT_EQ(spy.heard.size(), 1U);
    EXPECT_EQ(spy.heard[0].values, Exact(100));
}

// Streams count, too: of a hundred connections the first are forgotten.
TEST(Eavesdropper, GivesUpTheOldestStreams)
{
    Config::SetDefault("ns3::dlearn::Eavesdropper::MaxBytes", UintegerValue(10000));
    ExchangeNet net("p2p", Pair(), 100, TCP);
    Spy spy;
    Config::Reset();
    spy.eavesdropper->Listen(net.network->GetNodes().Get(0)->GetDevice(1));
    const Ptr<Node> node = net.network->GetNodes().Get(1);
    const InetSocketAddress target(net.network->GetAddress(1, 0), 9); // no socket there
    for (uint32_t k = 0; k < 100; ++k)
    {
        Simulator::Schedule(MilliSeconds(10 * k), [node, target] {
            const auto socket = Socket::CreateSocket(node, TcpSocketFactory::GetTypeId());
            socket->Bind();
            socket->Connect(target);
        });
    }
    Exchange(net, 100, 2);
    EXPECT_GT(spy.eavesdropper->GetCounters().givenUp, 100U);
    EXPECT_LE(spy.eavesdropper->GetBytes(), 10000U);
    ExpectTruth(spy, 100);
    EXPECT_EQ(spy.heard.size(), 4U);
}

TEST(Eavesdropper, RefusesWhereItCanNotListen)
{
    const auto eavesdropper = CreateObject<Eavesdropper>();
    ExchangeNet net("ideal", Pair(), 2, UDP);
    ExpectRefused(
        [&] { eavesdropper->Listen(net.network->GetNodes().Get(0)->GetDevice(1)); },
        "Eavesdropper: device must be a PointToPointNetDevice, CsmaNetDevice or WifiNetDevice, "
        "got ns3::SimpleNetDevice; ListenAt() its node");
    ExchangeNet radio("wifi-adhoc", Pair(), 2, UDP);
    ExpectRefused([&] { dynamic_cast<WifiNetwork&>(*radio.network).AddListener(0, NAN, 1 << 20); },
                  "wifi-adhoc: a listener needs a place in metres, got 0, nan");
}

} // namespace
} // namespace ns3::dlearn

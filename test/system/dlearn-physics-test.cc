/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What learners send takes the time on the links, and the energy of radios, that calculation or
 * ns-3's own senders say.
 * Where the time of rounds goes, in whole runs, against calculation by hand.
 */

#include "app/dlearn-net-test-support.h"
#include "dlearn-federated-fixture.h"
#include "dlearn-system-fixture.h"
#include "support/dlearn-parameter-name.h"

#include "ns3/boolean.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/dlearn-compute-model.h"
#include "ns3/dlearn-energy-meter.h"
#include "ns3/on-off-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace ns3::dlearn
{
namespace
{

using test::Exact;
using test::ExchangeNet;
using test::Pair;

constexpr uint32_t FRAGMENTS = 1000; //!< of a message, with 360 numbers each

/** Defaults that a test changes are back when it is over. */
class PhysicsTest : public testing::Test
{
  protected:
    void TearDown() override { Config::Reset(); }
};

/** @return seconds on the air of a frame of 802.11a, with so many bits a symbol of 4 us */
double
LegacyDuration(double bytes, double bits)
{
    return 20e-6 + std::ceil((16 + 8 * bytes + 6) / bits) * 4e-6;
}

/** @return seconds on the air of a frame of 802.11n with MCS 3 and 20 MHz: 104 bits a symbol */
double
HtDuration(double bytes)
{
    return 36e-6 + std::ceil((16 + 8 * bytes + 6) / 104) * 4e-6;
}

// IEEE 802.11-2016, 10.3 and 19.4: before a frame AIFS (SIFS and three slots) and a number of slots
// drawn from 0 to 15; after it SIFS and the acknowledgement at 24 Mbit/s, the highest mandatory
// rate that the frame does not exceed. The mean of 1,000 such draws is further than 0.75 slots (1 %
// of the whole) from 7.5 with probability 3e-7 (its deviation is 0.146).
TEST_F(PhysicsTest, AirtimeOfFramesIsThatOfTheStandard)
{
    Config::SetDefault("ns3::WifiMac::BE_MaxAmsduSize", UintegerValue(1)); // one packet a frame
    NetworkSetup setup;
    setup.positions = {{0, 0}, {10, 0}};
    const auto udp = "ns3::dlearn::UdpTransport";
    ExchangeNet net("wifi-adhoc", Pair(), 360 * FRAGMENTS, udp, 32, setup);
    net.Open();
    net.SendAt(Seconds(1), 0, {1}, 0, Exact(360 * FRAGMENTS));
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    ASSERT_EQ(net.recorders[1].entries.size(), 1U);
    const double taken = net.recorders[1].entries[0].when.GetSeconds() - 1;
    const double slot = 9e-6;
    const double sifs = 16e-6;
    const double packet = 1440 + 32 + 8 + 20; // dlearn, UDP, IP
    const double frame = sifs + 3 * slot + 7.5 * slot + HtDuration(26 + 8 + packet + 4) + sifs +
                         LegacyDuration(14, 96);
    EXPECT_NEAR(taken / (FRAGMENTS * frame), 1, 0.02);
}

// A broadcast has no acknowledgement: the sender's radio draws 0.380 A at 3 V for as long as frames
// are on the air, at 24 Mbit/s with 96 bits a symbol, and 0.273 A while it is idle: what ns-3 says
// of TxCurrentA and IdleCurrentA.
TEST_F(PhysicsTest, EnergyOfATransmissionIsCurrentTimesVoltageTimesTime)
{
    NetworkSetup setup;
    setup.positions = {{0, 0}, {10, 0}};
    const auto broadcast = "ns3::dlearn::UdpBroadcastTransport";
    ExchangeNet net("wifi-adhoc", Pair(), 360 * FRAGMENTS, broadcast, 32, setup);
    const RadioEnergy sender(net.network->GetNodes().Get(0), [] {});
    net.Open();
    net.SendAt(Seconds(1), 0, {1}, 0, Exact(360 * FRAGMENTS));
    Simulator::Stop(Seconds(5));
    Simulator::Run();
    ASSERT_EQ(net.recorders[1].entries.size(), 1U);
    const double packet = 1440 + 32 + 8 + 20; // dlearn, UDP, IP
    const double sending = FRAGMENTS * LegacyDuration(24 + 2 + 8 + packet + 4, 96);
    const double joules = 3 * (0.273 * 5 + (0.380 - 0.273) * sending);
    EXPECT_NEAR(sender.GetSpent() / joules, 1, 1e-9);
}

/** A link with FqCoDel, which shares it out. */
const char* const BOTTLENECK = "p2p,rate=5Mbps,delay=20ms,queuedisc=fq-codel";

/** Let 1 Mbit/s of other traffic cross a network, in the same direction. */
void
AddTraffic(Network& network)
{
    const InetSocketAddress target(network.GetAddress(0, 1), 9);
    OnOffHelper source("ns3::UdpSocketFactory", target);
    source.SetConstantRate(DataRate("1Mbps"), 1000);
    source.Install(network.GetNodes().Get(0)).Start(Time(0));
    PacketSinkHelper("ns3::UdpSocketFactory", target).Install(network.GetNodes().Get(1));
}

/** @return seconds that ns-3's own BulkSendApplication needs for some bytes */
double
TimeOfBulkSend(uint64_t bytes)
{
    const auto network = CreateNetwork(BOTTLENECK);
    network->Build(Pair(), {});
    network->AssignStreams(1);
    AddTraffic(*network);
    const InetSocketAddress target(network->GetAddress(0, 1), 8080);
    BulkSendHelper source("ns3::TcpSocketFactory", target);
    source.SetAttribute("MaxBytes", UintegerValue(bytes));
    source.SetAttribute("SendSize", UintegerValue(1448));
    source.Install(network->GetNodes().Get(0)).Start(Seconds(1));
    const auto sinks =
        PacketSinkHelper("ns3::TcpSocketFactory", target).Install(network->GetNodes().Get(1));
    double last = 0;
    const auto sink = DynamicCast<PacketSink>(sinks.Get(0));
    sink->TraceConnectWithoutContext(
        "Rx",
        Callback<void, Ptr<const Packet>, const Address&>(
            [&last](Ptr<const Packet>, const Address&) { last = Simulator::Now().GetSeconds(); }));
    Simulator::Stop(Seconds(60));
    Simulator::Run();
    EXPECT_EQ(sink->GetTotalRx(), bytes);
    Simulator::Destroy();
    return last - 1;
}

/** @return seconds that a message of dlearn needs over TCP, and its bytes */
std::pair<double, uint64_t>
TimeOfMessage()
{
    const auto tcp = "ns3::dlearn::TcpTransport";
    ExchangeNet net(BOTTLENECK, Pair(), 360 * FRAGMENTS, tcp);
    AddTraffic(*net.network);
    net.Open();
    net.SendAt(Seconds(1), 0, {1}, 0, Exact(360 * FRAGMENTS));
    Simulator::Stop(Seconds(60));
    Simulator::Run();
    EXPECT_EQ(net.recorders[1].entries.size(), 1U);
    return {net.recorders[1].entries.at(0).when.GetSeconds() - 1,
            net.exchanges[1]->GetTransport()->GetRxBytes()};
}

// A sender that does not fill the queue of its device loses nothing there, and BulkSend does. What
// the other traffic leaves of the link is 5 Mbit/s * (1 - 1030 / 1000 / 5), and a segment of 1448
// bytes has 42 bytes of headers; besides there are the round trips in which the window grows.
TEST_F(PhysicsTest, TcpIsAsFastAsBulkSendAndTheLink)
{
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    const auto [seconds, bytes] = TimeOfMessage();
    EXPECT_GT(bytes, 1440U * FRAGMENTS);
    EXPECT_LT(seconds / TimeOfBulkSend(bytes), 1.02);
    const double least = bytes * 8 * (1490.0 / 1448) / (5e6 - 1.03e6);
    EXPECT_GT(seconds, 0.98 * least); // less by what waits behind the last segment
    EXPECT_LT(seconds, 1.05 * least + 0.2);
}

/** @return seconds in which the learner did not compute */
double
GetRest(const ResultRow& row)
{
    return row.phases.queue + row.phases.air + row.phases.again + row.phases.wait;
}

/** Expect that computing and the phases of each learner's rows are the time from row to row. */
void
ExpectPartition(const RunResults& results)
{
    ASSERT_FALSE(results.rows.empty());
    std::map<LearnerId, Time> before;
    for (const ResultRow& row : results.rows)
    {
        const RoundRecord& record = row.record;
        const Time first = record.closed - record.duration;
        const Time begin = before.try_emplace(record.node, first).first->second;
        const double span = (record.closed - begin).GetSeconds();
        EXPECT_NEAR(record.compute.GetSeconds() + GetRest(row), span, 2e-9)
            << "learner " << record.node << ", round " << record.round;
        before[record.node] = record.closed;
        EXPECT_GE(std::min({row.phases.queue, row.phases.again, row.phases.wait}), 0);
    }
}

/** Phases of all networks whose devices are watched. */
class EveryPhase : public testing::TestWithParam<std::pair<const char*, const char*>>
{
  protected:
    ~EveryPhase() override { Config::Reset(); }
};

TEST_P(EveryPhase, IsAPartOfTheTimeFromRoundToRound)
{
    RunSpec spec = SmallRun(GetParam().first, GetParam().second);
    spec.loss = 0.1;
    const RunResults results = RunToEnd(spec).results;
    ExpectPartition(results);
    double air = 0;
    for (const ResultRow& row : results.rows)
    {
        air += row.phases.air;
    }
    EXPECT_GT(air, 0);
}

// Learner 1 crashes while it computes, and learner 2 when it has computed and waits for learner 1.
TEST_P(EveryPhase, IsAPartOfTheTimeAlsoAroundCrashes)
{
    Config::SetDefault("ns3::dlearn::LearnerApplication::ComputeModel",
                       TypeIdValue(FixedCompute::GetTypeId()));
    Config::SetDefault("ns3::dlearn::FixedCompute::Duration", TimeValue(Seconds(1)));
    RunSpec spec = SmallRun(GetParam().first, GetParam().second);
    spec.rounds = 6;
    spec.churn = "crash:1@2500ms,restart:1@6s,crash:2@3500ms,restart:2@7s";
    const RunResults results = RunToEnd(spec).results;
    for (const LearnerId learner : {1, 2})
    {
        EXPECT_TRUE(std::any_of(results.rows.begin(), results.rows.end(), [&](const auto& row) {
            return row.record.node == learner && row.record.closed > Seconds(7);
        })) << learner;
    }
    ExpectPartition(results);
}

INSTANTIATE_TEST_SUITE_P(Networks,
                         EveryPhase,
                         testing::Values(std::make_pair("p2p", "udp"),
                                         std::make_pair("p2p", "tcp"),
                                         std::make_pair("csma", "udp"),
                                         std::make_pair("csma", "broadcast"),
                                         std::make_pair("wifi-adhoc", "tcp"),
                                         std::make_pair("wifi-adhoc", "udp"),
                                         std::make_pair("wifi-infra", "udp"),
                                         std::make_pair("tree:2", "tcp")),
                         [](const auto& info) { return test::MakeParameterName(info.param); });

// A frame to each of two neighbours, both at the same time: its bytes at 1 Mbit/s, with headers of
// UDP, IP and PPP.
TEST(Phases, AFrameIsOnTheAirAsLongAsItsBitsTake)
{
    RunSpec spec = SmallRun("p2p");
    spec.rate = "1Mbps";
    for (const ResultRow& row : RunToEnd(spec).results.rows)
    {
        const double bytes = static_cast<double>(row.record.txBytes) / 2 + 8 + 20 + 2;
        EXPECT_NEAR(row.phases.air, bytes * 8 / 1e6, 1e-9);
        EXPECT_EQ(row.phases.again, 0);
    }
}

// Over p2p only TCP sends again, and only where segments are lost; over Wi-Fi frames are.
TEST(Phases, WhatIsSentAgainIsToldApart)
{
    const auto sum = [](const char* network, const char* transport, double loss) {
        RunSpec spec = SmallRun(network, transport);
        spec.loss = loss;
        double again = 0;
        for (const ResultRow& row : RunToEnd(spec).results.rows)
        {
            again += row.phases.again;
        }
        return again;
    };
    EXPECT_EQ(sum("p2p", "tcp", 0), 0);
    EXPECT_EQ(sum("p2p", "udp", 0.2), 0);
    EXPECT_GT(sum("p2p", "tcp", 0.2), 0);
    EXPECT_GT(sum("wifi-adhoc", "udp", 0.2), 0);
}

TEST(Phases, AreUnknownWhereNoDeviceIsWatched)
{
    for (const ResultRow& row : RunToEnd(SmallRun("ideal")).results.rows)
    {
        EXPECT_FALSE(row.phases.IsKnown());
    }
}

} // namespace
} // namespace ns3::dlearn

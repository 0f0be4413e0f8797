/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-radio-routing.h"
#include "ns3/dlearn-wifi-network.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t RADIOS = 6;
constexpr double STEP = 60; //!< metres from one radio to the next, which hears no other: 88 m

/** Learners in a line of radios, all neighbours of all others. */
class RadioRoutingTest : public testing::Test
{
  protected:
    void TearDown() override { Simulator::Destroy(); }

    /** @return options of a line */
    static NetworkOptions MakeLine(const std::string& routing)
    {
        NetworkOptions options;
        options.side = RADIOS * STEP;
        for (LearnerId id = 0; id < RADIOS; ++id)
        {
            options.positions.emplace_back(id * STEP, 0);
        }
        if (routing != "none")
        {
            options.routing = ParseComponent(GetRadioRoutingFamily(), routing);
        }
        return options;
    }

    /** @return what arrives when learners at the two ends and in between send to each other */
    static std::vector<UdpMesh::Arrival> Exchange(const std::string& routing)
    {
        const Graph graph = Complete(RADIOS);
        auto network = CreateNetwork("wifi-adhoc");
        network->Build(graph, MakeLine(routing));
        network->AssignStreams(100);
        UdpMesh mesh(*network);
        Time when;
        for (LearnerId from = 0; from < RADIOS; ++from)
        {
            for (LearnerId to = 0; to < RADIOS; ++to)
            {
                if (from != to)
                {
                    mesh.Burst(from, network->GetAddress(from, to), 1, 1000, when);
                    when += MilliSeconds(50); // no collisions of those that do not hear each other
                }
            }
        }
        Simulator::Stop(network->GetReadyTime() + when + Seconds(5));
        Simulator::Run();
        return mesh.arrivals;
    }
};

/** All ways there are. */
class EveryRouting : public RadioRoutingTest, public testing::WithParamInterface<std::string>
{
};

TEST_P(EveryRouting, ReachesAllOverSeveralHopsAndRepeats)
{
    const auto arrivals = Exchange(GetParam());
    EXPECT_EQ(arrivals.size(), RADIOS * (RADIOS - 1));
    Simulator::Destroy();
    EXPECT_EQ(arrivals, Exchange(GetParam()));
}

TEST_P(EveryRouting, ReadyTimeCanBeChosen)
{
    const auto routing = ParseComponent(GetRadioRoutingFamily(), GetParam()).Create<RadioRouting>();
    EXPECT_LE(routing->GetReadyTime(5), routing->GetReadyTime(50));
    routing->SetAttribute("ReadyTime", TimeValue(Seconds(3)));
    EXPECT_EQ(routing->GetReadyTime(50), Seconds(3));
}

TEST_P(EveryRouting, HasNoBroadcast)
{
    auto network = CreateNetwork("wifi-adhoc");
    network->Build(Complete(RADIOS), MakeLine(GetParam()));
    EXPECT_FALSE(network->HasBroadcast());
}

INSTANTIATE_TEST_SUITE_P(All,
                         EveryRouting,
                         testing::ValuesIn(GetComponentNames(GetRadioRoutingFamily())),
                         [](const auto& info) { return info.param; });

TEST_F(RadioRoutingTest, WithoutItOnlyRadiosThatHearEachOtherExchange)
{
    EXPECT_EQ(Exchange("none").size(), 2 * (RADIOS - 1));
}

TEST_F(RadioRoutingTest, StaticRoutesAreForRadiosThatStandStillAndReachEachOther)
{
    const auto refused = [](const NetworkOptions& options, const std::string& message) {
        ExpectRefused([&] { CreateNetwork("wifi-adhoc")->Build(Complete(RADIOS), options); },
                      message);
        Simulator::Destroy();
    };
    NetworkOptions moving = MakeLine("static");
    moving.mobility = LearnerMobility::Parse("random-waypoint");
    refused(moving, "wifi-adhoc: static routes are for learners that stand still");
    NetworkOptions far = MakeLine("static");
    far.positions.back() = {RADIOS * STEP, RADIOS * STEP};
    refused(far, "the graph of radios that receive each other");

    WifiAdhocNetwork network;
    network.Build(Complete(RADIOS), MakeLine("static"));
    network.SetPowers(std::vector<double>(RADIOS, 23));
    ExpectRefused(
        [&] {
            network.SetPowers({23, 23, 23, 23, 23, 10});
        },
        "wifi-adhoc: static routes are for radios that all send with 23 dBm");
}

TEST_F(RadioRoutingTest, OnlyAdHocNetworksHaveIt)
{
    for (const char* name : {"ideal", "p2p", "csma", "wifi-infra", "lte", "tree:2"})
    {
        EXPECT_FALSE(CreateNetwork(name)->HasEffect("routing")) << name;
    }
    EXPECT_TRUE(CreateNetwork("wifi-adhoc")->HasEffect("routing"));
}

} // namespace
} // namespace ns3::dlearn

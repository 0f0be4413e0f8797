/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-test-support.h"

#include "ns3/ipv4-l3-protocol.h"

#include <gtest/gtest.h>
#include <set>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t POINTS = 6;
constexpr double GAP = 60; //!< metres from one mesh point to the next, which hears no other: 88 m

/** @return mesh points in a line, all neighbours of all others */
NetworkOptions
MakeLineOfPoints()
{
    NetworkOptions options;
    options.side = POINTS * GAP;
    for (LearnerId id = 0; id < POINTS; ++id)
    {
        options.positions.emplace_back(id * GAP, 0);
    }
    return options;
}

class WifiMeshNetworkTest : public testing::Test
{
  protected:
    void SetUp() override
    {
#ifndef DLEARN_WITH_MESH
        GTEST_SKIP() << "this ns-3 was built without its module mesh";
#endif
    }

    void TearDown() override
    {
        Simulator::Destroy();
    }
};

// Each of 30 datagrams crosses up to five radio hops, and IP sees one: its TTL is that of the
// sender.
TEST_F(WifiMeshNetworkTest, ReachesAllOverSeveralHopsBelowIp)
{
    const Graph graph = Complete(POINTS);
    auto network = CreateNetwork("wifi-mesh");
    network->Build(graph, MakeLineOfPoints());
    network->AssignStreams(100);
    UdpMesh mesh(*network);
    std::set<uint8_t> lives;
    for (LearnerId id = 0; id < POINTS; ++id)
    {
        network->GetNodes().Get(id)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
            "LocalDeliver",
            Callback<void, const Ipv4Header&, Ptr<const Packet>, uint32_t>(
                [&](const Ipv4Header& header, Ptr<const Packet>, uint32_t) {
                    lives.insert(header.GetTtl());
                }));
    }
    Time when;
    for (LearnerId from = 0; from < POINTS; ++from)
    {
        for (LearnerId to = 0; to < POINTS; ++to)
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
    EXPECT_EQ(mesh.arrivals.size(), POINTS * (POINTS - 1));
    EXPECT_EQ(lives, std::set<uint8_t>{64});
}

TEST_F(WifiMeshNetworkTest, HasNoBroadcastToNeighborsAndNoRouting)
{
    const auto network = CreateNetwork("wifi-mesh");
    EXPECT_FALSE(network->HasBroadcast());
    EXPECT_FALSE(network->HasEffect("routing"));
    EXPECT_TRUE(network->HasEffect("wifi-standard"));
}

} // namespace
} // namespace ns3::dlearn

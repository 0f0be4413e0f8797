/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/config.h"
#include "ns3/dlearn-federated-helper.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-peer-helper.h"
#include "ns3/dlearn-radio-routing.h"
#include "ns3/dlearn-tcp-transport.h"
#include "ns3/dlearn-transfer-estimate.h"
#include "ns3/dlearn-udp-broadcast-transport.h"
#include "ns3/dlearn-udp-transport.h"
#include "ns3/simulator.h"
#include "ns3/type-id.h"

#include <gtest/gtest.h>
#include <map>

namespace ns3::dlearn
{
namespace
{

constexpr size_t NUMBERS = 1000; // 64,000 bits

/** Peers on a ring of six, or a server and five clients, with links of 1 Mbit/s. */
class TransferEstimateTest : public testing::Test
{
  protected:
    ~TransferEstimateTest() override
    {
        Config::Reset();
        Simulator::Destroy();
    }

    void Build(const std::string& name, const Graph& graph, bool star)
    {
        NetworkSetup setup;
        if (star)
        {
            setup.server = 0;
        }
        for (LearnerId k = 0; line && k < graph.GetSize(); ++k)
        {
            setup.positions.emplace_back(60 * k, 0);
        }
        network = CreateNetwork(
            test::WithAttributes(name + (line ? ",side=300,routing=static" : ""),
                                 {"Rate=1Mbps",
                                  "TrunkRate=1Mbps",
                                  "Delay=" + std::to_string(delay.GetNanoSeconds()) + "ns"}));
        network->Build(graph, setup);
    }

    /** @return the estimate of a learner whose neighbours all send it a vector, and it to them */
    double EstimatePeer(const std::string& name, bool broadcast = false)
    {
        Graph ring(6);
        for (LearnerId k = 0; k < 6; ++k)
        {
            ring.AddEdge(k, (k + 1) % 6);
        }
        Build(name, ring, false);
        PeerHelper helper;
        if (broadcast)
        {
            Config::SetDefault("ns3::dlearn::MessageExchange::Transport",
                               TypeIdValue(UdpBroadcastTransport::GetTypeId()));
        }
        const auto peers = helper.Create(*network);
        TransferEstimate estimate(*network, {peers.begin(), peers.end()});
        for (LearnerId k = 0; k < 6; ++k)
        {
            estimate.Add(k, ring.GetOutNeighbors(k), NUMBERS);
        }
        return estimate.GetTime(3).GetSeconds();
    }

    /** @return the estimate of a round of a server */
    double EstimateServer(const std::string& name)
    {
        Graph star(6);
        for (LearnerId k = 1; k < 6; ++k)
        {
            star.AddEdge(0, k);
        }
        Build(name, star, true);
        const Federation federation = FederatedHelper().Create(*network);
        return EstimateRound(*network, federation.GetLearners(), 0, {1, 2, 3, 4, 5}, NUMBERS)
            .GetSeconds();
    }

    Time delay;           //!< of links
    bool line{false};     //!< whether radios stand in a line and forward packets
    Ptr<Network> network; //!< between the learners
};

// A vector takes 64 ms. Twelve are sent; each link carries one at a time in each direction, a bus
// all of them one after another, and a broadcast reaches both neighbours at once. The rate of Wi-Fi
// is not known: 12 Mbit/s.
TEST_F(TransferEstimateTest, PeersShareLinksAndBuses)
{
    for (const auto& [name, vectors] : std::map<std::string, double>{{"p2p", 1},
                                                                     {"csma", 12},
                                                                     {"wifi-adhoc", 12.0 / 12},
                                                                     {"ideal", 0}})
    {
        EXPECT_NEAR(EstimatePeer(name), vectors * 0.064, 1e-9) << name;
        Simulator::Destroy();
    }
    EXPECT_NEAR(EstimatePeer("csma", true), 6 * 0.064, 1e-9);
}

// Radios in a line, 60 m apart, of which each reaches its neighbours only (-77 dBm, and -86 dBm at
// 120 m): on the ring of six, ten vectors cross one hop, and two, of the ends, all five, where each
// is sent twice as radios do not hear each other. They share the air.
TEST_F(TransferEstimateTest, RadiosThatForward)
{
    line = true;
    EXPECT_NEAR(EstimatePeer("wifi-adhoc"), (10 + 2 * 5 * 2) * 0.064 / 12, 1e-9);
}

// By links a model and an update over each, both ways at once with other clients. Behind routers,
// five models leave by the server's own link, four of them on to the same router, two to the next,
// one by that of the client; then the updates. By broadcast one model for all, and five updates.
TEST_F(TransferEstimateTest, AServerSendsModelsAndGetsUpdates)
{
    EXPECT_NEAR(EstimateServer("p2p"), 2 * 0.064, 1e-9);
    Simulator::Destroy();
    EXPECT_NEAR(EstimateServer("tree:2"), 2 * (5 + 4 + 2 + 1) * 0.064, 1e-9);
    Simulator::Destroy();
    Config::SetDefault("ns3::dlearn::MessageExchange::Transport",
                       TypeIdValue(UdpBroadcastTransport::GetTypeId()));
    EXPECT_NEAR(EstimateServer("csma"), (1 + 5) * 0.064, 1e-9);
}

TEST_F(TransferEstimateTest, PropagationTakesItsTime)
{
    delay = Seconds(1);
    EXPECT_NEAR(EstimatePeer("p2p"), 1.064, 1e-9);
    // Each of twelve vectors has six packets, which follow each other on the bus end to end.
    EXPECT_NEAR(EstimatePeer("csma"), 1 + 12 * (0.064 + 6), 1e-9);
    EXPECT_NEAR(EstimateServer("p2p"), 2 * 1.064, 1e-9);
    EXPECT_NEAR(EstimateServer("tree:2"), 2 * (4 + 12 * 0.064), 1e-9); // four links
}

// Before the first segment comes the handshake: one and a half times to the other side and back.
// The six segments of a vector are TCP's first window at most.
TEST_F(TransferEstimateTest, ConnectionsAreMadeFirst)
{
    delay = Seconds(1);
    Config::SetDefault("ns3::dlearn::MessageExchange::Transport",
                       TypeIdValue(TcpTransport::GetTypeId()));
    EXPECT_NEAR(EstimatePeer("p2p"), 4.064, 1e-9);
    EXPECT_NEAR(EstimateServer("p2p"), 2 * 4.064, 1e-9);
}

// A segment or its acknowledgement is lost with probability 1 - 0.9^2 = 0.19. Of three losses in a
// row, 0.69 %, TCP knows after 1 + 2 + 4 s; of two after 1 + 2 s, with 5 % (0.95 %) and 1 %.
TEST_F(TransferEstimateTest, SendingAgainTakesItsTimeWherePacketsAreLost)
{
    const std::map<double, double> expected{{0, 0}, {0.01, 3}, {0.05, 3}, {0.1, 7}, {0.4, 30}};
    for (const bool tcp : {true, false})
    {
        for (const auto& [loss, seconds] : expected)
        {
            Config::SetDefault(
                "ns3::dlearn::MessageExchange::Transport",
                TypeIdValue(tcp ? TcpTransport::GetTypeId() : UdpTransport::GetTypeId()));
            NetworkSetup setup;
            setup.server = 0;
            Graph star(3);
            star.AddEdge(0, 1);
            star.AddEdge(0, 2);
            network = CreateNetwork("p2p,loss=" + std::to_string(loss));
            network->Build(star, setup);
            const Federation federation = FederatedHelper().Create(*network);
            const Time recovery = EstimateRecovery(*federation.server, *network, 0, {1, 2});
            EXPECT_EQ(recovery, Seconds(tcp ? seconds : 0)) << loss;
            Simulator::Destroy();
        }
    }
}

} // namespace
} // namespace ns3::dlearn

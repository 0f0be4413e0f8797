/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-net-test-support.h"
#include "dlearn-network-test-support.h"

#include "ns3/dlearn-network.h"

namespace ns3::dlearn
{
namespace
{

using test::Exact;
using test::ExchangeNet;

/** What all networks of cells do, those that this ns-3 has. */
class CellularNetworkTest : public NetworkTest, public testing::WithParamInterface<std::string>
{
  protected:
    static constexpr const char* TCP{"ns3::dlearn::TcpTransport"};
    static constexpr const char* UDP{"ns3::dlearn::UdpTransport"};

    static NetworkSetup Server(LearnerId server)
    {
        NetworkSetup setup;
        setup.server = server;
        return setup;
    }

    /** @return when messages came, by receiver, that server and clients send each other at once */
    std::vector<std::vector<std::pair<Time, LearnerId>>> Exchange(const std::string& transport)
    {
        const uint32_t clients = 5;
        const LearnerId server = 2;
        const uint32_t size = 20000; // 80 kB; a bearer of ns-3 holds 10 kB by default
        ExchangeNet net(GetParam(), Star(clients + 1, server), size, transport, 32, Server(server));
        net.Open();
        const Time ready = net.network->GetReadyTime();
        std::vector<LearnerId> all;
        for (LearnerId id = 0; id <= clients; ++id)
        {
            if (id != server)
            {
                all.push_back(id);
                net.SendAt(ready, id, {server}, 1, Exact(size, id));
            }
        }
        net.SendAt(ready, server, all, 1, Exact(size, server));
        Simulator::Stop(ready + Seconds(1));
        Simulator::Run();
        std::vector<std::vector<std::pair<Time, LearnerId>>> arrivals(clients + 1);
        for (LearnerId id = 0; id <= clients; ++id)
        {
            for (const auto& entry : net.recorders[id].entries)
            {
                const LearnerId sender = entry.source.first;
                EXPECT_TRUE(entry.arrival && entry.arrival->values == Exact(size, sender));
                arrivals[id].emplace_back(entry.when, sender);
            }
            EXPECT_EQ(arrivals[id].size(), id == server ? clients : 1U) << id;
        }
        return arrivals;
    }
};

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(CellularNetworkTest);
INSTANTIATE_TEST_SUITE_P(All,
                         CellularNetworkTest,
                         testing::ValuesIn(test::ListCells()),
                         [](const auto& info) { return info.param; });

TEST_P(CellularNetworkTest, CarriesTcpAndUdpBothWaysAndTheSameTwice)
{
    EXPECT_EQ(Exchange(TCP), Exchange(TCP));
    EXPECT_EQ(Exchange(UDP), Exchange(UDP));
}

TEST_P(CellularNetworkTest, LossIsOnTheLinkOfTheServer)
{
    const uint32_t clients = 2;
    const uint32_t rounds = 100;
    ExchangeNet net(GetParam() + ",loss=0.5,mobility=random-waypoint",
                    Star(clients + 1, 0),
                    10,
                    UDP,
                    32,
                    Server(0));
    net.Open();
    EXPECT_EQ(net.network->GetLoss(0, 1), 0.5);
    EXPECT_EQ(net.network->GetLoss(2, 0), 0.5);
    const Time ready = net.network->GetReadyTime();
    for (uint32_t round = 1; round <= rounds; ++round)
    {
        for (LearnerId id = 1; id <= clients; ++id)
        {
            net.SendAt(ready, 0, {id}, round, Exact(10));
            net.SendAt(ready, id, {0}, round, Exact(10));
        }
    }
    Simulator::Stop(ready + Seconds(0.5));
    Simulator::Run();
    // Of 200 independent packets each way 100 get through on average, with a standard deviation
    // of 7.07; 6 of these are exceeded with a probability of 3e-9.
    const size_t up = net.recorders[0].entries.size();
    const size_t down = net.recorders[1].entries.size() + net.recorders[2].entries.size();
    EXPECT_NEAR(up, 100, 42);
    EXPECT_NEAR(down, 100, 42);
}

TEST_P(CellularNetworkTest, TheLinkOfTheServerHasRateAndDelay)
{
    NetworkSetup setup = Server(0);
    setup.links.resize(2);
    setup.links[0].rate = DataRate("1Mbps");
    setup.links[0].delay = MilliSeconds(50);
    const uint32_t size = 18000; // 50 fragments of 1440 bytes, each an IP packet of 1500
    ExchangeNet net(GetParam(), Star(2, 0), size, UDP, 32, setup);
    net.Open();
    const Time ready = net.network->GetReadyTime();
    net.SendAt(ready, 0, {1}, 1, Exact(size));
    Simulator::Stop(ready + Seconds(1));
    Simulator::Run();
    ASSERT_EQ(net.recorders[1].entries.size(), 1U);
    const double took = (net.recorders[1].entries[0].when - ready).GetSeconds();
    const double wired = 50 * 1502 * 8 / 1e6 + 0.05;
    EXPECT_GT(took, wired);
    EXPECT_LT(took, wired + 0.03) << "the last packet alone in the cell takes milliseconds";
}

TEST_P(CellularNetworkTest, StaysItsOnlyKind)
{
    const auto network = Make(GetParam(), Star(3, 0), Server(0));
    EXPECT_EQ(network->GetPositions().size(), 3U);
    EXPECT_EQ(network->GetPositions()[0], std::make_pair(30.0, 30.0));
    EXPECT_FALSE(network->HasBroadcast());
    ExpectRefused([&] { network->GetAddress(1, 2); },
                  GetParam() +
                      ": clients 1 and 2 cannot exchange with each other, only with server 0");
    ExpectRefused(
        [&] { Make(GetParam(), Star(3, 0), Server(0)); },
        GetParam() +
            ": a simulation can have one network of cells only, as ns-3's core network has "
            "fixed addresses");
    Make("ideal", Star(3, 0)); // others are welcome
    Simulator::Destroy();
    Make(GetParam(), Star(3, 0), Server(0)); // the next simulation
}

// The refusal says what to do.
TEST_F(NetworkTest, ANetworkWithoutItsModuleSaysSo)
{
    for (const std::string name : {"lte", "nr"})
    {
        if (!IsComponent(GetNetworkFamily(), name))
        {
            ExpectRefused([&] { CreateNetwork(name); },
                          "network " + name + " needs ns-3's module " + name);
        }
    }
}

} // namespace
} // namespace ns3::dlearn

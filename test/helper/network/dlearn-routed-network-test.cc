/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-test-support.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-routed-network.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <random>

namespace ns3::dlearn
{
namespace
{

/** The hop of the longest match, or ANY. */
uint32_t
LookUp(const std::vector<PrefixRoute>& table, Ipv4Address address)
{
    uint32_t hop = PrefixPlan::ANY;
    int longest = -1;
    for (const PrefixRoute& route : table)
    {
        const int length = route.mask.GetPrefixLength();
        if (route.mask.IsMatch(address, route.network) && length > longest)
        {
            longest = length;
            hop = route.hop;
        }
    }
    return hop;
}

TEST(PrefixPlan, AddressesAreDifferentAndInOrderOfRouters)
{
    const std::vector<uint32_t> routerOf{7, 2, 7, 7, 5, 2, 7};
    const PrefixPlan plan("here", routerOf);
    EXPECT_EQ(plan.GetRouters(), (std::vector<uint32_t>{2, 5, 7}));
    // Router 7 has four learners, so each prefix has eight addresses.
    const std::vector<std::string> expected{"10.0.0.17",
                                            "10.0.0.1",
                                            "10.0.0.18",
                                            "10.0.0.19",
                                            "10.0.0.9",
                                            "10.0.0.2",
                                            "10.0.0.20"};
    for (LearnerId id = 0; id < routerOf.size(); ++id)
    {
        EXPECT_EQ(plan.GetAddresses()[id], Ipv4Address(expected[id].c_str())) << id;
        EXPECT_TRUE(PrefixPlan::GetMask().IsMatch(plan.GetAddresses()[id], plan.GetAddresses()[0]));
    }
}

// Every table, looked up as routers do, sends every learner's address where it should go.
TEST(PrefixPlan, TablesSayWhatTheListOfNextHopsSays)
{
    std::mt19937 random(3);
    for (uint32_t prefixes = 1; prefixes <= 40; ++prefixes)
    {
        std::vector<uint32_t> routerOf;
        for (uint32_t k = 0; k < 3 * prefixes; ++k)
        {
            routerOf.push_back(k < prefixes ? k : random() % prefixes);
        }
        const PrefixPlan plan("here", routerOf);
        std::vector<uint32_t> hops(prefixes);
        for (uint32_t k = 0; k < prefixes; ++k)
        {
            // Runs of equal hops, as real tables have.
            const bool run = k > 0 && random() % 3 > 0;
            hops[k] = run ? hops[k - 1] : random() % 10 == 0 ? PrefixPlan::ANY : random() % 4;
        }
        const auto table = plan.Aggregate(hops);
        EXPECT_LE(table.size(), prefixes);
        for (LearnerId id = 0; id < routerOf.size(); ++id)
        {
            if (hops[routerOf[id]] != PrefixPlan::ANY)
            {
                EXPECT_EQ(LookUp(table, plan.GetAddresses()[id]), hops[routerOf[id]]);
            }
        }
    }
}

TEST(PrefixPlan, TablesAreShort)
{
    std::vector<uint32_t> routerOf(1024);
    for (uint32_t k = 0; k < 1024; ++k)
    {
        routerOf[k] = k;
    }
    const PrefixPlan plan("here", routerOf);
    std::vector<uint32_t> hops(1024, 1);
    EXPECT_EQ(plan.Aggregate(hops).size(), 1U) << "one way out";
    std::fill(hops.begin() + 512, hops.begin() + 768, 2);
    hops[600] = PrefixPlan::ANY;
    EXPECT_EQ(plan.Aggregate(hops).size(), 2U) << "an aligned block";
    std::fill(hops.begin(), hops.end(), PrefixPlan::ANY);
    EXPECT_TRUE(plan.Aggregate(hops).empty());
}

TEST(PrefixPlan, RefusesMoreThanThereAreAddressesFor)
{
    // 300,000 learners need 2^19 addresses, which 10.0.0.0/8 has 32 times.
    std::vector<uint32_t> routerOf(300000, 0);
    for (uint32_t k = 1; k < 32; ++k)
    {
        routerOf.push_back(k);
    }
    EXPECT_EQ(PrefixPlan("here", routerOf).GetRouters().size(), 32U);
    routerOf.push_back(32);
    ExpectRefused([&]() { PrefixPlan("here", routerOf); },
                  "here: there are no addresses for 33 routers with up to 300000 learners each");
}

/** A graph of nodes a, b, c, ... for a GraphML file. */
struct Topology
{
    /** One edge. */
    struct Edge
    {
        uint32_t a;
        uint32_t b;
        std::string speed; //!< LinkSpeedRaw; empty for none
    };

    uint32_t nodes;
    std::vector<Edge> edges;
    std::map<uint32_t, std::pair<double, double>> places; //!< (longitude, latitude) of some
};

/** Writes files that go away with the test. */
class BackboneTest : public NetworkTest
{
  protected:
    void TearDown() override
    {
        std::remove(m_path.c_str());
        NetworkTest::TearDown();
    }

    /** @return name of a network with this topology */
    std::string Write(const Topology& topology)
    {
        std::ofstream file(m_path);
        file << "<graphml><key id='x' for='node' attr.name='Longitude'/>"
                "<key id='y' for='node' attr.name='Latitude'/>"
                "<key id='s' for='edge' attr.name='LinkSpeedRaw'/><graph>\n";
        for (uint32_t k = 0; k < topology.nodes; ++k)
        {
            file << "<node id='n" << k << "'>";
            const auto place = topology.places.find(k);
            if (place != topology.places.end())
            {
                file << "<data key='x'>" << place->second.first << "</data><data key='y'>"
                     << place->second.second << "</data>";
            }
            file << "</node>\n";
        }
        for (const auto& [a, b, speed] : topology.edges)
        {
            file << "<edge source='n" << a << "' target='n" << b << "'>";
            file << (speed.empty() ? "" : "<data key='s'>" + speed + "</data>") << "</edge>\n";
        }
        file << "</graph></graphml>\n";
        return "backbone:" + m_path;
    }

    /** A row of nodes, each joined with the next. */
    static Topology Chain(uint32_t nodes)
    {
        Topology chain{nodes, {}, {}};
        for (uint32_t k = 1; k < nodes; ++k)
        {
            chain.edges.push_back({k - 1, k, ""});
        }
        return chain;
    }

    std::string m_path{testing::TempDir() + "dlearn-" +
                       testing::UnitTest::GetInstance()->current_test_info()->name() + ".graphml"};
};

/** @return the file of the Topology Zoo, or nothing when there is no data */
std::optional<std::string>
FindZoo(const std::string& name)
{
    const char* data = std::getenv("DLEARN_DATA");
    return data ? std::optional<std::string>(std::string(data) + "/topology-zoo/" + name +
                                             ".graphml")
                : std::nullopt;
}

const RoutedNetwork&
AsRouted(const Network& network)
{
    return dynamic_cast<const RoutedNetwork&>(network);
}

/** Routes of the routers and of the access links: one datagram from each learner to each. */
void
ExpectAllReachAll(Network& network)
{
    const uint32_t learners = network.GetNodes().GetN();
    UdpMesh mesh(network);
    mesh.SendFromAllToAll(100, Time(0));
    Simulate(100);
    EXPECT_EQ(mesh.received.size(), learners * (learners - 1));
    EXPECT_EQ(mesh.arrivals.size(), learners * (learners - 1));
}

/** Least delays between all routers (Floyd, 1962). */
std::vector<std::vector<int64_t>>
FloydWarshall(const RouterPlan& plan)
{
    const int64_t far = int64_t{1} << 60;
    std::vector<std::vector<int64_t>> best(plan.routers, std::vector<int64_t>(plan.routers, far));
    for (uint32_t v = 0; v < plan.routers; ++v)
    {
        best[v][v] = 0;
    }
    for (const Trunk& trunk : plan.trunks)
    {
        best[trunk.a][trunk.b] = best[trunk.b][trunk.a] = trunk.delay.GetTimeStep();
    }
    for (uint32_t k = 0; k < plan.routers; ++k)
    {
        for (uint32_t i = 0; i < plan.routers; ++i)
        {
            for (uint32_t j = 0; j < plan.routers; ++j)
            {
                best[i][j] = std::min(best[i][j], best[i][k] + best[k][j]);
            }
        }
    }
    return best;
}

/** Every datagram takes the path of least delay, to the nanosecond. */
void
ExpectLeastDelays(const std::string& name, uint32_t learners)
{
    // a packet takes no time
    auto network =
        Make(name + ",rate=1000000000Gbps,trunkrate=1000000000Gbps,delay=300us", Graph(learners));
    const RouterPlan& plan = AsRouted(*network).GetPlan();
    ASSERT_EQ(plan.routers, learners);
    const auto best = FloydWarshall(plan);
    UdpMesh mesh(*network);
    mesh.SendFromAllToAll(10, Time(0));
    Simulate(5);
    EXPECT_EQ(mesh.arrivals.size(), learners * (learners - 1));
    for (const auto& [time, from, to] : mesh.arrivals)
    {
        EXPECT_EQ(time, best[from][to] + MicroSeconds(600).GetTimeStep()) << from << " to " << to;
    }
}

/** @return the time at which the only datagram arrives */
Time
TimeOfOne(Network& network, LearnerId from, LearnerId to)
{
    UdpMesh mesh(network);
    mesh.Burst(from, network.GetAddress(from, to), 1);
    const Time start = Simulator::Now();
    Simulate(10);
    EXPECT_EQ(mesh.arrivals.size(), 1);
    return mesh.arrivals.empty() ? Time(-1) : TimeStep(std::get<0>(mesh.arrivals[0])) - start;
}

// By brute force: fan-out, depth and who hangs where, for many sizes. A tree whose clients are all
// L routers away from the server, and whose routers have at most F below them, holds at most
// F^L clients; L is the least such number.
TEST_F(NetworkTest, TreesAreShallowAndNoRouterHasTooManyBelow)
{
    for (uint32_t fanout = 2; fanout <= 5; ++fanout)
    {
        for (uint32_t learners = 1; learners <= 40; learners += learners < 12 ? 1 : 4)
        {
            for (const bool withServer : {false, true})
            {
                NetworkSetup setup;
                const LearnerId server = learners / 2;
                if (withServer)
                {
                    setup.server = server;
                }
                const std::string name = "tree:" + std::to_string(fanout);
                const Graph graph = withServer ? Star(learners, server) : Graph(learners);
                const auto network = Make(name, graph, setup);
                const RouterPlan& plan = AsRouted(*network).GetPlan();
                SCOPED_TRACE(std::to_string(learners) + " learners, " + name);

                ASSERT_EQ(plan.trunks.size(), plan.routers - 1);
                std::vector<uint32_t> depth(plan.routers, 1);
                std::vector<uint32_t> below(plan.routers);
                for (const auto& [parent, child, rate, delay] : plan.trunks)
                {
                    ASSERT_LT(parent, child);
                    ASSERT_EQ(depth[child], 1) << "two parents";
                    depth[child] = depth[parent] + 1;
                    ++below[parent];
                }
                const uint32_t clients = learners - withServer;
                uint32_t least = 1;
                for (uint32_t room = fanout; room < clients; room *= fanout)
                {
                    ++least;
                }
                for (LearnerId id = 0; id < learners; ++id)
                {
                    const bool isServer = withServer && id == server;
                    EXPECT_EQ(depth[plan.routerOf[id]], isServer ? 1 : least);
                    below[plan.routerOf[id]] += isServer ? 0 : 1;
                }
                EXPECT_LE(*std::max_element(below.begin(), below.end()), fanout);
                EXPECT_TRUE(clients == 0 || std::find(below.begin(), below.end(), 0) == below.end())
                    << "a router without use";
                Simulator::Destroy();
            }
        }
    }
}

TEST_F(NetworkTest, InATreeAllReachAll)
{
    NetworkSetup setup;
    setup.server = 4;
    ExpectAllReachAll(*Make("tree:2", Star(23, 4), setup));
    Simulator::Destroy();
    ExpectAllReachAll(*Make("tree:3", Graph(9)));
}

const char* const SLOW_TREE = "tree:2,rate=1Mbps,trunkrate=10Mbps,delay=10ms";

// A datagram of 1400 bytes is 1430 on each link, where it is stored and forwarded.
TEST_F(NetworkTest, DelayIsThatOfAllLinksOfThePath)
{
    // 11440 us for a datagram, 1144 us on trunks. Clients 1, 2 and 3, 4 behind a router each.
    NetworkSetup setup;
    setup.server = 0;
    auto network = Make(SLOW_TREE, Star(5, 0), setup);
    EXPECT_EQ(TimeOfOne(*network, 1, 0), MicroSeconds(11440 + 2 * 1144 + 3 * 10000));
    EXPECT_EQ(TimeOfOne(*network, 0, 4), MicroSeconds(11440 + 2 * 1144 + 3 * 10000));
    EXPECT_EQ(TimeOfOne(*network, 1, 2), MicroSeconds(2 * 11440 + 2 * 10000));
    EXPECT_EQ(TimeOfOne(*network, 1, 3), MicroSeconds(2 * 11440 + 2 * 1144 + 4 * 10000));
}

TEST_F(NetworkTest, AccessLinksAreThoseOfTheLearners)
{
    NetworkSetup setup;
    setup.server = 0;
    setup.links.resize(5);
    setup.links[0].rate = DataRate("2Mbps"); // 5720 us for a datagram
    setup.links[1].rate = DataRate("4Mbps"); // 2860 us
    setup.links[1].delay = MilliSeconds(50);
    setup.links[2].delay = Time(0);
    auto network = Make(SLOW_TREE, Star(5, 0), setup);
    EXPECT_EQ(TimeOfOne(*network, 1, 0), MicroSeconds(2860 + 1144 + 5720 + 50000 + 2 * 10000));
    EXPECT_EQ(TimeOfOne(*network, 0, 2), MicroSeconds(11440 + 1144 + 5720 + 2 * 10000));
    // A whole transfer: 100 datagrams leave a slow client one by one and wait for nothing after.
    UdpMesh mesh(*network);
    mesh.Burst(3, network->GetAddress(3, 0), 100);
    const Time start = Simulator::Now();
    Simulate(10);
    ASSERT_EQ(mesh.arrivals.size(), 100);
    EXPECT_EQ(TimeStep(std::get<0>(mesh.arrivals.back())) - start,
              MicroSeconds(100 * 11440 + 1144 + 5720 + 3 * 10000));
}

// Hoeffding: a share of 5,000 independent packets is further than 0.04 from its mean with
// probability less than 2 exp(-2 * 5000 * 0.04^2) = 2.3e-7; four shares are checked. Trunks lose
// nothing: from client to client the two access links are all there is.
TEST_F(NetworkTest, RoutedNetworksLosePacketsOnAccessLinksOnly)
{
    NetworkSetup setup;
    setup.server = 0;
    setup.links.resize(5);
    setup.links[0].loss = 0;
    setup.links[4].loss = 0.5;
    auto network = Make("tree:2,loss=0.2", Star(5, 0), setup);
    UdpMesh mesh(*network);
    mesh.Burst(1, network->GetAddress(1, 0), 5000);
    mesh.Burst(0, network->GetAddress(0, 1), 5000);
    mesh.Burst(1, network->GetAddress(1, 4), 5000);
    mesh.Burst(4, network->GetAddress(4, 1), 5000);
    Simulate(20);
    EXPECT_NEAR((mesh.received[{1, 0}]) / 5000.0, 0.8, 0.04);
    EXPECT_NEAR((mesh.received[{0, 1}]) / 5000.0, 0.8, 0.04);
    EXPECT_NEAR((mesh.received[{1, 4}]) / 5000.0, 0.4, 0.04);
    EXPECT_NEAR((mesh.received[{4, 1}]) / 5000.0, 0.4, 0.04);
}

TEST_F(NetworkTest, AThousandClientsNeedShortTables)
{
    NetworkSetup setup;
    setup.server = 0;
    const Graph graph = Star(1001, 0);
    auto network = Make("tree:32", graph, setup);
    const NodeContainer& routers = AsRouted(*network).GetRouters();
    EXPECT_EQ(routers.GetN(), 33);
    for (uint32_t k = 0; k < routers.GetN(); ++k)
    {
        const auto ipv4 = routers.Get(k)->GetObject<Ipv4>();
        EXPECT_LE(ipv4->GetNInterfaces(), 1 + 32 + 1); // loopback, below, above
        // One for each interface and the default route.
        EXPECT_LE(Ipv4StaticRoutingHelper().GetStaticRouting(ipv4)->GetNRoutes(), 35);
    }
    UdpMesh mesh(*network);
    mesh.BurstToNeighbors(graph, 2);
    Simulate(10);
    EXPECT_EQ(mesh.arrivals.size(), 4000);
}

// Node 2 has most neighbours, three (node 0 has more edges, but two neighbours).
TEST_F(BackboneTest, PlacesTheServerAndTheClients)
{
    const Topology topology{
        5,
        {{0, 1, ""}, {1, 0, ""}, {0, 1, ""}, {0, 2, ""}, {2, 3, ""}, {4, 2, ""}, {3, 3, ""}},
        {}};
    const std::string name = Write(topology);
    NetworkSetup setup;
    setup.server = 1;
    auto withServer = Make(name, Star(7, 1), setup);
    EXPECT_EQ(withServer->GetName(), name);
    EXPECT_EQ(AsRouted(*withServer).GetPlan().routerOf,
              (std::vector<uint32_t>{0, 2, 1, 3, 4, 0, 1}));
    auto without = Make(name, Graph(7));
    EXPECT_EQ(AsRouted(*without).GetPlan().routerOf, (std::vector<uint32_t>{0, 1, 2, 3, 4, 0, 1}));
    EXPECT_EQ(AsRouted(*without).GetPlan().trunks.size(), 4);
    EXPECT_EQ(without->GetSiteMap().sites.at(3).name, "n3");
    ExpectAllReachAll(*withServer);
    Simulator::Destroy();
    ExpectAllReachAll(*Make(name, Graph(7)));
    Simulator::Destroy();
    // A file of one node: all hang on it.
    ExpectAllReachAll(*Make(Write({1, {}, {}}), Star(7, 1), setup));
}

TEST_F(BackboneTest, LinksHaveTheSpeedsOfTheFileAndTheFastestCounts)
{
    const std::string name =
        Write({3, {{0, 1, "2e9"}, {2, 1, ""}, {1, 0, "5e8"}, {1, 2, "4"}}, {}});
    auto network = Make(name + ",trunkrate=3Gbps", Graph(3));
    const RouterPlan& plan = AsRouted(*network).GetPlan();
    ASSERT_EQ(plan.trunks.size(), 2);
    EXPECT_EQ(plan.trunks[0].rate, DataRate("2Gbps"));
    EXPECT_EQ(plan.trunks[1].rate, DataRate("3Gbps"));
    auto slow = Make(name + ",trunkrate=1bps", Graph(3));
    EXPECT_EQ(AsRouted(*slow).GetPlan().trunks[1].rate, DataRate("4bps"));
}

// A quarter of a meridian of a sphere of 6371.0088 km is 10007.557 km: 50.07243 ms at 2/3 c. Small
// and other distances by the angle between two vectors, which is not how it is computed.
TEST_F(BackboneTest, DelayIsThatOfLightInFibre)
{
    const auto delay = GetFibreDelay;
    EXPECT_NEAR(delay({-78.5, 0}, {12, 90}).GetSeconds(), 0.05007243, 1e-8);
    EXPECT_NEAR(delay({0, 0}, {180, 0}).GetSeconds(), 0.10014486, 1e-8);
    EXPECT_EQ(delay({11.6, 48.1}, {11.6, 48.1}), Time(0));
    const std::vector<std::pair<double, double>> places{{-74, 40.7},
                                                        {-122.3, 47.6},
                                                        {151.2, -33.9},
                                                        {179.9, 10},
                                                        {-179.9, 10.1},
                                                        {2.35, 48.86}};
    const auto vector = [](const std::pair<double, double>& place) {
        const double degree = M_PI / 180;
        const double x = std::cos(place.second * degree) * std::cos(place.first * degree);
        const double y = std::cos(place.second * degree) * std::sin(place.first * degree);
        return Eigen::Vector3d(x, y, std::sin(place.second * degree));
    };
    for (const auto& a : places)
    {
        for (const auto& b : places)
        {
            // Half the chord is the sine of half the angle.
            const double angle = 2 * std::asin((vector(a) - vector(b)).norm() / 2);
            EXPECT_NEAR(delay(a, b).GetSeconds(), angle * 6371008.8 / (299792458 / 1.5), 2e-9);
        }
    }
}

TEST_F(BackboneTest, LinksHaveTheDelayOfTheirLengthOrTheDefault)
{
    const std::pair<double, double> bern{7.45, 46.95};
    const std::pair<double, double> rome{12.5, 41.9};
    const std::string name = Write({3, {{0, 1, ""}, {1, 2, ""}}, {{0, bern}, {1, rome}}});
    auto network = Make(name + ",delay=3ms", Graph(3));
    const RouterPlan& plan = AsRouted(*network).GetPlan();
    EXPECT_EQ(plan.trunks.at(0).delay, GetFibreDelay(bern, rome));
    EXPECT_EQ(plan.trunks.at(1).delay, MilliSeconds(3));
}

// The detour 0-1-2-3 is short, the link 0-3 is the diameter of a continent.
TEST_F(BackboneTest, PacketsTakeThePathOfLeastDelay)
{
    const Topology topology{
        5,
        {{0, 1, ""}, {1, 2, ""}, {2, 3, ""}, {0, 4, ""}, {4, 3, ""}, {0, 3, ""}},
        {{0, {10, 50}}, {1, {10.5, 50.5}}, {2, {11, 50.5}}, {3, {11.5, 50}}, {4, {60, 20}}}};
    ExpectLeastDelays(Write(topology), 5);
}

TEST_F(BackboneTest, PacketsTakeThePathsOfLeastDelayThroughRealBackbones)
{
    if (!FindZoo(""))
    {
        GTEST_SKIP() << "DLEARN_DATA does not name a folder with topology-zoo/*.graphml";
    }
    for (const auto& [name, nodes] : {std::make_pair("Abilene", 11),
                                      std::make_pair("Surfnet", 50),
                                      std::make_pair("BtNorthAmerica", 36)})
    {
        SCOPED_TRACE(name);
        ExpectLeastDelays("backbone:" + *FindZoo(name), nodes);
        Simulator::Destroy();
    }
}

// More routers than the default time to live, by UDP and by TCP.
TEST_F(BackboneTest, LongPathsWork)
{
    auto network = Make(Write(Chain(100)), Graph(100));
    PacketSinkHelper sink("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), 80));
    auto sinks = sink.Install(network->GetNodes().Get(0));
    BulkSendHelper source("ns3::TcpSocketFactory",
                          InetSocketAddress(network->GetAddress(99, 0), 80));
    source.SetAttribute("MaxBytes", UintegerValue(50000));
    source.Install(network->GetNodes().Get(99));
    UdpMesh mesh(*network);
    mesh.Burst(0, network->GetAddress(0, 99), 3);
    Simulate(20);
    EXPECT_EQ((mesh.received[{0, 99}]), 3);
    EXPECT_EQ(DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx(), 50000);
}

TEST_F(BackboneTest, RefusesFilesThatItCanNotBuild)
{
    EXPECT_THROW(CreateNetwork("backbone:" + m_path), std::runtime_error);
    const auto refused = [&](const Topology& topology, const std::string& message) {
        const std::string name = Write(topology);
        ExpectRefused([&] { CreateNetwork(name); }, m_path + message);
    };
    refused({2, {{0, 1, ""}}, {{1, {3, 90.5}}}},
            ": latitude of node 'n1' must be in [-90, 90], got 90.5");
    refused({2, {{0, 1, ""}}, {{1, {-360.5, 3}}}},
            ": longitude of node 'n1' must be in [-360, 360], got -360.5");
    refused({2, {{0, 1, "1e16"}}, {}},
            ": speed of the link from 'n0' to 'n1' must be in [1, 1e15] bit/s, got 1e+16");

    Make(Write(Chain(254)), Graph(254));
    const std::string tooLong = Write(Chain(255));
    ExpectBuildRefused(tooLong,
                       Graph(255),
                       {},
                       tooLong + ": a path must not have more than 254 routers, got 255");
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-test-support.h"
#include "support/dlearn-parameter-name.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-shared-network.h"
#include "ns3/ipv4.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{
namespace
{

const Ipv4Address BROADCAST("255.255.255.255");

/** Every learner joined to the next @p reach ones, cyclically. */
Graph
Ring(uint32_t learners, uint32_t reach = 1)
{
    Graph graph(learners);
    for (LearnerId a = 0; a < learners; ++a)
    {
        for (uint32_t hop = 1; hop <= reach; ++hop)
        {
            graph.AddEdge(a, (a + hop) % learners);
        }
    }
    return graph;
}

const char* const SHORT_CABLE = "Delay=1us"; //!< else a bus mostly waits for its own delay
const char* const NO_DISC = "QueueDisc=none";
const char* const UNLIMITED = "QueueSize=unlimited"; //!< for bursts

/** A star around learner @p server, with room for a link of each learner. */
NetworkSetup
StarSetup(uint32_t learners, LearnerId server)
{
    NetworkSetup setup;
    setup.server = server;
    setup.links.resize(learners);
    return setup;
}

class EveryNetwork : public NetworkTest, public testing::WithParamInterface<const char*>
{
  protected:
    const std::string name{GetParam()};
    const bool isRadio{name.substr(0, 4) == "wifi"};
};

INSTANTIATE_TEST_SUITE_P(
    All,
    EveryNetwork,
    testing::Values("ideal", "p2p", "csma", "wifi-adhoc", "wifi-infra", "tree:2"),
    [](const auto& info) { return test::MakeParameterName(info.param); });
#ifdef DLEARN_WITH_MESH
INSTANTIATE_TEST_SUITE_P(Mesh, EveryNetwork, testing::Values("wifi-mesh"), [](const auto& info) {
    return test::MakeParameterName(info.param);
});
#endif

// A model of several megabytes leaves a learner in one event: no packet of it may be lost in a
// queue, in address resolution or in joining an access point.
TEST_P(EveryNetwork, DeliversWholeBurstsBetweenAllNeighbors)
{
    const uint32_t count = isRadio ? 100 : 5000;
    // Rings where it only takes longer: links that do not know of each other, long paths.
    const Graph graph = name == "p2p" || name == "tree:2" ? Ring(5) : Complete(5);
    auto network = Make(test::WithAttributes(name, {SHORT_CABLE, NO_DISC, UNLIMITED}), graph);
    UdpMesh mesh(*network);
    mesh.BurstToNeighbors(graph, count);
    Simulate(60);
    EXPECT_EQ(network->GetNodes().GetN(), 5);
    EXPECT_EQ(mesh.received.size(), 2 * graph.GetPairs().size());
    // Mesh points of ns-3 lose one packet of 700 of such bursts, whatever the retry limit.
    const uint32_t least = name == "wifi-mesh" ? count - 2 : count;
    for (const auto& [pair, received] : mesh.received)
    {
        EXPECT_GE(received, least) << pair.first << " to " << pair.second;
        EXPECT_LE(received, count) << pair.first << " to " << pair.second;
    }
}

TEST_P(EveryNetwork, CarriesTcp)
{
    const uint64_t bytes = 200000;
    auto network = Make(name, Complete(3));
    ApplicationContainer sinks;
    for (LearnerId from = 0; from < 3; ++from)
    {
        const LearnerId to = (from + 1) % 3;
        const InetSocketAddress all(Ipv4Address::GetAny(), 80);
        PacketSinkHelper sink("ns3::TcpSocketFactory", all);
        sinks.Add(sink.Install(network->GetNodes().Get(to)));
        const InetSocketAddress target(network->GetAddress(from, to), 80);
        BulkSendHelper source("ns3::TcpSocketFactory", target);
        source.SetAttribute("MaxBytes", UintegerValue(bytes));
        source.Install(network->GetNodes().Get(from)).Start(network->GetReadyTime());
    }
    Simulate(20);
    for (uint32_t k = 0; k < 3; ++k)
    {
        EXPECT_EQ(DynamicCast<PacketSink>(sinks.Get(k))->GetTotalRx(), bytes);
    }
}

TEST_P(EveryNetwork, BroadcastReachesAllOthersWhereThereIsASharedMedium)
{
    auto network = Make(name, Complete(5));
    const bool shared = (isRadio && name != "wifi-mesh") || name == "csma";
    ASSERT_EQ(network->HasBroadcast(), shared);
    if (!shared)
    {
        return;
    }
    UdpMesh mesh(*network);
    for (uint32_t k = 0; k < 20; ++k)
    {
        // One by one: a frame that an access point relays collides with one that still goes to it.
        mesh.Burst(2, BROADCAST, 1, 1400, k * MilliSeconds(10));
    }
    Simulate(10);
    EXPECT_EQ(mesh.received.size(), 4);
    EXPECT_EQ(mesh.arrivals.size(), 4 * 20);
}

// Everything random has a fixed stream: in a second run of the same process, streams that are
// assigned automatically would differ.
TEST_P(EveryNetwork, SameSeedGivesTheSameArrivals)
{
    const auto arrivals = [this](uint64_t run) {
        RngSeedManager::SetRun(run);
        const Graph graph = Complete(4);
        auto network =
            Make(test::WithAttributes(name, {SHORT_CABLE, "Loss=0.2", "Mobility=random-waypoint"}),
                 graph);
        UdpMesh mesh(*network);
        mesh.BurstToNeighbors(graph, 20);
        Simulate(20);
        Simulator::Destroy();
        return mesh.arrivals;
    };
    const auto first = arrivals(1);
    EXPECT_FALSE(first.empty());
    EXPECT_EQ(first, arrivals(1));
    EXPECT_NE(first, arrivals(2));
}

TEST_P(EveryNetwork, OneLearnerAloneIsANetwork)
{
    auto network = Make(name, Graph(1));
    UdpMesh mesh(*network);
    Simulate(3);
    EXPECT_EQ(network->GetNodes().GetN(), 1);
    ExpectRefused([&] { network->GetAddress(0, 1); },
                  name + ": learner must be less than 1, got 1");
}

// Of a network as it is, of one with small packets, and of jumbo frames where there may be some.
TEST_P(EveryNetwork, DatagramsOfTheMtuAreNotFragmentedAndLargerOnesAre)
{
    for (const std::optional<uint32_t> asked : {std::optional<uint32_t>(), {700}, {9000}})
    {
        const std::string text = asked ? name + ",mtu=" + std::to_string(*asked) : name;
        if (asked == 9000 && (isRadio || name == "csma"))
        {
            const std::string message = name + ": mtu must be from 576 to 1500, got 9000";
            ExpectBuildRefused(text, Graph(2), {}, message);
            continue;
        }
        auto network = Make(text, Complete(2));
        EXPECT_EQ(network->GetMtu(), asked.value_or(name == "ideal" ? 65535 : 1500));
        uint32_t ipPackets = 0; // handed by the IP layer to the device
        network->GetNodes().Get(0)->GetObject<Ipv4>()->TraceConnectWithoutContext(
            "Tx",
            Callback<void, Ptr<const Packet>, Ptr<Ipv4>, uint32_t>(
                [&](Ptr<const Packet>, Ptr<Ipv4>, uint32_t) { ++ipPackets; }));
        UdpMesh mesh(*network);
        const uint32_t headers = 28; // IPv4 and UDP
        mesh.Burst(0, network->GetAddress(0, 1), 1, network->GetMtu() - headers);
        Simulate(5);
        EXPECT_EQ(ipPackets, 1);
        EXPECT_EQ((mesh.received[{0, 1}]), 1);
        if (network->GetMtu() < 65535) // UDP knows no more
        {
            mesh.Burst(0, network->GetAddress(0, 1), 1, network->GetMtu() - headers + 1);
            Simulate(5);
            EXPECT_EQ(ipPackets, 3);
            EXPECT_EQ((mesh.received[{0, 1}]), 2);
        }
    }
}

TEST_P(EveryNetwork, RefusesToBeUsedOutOfOrder)
{
    auto network = CreateNetwork(name);
    ExpectRefused([&] { network->AssignStreams(0); },
                  name + ": AssignStreams must be called after Build");
    network->Build(Complete(2), {});
    ExpectRefused([&] { network->Build(Graph(2), {}); },
                  name + ": a network can be built only once");
    Simulator::Destroy();
    const std::string ended = name + ": the network has ended with Simulator::Destroy()";
    ExpectRefused([&] { network->GetNodes(); }, ended);
    ExpectRefused([&] { network->GetAddress(0, 1); }, ended);
    ExpectRefused([&] { network->AssignStreams(0); }, ended);
}

TEST_P(EveryNetwork, MayEndBeforeTheRun)
{
    const Graph graph = Ring(3);
    auto network = Make(name, graph);
    UdpMesh mesh(*network);
    mesh.BurstToNeighbors(graph, 1);
    network = nullptr;
    Simulate(10);
    EXPECT_EQ(mesh.received.size(), 2 * graph.GetPairs().size());
}

// The default of a link is that of the network: the links say no more than that, so nothing may
// change, random numbers included.
TEST_P(EveryNetwork, LinksThatSayNothingChangeNothing)
{
    const auto arrivals = [&](bool links) {
        auto network = Make(name + ",loss=0.2", Star(4, 1), StarSetup(links ? 4 : 0, 1));
        UdpMesh mesh(*network);
        mesh.BurstToNeighbors(Star(4, 1), 20);
        Simulate(10);
        Simulator::Destroy();
        return mesh.arrivals;
    };
    const auto without = arrivals(false);
    EXPECT_FALSE(without.empty());
    EXPECT_EQ(without, arrivals(true));
}

TEST_F(NetworkTest, RefusesAttributesOutOfRangeOrOfOthers)
{
    const std::pair<const char*, const char*> rows[] = {
        {"p2p,loss=1", "p2p: loss must be in [0, 1), got 1"},
        {"ideal,mtu=575", "ideal: mtu must be from 576 to 65535, got 575"},
        {"p2p,delay=-1s", "network p2p: delay must be a time"},
        {"csma,rate=0bps", "csma: rate must be greater than 0, got 0 bit/s"},
        {"wifi-infra,speed=0", "network wifi-infra: speed must be a number from 0.001 to 10000"},
        {"csma,mobility=random-waypoint", "network csma has the parameters delay, loss, "},
        {"ideal,rate=1Mbps", "network ideal has the parameters loss, mtu; got 'rate'"},
        {"trace,rate=1Mbps", "network trace has the parameters "}};
    for (const auto& [text, message] : rows)
    {
        ExpectBuildRefused(text, Graph(2), {}, message);
    }
    NetworkSetup setup;
    setup.positions = {{1, 1}};
    ExpectBuildRefused("wifi-adhoc", Graph(2), setup, "wifi-adhoc: positions must have 2 entries");
    setup.positions.emplace_back(60.5, 2);
    ExpectBuildRefused("wifi-adhoc",
                       Graph(2),
                       setup,
                       "position (60.5, 2) of learner 1 lies outside the square of side 60");
    ExpectBuildRefused("csma",
                       Graph(SharedNetwork::MAX_LEARNERS + 1),
                       {},
                       "csma: there are addresses for 65534 learners, the graph has 65535");
}

TEST_F(NetworkTest, EachKindHasAName)
{
    for (const char* name : {"csma", "ideal", "p2p", "tree:7", "wifi-adhoc", "wifi-infra"})
    {
        EXPECT_EQ(CreateNetwork(name)->GetName(), name);
    }
    ExpectRefused([] { CreateNetwork("nope"); }, "network must be one of backbone, csma, ideal, ");
}

// The arrival of one packet of 1428 bytes and 2 bytes of PPP header on a link of 1 Mbit/s and
// 10 ms: 1430 * 8 us + 10 ms. No delay at all on an ideal link.
TEST_F(NetworkTest, LinkTimesAreThoseOfTheOptions)
{
    auto link = Make("p2p,rate=1Mbps,delay=10ms", Ring(4));
    auto ideal = Make("ideal", Complete(2));
    ExpectRefused([&] { link->GetAddress(0, 2); },
                  "p2p: learners 0 and 2 are not neighbours, so there is no link between them");
    UdpMesh slow(*link);
    UdpMesh instant(*ideal);
    slow.Burst(0, link->GetAddress(0, 1), 1);
    instant.Burst(0, ideal->GetAddress(0, 1), 1000);
    Simulate(1);
    ASSERT_EQ(slow.arrivals.size(), 1);
    EXPECT_EQ(std::get<0>(slow.arrivals[0]), MicroSeconds(11440 + 10000).GetTimeStep());
    ASSERT_EQ(instant.arrivals.size(), 1000);
    EXPECT_EQ(std::get<0>(instant.arrivals.back()), 0);
}

// Datagrams of 1400 bytes are 1430 on a point-to-point link (UDP, IP, PPP). Ten of them take
// 10 * 1430 * 8 / rate + delay.
TEST_F(NetworkTest, PointToPointLinksAreAsFastAsTheirClients)
{
    NetworkSetup setup = StarSetup(4, 2);
    setup.links[0].rate = DataRate("1Mbps");
    setup.links[1].delay = MilliSeconds(70);
    setup.links[3].rate = DataRate("10Mbps");
    setup.links[3].delay = MilliSeconds(5);
    const Graph graph = Star(4, 2);
    auto network = Make("p2p", graph, setup);
    UdpMesh mesh(*network);
    mesh.BurstToNeighbors(graph, 10);
    Simulate(2);
    const std::map<LearnerId, Time> expected{{0, MicroSeconds(114400 + 1000)},
                                             {1, MicroSeconds(1144 + 70000)},
                                             {3, MicroSeconds(11440 + 5000)}};
    for (const auto& [client, time] : expected)
    {
        EXPECT_EQ(mesh.GetLastArrival(client, 2), time) << client;
        EXPECT_EQ(mesh.GetLastArrival(2, client), time) << client;
    }
}

// Hoeffding: a share of 5,000 independent packets is further than 0.04 from its mean with
// probability less than 2 exp(-2 * 5000 * 0.04^2) = 2.3e-7; twelve shares are checked. On radio the
// loss is that of frames, so it is broadcast, which is not repeated, that shows it.
TEST_F(NetworkTest, LossIsTheShareOfPacketsAskedFor)
{
    for (const std::string name : {"ideal", "p2p", "csma", "wifi-adhoc"})
    {
        auto network = Make(
            test::WithAttributes(name, {SHORT_CABLE, "Loss=0.3", "Side=10", "QueueDisc=fq-codel"}),
            Complete(3));
        UdpMesh mesh(*network);
        if (name == "wifi-adhoc")
        {
            mesh.Burst(0, BROADCAST, 5000, 50);
        }
        else
        {
            mesh.Burst(0, network->GetAddress(0, 1), 5000);
            mesh.Burst(0, network->GetAddress(0, 2), 5000);
            mesh.Burst(1, network->GetAddress(1, 0), 5000);
        }
        Simulate(30);
        EXPECT_GE(mesh.received.size(), 2);
        for (const auto& [pair, received] : mesh.received)
        {
            EXPECT_NEAR(received / 5000.0, 0.7, 0.04) << name;
        }
        Simulator::Destroy();
    }
}

// As above, with shares of 4,000 within 0.045: 2e-7 each. On links both directions lose as the
// client's, on shared media it is the receiver that loses.
TEST_F(NetworkTest, LossOfOneClientIsNotThatOfOthers)
{
    for (const std::string name : {"ideal", "p2p", "csma", "wifi-adhoc"})
    {
        NetworkSetup setup = StarSetup(3, 0);
        setup.links[1].loss = 0.4;
        const Graph graph = Star(3, 0);
        auto network =
            Make(test::WithAttributes(name, {SHORT_CABLE, NO_DISC, UNLIMITED, "Side=10"}),
                 graph,
                 setup);
        UdpMesh mesh(*network);
        if (network->HasBroadcast())
        {
            mesh.Burst(0, BROADCAST, 4000, 50);
        }
        else
        {
            mesh.BurstToNeighbors(graph, 4000);
        }
        Simulate(30);
        EXPECT_NEAR((mesh.received[{0, 1}]) / 4000.0, 0.6, 0.045) << name;
        EXPECT_EQ((mesh.received[{0, 2}]), 4000) << name;
        if (!network->HasBroadcast())
        {
            EXPECT_NEAR((mesh.received[{1, 0}]) / 4000.0, 0.6, 0.045) << name;
            EXPECT_EQ((mesh.received[{2, 0}]), 4000) << name;
        }
        Simulator::Destroy();
    }
}

// Retransmissions repair it: with acknowledgements lost as well an attempt succeeds with
// probability 0.49 or, behind RTS and CTS, 0.24; TCP repairs the rest.
TEST_F(NetworkTest, RadioRepairsLostFrames)
{
    for (const std::string name : {"wifi-adhoc", "wifi-infra"})
    {
        const Graph graph = Complete(4);
        auto network = Make(name + ",loss=0.3", graph);
        UdpMesh mesh(*network);
        mesh.BurstToNeighbors(graph, 50);
        Simulate(60);
        EXPECT_GT(mesh.arrivals.size(), 0.9 * 12 * 50) << name;
        Simulator::Destroy();
    }
}

// 50 stations that all have bursts for four neighbours at the same moment: every packet gets
// through, and the air falls silent by itself (no sender repeats for ever).
TEST_F(NetworkTest, FiftyContendingRadiosFinish)
{
    const Graph graph = Ring(50, 2);
    auto network = Make("wifi-adhoc", graph);
    UdpMesh mesh(*network);
    mesh.BurstToNeighbors(graph, 4);
    Simulate(30);
    EXPECT_EQ(mesh.arrivals.size(), 200 * 4);
    const uint64_t events = Simulator::GetEventCount();
    Simulate(30);
    EXPECT_LE(Simulator::GetEventCount(), events + 1); // the one that stops the simulation
}

TEST_F(NetworkTest, RadioCoversTheDefaultSquareAndNotMuchMore)
{
    const auto received = [](double side) {
        NetworkSetup setup;
        setup.positions = {{0, 0}, {side, side}};
        auto network =
            Make("wifi-adhoc,queuedisc=none,queuesize=unlimited,side=" + std::to_string(side),
                 Complete(2),
                 setup);
        UdpMesh mesh(*network);
        mesh.Burst(0, network->GetAddress(0, 1), 1000);
        Simulate(20);
        Simulator::Destroy();
        return mesh.arrivals.size();
    };
    EXPECT_EQ(received(60), 1000); // 84.9 m apart
    EXPECT_EQ(received(65), 0);    // 91.9 m
}

TEST_F(NetworkTest, PositionsAreDrawnInTheSquareOrGiven)
{
    NetworkSetup setup;
    const auto drawn = Make("wifi-adhoc,side=40", Graph(200));
    ASSERT_EQ(drawn->GetPositions().size(), 200);
    double mean = 0;
    for (const auto& [x, y] : drawn->GetPositions())
    {
        EXPECT_TRUE(x >= 0 && x <= 40 && y >= 0 && y <= 40);
        mean += (x + y) / 400;
    }
    // 400 coordinates with standard deviation 40 / sqrt(12): six standard errors are 3.5 m.
    EXPECT_NEAR(mean, 20, 3.5);
    EXPECT_EQ(Make("wifi-infra,side=40", Graph(200))->GetPositions(), drawn->GetPositions());
    setup.positionStream = 7;
    EXPECT_NE(Make("wifi-adhoc,side=40", Graph(200), setup)->GetPositions(), drawn->GetPositions());
    setup.positions = {{1, 2}, {3, 40}};
    EXPECT_EQ(Make("wifi-adhoc", Graph(2), setup)->GetPositions(), setup.positions);
    EXPECT_TRUE(Make("csma", Graph(2), setup)->GetPositions().empty());
}

TEST_F(NetworkTest, SeveralNetworksLiveInOneSimulation)
{
    const Graph graph = Complete(3);
    std::vector<Ptr<Network>> networks;
    std::vector<std::unique_ptr<UdpMesh>> meshes;
    for (const char* name : {"p2p", "p2p", "csma", "csma", "wifi-adhoc", "wifi-infra"})
    {
        networks.push_back(Make(name, graph));
        meshes.push_back(std::make_unique<UdpMesh>(*networks.back()));
        meshes.back()->BurstToNeighbors(graph, 10);
    }
    Simulate(5);
    for (const auto& mesh : meshes)
    {
        EXPECT_EQ(mesh->arrivals.size(), 60);
    }
}

TEST_F(NetworkTest, RefusesAServerWithoutAStar)
{
    NetworkSetup setup;
    setup.server = 3;
    ExpectBuildRefused("csma", Graph(3), setup, "csma: server must be a learner, less than 3");
    const std::string star = "csma: with a server the graph must be a star around it, but ";
    ExpectBuildRefused("csma", Complete(4), setup, star + "learners 0 and 1 are joined");
    Graph three(5);
    three.AddEdge(3, 0);
    three.SetWeight(1, 3, 0.5); // one direction is enough
    three.AddEdge(3, 4);
    ExpectBuildRefused("csma", three, setup, star + "learner 2 is not joined with server 3");
}

TEST_F(NetworkTest, RefusesLinksThatItCanNotGive)
{
    using Change = std::function<void(NetworkSetup&)>;
    const std::tuple<const char*, Change, const char*> rows[] = {
        {"csma", [](auto& o) { o.links.resize(4); }, "links must have 3 entries, got 4"},
        {"p2p",
         [](auto& o) { o.links[2].rate = DataRate(0); },
         "rate of learner 2 must be greater"},
        {"p2p", [](auto& o) { o.links[2].delay = Seconds(-1); }, "delay of learner 2 must be at"},
        {"csma",
         [](auto& o) { o.links[2].loss = 1; },
         "loss of learner 2 must be in [0, 1), got 1"},
        {"ideal", [](auto& o) { o.links[0].loss = 0.1; }, "the links of server 0 are those of its"},
        {"p2p", [](auto& o) { o.server.reset(); }, "links of a learner's own (client-rate, "},
        {"ideal",
         [](auto& o) { o.links[1].delay = Seconds(1); },
         "learner 1 can have a loss of its own, but no delay"},
        {"wifi-infra",
         [](auto& o) { o.links[1].rate = DataRate("1Mbps"); },
         "learner 1 can have a loss of its own, but no rate"}};
    for (const auto& [name, change, message] : rows)
    {
        NetworkSetup setup = StarSetup(3, 0);
        change(setup);
        ExpectBuildRefused(name, Star(3, 0), setup, name + std::string(": ") + message);
    }
}

} // namespace
} // namespace ns3::dlearn

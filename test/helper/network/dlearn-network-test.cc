/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-test-support.h"
#include "support/dlearn-parameter-name.h"

#include "ns3/application-container.h"
#include "ns3/bulk-send-helper.h"
#include "ns3/dlearn-link-network.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-radio-routing.h"
#include "ns3/dlearn-shared-network.h"
#include "ns3/ipv4.h"
#include "ns3/mobility-model.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>
#include <cmath>

using namespace ns3;
using namespace ns3::dlearn;

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

/** Options under which a bus is not mostly waiting for its own propagation delay. */
NetworkOptions
ShortCable()
{
    NetworkOptions options;
    options.delay = MicroSeconds(1);
    options.ignoreUseless = true; // Wi-Fi has no cable
    return options;
}

std::string
BuildRefusal(const std::string& name, const NetworkOptions& options, uint32_t learners = 2)
{
    return Refusal([&]() { CreateNetwork(name)->Build(Graph(learners), options); });
}

class EveryNetwork : public NetworkTest, public testing::WithParamInterface<const char*>
{
  protected:
    bool IsRadio() const { return std::string(GetParam()).substr(0, 4) == "wifi"; }
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

} // namespace

// A model of several megabytes leaves a learner in one event: no packet of it may be lost in a
// queue, in address resolution or in joining an access point.
TEST_P(EveryNetwork, DeliversWholeBurstsBetweenAllNeighbors)
{
    const uint32_t count = IsRadio() ? 100 : 5000;
    // Rings where it only takes longer: links that do not know of each other, long paths.
    const std::string name = GetParam();
    const Graph graph = name == "p2p" || name == "tree:2" ? Ring(5) : Complete(5);
    NetworkOptions options = ShortCable();
    options.queues = LinkQueues::Parse("none", "unlimited"); // for bursts
    auto network = Make(GetParam(), graph, options);
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

// What a script asks for and does not get would be missed only in the results.
TEST_P(EveryNetwork, RefusesOptionsWithoutEffect)
{
    const std::vector<std::pair<std::string, std::function<void(NetworkOptions&)>>> changes{
        {"loss", [](auto& options) { options.loss = 0.1; }},
        {"rate", [](auto& options) { options.rate = DataRate("1Mbps"); }},
        {"delay", [](auto& options) { options.delay = MilliSeconds(2); }},
        {"trunk-rate", [](auto& options) { options.trunkRate = DataRate("1Mbps"); }},
        {"queue-disc", [](auto& options) { options.queues = LinkQueues::Parse("none", ""); }},
        {"queue-size", [](auto& options) { options.queues.size = QueueSize("7p"); }},
        {"side", [](auto& options) { options.side = 7; }},
        {"wifi", [](auto& options) { options.radio.preset = "ac"; }},
        {"wifi-standard", [](auto& options) { options.radio.standard = "a"; }},
        {"wifi-width", [](auto& options) { options.radio.width = 40; }},
        {"access-points", [](auto& options) { options.accessPoints = 2; }},
        {"base-stations", [](auto& options) { options.baseStations = 2; }},
        {"routing",
         [](auto& options) {
             options.routing = ParseComponent(GetRadioRoutingFamily(), "static");
         }},
    };
    const std::string name = GetParam();
    EXPECT_EQ(BuildRefusal(name, {}), "");
    for (const auto& [option, change] : changes)
    {
        NetworkOptions options;
        change(options);
        EXPECT_EQ(options.ListChanged(), std::vector{option});
        auto network = CreateNetwork(name);
        const std::string refusal = Refusal([&] { network->Build(Graph(2), options); });
        EXPECT_EQ(refusal,
                  network->HasEffect(option)
                      ? ""
                      : "option " + option + " has no effect on network " + network->GetName());
        options.ignoreUseless = true;
        EXPECT_EQ(BuildRefusal(name, options), "") << option;
    }
}

TEST_P(EveryNetwork, CarriesTcp)
{
    const uint64_t bytes = 200000;
    const Graph graph = Complete(3);
    auto network = Make(GetParam(), graph, NetworkOptions());
    ApplicationContainer sinks;
    for (LearnerId from = 0; from < 3; ++from)
    {
        const LearnerId to = (from + 1) % 3;
        PacketSinkHelper sink("ns3::TcpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), 80));
        sinks.Add(sink.Install(network->GetNodes().Get(to)));
        BulkSendHelper source("ns3::TcpSocketFactory",
                              InetSocketAddress(network->GetAddress(from, to), 80));
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
    auto network = Make(GetParam(), Complete(5), NetworkOptions());
    const std::string name = GetParam();
    const bool shared = (IsRadio() && name != "wifi-mesh") || name == "csma";
    ASSERT_EQ(network->HasBroadcast(), shared);
    if (!shared)
    {
        return;
    }
    UdpMesh mesh(*network);
    for (uint32_t k = 0; k < 20; ++k)
    {
        // One by one: what an access point relays collides with what still goes to it.
        mesh.Burst(2, BROADCAST, 1, 1400, k * MilliSeconds(10));
    }
    Simulate(10);
    const std::map<std::pair<LearnerId, LearnerId>, uint32_t> expected{{{2, 0}, 20},
                                                                       {{2, 1}, 20},
                                                                       {{2, 3}, 20},
                                                                       {{2, 4}, 20}};
    EXPECT_EQ(mesh.received, expected);
}

// Everything random has a fixed stream: in a second run of the same process, streams that are
// assigned automatically would differ.
TEST_P(EveryNetwork, SameSeedGivesTheSameArrivals)
{
    const auto arrivals = [this](uint64_t run) {
        RngSeedManager::SetRun(run);
        const Graph graph = Complete(4);
        NetworkOptions options = ShortCable();
        options.loss = 0.2;
        options.mobility = LearnerMobility::Parse(IsRadio() ? "random-waypoint" : "none");
        auto network = Make(GetParam(), graph, options);
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
    auto network = Make(GetParam(), Graph(1), NetworkOptions());
    UdpMesh mesh(*network);
    Simulate(3);
    EXPECT_EQ(network->GetNodes().GetN(), 1);
    EXPECT_EQ(Refusal([&]() { network->GetAddress(0, 1); }),
              std::string(GetParam()) + ": learner must be less than 1, got 1");
}

// Of a network as it is, of one with small packets, and of jumbo frames where there may be some.
TEST_P(EveryNetwork, DatagramsOfTheMtuAreNotFragmentedAndLargerOnesAre)
{
    for (const std::optional<uint32_t> asked : {std::optional<uint32_t>(), {700}, {9000}})
    {
        NetworkOptions options;
        options.mtu = asked;
        if (asked == 9000 && (IsRadio() || std::string(GetParam()) == "csma"))
        {
            EXPECT_EQ(BuildRefusal(GetParam(), options),
                      std::string(GetParam()) + ": mtu must be from 576 to 1500, got 9000");
            continue;
        }
        auto network = Make(GetParam(), Complete(2), options);
        EXPECT_EQ(network->GetMtu(), asked.value_or(network->GetName() == "ideal" ? 65535 : 1500));
        uint32_t ipPackets = 0; // what the IP layer hands to the device
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

TEST_P(EveryNetwork, RefusesOptionsOutOfRange)
{
    const std::string name = GetParam();
    const auto with = [&](const std::function<void(NetworkOptions&)>& change) {
        NetworkOptions options;
        change(options);
        return BuildRefusal(name, options);
    };
    EXPECT_EQ(with([](auto& o) { o.loss = 1; }), name + ": loss must be in [0, 1), got 1");
    EXPECT_EQ(with([](auto& o) { o.loss = -0.1; }), name + ": loss must be in [0, 1), got -0.1");
    EXPECT_EQ(with([](auto& o) { o.loss = std::nan(""); }),
              name + ": loss must be in [0, 1), got nan");
    EXPECT_EQ(with([](auto& o) { o.delay = Seconds(-1); }),
              name + ": delay must be at least 0, got -1s");
    EXPECT_EQ(with([](auto& o) { o.rate = DataRate(0); }),
              name + ": rate must be greater than 0, got 0 bit/s");
    EXPECT_EQ(with([](auto& o) { o.trunkRate = DataRate(0); }),
              name + ": trunk rate must be greater than 0, got 0 bit/s");
    for (const uint32_t mtu : {0, 575, 65536})
    {
        const std::string largest =
            name == "ideal" || name == "p2p" || name == "tree:2" ? "65535" : "1500";
        EXPECT_EQ(with([&](auto& o) { o.mtu = mtu; }),
                  name + ": mtu must be from 576 to " + largest + ", got " + std::to_string(mtu));
    }
    EXPECT_EQ(with([](auto& o) { o.side = 0; }),
              name + ": side must be finite and greater than 0, got 0");
    EXPECT_EQ(with([](auto& o) {
                  o.mobility = LearnerMobility::Parse("random-waypoint");
                  o.speed = 0;
              }),
              name + ": speed must be finite and greater than 0, got 0");
    if (!IsRadio())
    {
        EXPECT_EQ(with([](auto& o) { o.mobility = LearnerMobility::Parse("random-waypoint"); }),
                  name + ": mobility needs a radio network");
        return;
    }
    EXPECT_EQ(with([](auto& o) {
                  o.positions = {{1, 1}};
              }),
              name + ": positions must have 2 entries, got 1");
    EXPECT_EQ(with([](auto& o) {
                  o.positions = {{1, 1}, {60.5, 2}};
              }),
              name + ": position (60.5, 2) of learner 1 lies outside the square of side 60");
}

TEST_P(EveryNetwork, RefusesToBeUsedOutOfOrder)
{
    const std::string name = GetParam();
    auto network = CreateNetwork(name);
    EXPECT_EQ(Refusal([&]() { network->AssignStreams(0); }),
              name + ": AssignStreams must be called after Build");
    network->Build(Graph(2), NetworkOptions());
    EXPECT_EQ(Refusal([&]() { network->Build(Graph(2), NetworkOptions()); }),
              name + ": a network can be built only once");
}

TEST_P(EveryNetwork, RefusesToBeUsedAfterTheSimulation)
{
    auto network = Make(GetParam(), Complete(2), NetworkOptions());
    Simulator::Destroy();
    const std::string ended =
        std::string(GetParam()) +
        ": the network has ended with Simulator::Destroy(); build another one";
    EXPECT_EQ(Refusal([&] { network->GetNodes(); }), ended);
    EXPECT_EQ(Refusal([&] { network->GetAddress(0, 1); }), ended);
    EXPECT_EQ(Refusal([&] { network->AssignStreams(0); }), ended);
}

TEST_P(EveryNetwork, MayEndBeforeTheRun)
{
    const Graph graph = Ring(3);
    auto network = Make(GetParam(), graph, NetworkOptions());
    UdpMesh mesh(*network);
    mesh.BurstToNeighbors(graph, 1);
    network.reset();
    Simulate(10);
    EXPECT_EQ(mesh.received.size(), 2 * graph.GetPairs().size());
}

TEST_F(NetworkTest, RefusesUnknownNamesAndArgumentsOutOfPlace)
{
    for (const std::string name : {"wifi", "", "p2p:5", "ideal:", "tree", "backbone", ":2"})
    {
        EXPECT_EQ(
            Refusal([&]() { CreateNetwork(name); }),
            "network must be one of backbone:FILE.graphml, csma, ideal, lte, p2p, trace:FILE, "
            "tree:FANOUT, wifi-adhoc, wifi-infra, wifi-mesh; got '" +
                name + "'");
    }
}

TEST_F(NetworkTest, RefusesGraphsThatDoNotFitTheAddressSpace)
{
    EXPECT_EQ(BuildRefusal("csma", NetworkOptions(), SharedNetwork::MAX_LEARNERS + 1),
              "csma: there are addresses for 65534 learners, the graph has 65535");
    EXPECT_EQ(LinkNetwork::GetSubnet(0), Ipv4Address("10.0.0.0"));
    EXPECT_EQ(LinkNetwork::GetSubnet(LinkNetwork::MAX_LINKS - 1), Ipv4Address("10.255.255.252"));
    EXPECT_EQ(Refusal([]() { LinkNetwork::GetSubnet(LinkNetwork::MAX_LINKS); }),
              "LinkNetwork: there are addresses for 4194304 links, got link 4194304");
}

TEST_F(NetworkTest, LinksReachNeighborsOnly)
{
    auto network = Make("p2p", Ring(4), NetworkOptions());
    EXPECT_NE(network->GetAddress(0, 1), network->GetAddress(2, 1));
    EXPECT_EQ(Refusal([&]() { network->GetAddress(0, 2); }),
              "p2p: learners 0 and 2 are not neighbours, so there is no link between them");
}

// The arrival of one packet of 1428 bytes and 2 bytes of PPP header on a link of 1 Mbit/s and
// 10 ms: 1430 * 8 us + 10 ms. No delay at all on an ideal link.
TEST_F(NetworkTest, LinkTimesAreThoseOfTheOptions)
{
    NetworkOptions options;
    options.rate = DataRate("1Mbps");
    options.delay = MilliSeconds(10);
    auto link = Make("p2p", Complete(2), options);
    auto ideal = Make("ideal", Complete(2), NetworkOptions());
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

// Hoeffding: a share of 5,000 independent packets is further than 0.04 from its mean with
// probability less than 2 exp(-2 * 5000 * 0.04^2) = 2.3e-7; twelve shares are checked. On radio the
// loss is that of frames, so it is broadcast, which is not repeated, that shows it.
TEST_F(NetworkTest, LossIsTheShareOfPacketsAskedFor)
{
    NetworkOptions options = ShortCable();
    options.loss = 0.3;
    options.side = 10;
    options.queues = LinkQueues::Parse("fq-codel", "");
    for (const std::string name : {"ideal", "p2p", "csma", "wifi-adhoc"})
    {
        auto network = Make(name, Complete(3), options);
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

// Retransmissions repair it: with acknowledgements lost as well an attempt succeeds with
// probability 0.49 or, behind RTS and CTS, 0.24; TCP repairs the rest.
TEST_F(NetworkTest, RadioRepairsLostFrames)
{
    NetworkOptions options;
    options.loss = 0.3;
    for (const std::string name : {"wifi-adhoc", "wifi-infra"})
    {
        const Graph graph = Complete(4);
        auto network = Make(name, graph, options);
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
    auto network = Make("wifi-adhoc", graph, NetworkOptions());
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
        NetworkOptions options;
        options.queues = LinkQueues::Parse("none", "unlimited"); // for bursts
        options.side = side;
        options.positions = {{0, 0}, {side, side}};
        auto network = Make("wifi-adhoc", Complete(2), options);
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
    NetworkOptions options;
    options.side = 40;
    options.ignoreUseless = true;
    auto drawn = Make("wifi-adhoc", Graph(200), options);
    ASSERT_EQ(drawn->GetPositions().size(), 200);
    double mean = 0;
    for (const auto& [x, y] : drawn->GetPositions())
    {
        EXPECT_TRUE(x >= 0 && x <= 40 && y >= 0 && y <= 40);
        mean += (x + y) / 400;
    }
    // 400 coordinates with standard deviation 40 / sqrt(12): six standard errors are 3.5 m.
    EXPECT_NEAR(mean, 20, 3.5);
    EXPECT_EQ(Make("wifi-infra", Graph(200), options)->GetPositions(), drawn->GetPositions());
    options.positionStream = 7;
    EXPECT_NE(Make("wifi-adhoc", Graph(200), options)->GetPositions(), drawn->GetPositions());
    options.positions = {{1, 2}, {3, 40}};
    EXPECT_EQ(Make("wifi-adhoc", Graph(2), options)->GetPositions(), options.positions);
    EXPECT_TRUE(Make("csma", Graph(2), options)->GetPositions().empty());
}

TEST_F(NetworkTest, MobileLearnersMoveInsideTheSquareAtTheSpeedAskedFor)
{
    NetworkOptions options;
    options.mobility = LearnerMobility::Parse("random-waypoint");
    options.speed = 2;
    auto network = Make("wifi-infra", Graph(20), options);
    Simulator::Stop(Seconds(11));
    Simulator::Run();
    double farthest = 0;
    for (LearnerId id = 0; id < 20; ++id)
    {
        const Vector now = network->GetNodes().Get(id)->GetObject<MobilityModel>()->GetPosition();
        EXPECT_TRUE(now.x >= 0 && now.x <= 60 && now.y >= 0 && now.y <= 60);
        const auto& [x, y] = network->GetPositions()[id];
        farthest = std::max(farthest, std::hypot(now.x - x, now.y - y));
    }
    // A second of pause, then ten of walking; whose first goal is farther than 20 m gets so far.
    EXPECT_NEAR(farthest, 20, 1e-6);
}

TEST_F(NetworkTest, SeveralNetworksLiveInOneSimulation)
{
    const Graph graph = Complete(3);
    std::vector<std::unique_ptr<Network>> networks;
    std::vector<std::unique_ptr<UdpMesh>> meshes;
    for (const char* name : {"p2p", "p2p", "csma", "csma", "wifi-adhoc", "wifi-infra"})
    {
        networks.push_back(Make(name, graph, NetworkOptions()));
        meshes.push_back(std::make_unique<UdpMesh>(*networks.back()));
        meshes.back()->BurstToNeighbors(graph, 10);
    }
    Simulate(5);
    for (const auto& mesh : meshes)
    {
        EXPECT_EQ(mesh->arrivals.size(), 60);
    }
}

TEST_F(NetworkTest, BuildsLargeNetworksQuickly)
{
    const Graph graph = Ring(200, 5);
    const auto start = std::chrono::steady_clock::now();
    auto network = Make("p2p", graph, NetworkOptions());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    EXPECT_EQ(network->GetNodes().GetN(), 200);
    EXPECT_LT(took.count(), 1.0);
}

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-test-support.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/dlearn-network.h"
#include "ns3/mobility-model.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

/** Options for a star around learner @p server, with room for a link of each learner. */
NetworkOptions
StarOptions(uint32_t learners, LearnerId server)
{
    NetworkOptions options;
    options.server = server;
    options.links.resize(learners);
    return options;
}

std::string
StarRefusal(const std::string& name, const NetworkOptions& options, uint32_t learners = 3)
{
    return Refusal(
        [&]() { CreateNetwork(name)->Build(Star(learners, options.server.value_or(0)), options); });
}

/** When the last datagram of @p from came to @p to. */
Time
LastArrival(const UdpMesh& mesh, LearnerId from, LearnerId to)
{
    Time last(-1);
    for (const auto& [time, sender, receiver] : mesh.arrivals)
    {
        last = sender == from && receiver == to ? TimeStep(time) : last;
    }
    return last;
}

} // namespace

// Datagrams of 1400 bytes are 1430 on a point-to-point link (UDP, IP, PPP). Ten of them take
// 10 * 1430 * 8 / rate + delay.
TEST_F(NetworkTest, PointToPointLinksAreAsFastAsTheirClients)
{
    NetworkOptions options = StarOptions(4, 2);
    options.links[0].rate = DataRate("1Mbps");
    options.links[1].delay = MilliSeconds(70);
    options.links[3].rate = DataRate("10Mbps");
    options.links[3].delay = MilliSeconds(5);
    const Graph graph = Star(4, 2);
    auto network = Make("p2p", graph, options);
    UdpMesh mesh(*network);
    mesh.BurstToNeighbors(graph, 10);
    Simulate(2);
    const std::map<LearnerId, Time> expected{{0, MicroSeconds(114400 + 1000)},
                                             {1, MicroSeconds(1144 + 70000)},
                                             {3, MicroSeconds(11440 + 5000)}};
    for (const auto& [client, time] : expected)
    {
        EXPECT_EQ(LastArrival(mesh, client, 2), time) << client;
        EXPECT_EQ(LastArrival(mesh, 2, client), time) << client;
    }
}

// Hoeffding: a share of 4,000 independent packets is further than 0.045 from its mean with
// probability less than 2 exp(-2 * 4000 * 0.045^2) = 2e-7; four shares are checked.
TEST_F(NetworkTest, LossOfOneClientIsNotThatOfOthers)
{
    for (const std::string name : {"ideal", "p2p"})
    {
        NetworkOptions options = StarOptions(3, 0);
        options.ignoreUseless = true;
        options.queues = LinkQueues::Parse("none", "unlimited"); // for bursts
        options.links[1].loss = 0.4;
        const Graph graph = Star(3, 0);
        auto network = Make(name, graph, options);
        UdpMesh mesh(*network);
        mesh.BurstToNeighbors(graph, 4000);
        Simulate(20);
        EXPECT_NEAR((mesh.received[{0, 1}]) / 4000.0, 0.6, 0.045) << name;
        EXPECT_NEAR((mesh.received[{1, 0}]) / 4000.0, 0.6, 0.045) << name;
        EXPECT_EQ((mesh.received[{0, 2}]), 4000) << name;
        EXPECT_EQ((mesh.received[{2, 0}]), 4000) << name;
        Simulator::Destroy();
    }
}

// As above, with one share each. On shared media it is the receiver that loses.
TEST_F(NetworkTest, LossOfOneReceiverIsNotThatOfOthers)
{
    for (const std::string name : {"csma", "wifi-adhoc"})
    {
        NetworkOptions options = StarOptions(3, 0);
        options.queues = LinkQueues::Parse("none", "unlimited"); // for bursts
        options.ignoreUseless = true;
        options.delay = MicroSeconds(1);
        options.side = 10;
        options.loss = 0.4;
        options.links[2].loss = 0;
        auto network = Make(name, Star(3, 0), options);
        UdpMesh mesh(*network);
        mesh.Burst(0, Ipv4Address("255.255.255.255"), 4000, 50);
        Simulate(30);
        EXPECT_NEAR((mesh.received[{0, 1}]) / 4000.0, 0.6, 0.045) << name;
        EXPECT_EQ((mesh.received[{0, 2}]), 4000) << name;
        Simulator::Destroy();
    }
}

// The default of a link is that of the network: the links say no more than that, so nothing may
// change, random numbers included.
TEST_F(NetworkTest, LinksThatSayNothingChangeNothing)
{
    for (const std::string name : {"ideal", "p2p", "csma", "wifi-adhoc", "wifi-infra", "tree:2"})
    {
        const auto arrivals = [&](bool links) {
            NetworkOptions options = StarOptions(4, 1);
            options.loss = 0.2;
            options.links.resize(links ? 4 : 0);
            auto network = Make(name, Star(4, 1), options);
            UdpMesh mesh(*network);
            mesh.BurstToNeighbors(Star(4, 1), 20);
            Simulate(10);
            Simulator::Destroy();
            return mesh.arrivals;
        };
        const auto without = arrivals(false);
        EXPECT_FALSE(without.empty());
        EXPECT_EQ(without, arrivals(true)) << name;
    }
}

// The server of wifi-infra is the access point: a burst of a client to it crosses the air once,
// and twice if the server is a station. Contention adds to the second, hence the width.
TEST_F(NetworkTest, ServerIsTheAccessPoint)
{
    const auto duration = [](bool server, LearnerId from, LearnerId to) {
        NetworkOptions options;
        options.positions = {{30, 30}, {20, 20}, {40, 40}};
        if (server)
        {
            options.server = 0;
        }
        auto network = Make("wifi-infra", Star(3, 0), options);
        UdpMesh mesh(*network);
        mesh.Burst(from, network->GetAddress(from, to), 300);
        Simulate(10);
        Simulator::Destroy();
        EXPECT_EQ((mesh.received[{from, to}]), 300);
        return (LastArrival(mesh, from, to) - network->GetReadyTime()).GetSeconds();
    };
    for (const auto& [from, to] : {std::make_pair(1U, 0U), std::make_pair(0U, 1U)})
    {
        const double once = duration(true, from, to);
        const double twice = duration(false, from, to);
        EXPECT_GT(twice, 1.8 * once);
        EXPECT_LT(twice, 2.6 * once);
    }
}

TEST_F(NetworkTest, AccessPointStandsStillInTheMiddleUnlessPlaced)
{
    NetworkOptions options;
    options.mobility = LearnerMobility::Parse("random-waypoint");
    options.side = 40;
    const auto without = Make("wifi-infra", Star(10, 3), options)->GetPositions();
    options.server = 3;
    auto network = Make("wifi-infra", Star(10, 3), options);
    Simulate(20);
    for (LearnerId id = 0; id < 10; ++id)
    {
        const Vector now = network->GetNodes().Get(id)->GetObject<MobilityModel>()->GetPosition();
        const auto& [x, y] = network->GetPositions()[id];
        EXPECT_EQ(now.x == x && now.y == y, id == 3) << id;
        if (id != 3)
        {
            EXPECT_EQ(network->GetPositions()[id], without[id]) << "the others stay where they are";
        }
    }
    EXPECT_EQ(network->GetPositions()[3], std::make_pair(20.0, 20.0));
    options.positions.assign(10, {7, 8});
    EXPECT_EQ(Make("wifi-infra", Star(10, 3), options)->GetPositions()[3],
              std::make_pair(7.0, 8.0));
}

TEST_F(NetworkTest, AccessPointCarriesTcpAndBroadcasts)
{
    NetworkOptions options;
    options.server = 1;
    auto network = Make("wifi-infra", Star(4, 1), options);
    ApplicationContainer sinks;
    for (const auto& [from, to] : {std::make_pair(1U, 0U), std::make_pair(2U, 1U)})
    {
        PacketSinkHelper sink("ns3::TcpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), 80));
        sinks.Add(sink.Install(network->GetNodes().Get(to)));
        BulkSendHelper source("ns3::TcpSocketFactory",
                              InetSocketAddress(network->GetAddress(from, to), 80));
        source.SetAttribute("MaxBytes", UintegerValue(200000));
        source.Install(network->GetNodes().Get(from)).Start(network->GetReadyTime());
    }
    UdpMesh mesh(*network);
    mesh.Burst(1, Ipv4Address("255.255.255.255"), 5, 100, Seconds(5));
    mesh.Burst(3, Ipv4Address("255.255.255.255"), 1, 100, Seconds(6));
    Simulate(20);
    EXPECT_EQ(DynamicCast<PacketSink>(sinks.Get(0))->GetTotalRx(), 200000);
    EXPECT_EQ(DynamicCast<PacketSink>(sinks.Get(1))->GetTotalRx(), 200000);
    for (const LearnerId to : {0, 2, 3})
    {
        EXPECT_EQ((mesh.received[{1, to}]), 5) << to;
    }
    for (const LearnerId to : {0, 1, 2})
    {
        EXPECT_EQ((mesh.received[{3, to}]), 1) << to;
    }
}

TEST_F(NetworkTest, RefusesAServerWithoutAStar)
{
    NetworkOptions options;
    options.server = 3;
    for (const std::string name : {"ideal", "p2p", "csma", "wifi-adhoc", "wifi-infra", "tree:4"})
    {
        const auto build = [&](const Graph& graph) {
            return Refusal([&]() { CreateNetwork(name)->Build(graph, options); });
        };
        EXPECT_EQ(build(Graph(3)), name + ": server must be a learner, less than 3, got 3");
        const std::string star = name + ": with a server the graph must be a star around it, but ";
        EXPECT_EQ(build(Complete(4)), star + "learners 0 and 1 are joined");
        Graph three(5);
        three.AddEdge(3, 0);
        three.SetWeight(1, 3, 0.5); // one direction is enough
        three.AddEdge(3, 4);
        EXPECT_EQ(build(three), star + "learner 2 is not joined with server 3");
    }
}

TEST_F(NetworkTest, RefusesLinksOutOfRange)
{
    for (const std::string name : {"ideal", "p2p", "csma", "wifi-adhoc", "wifi-infra", "tree:4"})
    {
        const auto with = [&](const std::function<void(LinkOptions&)>& change) {
            NetworkOptions options = StarOptions(3, 0);
            change(options.links[2]);
            return StarRefusal(name, options);
        };
        EXPECT_EQ(StarRefusal(name, StarOptions(4, 0)),
                  name + ": links must have 3 entries, got 4");
        EXPECT_EQ(with([](auto& l) { l.rate = DataRate(0); }),
                  name + ": rate of learner 2 must be greater than 0, got 0 bit/s");
        EXPECT_EQ(with([](auto& l) { l.delay = MilliSeconds(-1); }),
                  name + ": delay of learner 2 must be at least 0, got -0.001s");
        EXPECT_EQ(with([](auto& l) { l.loss = 1; }),
                  name + ": loss of learner 2 must be in [0, 1), got 1");
        EXPECT_EQ(with([](auto& l) { l.loss = std::nan(""); }),
                  name + ": loss of learner 2 must be in [0, 1), got nan");
    }
}

TEST_F(NetworkTest, RefusesLinksThatItCanNotGive)
{
    for (const std::string name : {"ideal", "p2p"})
    {
        NetworkOptions options = StarOptions(3, 0);
        options.links[0].loss = 0.1;
        EXPECT_EQ(StarRefusal(name, options),
                  name +
                      ": the links of server 0 are those of its clients, it has none of its own");
        options.server.reset();
        EXPECT_EQ(
            StarRefusal(name, options),
            name + ": links of a learner's own (client-rate, client-delay, client-loss, devices) "
                   "need a server; without one each link belongs to two learners");
    }
    for (const std::string name : {"ideal", "csma", "wifi-adhoc", "wifi-infra"})
    {
        NetworkOptions options = StarOptions(3, 0);
        options.links[1].delay = MilliSeconds(1);
        EXPECT_EQ(StarRefusal(name, options),
                  name + ": learner 1 can have a loss of its own, but no delay");
        options.links[1].rate = DataRate("1Mbps");
        EXPECT_EQ(StarRefusal(name, options),
                  name + ": learner 1 can have a loss of its own, but no rate");
    }
}

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * wifi-infra with a server as access point, and with several access points: they cover more than
 * one does, stations join the nearest, find another one when they move, and reach each other and
 * the server over the bus. wifi-adhoc with routing, and wifi-mesh.
 */

#include "dlearn-network-test-support.h"

#include "ns3/ap-wifi-mac.h"
#include "ns3/dlearn-wifi-network.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/mobility-model.h"
#include "ns3/node-list.h"
#include "ns3/sta-wifi-mac.h"
#include "ns3/wifi-net-device.h"

#include <cmath>
#include <set>

namespace ns3::dlearn
{
namespace
{

/** In a square of 200 m, 50 m from two of its sides each. */
const char* const FOUR_ACCESS_POINTS = "wifi-infra,side=200,accesspoints=4";

/** Learners in its corners, and one near the middle. */
NetworkSetup
FourCorners()
{
    NetworkSetup setup;
    setup.positions = {{20, 20}, {180, 20}, {20, 180}, {180, 180}, {70, 60}};
    return setup;
}

/** @return the radio of a node; null for none */
Ptr<WifiNetDevice>
FindRadio(const Node& node)
{
    for (uint32_t k = 0; k < node.GetNDevices(); ++k)
    {
        if (const auto radio = DynamicCast<WifiNetDevice>(node.GetDevice(k)))
        {
            return radio;
        }
    }
    return nullptr;
}

/** @return the place of the access point that a learner has joined */
std::pair<double, double>
FindAccessPoint(const Network& network, LearnerId learner)
{
    const auto station =
        DynamicCast<StaWifiMac>(FindRadio(*network.GetNodes().Get(learner))->GetMac());
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        const auto radio = FindRadio(**node);
        const auto mac = radio ? DynamicCast<ApWifiMac>(radio->GetMac()) : nullptr;
        if (mac && station->IsAssociated() && mac->GetAddress() == station->GetBssid(0))
        {
            const Vector place = (*node)->GetObject<MobilityModel>()->GetPosition();
            return {place.x, place.y};
        }
    }
    return {-1, -1};
}

TEST_F(NetworkTest, SeveralAccessPointsCoverMoreThanOne)
{
    const auto deliver = [](const char* text) {
        NetworkSetup setup = FourCorners();
        setup.server = 4;
        auto network = Make(text, Star(5, 4), setup);
        UdpMesh mesh(*network);
        mesh.BurstToNeighbors(Star(5, 4), 50);
        Simulate(5);
        Simulator::Destroy();
        return mesh.arrivals.size();
    };
    EXPECT_EQ(deliver(FOUR_ACCESS_POINTS), 4U * 2 * 50);
    EXPECT_LT(deliver("wifi-infra,side=200"), 4U * 2 * 50); // corners are 150 m and more from it
}

TEST_F(NetworkTest, StationsOfDifferentAccessPointsReachEachOther)
{
    auto network = Make(FOUR_ACCESS_POINTS, Complete(5), FourCorners());
    UdpMesh mesh(*network);
    mesh.BurstToNeighbors(Complete(5), 10);
    Simulate(5);
    EXPECT_EQ(mesh.received.size(), 20U);
    EXPECT_EQ(mesh.arrivals.size(), 200U);
    const std::pair<double, double> places[] = {{50, 50},
                                                {150, 50},
                                                {50, 150},
                                                {150, 150},
                                                {50, 50}};
    for (LearnerId id = 0; id < 5; ++id)
    {
        EXPECT_EQ(FindAccessPoint(*network, id), places[id]) << id;
    }
}

// It misses 20 beacons of 0.1 s, looks for 0.12 s, and is heard of again.
TEST_F(NetworkTest, AStationFindsAnotherAccessPoint)
{
    NetworkSetup setup = FourCorners();
    setup.server = 4;
    auto network = Make(FOUR_ACCESS_POINTS, Star(5, 4), setup);
    UdpMesh mesh(*network);
    mesh.BurstToNeighbors(Star(5, 4), 5);
    const auto model = network->GetNodes().Get(0)->GetObject<MobilityModel>();
    Simulator::Schedule(Seconds(3), [&model] { model->SetPosition(Vector(180, 180, 0)); });
    mesh.Burst(0, network->GetAddress(0, 4), 5, 1400, Seconds(6));
    mesh.Burst(4, network->GetAddress(4, 0), 5, 1400, Seconds(7));
    Simulate(12);
    EXPECT_EQ(FindAccessPoint(*network, 0), std::make_pair(150.0, 150.0));
    EXPECT_EQ((mesh.received[{0, 4}]), 10U);
    EXPECT_EQ((mesh.received[{4, 0}]), 10U);
}

// A station asks for 2 s, from 0.2 s on, in vain; then it hears no access point for a while.
TEST_F(NetworkTest, AStationWithoutAnswerLooksForAnotherAccessPoint)
{
    auto network = Make(FOUR_ACCESS_POINTS, Complete(5), FourCorners());
    const auto phy = FindRadio(*network->GetNodes().Get(0))->GetPhy();
    phy->SetTxGain(-1000);
    Simulator::Schedule(Seconds(1), &WifiPhy::SetRxGain, phy, -1000);
    Simulator::Schedule(Seconds(4), &WifiPhy::SetRxGain, phy, 0);
    Simulator::Schedule(Seconds(4), &WifiPhy::SetTxGain, phy, 0);
    Simulator::Schedule(Seconds(3.9), [&] {
        EXPECT_EQ(FindAccessPoint(*network, 0), std::make_pair(-1.0, -1.0));
    });
    Simulate(5);
    EXPECT_EQ(FindAccessPoint(*network, 0), std::make_pair(50.0, 50.0));
}

// The server of wifi-infra is the access point: a burst of a client to it crosses the air once,
// and twice if the server is a station. Contention adds to the second, hence the width.
TEST_F(NetworkTest, ServerIsTheAccessPoint)
{
    const auto duration = [](bool server, LearnerId from, LearnerId to) {
        NetworkSetup setup;
        setup.positions = {{30, 30}, {20, 20}, {40, 40}};
        if (server)
        {
            setup.server = 0;
        }
        auto network = Make("wifi-infra", Star(3, 0), setup);
        UdpMesh mesh(*network);
        mesh.Burst(from, network->GetAddress(from, to), 300);
        Simulate(10);
        Simulator::Destroy();
        EXPECT_EQ((mesh.received[{from, to}]), 300);
        return (mesh.GetLastArrival(from, to) - network->GetReadyTime()).GetSeconds();
    };
    for (const auto& [from, to] : {std::make_pair(1U, 0U), std::make_pair(0U, 1U)})
    {
        const double once = duration(true, from, to);
        const double twice = duration(false, from, to);
        EXPECT_GT(twice, 1.8 * once);
        EXPECT_LT(twice, 2.6 * once);
    }
}

// By hand, after IEEE Std 802.11-2012 (18.3.2.3, 18.3.8, table 8-106): a datagram of 1400 bytes is
// a frame of 1466, with headers of UDP, IP, LLC and MAC. Preamble and signal take 40 us, and
// symbols of 8 us have 48 bits. Until the next frame come SIFS of 32 us, an acknowledgement of 14
// bytes, SIFS and 6 slots of 13 us, and from 0 to 15 slots. On a free channel, slots count from the
// first AIFS of 110 us; one begins at 110 us + 76915 * 13 us.
TEST_F(NetworkTest, VehiclesKeepTheTimesOfWave)
{
    const Time begin = MicroSeconds(110 + 76915 * 13);
    const auto last = [begin](uint32_t count) {
        NetworkSetup setup;
        setup.positions = {{10, 10}, {10, 40}};
        const auto network = Make("wifi-adhoc,preset=p", Complete(2), setup);
        UdpMesh mesh(*network);
        mesh.Burst(0, network->GetAddress(0, 1), count, 1400, begin - NanoSeconds(1));
        Simulate(2);
        Simulator::Destroy();
        EXPECT_EQ((mesh.received[{0, 1}]), count);
        return (mesh.GetLastArrival(0, 1) - begin).GetNanoSeconds() * 1e-3;
    };
    const auto takes = [](uint32_t bytes) {
        return 40 + 8 * std::ceil((16 + 6 + 8 * bytes) / 48.0);
    };
    const double propagation = 30 / 299.792458; // us
    const double first = last(1);
    EXPECT_NEAR(first, takes(1466) + propagation, 0.01);
    const double gap = last(2) - first - takes(1466) - 32 - takes(14) - 2 * propagation;
    const double slots = (gap - 32 - 6 * 13) / 13;
    EXPECT_NEAR(slots, std::round(slots), 0.05);
    EXPECT_GE(slots, -0.05);
    EXPECT_LE(slots, 15.05);
    ExpectBuildRefused("wifi-infra,preset=p",
                       Complete(2),
                       {},
                       "wifi p and wifi-standard p are for");
    ExpectBuildRefused("wifi-adhoc,preset=p,width=20",
                       Complete(2),
                       {},
                       "wifi-width must be 10 with wifi-standard p; got 20");
}

TEST_F(NetworkTest, AccessPointStandsStillInTheMiddleUnlessPlaced)
{
    NetworkSetup setup;
    const std::string moving = "wifi-infra,mobility=random-waypoint,side=40";
    const auto without = Make(moving, Star(10, 3))->GetPositions();
    setup.server = 3;
    auto network = Make(moving, Star(10, 3), setup);
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
    setup.positions.assign(10, {7, 8});
    EXPECT_EQ(Make(moving, Star(10, 3), setup)->GetPositions()[3], std::make_pair(7.0, 8.0));
}

TEST_F(NetworkTest, AccessPointBroadcastsAndRelaysBroadcasts)
{
    NetworkSetup setup;
    setup.server = 1;
    auto network = Make("wifi-infra", Star(4, 1), setup);
    UdpMesh mesh(*network);
    mesh.Burst(1, Ipv4Address("255.255.255.255"), 5, 100, Seconds(5));
    mesh.Burst(3, Ipv4Address("255.255.255.255"), 1, 100, Seconds(6));
    Simulate(20);
    const std::map<std::pair<LearnerId, LearnerId>, uint32_t> expected{{{1, 0}, 5},
                                                                       {{1, 2}, 5},
                                                                       {{1, 3}, 5},
                                                                       {{3, 0}, 1},
                                                                       {{3, 1}, 1},
                                                                       {{3, 2}, 1}};
    EXPECT_EQ(mesh.received, expected);
}

constexpr uint32_t RADIOS = 6;
constexpr double STEP = 60; //!< metres from one radio to the next, which hears no other: 88 m

/** Learners in a line of radios, all neighbours of all others. */
class RadioRoutingTest : public NetworkTest
{
  protected:
    static NetworkSetup MakeLine()
    {
        NetworkSetup setup;
        for (LearnerId id = 0; id < RADIOS; ++id)
        {
            setup.positions.emplace_back(id * STEP, 0);
        }
        return setup;
    }

    /** @return a network with a routing */
    static std::string Route(const std::string& routing)
    {
        return "wifi-adhoc,side=360,routing=" + routing;
    }

    /** @return arrivals when all learners send to each other, without collisions */
    static std::vector<UdpMesh::Arrival> Exchange(Network& network)
    {
        UdpMesh mesh(network);
        Simulator::Stop(mesh.SendFromAllToAll(1000, MilliSeconds(50)) + Seconds(5));
        Simulator::Run();
        return mesh.arrivals;
    }

    static std::vector<UdpMesh::Arrival> Exchange(const std::string& routing)
    {
        const auto network = Make(Route(routing), Complete(RADIOS), MakeLine());
        EXPECT_EQ(network->HasBroadcast(), routing == "none");
        return Exchange(*network);
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

INSTANTIATE_TEST_SUITE_P(All,
                         EveryRouting,
                         testing::ValuesIn(GetComponentNames(GetRadioRoutingFamily())),
                         [](const auto& info) { return info.param; });

TEST_F(RadioRoutingTest, WithoutItOnlyRadiosThatHearEachOtherExchange)
{
    EXPECT_EQ(Exchange("none").size(), 2 * (RADIOS - 1));
}

#ifdef DLEARN_WITH_MESH
// Each of 30 datagrams crosses up to five radio hops, and IP sees one: its TTL is that of the
// sender.
TEST_F(RadioRoutingTest, AMeshReachesAllOverSeveralHopsBelowIp)
{
    auto network = Make("wifi-mesh,side=360", Complete(RADIOS), MakeLine());
    std::set<uint8_t> lives;
    for (LearnerId id = 0; id < RADIOS; ++id)
    {
        network->GetNodes().Get(id)->GetObject<Ipv4L3Protocol>()->TraceConnectWithoutContext(
            "LocalDeliver",
            Callback<void, const Ipv4Header&, Ptr<const Packet>, uint32_t>(
                [&](const Ipv4Header& header, Ptr<const Packet>, uint32_t) {
                    lives.insert(header.GetTtl());
                }));
    }
    EXPECT_EQ(Exchange(*network).size(), RADIOS * (RADIOS - 1));
    EXPECT_EQ(lives, std::set<uint8_t>{64});
}
#endif

TEST_F(RadioRoutingTest, StaticRoutesAreForRadiosThatStandStillAndReachEachOther)
{
    NetworkSetup far = MakeLine();
    far.positions.back() = {RADIOS * STEP, RADIOS * STEP};
    ExpectBuildRefused(Route("static"),
                       Complete(RADIOS),
                       far,
                       "the graph of radios that receive each other");

    const auto network = Make(Route("static"), Complete(RADIOS), MakeLine());
    auto& radios = dynamic_cast<WifiNetwork&>(*network);
    radios.SetPowers(std::vector<double>(RADIOS, 23));
    ExpectRefused(
        [&] {
            radios.SetPowers({23, 23, 23, 23, 23, 10});
        },
        "wifi-adhoc: static routes are for radios that all send with 23 dBm");
}

} // namespace
} // namespace ns3::dlearn

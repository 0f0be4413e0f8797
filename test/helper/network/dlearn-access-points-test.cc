/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * wifi-infra with several access points: they cover more than one does, stations join the nearest,
 * find another one when they move, and reach each other and the server over the bus.
 */

#include "dlearn-network-test-support.h"

#include "ns3/ap-wifi-mac.h"
#include "ns3/mobility-model.h"
#include "ns3/node-list.h"
#include "ns3/sta-wifi-mac.h"
#include "ns3/wifi-net-device.h"

namespace ns3::dlearn
{
namespace
{

/** Four access points in a square of 200 m, 50 m from two of its sides each. */
NetworkOptions
FourAccessPoints()
{
    NetworkOptions options;
    options.side = 200;
    options.accessPoints = 4;
    options.positions = {{20, 20}, {180, 20}, {20, 180}, {180, 180}, {70, 60}};
    return options;
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
    const auto deliver = [](uint32_t accessPoints) {
        NetworkOptions options = FourAccessPoints();
        options.accessPoints = accessPoints;
        options.server = 4;
        auto network = Make("wifi-infra", Star(5, 4), options);
        UdpMesh mesh(*network);
        mesh.BurstToNeighbors(Star(5, 4), 50);
        Simulate(5);
        Simulator::Destroy();
        uint32_t most = 0;
        uint32_t total = 0;
        for (const auto& [pair, count] : mesh.received)
        {
            most = std::max(most, count);
            total += count;
        }
        EXPECT_LE(most, 50U) << "nothing arrives twice";
        return total;
    };
    EXPECT_EQ(deliver(4), 4U * 2 * 50);
    EXPECT_LT(deliver(1), 4U * 2 * 50); // corners are 150 m and more from it
}

TEST_F(NetworkTest, StationsOfDifferentAccessPointsReachEachOther)
{
    auto network = Make("wifi-infra", Complete(5), FourAccessPoints());
    UdpMesh mesh(*network);
    mesh.BurstToNeighbors(Complete(5), 10);
    Simulate(5);
    for (LearnerId from = 0; from < 5; ++from)
    {
        for (LearnerId to = 0; to < 5; ++to)
        {
            const bool itself = from == to;
            EXPECT_EQ((mesh.received[{from, to}]), itself ? 0U : 10U) << from << " to " << to;
        }
    }
    EXPECT_EQ(FindAccessPoint(*network, 0), std::make_pair(50.0, 50.0));
    EXPECT_EQ(FindAccessPoint(*network, 1), std::make_pair(150.0, 50.0));
    EXPECT_EQ(FindAccessPoint(*network, 2), std::make_pair(50.0, 150.0));
    EXPECT_EQ(FindAccessPoint(*network, 3), std::make_pair(150.0, 150.0));
    EXPECT_EQ(FindAccessPoint(*network, 4), std::make_pair(50.0, 50.0));
}

// It misses 20 beacons of 0.1 s, looks for 0.12 s, and is heard of again.
TEST_F(NetworkTest, AStationFindsAnotherAccessPoint)
{
    NetworkOptions options = FourAccessPoints();
    options.server = 4;
    auto network = Make("wifi-infra", Star(5, 4), options);
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

TEST_F(NetworkTest, AccessPointsAreFromOneToSixtyFour)
{
    for (const uint32_t count : {0, 65})
    {
        NetworkOptions options;
        options.accessPoints = count;
        EXPECT_EQ(Refusal([&] { Make("wifi-infra", Complete(3), options); }),
                  "wifi-infra: access points must be from 1 to 64, got " + std::to_string(count));
    }
}

} // namespace
} // namespace ns3::dlearn

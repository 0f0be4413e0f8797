/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Batteries, computations and radios against calculation by hand. Their effects on a run are tested
 * in system/dlearn-energy-test.cc.
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/dlearn-energy-meter.h"
#include "ns3/dlearn-network.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/packet.h"
#include "ns3/simulator.h"
#include "ns3/socket.h"
#include "ns3/sta-wifi-mac.h"
#include "ns3/string.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** Batteries of 10 J, and simulated time that passes. */
class BatteryTest : public testing::Test
{
  protected:
    void TearDown() override { Simulator::Destroy(); }

    static Ptr<Battery> Make(const std::string& harvested, Time begin = Time(0))
    {
        const auto battery = CreateObject<Battery>();
        battery->SetAttribute("Capacity", DoubleValue(10));
        battery->SetAttribute("HarvestedPower", StringValue(harvested));
        battery->Begin(begin);
        return battery;
    }

    static void GoTo(Time time)
    {
        Simulator::Stop(time - Simulator::Now());
        Simulator::Run();
    }
};

// 10 J at time 0 and 1 W: of what is drawn, it gives what it has.
TEST_F(BatteryTest, GivesNoMoreThanItHas)
{
    const auto battery = Make("1");
    EXPECT_EQ(battery->Use(7), 7);
    EXPECT_EQ(battery->Use(7), 3);
    EXPECT_EQ(battery->Use(7), 0);
    GoTo(Seconds(2));
    EXPECT_DOUBLE_EQ(battery->Use(1.5), 1.5);
    EXPECT_DOUBLE_EQ(battery->GetCharge(), 0.5);
    GoTo(Seconds(3));
    EXPECT_DOUBLE_EQ(battery->Use(4), 1.5);
    EXPECT_EQ(battery->GetCharge(), 0);
}

TEST_F(BatteryTest, LastsAsLongAsItsChargeAtAPower)
{
    const auto battery = Make("0");
    EXPECT_EQ(battery->FindEmpty(4), Seconds(2.5));
    EXPECT_FALSE(battery->FindEmpty(0));
    GoTo(Seconds(2));
    battery->Use(8);
    EXPECT_EQ(battery->GetCharge(), 2);
    EXPECT_EQ(battery->FindEmpty(4), MilliSeconds(500));
    battery->Use(1); // at once
    EXPECT_FALSE(battery->IsEmpty());
    battery->Use(1.5);
    EXPECT_TRUE(battery->IsEmpty());
    EXPECT_FALSE(battery->FindRestart());
}

// Also when it begins later: full then, and the times of the schedule count from there.
TEST_F(BatteryTest, IsChargedByHarvestedPowerUpToItsCapacity)
{
    for (const Time& begin : {Seconds(0), Seconds(30)})
    {
        const auto battery = Make("1@0s,5@4s,0@6s", begin);
        GoTo(begin);
        battery->Use(0);
        // 10 J - 4 s x 2 W = 2 J at 4 s, + 2 s x 2 W = 6 J at 6 s, which last for 2 s at 3 W.
        EXPECT_EQ(battery->FindEmpty(3), Seconds(8));
        EXPECT_FALSE(battery->FindEmpty(0));
        GoTo(begin + Seconds(5));
        battery->Use(5 * 3); // 2 J at 4 s, and then 2 W more
        EXPECT_DOUBLE_EQ(battery->GetCharge(), 4);
        GoTo(begin + Seconds(10));
        battery->Use(0); // 5 J of one second
        EXPECT_DOUBLE_EQ(battery->GetCharge(), 9);
    }
    const auto full = Make("5");
    full->Use(2); // 40 s at 5 W would give 200 J
    EXPECT_EQ(full->GetCharge(), 10);
}

// 0.15 x 10 J: half a joule until 3 s, the other joule at 0.5 W.
TEST_F(BatteryTest, LetsItsLearnerRestartWhenAShareIsCharged)
{
    const auto battery = Make("0.25@1s,0.5@3s");
    battery->Use(10);
    EXPECT_EQ(battery->FindRestart(), Seconds(5));
    EXPECT_EQ(Make("0")->FindRestart(), std::nullopt);
}

TEST_F(BatteryTest, RefusesOtherSchedules)
{
    const std::string rule = "Battery: HarvestedPower must be a number of watts of at least 0, or "
                             "WATTS@TIME,..., got '";
    for (const std::string text : {"", "sun", "-1", "1,2", "1@0s,x@2s"})
    {
        ExpectRefused([&] { Make(text); }, rule + text + "'");
    }
    ExpectRefused([] { Make("1@5"); }, "must be a time of at least 0 with a unit");
    ExpectRefused([] { Make("1@5s,2@5s"); }, "times of HarvestedPower must increase");
}

TEST(OperationCounter, ComputationsAreEvenAndMayEndEarly)
{
    OperationCounter counter;
    Simulator::Schedule(Seconds(1), [&] { counter.Begin(Seconds(4), 1000); });
    Simulator::Schedule(Seconds(2), [&] {
        EXPECT_DOUBLE_EQ(counter.GetDone(), 250);
        EXPECT_DOUBLE_EQ(counter.GetPower(0.5), 125); // 250 operations a second
    });
    Simulator::Schedule(Seconds(3), [&] {
        counter.End(); // half of it
        EXPECT_EQ(counter.GetPower(0.5), 0);
    });
    Simulator::Schedule(Seconds(5), [&] {
        EXPECT_DOUBLE_EQ(counter.GetDone(), 500);
        counter.Begin(Seconds(1), 30);
    });
    Simulator::Schedule(Seconds(8), [&] {
        EXPECT_DOUBLE_EQ(counter.GetDone(), 530); // it was finished two seconds ago
        counter.End();
        counter.Begin(Time(0), 7);
        EXPECT_DOUBLE_EQ(counter.GetDone(), 537);
        EXPECT_EQ(counter.GetPower(0.5), 0);
        counter.End();
        EXPECT_DOUBLE_EQ(counter.GetDone(), 537);
    });
    Simulator::Run();
    Simulator::Destroy();
}

/** A pair of stations in range of each other, without learners. */
class RadioEnergyTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        Graph pair(2);
        pair.AddEdge(0, 1);
        m_network = CreateNetwork("wifi-adhoc");
        m_network->Build(pair, {});
        m_network->AssignStreams(1);
    }

    void TearDown() override
    {
        Simulator::Destroy();
        Config::Reset();
    }

    Ptr<Network> m_network;
};

TEST_F(RadioEnergyTest, ARadioThatIsOffSpendsNothing)
{
    constexpr double IDLE = 0.273 * 3; // watts: attributes IdleCurrentA and supply voltage
    RadioEnergy radio(m_network->GetNodes().Get(0), [] {});
    EXPECT_FALSE(radio.HasOwnSources());
    EXPECT_NEAR(radio.GetPower(), IDLE, 1e-12);
    Simulator::Schedule(Seconds(1), &RadioEnergy::SwitchOff, &radio);
    Simulator::Schedule(Seconds(3), &RadioEnergy::SwitchOn, &radio);
    double off = 0;
    Simulator::Schedule(Seconds(2), [&] {
        EXPECT_EQ(radio.GetPower(), 0);
        off = radio.GetSpent();
    });
    Simulator::Stop(Seconds(7));
    Simulator::Run();
    EXPECT_NEAR(off, IDLE, 1e-9);
    EXPECT_NEAR(radio.GetPower(), IDLE, 1e-12);
    EXPECT_NEAR(radio.GetSpent(), (1 + 4) * IDLE, 1e-9);
}

// A station that is off for more than 2 s gives up its access point, for which ns-3 switches the
// radio off and on, and joins again. Idling is the least that it spends.
TEST_F(RadioEnergyTest, AStationThatWasOffSpendsAgain)
{
    constexpr double IDLE = 0.273 * 3; // watts, as above
    m_network = CreateNetwork("wifi-infra,accesspoints=2");
    m_network->Build(Graph(2), {});
    const auto node = m_network->GetNodes().Get(0);
    const auto mac =
        DynamicCast<StaWifiMac>(DynamicCast<WifiNetDevice>(node->GetDevice(1))->GetMac());
    RadioEnergy radio(node, [] {});
    Simulator::Schedule(Seconds(1), [&] {
        EXPECT_TRUE(mac->IsAssociated());
        radio.SwitchOff();
    });
    double off = 0;
    Simulator::Schedule(Seconds(5), [&] {
        EXPECT_FALSE(mac->IsAssociated());
        off = radio.GetSpent();
        radio.SwitchOn();
    });
    Simulator::Stop(Seconds(10));
    Simulator::Run();
    EXPECT_TRUE(mac->IsAssociated());
    EXPECT_NEAR(off, IDLE, 0.02 * IDLE); // and receives some beacons
    EXPECT_NEAR(radio.GetSpent() - off, 5 * IDLE, 0.02 * 5 * IDLE);
}

// Ten broadcasts of 1400 bytes at 24 Mbit/s, with headers of UDP, IP, LLC, MAC and FCS: each has
// 123 symbols of 4 us after 20 us. At 23 dBm a radio with the efficiency 0.1 draws 2 W more than
// idle.
TEST_F(RadioEnergyTest, SendsWithThePowerThatItRadiates)
{
    for (const double dbm : {23, 3})
    {
        const auto node = m_network->GetNodes().Get(0);
        const auto phy = DynamicCast<WifiNetDevice>(node->GetDevice(1))->GetPhy();
        phy->SetAttribute("TxPowerStart", DoubleValue(dbm));
        phy->SetAttribute("TxPowerEnd", DoubleValue(dbm));
        RadioEnergy radio(
            node,
            [] {},
            0.1);
        const auto socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
        socket->SetAllowBroadcast(true);
        for (int k = 0; k < 10; ++k)
        {
            Simulator::Schedule(MilliSeconds(10 * k), [socket] {
                socket->SendTo(Create<Packet>(1400),
                               0,
                               InetSocketAddress(Ipv4Address::GetBroadcast(), 9));
            });
        }
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        constexpr double IDLE = 0.273 * 3;
        const double sent = 10 * (20e-6 + 123 * 4e-6) * std::pow(10, dbm / 10 - 3) / 0.1;
        EXPECT_NEAR(radio.GetSpent() - IDLE, sent, 1e-9) << dbm;
        TearDown();
        SetUp();
    }
}

TEST_F(RadioEnergyTest, RefusesCurrentsThatLastLongerThanTime)
{
    Config::SetDefault("ns3::WifiRadioEnergyModel::IdleCurrentA", DoubleValue(1e-9));
    ExpectRefused([&] { RadioEnergy(m_network->GetNodes().Get(0), [] {}); },
                  "ns3::WifiRadioEnergyModel::IdleCurrentA must be at least 0.00037037 A at a "
                  "supply voltage of 3 V, got 1e-09");
}

} // namespace
} // namespace ns3::dlearn

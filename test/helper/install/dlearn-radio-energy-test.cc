/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Radios that are switched off and on: ns-3's currents, by hand.
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/dlearn-energy-meter.h"
#include "ns3/dlearn-network-factory.h"
#include "ns3/double.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** A pair of stations in range of each other, without learners. */
class RadioEnergyTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        Graph pair(2);
        pair.AddEdge(0, 1);
        m_network = CreateNetwork("wifi-adhoc");
        m_network->Build(pair, NetworkOptions());
        m_network->AssignStreams(1);
    }

    void TearDown() override
    {
        Simulator::Destroy();
        Config::Reset();
    }

    std::unique_ptr<Network> m_network; //!< with the stations
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

TEST_F(RadioEnergyTest, RefusesCurrentsThatLastLongerThanTime)
{
    Config::SetDefault("ns3::WifiRadioEnergyModel::IdleCurrentA", DoubleValue(1e-9));
    ExpectRefused([&] { RadioEnergy(m_network->GetNodes().Get(0), [] {}); },
                  "ns3::WifiRadioEnergyModel::IdleCurrentA must be at least 0.00037037 A at a "
                  "supply voltage of 3 V, got 1e-09");
}

} // namespace
} // namespace ns3::dlearn

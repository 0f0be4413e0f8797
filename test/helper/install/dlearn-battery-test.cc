/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Charges and times of a battery against calculation by hand. What it does to a run is tested in
 * system/dlearn-energy-test.cc.
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-battery.h"
#include "ns3/double.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** A battery of 10 J, at time 0. */
Ptr<Battery>
MakeBattery(const std::string& harvested)
{
    const auto battery = CreateObject<Battery>();
    battery->SetAttribute("Capacity", DoubleValue(10));
    battery->SetAttribute("HarvestedPower", StringValue(harvested));
    battery->Begin();
    return battery;
}

/** Simulated time goes on. */
class BatteryTest : public testing::Test
{
  protected:
    void TearDown() override { Simulator::Destroy(); }

    /** Go on to a time. */
    static void GoTo(Time time)
    {
        Simulator::Stop(time - Simulator::Now());
        Simulator::Run();
    }
};

// 10 J at time 0 and 1 W: of what is drawn, it gives what it has.
TEST_F(BatteryTest, GivesNoMoreThanItHas)
{
    const auto battery = MakeBattery("1");
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
    const auto battery = MakeBattery("0");
    EXPECT_EQ(battery->GetCharge(), 10);
    EXPECT_EQ(battery->FindEmpty(4), Seconds(2.5));
    EXPECT_FALSE(battery->FindEmpty(0));
    GoTo(Seconds(2));
    battery->Use(8);
    EXPECT_EQ(battery->GetCharge(), 2);
    EXPECT_EQ(battery->FindEmpty(4), MilliSeconds(500));
    battery->Use(1); // at once
    EXPECT_EQ(battery->GetCharge(), 1);
    EXPECT_FALSE(battery->IsEmpty());
    battery->Use(1.5);
    EXPECT_EQ(battery->GetCharge(), 0);
    EXPECT_TRUE(battery->IsEmpty());
    EXPECT_FALSE(battery->FindRestart());
}

TEST_F(BatteryTest, IsChargedByWhatIsHarvestedUpToItsCapacity)
{
    const auto battery = MakeBattery("1@0s,5@4s,0@6s");
    // 10 J - 4 s x 2 W = 2 J at 4 s, + 2 s x 2 W = 6 J at 6 s, which last for 2 s at 3 W.
    EXPECT_EQ(battery->FindEmpty(3), Seconds(8));
    EXPECT_FALSE(battery->FindEmpty(0));
    GoTo(Seconds(5));
    battery->Use(5 * 3); // 2 J at 4 s, and then 2 W more
    EXPECT_DOUBLE_EQ(battery->GetCharge(), 4);
    GoTo(Seconds(10));
    battery->Use(0); // 5 J of one second
    EXPECT_DOUBLE_EQ(battery->GetCharge(), 9);
    const auto full = MakeBattery("5");
    full->Use(2); // 10 s at 5 W would give 48 J
    EXPECT_EQ(full->GetCharge(), 10);
}

// 0.15 x 10 J: half a joule until 3 s, the other joule at 0.5 W.
TEST_F(BatteryTest, LetsItsLearnerRestartWhenAShareIsCharged)
{
    const auto battery = MakeBattery("0.25@1s,0.5@3s");
    battery->Use(10);
    EXPECT_TRUE(battery->IsEmpty());
    EXPECT_EQ(battery->FindRestart(), Seconds(5));
    EXPECT_EQ(MakeBattery("0")->FindRestart(), std::nullopt);
}

TEST_F(BatteryTest, RefusesWhatIsNoSchedule)
{
    const std::string rule = "Battery: HarvestedPower must be a number of watts of at least 0, or "
                             "WATTS@TIME,..., got '";
    for (const std::string text : {"", "sun", "-1", "1,2", "1@0s,x@2s"})
    {
        ExpectRefused([&] { MakeBattery(text); }, rule + text + "'");
    }
    ExpectRefused([] { MakeBattery("1@5"); }, "must be a time of at least 0 with a unit");
    ExpectRefused([] { MakeBattery("1@5s,2@5s"); }, "times of HarvestedPower must increase");
}

} // namespace
} // namespace ns3::dlearn

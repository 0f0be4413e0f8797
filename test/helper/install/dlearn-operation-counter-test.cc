/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Operations of computations that end in time, early, late and at once.
 */

#include "ns3/dlearn-energy-meter.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

TEST(OperationCounter, ComputationsAreEvenAndMayEndEarly)
{
    OperationCounter counter;
    Simulator::Schedule(Seconds(1), [&] { counter.Begin(Seconds(4), 1000); });
    Simulator::Schedule(Seconds(2), [&] {
        EXPECT_TRUE(counter.IsBusy());
        EXPECT_DOUBLE_EQ(counter.GetDone(), 250);
        EXPECT_DOUBLE_EQ(counter.GetPower(0.5), 125); // 250 operations a second
    });
    Simulator::Schedule(Seconds(3), [&] {
        counter.End(); // half of it
        EXPECT_FALSE(counter.IsBusy());
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
    EXPECT_EQ(Simulator::Now(), Seconds(8));
    Simulator::Destroy();
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-neighbor-watch.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

TEST(NeighborWatch, GivesUpAfterWaitingInVainForLong)
{
    NeighborWatch watch(MilliSeconds(100));
    EXPECT_TRUE(watch.IsAlive(3));
    for (int round = 0; round < 10; ++round)
    {
        EXPECT_TRUE(watch.IsAlive(3)) << round;
        watch.Missed(3, Time(0)); // a round that did not wait
        watch.Missed(3, MilliSeconds(10));
    }
    EXPECT_FALSE(watch.IsAlive(3));
    watch.Missed(3, MilliSeconds(10));
    EXPECT_FALSE(watch.IsAlive(3));
    EXPECT_TRUE(watch.IsAlive(4)); // nobody else
}

TEST(NeighborWatch, OneMessageBringsANeighbourBack)
{
    NeighborWatch watch(MilliSeconds(100));
    watch.Missed(3, MilliSeconds(99));
    watch.Heard(3);
    watch.Missed(3, MilliSeconds(99));
    EXPECT_TRUE(watch.IsAlive(3)); // starts from zero
    watch.Missed(3, MilliSeconds(1));
    EXPECT_FALSE(watch.IsAlive(3));
    watch.Heard(3);
    EXPECT_TRUE(watch.IsAlive(3));
}

TEST(NeighborWatch, ResetForgives)
{
    NeighborWatch watch(MilliSeconds(1));
    watch.Missed(3, MilliSeconds(1));
    watch.Missed(4, MilliSeconds(1));
    EXPECT_FALSE(watch.IsAlive(4));
    watch.Reset();
    EXPECT_TRUE(watch.IsAlive(3));
    EXPECT_TRUE(watch.IsAlive(4));
}

TEST(NeighborWatch, RefusesNoTolerance)
{
    ExpectRefused([] { NeighborWatch watch{Time(0)}; },
                  "NeighborWatch: tolerance must be greater than 0, got 0 s");
}

} // namespace
} // namespace ns3::dlearn

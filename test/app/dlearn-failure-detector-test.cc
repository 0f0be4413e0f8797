/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-failure-detector.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

TEST(FailureDetector, SuspectsAfterWaitingTooLong)
{
    FailureDetector watch;
    EXPECT_TRUE(watch.IsAlive(3));
    for (int round = 0; round < 10; ++round)
    {
        EXPECT_TRUE(watch.IsAlive(3)) << round;
        watch.RecordTimeout(3, Time(0), MilliSeconds(100)); // a round that did not wait
        watch.RecordTimeout(3, MilliSeconds(10), MilliSeconds(100));
    }
    EXPECT_FALSE(watch.IsAlive(3));
    watch.RecordTimeout(3, MilliSeconds(10), MilliSeconds(100));
    EXPECT_FALSE(watch.IsAlive(3));
    EXPECT_TRUE(watch.IsAlive(4)); // no other neighbour
}

TEST(FailureDetector, OneMessageBringsANeighbourBack)
{
    FailureDetector watch;
    watch.RecordTimeout(3, MilliSeconds(99), MilliSeconds(100));
    watch.RecordActivity(3);
    watch.RecordTimeout(3, MilliSeconds(99), MilliSeconds(100));
    EXPECT_TRUE(watch.IsAlive(3)); // starts from zero
    watch.RecordTimeout(3, MilliSeconds(1), MilliSeconds(100));
    EXPECT_FALSE(watch.IsAlive(3));
    watch.RecordActivity(3);
    EXPECT_TRUE(watch.IsAlive(3));
}

TEST(FailureDetector, ResetForgives)
{
    FailureDetector watch;
    watch.RecordTimeout(3, MilliSeconds(1), MilliSeconds(1));
    watch.RecordTimeout(4, MilliSeconds(1), MilliSeconds(1));
    EXPECT_FALSE(watch.IsAlive(4));
    watch.Reset();
    EXPECT_TRUE(watch.IsAlive(3));
    EXPECT_TRUE(watch.IsAlive(4));
}

TEST(FailureDetector, SuspectsByTheToleranceOfTheMoment)
{
    FailureDetector watch;
    EXPECT_FALSE(watch.RecordTimeout(3, MilliSeconds(10), MilliSeconds(11)));
    EXPECT_TRUE(watch.RecordTimeout(3, MilliSeconds(10), MilliSeconds(20)));
    watch.RecordTimeout(3, Time(0), MilliSeconds(100));
    EXPECT_FALSE(watch.IsAlive(3)) << "it stays suspected until it is heard";
}

TEST(FailureDetector, SaysOnceThatANeighbourIsSuspected)
{
    FailureDetector watch;
    EXPECT_FALSE(watch.RecordTimeout(3, MilliSeconds(9), MilliSeconds(10)));
    EXPECT_TRUE(watch.RecordTimeout(3, MilliSeconds(1), MilliSeconds(10)));
    EXPECT_FALSE(watch.RecordTimeout(3, MilliSeconds(50), MilliSeconds(10)));
    watch.RecordActivity(3);
    EXPECT_TRUE(watch.RecordTimeout(3, MilliSeconds(10), MilliSeconds(10)));
}

} // namespace
} // namespace ns3::dlearn

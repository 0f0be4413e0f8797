/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-device-watch.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

TEST(DelayDistribution, IsZeroWithoutDelays)
{
    const DelayDistribution delays;
    EXPECT_EQ(delays.GetMean(), 0);
    EXPECT_EQ(delays.GetWorst(), 0);
}

// Of 1 to 1000 ms, 990 ms is the first that 99 % are not above.
TEST(DelayDistribution, KnowsMeanAndPercentile)
{
    DelayDistribution delays;
    for (int delay = 1000; delay > 0; --delay)
    {
        delays.Add(MilliSeconds(delay));
    }
    EXPECT_NEAR(delays.GetMean(), 500.5, 1e-9);
    EXPECT_GE(delays.GetWorst(), 990);
    EXPECT_LE(delays.GetWorst(), 990 * 1.01);
}

TEST(DelayDistribution, CountsWhatDoesNotWait)
{
    DelayDistribution delays;
    delays.Add(Time(0));
    delays.Add(Seconds(1));
    EXPECT_EQ(delays.GetMean(), 500);
    for (int count = 0; count < 98; ++count)
    {
        delays.Add(Time(0));
    }
    EXPECT_EQ(delays.GetWorst(), 0);
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-simulated-time.h"

#include <gtest/gtest.h>
#include <limits>

namespace ns3::dlearn
{

namespace
{

TEST(SimulatedTime, TimesAreRefusedFromHalfOfSixtyFourBitsOn)
{
    EXPECT_EQ(MakeTime("t", 0), Time(0));
    EXPECT_EQ(MakeTime("t", 1.5), MilliSeconds(1500));
    EXPECT_EQ(MakeTime("t", 4.5e9), NanoSeconds(4500000000000000000));
    for (const double seconds : {4.6e9,
                                 1e300,
                                 -1.0,
                                 std::numeric_limits<double>::infinity(),
                                 std::numeric_limits<double>::quiet_NaN()})
    {
        ExpectRefused([&] { MakeTime("time of t", seconds); },
                      "time of t must be from 0 to below 4.6e+09 s (146 years), got ");
    }
}

TEST(SimulatedTime, SpansEndBeforeTheEnd)
{
    const Time half = NanoSeconds(2300000000000000000);
    const Time hour = Seconds(3600);
    EXPECT_EQ(CheckSpan("t", half - hour, half), half);
    ExpectRefused([&] { CheckSpan("waiting", half, half); },
                  "waiting of 2.3e+09 s, begun at 2.3e+09 s, must end before 4.6e+09 s");
    // The sum of these would be negative.
    const Time most = NanoSeconds(std::numeric_limits<int64_t>::max());
    ExpectRefused([&] { CheckSpan("waiting", hour, most); }, "must end before 4.6e+09 s");
    EXPECT_EQ(CheckSpan("t", hour, Time(0)), Time(0));
    ExpectRefused([&] { CheckSpan("waiting", hour, NanoSeconds(-1000)); },
                  "waiting must last at least 0 s, got -1e-06 s");
}

TEST(SimulatedTime, DoesNotRunBackwards)
{
    EXPECT_EQ(GetDelayUntil("a fault", Seconds(1), Seconds(3)), Seconds(2));
    EXPECT_EQ(GetDelayUntil("a fault", Seconds(1), Seconds(1)), Seconds(0));
    ExpectRefused([] { GetDelayUntil("a fault", Seconds(2), Seconds(1)); },
                  "a fault at +1s is in the past, as it is already +2s");
}

} // namespace

} // namespace ns3::dlearn

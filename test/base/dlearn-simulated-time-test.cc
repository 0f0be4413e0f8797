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

namespace ns3::dlearn
{
namespace
{

TEST(ParseTime, ReadsEveryUnitExactly)
{
    EXPECT_EQ(ParseTime("t", "7ns"), NanoSeconds(7));
    EXPECT_EQ(ParseTime("t", "2.5us"), NanoSeconds(2500));
    EXPECT_EQ(ParseTime("t", "1.5ms"), MicroSeconds(1500));
    EXPECT_EQ(ParseTime("t", "0.1s"), MilliSeconds(100));
    EXPECT_EQ(ParseTime("t", "2min"), Seconds(120));
    EXPECT_EQ(ParseTime("t", "1.5h"), Seconds(5400));
    EXPECT_EQ(ParseTime("t", "1e-3s"), MilliSeconds(1));
    EXPECT_EQ(ParseTime("t", "0s"), Seconds(0));
    // A fraction of a nanosecond is rounded, not cut off.
    EXPECT_EQ(ParseTime("t", "0.6ns"), NanoSeconds(1));
    // The longest: 64 bits hold twice as much.
    EXPECT_EQ(ParseTime("t", "4.5e18ns"), NanoSeconds(4500000000000000000));
}

TEST(ParseTime, RefusesWhatIsNoTimeAndQuotesIt)
{
    for (const std::string text :
         {"",    "abc",  "10",   "s",    "-1ms", "1 s",    "1sec",   "1S",   "1ss",   " 1s", "1s ",
          "+1s", "1,5s", "nans", "infs", "1e5",  "1e400s", "5e18ns", "0x1s", "1e10h", "--1s"})
    {
        ExpectRefused(
            [&] { ParseTime("delay", text); },
            "delay must be a time of at least 0 with a unit, such as 10ms or 2.5s, got '" + text +
                "'");
    }
}

TEST(ParseDataRate, ReadsEveryUnitExactly)
{
    EXPECT_EQ(ParseDataRate("r", "1bps").GetBitRate(), 1U);
    EXPECT_EQ(ParseDataRate("r", "9.6kbps").GetBitRate(), 9600U);
    EXPECT_EQ(ParseDataRate("r", "5Mbps").GetBitRate(), 5000000U);
    EXPECT_EQ(ParseDataRate("r", "2.5Gbps").GetBitRate(), 2500000000U);
}

TEST(ParseDataRate, RefusesWhatIsNoRateAndQuotesIt)
{
    for (const std::string text : {"",
                                   "0",
                                   "0bps",
                                   "0.5bps",
                                   "-1Mbps",
                                   "5",
                                   "Mbps",
                                   "5 Mbps",
                                   "5mbps",
                                   "5MB/s",
                                   "nanbps",
                                   "infbps",
                                   "1e9Gbps"})
    {
        ExpectRefused([&] { ParseDataRate("rate", text); },
                      "rate must be a rate of at least 1bps with a unit, such as 500kbps or "
                      "5Mbps, got '" +
                          text + "'");
    }
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-simulated-time.h"

#include <gtest/gtest.h>

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

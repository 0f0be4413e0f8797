/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-trace-network.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

using test::TemporaryFile;

TEST(CellularTraceTest, RepeatsAfterItsLastTime)
{
    const TemporaryFile file("3\n5\r\n5\n20", true);
    const CellularTrace trace(file.GetPath());
    EXPECT_EQ(trace.GetCount(), 4U);
    EXPECT_EQ(trace.GetPeriod(), MilliSeconds(20));
    const int64_t expected[] = {3, 5, 5, 20, 23, 25, 25, 40, 43};
    for (uint64_t k = 0; k < std::size(expected); ++k)
    {
        EXPECT_EQ(trace.GetTime(k), MilliSeconds(expected[k])) << k;
    }
    // Hours later, and beyond 2^32 ms.
    EXPECT_EQ(trace.GetTime(4000000001), MilliSeconds(20000000005));
}

TEST(CellularTraceTest, FindsTheFirstOpportunityFromATimeOn)
{
    // With a time 0, whose repetitions come together with the end of the period before.
    for (const std::string text : {"0\n0\n4\n4\n7\n", "2\n", "1\n2\n3\n", "0\n5\n5\n"})
    {
        const TemporaryFile file(text);
        const CellularTrace trace(file.GetPath());
        for (int64_t half = 0; half < 60; ++half)
        {
            for (const int64_t shift : {-1, 0, 1}) // nanoseconds
            {
                const Time time = NanoSeconds(std::max<int64_t>(0, half * 500000 + shift));
                uint64_t first = 0;
                while (trace.GetTime(first) < time)
                {
                    ++first;
                }
                EXPECT_EQ(trace.FindFrom(time), first) << text << " at " << time;
            }
        }
    }
}

TEST(CellularTraceTest, RefusesWhatIsNoTrace)
{
    const std::string whole = "time must be a whole number of milliseconds from 0 to 4294967295";
    const std::pair<std::string, std::string> rows[] = {
        {"1\n2.5\n", ":2: " + whole + ", got '2.5'"},
        {"1\n\n2\n", ":2: " + whole + ", got ''"},
        {"-1\n", ":1: " + whole + ", got '-1'"},
        {"1\n 2\n", ":2: " + whole + ", got ' 2'"},
        {"1\n4294967296\n", ":2: " + whole + ", got '4294967296'"},
        {"1\n7\n7\n6\n", ":4: time must be at least the one before it, 7, got 6"},
        {"", ": a trace must have at least one packet opportunity"},
        {"0\n0\n", ": a trace must have a time greater than 0, all are 0"},
    };
    for (const auto& [text, message] : rows)
    {
        const TemporaryFile file(text);
        ExpectRefused([&] { CellularTrace trace(file.GetPath()); }, file.GetPath() + message);
    }
    ExpectRefused<std::runtime_error>([] { CellularTrace trace("/no/such/trace"); },
                                      "/no/such/trace: cannot open");
}

} // namespace
} // namespace ns3::dlearn

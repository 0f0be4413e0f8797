/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run-warnings.h"
#include "ns3/dlearn-run.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

namespace ns3::dlearn
{
namespace
{

/** @return three learners over point-to-point links */
RunSpec
MakeSpec(uint32_t rounds)
{
    RunSpec spec = LdpOnlinePreset("disturbances");
    spec.learners = 3;
    spec.rounds = rounds;
    spec.dataSamples = 100;
    spec.network = "p2p";
    return spec;
}

/** @return what a run has done */
RunResults
Execute(const RunSpec& spec)
{
    dlearn::Run run(spec);
    std::ostringstream table;
    return run.Execute(table);
}

// The simulation goes on for a second after the last round, in which links still change.
TEST(RunDisturbances, ChangesOfLinksAreLateWhenTheyComeAfterTheLastRound)
{
    RunSpec spec = MakeSpec(20);
    spec.links = "down:0-1@5ms,up:0-1@6ms,down:1-2@500ms,up:1-2@600ms";
    const RunResults results = Execute(spec);
    Time end;
    for (const ResultRow& row : results.rows)
    {
        end = Max(end, row.record.closed);
    }
    ASSERT_GT(end, MilliSeconds(6));
    ASSERT_LT(end, MilliSeconds(500));
    EXPECT_GT(results.simulatedSeconds, 0.6);
    const std::string expected =
        "learning ended at " + NameTime(end) +
        ", when the last round was closed, before 4 of 8 changes of links; the first of these is "
        "of 1 to 2 at 500 ms";
    EXPECT_EQ(std::count(results.warnings.begin(), results.warnings.end(), expected), 1);
}

// Flows begin up to 0.1 s after the network is ready, and learning may be over by then.
TEST(RunDisturbances, CrossTrafficIsLateWhenItBeginsAfterTheLastRound)
{
    RunSpec spec = MakeSpec(1);
    spec.crossTraffic = "constant:1kbps:*to0,constant:1kbps:1to2";
    const RunResults results = Execute(spec);
    const auto told = std::find_if(
        results.warnings.begin(),
        results.warnings.end(),
        [](const std::string& warning) {
            return warning.find("before 3 of 3 flows of cross traffic had sent anything: onoff "
                                "begins with a pause (OffTime), and bulk needs a route; the first "
                                "of these is from ") != std::string::npos;
        });
    EXPECT_NE(told, results.warnings.end());
}

// Over a link that is down from the beginning.
TEST(RunDisturbances, NamesCrossTrafficOfWhichNothingArrives)
{
    RunSpec spec = MakeSpec(30);
    spec.deadline = "20ms";
    spec.links = "down:0-1@0s";
    spec.crossTraffic = "constant:1Mbps:0to1,constant:1Mbps:2to0";
    const RunResults results = Execute(spec);
    EXPECT_EQ(std::count(results.warnings.begin(),
                         results.warnings.end(),
                         "nothing has arrived by 1 of 2 flows of cross traffic, which may lack a "
                         "route; the first of these is from 0 to 1"),
              1);
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-short-runs.h"

#include "ns3/dlearn-run-findings.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** @return a run of a server with a round of so many milliseconds after the other, and two clients
 */
RunResults
MakeServedRun(const std::vector<int>& rounds)
{
    RunResults results;
    results.roles = {"server", "client", "client"};
    int time = 0;
    for (const int duration : rounds)
    {
        ResultRow row;
        row.role = "server";
        row.record.round = static_cast<uint32_t>(results.rows.size());
        row.record.duration = MilliSeconds(duration);
        row.record.closed = MilliSeconds(time += duration);
        results.rows.push_back(row);
    }
    return results;
}

/** @return names and details of a timeline */
std::vector<std::string>
List(const RunResults& results)
{
    std::vector<std::string> list;
    for (const RunEvent& event : results.timeline)
    {
        list.push_back(std::to_string(event.time.GetMilliSeconds()) + " " +
                       (event.node ? std::to_string(*event.node) : "") + " " + event.event +
                       (event.detail.empty() ? "" : ": " + event.detail));
    }
    return list;
}

// Client 2 is slow in round 0; client 1 is down in rounds 1 to 3, and in 5 only until it restarts.
TEST(FoldTimeouts, SaysWhichRoundsWaitedForALearnerThatWasDown)
{
    RunResults results = MakeServedRun({1000, 1000, 1000, 2000, 100, 1000});
    results.timeline = {{MilliSeconds(1000), 0, 0, "timed-out", "2"},
                        {MilliSeconds(1100), 1, 0, "crashed", ""},
                        {MilliSeconds(2000), 0, 1, "timed-out", "1"},
                        {MilliSeconds(3000), 0, 2, "timed-out", "1"},
                        {MilliSeconds(3000), 0, 2, "timed-out", "2"},
                        {MilliSeconds(5000), 0, 3, "timed-out", "1"},
                        {MilliSeconds(5000), 0, 3, "client-suspected", "1"},
                        {MilliSeconds(5050), 1, 0, "restarted", ""},
                        {MilliSeconds(5080), 1, 4, "battery-empty", ""},
                        {MilliSeconds(6100), 0, 5, "timed-out", "1"}};
    RunWarnings clock;
    clock.SetOrigin(MilliSeconds(100));
    EXPECT_EQ(
        FoldTimeouts(results, clock),
        (std::vector<std::string>{
            "3 rounds waited 1 s to 2 s for client 1, which crashed at 1 s; --timeout, "
            "--deadline and --quorum say how long a round waits",
            "1 round waited 1 s for client 1, which emptied its battery at 4.98 s; --timeout, "
            "--deadline and --quorum say how long a round waits"}));
    EXPECT_EQ(List(results),
              (std::vector<std::string>{
                  "1100 1 crashed",
                  "5000 0 client-suspected: 1",
                  "5000 1 waited-for: by 3 rounds, 1 s to 2 s, as it crashed at 1 s",
                  "5050 1 restarted",
                  "5080 1 battery-empty",
                  "6100 1 waited-for: by 1 round, 1 s, as it emptied its battery at 4.98 s"}));
}

// A server gives a client that has crashed up after two response timeouts.
TEST(FoldTimeouts, IsOfRunsOfServersAndOfPeers)
{
    RunSpec spec = test::TwoClients("100Mbps");
    spec.rounds = 6;
    spec.responseTimeout = "3s";
    spec.churn = "crash:1@1ms";
    RunResults results = test::Execute(spec);
    ASSERT_FALSE(results.warnings.empty());
    EXPECT_EQ(
        results.warnings[0].rfind("2 rounds waited 3 s each for client 1, which crashed at 1 ms;",
                                  0),
        0U)
        << results.warnings[0];
    EXPECT_EQ(List(results).at(2),
              "6001 1 waited-for: by 2 rounds, 3 s each, as it crashed at 1 ms");

    spec = test::ThreePeers();
    spec.responseTimeout = "500ms";
    spec.churn = "crash:2@5ms";
    results = test::Execute(spec);
    ASSERT_FALSE(results.warnings.empty());
    EXPECT_NE(results.warnings[0].find("4 rounds of 2 learners waited 501 ms each for learner 2"),
              std::string::npos)
        << results.warnings[0];
    spec.churn = "";
    EXPECT_TRUE(List(test::Execute(spec)).empty());
}

} // namespace
} // namespace ns3::dlearn

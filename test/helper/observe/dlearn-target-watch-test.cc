/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Accounts that exceed their target.
 */

#include "ns3/config.h"
#include "ns3/dlearn-compute-model.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"
#include "ns3/dlearn-target-watch.h"
#include "ns3/double.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>

namespace ns3::dlearn
{
namespace
{

/** Restores defaults. */
class TargetWatchTest : public testing::Test
{
  protected:
    void TearDown() override { Config::Reset(); }
};

/** @return a private federation with a buffer, for which epsilon 5 is planned */
RunSpec
BufferedRun()
{
    RunSpec spec = FedAvgPreset("test");
    spec.network = "ideal";
    spec.transport = "udp";
    spec.learners = 4;
    spec.dimension = 5;
    spec.rounds = 20;
    spec.mode = "buffered";
    spec.bufferSize = 4;
    spec.threatModel = "ldp";
    spec.clip = 1;
    spec.delta = 1e-5;
    spec.targetEpsilon = 5;
    return spec;
}

RunResults
Execute(const RunSpec& spec)
{
    Run run(spec);
    std::ostringstream table;
    return run.Execute(table);
}

/** @return how many events there are of accounts that exceed the target */
size_t
CountEvents(const RunResults& results)
{
    return std::count_if(results.timeline.begin(), results.timeline.end(), [](const auto& event) {
        return event.event == "target-exceeded";
    });
}

bool
IsWarned(const RunResults& results)
{
    return std::any_of(results.warnings.begin(), results.warnings.end(), [](const auto& warning) {
        return warning.find("the target epsilon of 5 is exceeded, since round ") == 0;
    });
}

/** @return how many clients have an account above the target in the end */
size_t
CountAbove(const RunResults& results)
{
    std::map<LearnerId, double> last;
    for (const ResultRow& row : results.rows)
    {
        last[row.record.node] = std::max(last[row.record.node], row.record.epsilon);
    }
    return std::count_if(last.begin(), last.end(), [](const auto& entry) {
        return entry.second > 5 * (1 + 1e-6);
    });
}

/** @return when the first account exceeds the target, by the events */
Time
GetTimeOfFirstEvent(const RunResults& results)
{
    Time first = Time::Max();
    for (const RunEvent& event : results.timeline)
    {
        first = event.event == "target-exceeded" ? Min(first, event.time) : first;
    }
    return first;
}

/** @return when the server closed the first round until which more than the target was spent */
Time
GetEndOfFirstRoundAbove(const RunResults& results)
{
    for (const auto& [round, spent] : results.spent)
    {
        for (const ResultRow& row : results.rows)
        {
            if (spent.realised > 5 * (1 + 1e-6) && row.role == "server" &&
                row.record.round == round)
            {
                return row.record.closed;
            }
        }
    }
    return Time(0);
}

TEST_F(TargetWatchTest, WarnsWhenMoreIsSentThanPlanned)
{
    Config::SetDefault("ns3::dlearn::LearnerApplication::ComputeModel",
                       TypeIdValue(RandomCompute::GetTypeId()));
    Config::SetDefault("ns3::dlearn::RandomCompute::Spread", DoubleValue(1));
    RunSpec spec =
        BufferedRun(); // four updates a model: some clients send more of them than others
    const RunResults results = Execute(spec);
    const size_t above = CountAbove(results);
    EXPECT_GT(above, 0U);
    EXPECT_EQ(CountEvents(results), above) << "once for each client";
    EXPECT_TRUE(IsWarned(results));
    spec.budget = 5;
    const RunResults bounded = Execute(spec);
    EXPECT_EQ(CountAbove(bounded), 0U);
    EXPECT_EQ(CountEvents(bounded), 0U);
    EXPECT_FALSE(IsWarned(bounded));
}

// With fewer clients the server's mean holds less noise than was planned. That is known when the
// server closes a round, after the clients have closed theirs.
TEST_F(TargetWatchTest, WarnsWhenAMeanIsOfFewerMessagesThanPlanned)
{
    RunSpec spec = BufferedRun();
    spec.mode = "sync";
    spec.threatModel = "cdp";
    spec.network = "p2p";
    spec.responseTimeout = "100ms";
    spec.churn = "crash:4@20ms";
    spec.evaluateEvery = 1;
    const RunResults results = Execute(spec);
    const auto above =
        std::count_if(results.epsilon.begin(), results.epsilon.end(), [](const auto& entry) {
            return entry.second > 5 * (1 + 1e-6);
        });
    EXPECT_GT(above, 0);
    EXPECT_EQ(CountEvents(results), above) << "once for each client";
    EXPECT_TRUE(IsWarned(results));
    EXPECT_EQ(GetTimeOfFirstEvent(results), GetEndOfFirstRoundAbove(results));
}

TEST_F(TargetWatchTest, IsSilentWhenThePlanHolds)
{
    RunSpec spec = BufferedRun();
    spec.mode = "sync";
    const RunResults results = Execute(spec);
    EXPECT_EQ(CountAbove(results), 0U);
    EXPECT_EQ(CountEvents(results), 0U);
    EXPECT_FALSE(IsWarned(results));
    spec.threatModel = "none";
    EXPECT_EQ(CountEvents(Execute(spec)), 0U);
}

} // namespace
} // namespace ns3::dlearn

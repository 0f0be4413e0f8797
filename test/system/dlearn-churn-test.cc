/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Learners that crash, come back or leave: the others go on, and the records stay correct.
 */

#include "dlearn-system-fixture.h"
#include "support/dlearn-parameter-name.h"

#include "ns3/config.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/double.h"

#include <algorithm>

namespace ns3::dlearn
{
namespace
{

/** A small run in which every gradient takes 10 ms; undone by Config::Reset(). */
RunSpec
TimedRun(const std::string& network, const std::string& transport)
{
    RunSpec options = SmallRun(network, transport);
    options.rounds = 100;
    options.evaluateEvery = 25;
    Config::SetDefault("ns3::dlearn::LearnerApplication::ComputeModel",
                       TypeIdValue(FixedCompute::GetTypeId()));
    return options;
}

class Churn : public testing::TestWithParam<std::pair<const char*, const char*>>
{
  protected:
    void TearDown() override { Config::Reset(); }
};

TEST_P(Churn, ACrashCostsTheOthersABoundedTimeAndARestartJoinsThem)
{
    RunSpec options = TimedRun(GetParam().first, GetParam().second);
    const double before = RunToEnd(options).results.simulatedSeconds;
    options.churn = "crash:2@0.3s,restart:2@3s";
    options.rounds = 300;
    const Outcome outcome = RunToEnd(options);
    for (LearnerId node : {0, 1, 3, 4})
    {
        EXPECT_EQ(CountRows(outcome.results, node), 300U) << "learner " << node;
    }
    // Three times the rounds, and twice 1 s of waiting without success; 1 s for TCP to reconnect.
    EXPECT_LT(outcome.results.simulatedSeconds, 3 * before + 2 + 1);
    // It misses the rounds that the others did without it, and is back well before the end.
    const uint32_t rows = CountRows(outcome.results, 2);
    EXPECT_GT(rows, 50U);
    EXPECT_LT(rows, 300U);
    bool backInTime = false;
    for (const ResultRow& row : outcome.results.rows)
    {
        const RoundRecord& record = row.record;
        backInTime = backInTime || (record.node == 2 && record.closed > Seconds(3) &&
                                    record.received == record.expected);
    }
    EXPECT_TRUE(backInTime);
    EXPECT_GT(outcome.results.simulatedSeconds, before);
}

TEST_P(Churn, ALearnerThatLeavesDoesNotStallTheOthers)
{
    RunSpec options = TimedRun(GetParam().first, GetParam().second);
    const Outcome outcome = RunToEnd(options, [](dlearn::Run& scenario) {
        scenario.GetPeers()[4]->SetStopTime(Seconds(0.2) + scenario.GetNetwork().GetReadyTime());
    });
    EXPECT_LT(CountRows(outcome.results, 4), 100U);
    for (LearnerId node : {0, 1, 2, 3})
    {
        EXPECT_EQ(CountRows(outcome.results, node), 100U);
    }
}

INSTANTIATE_TEST_SUITE_P(All,
                         Churn,
                         testing::Values(std::make_pair("ideal", "udp"),
                                         std::make_pair("p2p", "tcp"),
                                         std::make_pair("csma", "broadcast"),
                                         std::make_pair("wifi-adhoc", "udp")),
                         [](const auto& info) { return test::MakeParameterName(info.param); });

TEST(ChurnOfOthers, ARunWithoutLearnersEnds)
{
    RunSpec options = TimedRun("p2p", "udp");
    options.churn = "crash:0@0.1s,crash:1@0.1s,crash:2@0.1s,crash:3@0.1s,crash:4@0.1s";
    const Outcome outcome = RunToEnd(options);
    EXPECT_LT(outcome.results.simulatedSeconds, 5);
    Config::Reset();
}

TEST(ChurnOfOthers, ALearnerStopsBeforeItOverspends)
{
    RunSpec options = SmallRun("p2p");
    options.rounds = 60;
    const double all = RunToEnd(options).results.rows.back().record.epsilon;
    const double budget = all / 2;
    const Outcome outcome = RunToEnd(options, [budget](dlearn::Run& scenario) {
        const auto rule = DynamicCast<PeerRule>(scenario.GetPeers()[1]->GetRule());
        rule->GetPrivacyLedger()->SetAttribute("Budget", DoubleValue(budget));
    });
    EXPECT_LT(CountRows(outcome.results, 1), 60U);
    EXPECT_EQ(CountRows(outcome.results, 0), 60U);
    for (const ResultRow& row : outcome.results.rows)
    {
        if (row.record.node == 1)
        {
            EXPECT_LE(row.record.epsilon, budget);
        }
    }
}

// The run takes a fraction of a second, and learner 3 is never down.
// Two of the three updates of a round have come, and the server crashes before it makes a model.
TEST(ChurnWarnings, SayThatACrashCanMakeUpdatesUseless)
{
    RunSpec spec = FedAvgPreset("system-test");
    spec.network = "p2p";
    spec.transport = "udp";
    spec.responseTimeout = "15ms";
    spec.churn = "crash:0@20ms,restart:0@40ms,crash:2@50ms";
    dlearn::Run run(spec);
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    EXPECT_GT(results.totals.at("updates_lost_in_crash"), 0U);
    EXPECT_TRUE(std::any_of(results.warnings.begin(),
                            results.warnings.end(),
                            [](const std::string& warning) {
                                return warning.find("none was usable (rejected: not finite, "
                                                    "malformed, not of the model's size, or lost "
                                                    "in a crash of the server)") !=
                                       std::string::npos;
                            }));
}

TEST(ChurnWarnings, NameWhatHadNoEffect)
{
    RunSpec spec = SmallRun("p2p");
    spec.churn = "crash:1@5ms,restart:1@8ms,restart:3@5ms,crash:2@50s";
    spec.links = "down:0-1@50s,up:0-1@60s";
    const auto warnings = RunToEnd(spec).results.warnings;
    const auto count = [&warnings](const std::string& beginning) {
        return std::count_if(warnings.begin(), warnings.end(), [&](const std::string& warning) {
            return warning.rfind(beginning, 0) == 0;
        });
    };
    EXPECT_EQ(count("2 of 4 events of churn had no effect"), 1);
    EXPECT_TRUE(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
        return warning.find("before 4 of 4 changes of links; the first of these is of ") !=
               std::string::npos;
    }));
    spec.churn = "crash:1@5ms,restart:1@8ms";
    spec.links = "";
    for (const std::string& warning : RunToEnd(spec).results.warnings)
    {
        EXPECT_EQ(warning.find("no effect"), std::string::npos) << warning;
    }
}

} // namespace
} // namespace ns3::dlearn

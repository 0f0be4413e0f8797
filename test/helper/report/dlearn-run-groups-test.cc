/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-results-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-paired-test.h"
#include "ns3/dlearn-run-groups.h"
#include "ns3/dlearn-target.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

/** @return a run whose accuracy is that of the last round times (round + 1) / 4 */
NamedRun
MakeGroupedRun(const std::string& loss, uint64_t run, double accuracy)
{
    NamedRun named{"", MakeResults(2, 4)};
    named.results.run = run;
    named.results.parameters = {{"loss", loss}, {"rounds", "4"}, {"out", std::to_string(run)}};
    named.results.globals = {{"RngRun", std::to_string(run)}};
    for (auto& row : named.results.rows)
    {
        row.evaluation->accuracy = accuracy * (row.record.round + 1) / 4;
    }
    return named;
}

TEST(RunGroups, AreOfRunsThatDifferInRandomNumbersOnly)
{
    std::vector<NamedRun> runs{MakeGroupedRun("0", 2, 0.8),
                               MakeGroupedRun("0.1", 1, 0.6),
                               MakeGroupedRun("0", 1, 0.9),
                               MakeGroupedRun("0.1", 3, 0.5)};
    runs[1].results.attributes["ns3::dlearn::X::Y"] = "5";
    runs[3].results.attributes["ns3::dlearn::X::Y"] = "5";
    NameByDifferences(runs);
    EXPECT_EQ(runs[0].name, "loss=0");
    EXPECT_EQ(runs[1].name, "loss=0.1"); // its attribute is that of all runs of this loss
    const auto groups = GroupRuns(runs);
    ASSERT_EQ(groups.size(), 2U);
    EXPECT_EQ(groups[0].name, "loss=0");
    EXPECT_EQ(groups[0].members[0].run, 1U);
    EXPECT_EQ(FindDifferences(groups), (std::vector<std::string>{"loss", "ns3::dlearn::X::Y"}));
    EXPECT_EQ(GetFinals(groups[0], "accuracy"), (std::vector<double>{0.9, 0.8}));
    const auto pairs = PairFinals(groups[0], groups[1], "accuracy");
    ASSERT_EQ(pairs.size(), 1U); // run 1 alone is in both
    EXPECT_DOUBLE_EQ(pairs[0], 0.6 - 0.9);
}

TEST(RunGroups, HaveFinalsPairsAndCostsOfCompleteRunsOnly)
{
    std::vector<NamedRun> runs{MakeGroupedRun("0", 1, 0.8),
                               MakeGroupedRun("0", 2, 0.8),
                               MakeGroupedRun("0.1", 1, 0.6),
                               MakeGroupedRun("0.1", 2, 0.6)};
    NameByDifferences(runs);
    EXPECT_EQ(DescribeLeftOut(GroupRuns(runs)), "");
    runs[0].results.status = "interrupted";
    runs[3].results.status = "failed";
    const auto groups = GroupRuns(runs);
    EXPECT_EQ(CountComplete(groups[0]), 1U);
    EXPECT_TRUE(std::isnan(GetFinals(groups[0], "accuracy")[0]));
    EXPECT_EQ(GetFinals(groups[0], "accuracy")[1], 0.8);
    EXPECT_TRUE(PairFinals(groups[0], groups[1], "accuracy").empty());
    EXPECT_EQ(FindCost(groups[0], {"accuracy", 0.5}).reached, 1U);
    EXPECT_EQ(FindCommonTarget(groups)->value, 0.6);
    EXPECT_EQ(DescribeLeftOut(groups),
              "2 of 4 runs are not complete and left out of means, costs and tests");
    runs[1].results.status = "failed";
    runs[2].results.status = "failed";
    EXPECT_FALSE(FindCommonTarget(GroupRuns(runs))) << "no run is complete";
}

// The differences agree in eleven digits, as numbers that are so much larger allow no more.
TEST(RunGroups, HaveTheSameDifferenceWhereRoundingAloneTellsThemApart)
{
    std::vector<NamedRun> runs{MakeGroupedRun("0", 1, 30.3),
                               MakeGroupedRun("0", 2, 70.1),
                               MakeGroupedRun("0.1", 1, 30.301),
                               MakeGroupedRun("0.1", 2, 70.101)};
    NameByDifferences(runs);
    const auto groups = GroupRuns(runs);
    EXPECT_NE(30.301 - 30.3, 70.101 - 70.1);
    const auto pairs = PairFinals(groups[0], groups[1], "accuracy");
    ASSERT_EQ(pairs.size(), 2U);
    EXPECT_EQ(pairs[0], pairs[1]);
    EXPECT_FALSE(TestPairs(pairs));
}

TEST(RunGroups, AreNamedByAsManySettingsAsItTakes)
{
    std::vector<NamedRun> runs{MakeGroupedRun("0", 1, 0.8),
                               MakeGroupedRun("0.1", 1, 0.6),
                               MakeGroupedRun("0", 1, 0.9),
                               MakeGroupedRun("0", 1, 0.7)};
    runs[2].results.attributes["ns3::dlearn::X::Y"] = "5";
    runs[3].results.program = "dlearn-other";
    NameByDifferences(runs);
    std::vector<std::string> names;
    for (const NamedRun& run : runs)
    {
        names.push_back(run.name);
    }
    EXPECT_EQ(names,
              (std::vector<std::string>{"program=dlearn-demo loss=0",
                                        "program=dlearn-demo loss=0.1",
                                        "program=dlearn-demo loss=0 Y=5",
                                        "program=dlearn-other loss=0"}));
}

TEST(RunGroups, AttributesOfOneNameKeepThatOfTheirType)
{
    std::vector<NamedRun> runs{MakeGroupedRun("0", 1, 0.8),
                               MakeGroupedRun("0", 1, 0.8),
                               MakeGroupedRun("0", 2, 0.8)};
    runs[0].results.attributes["ns3::TcpSocket::RcvBufSize"] = "65536";
    runs[1].results.attributes["ns3::UdpSocket::RcvBufSize"] = "65536";
    NameByDifferences(runs);
    EXPECT_EQ(GroupRuns(runs).size(), 3U);
    EXPECT_EQ(runs[0].name, "ns3::TcpSocket::RcvBufSize=65536");
    EXPECT_EQ(runs[1].name, "ns3::UdpSocket::RcvBufSize=65536");
    EXPECT_EQ(runs[2].name, "defaults");
}

TEST(RunGroups, OfTheSameSettingsAreNamedAfterTheProgram)
{
    std::vector<NamedRun> runs{MakeGroupedRun("0", 1, 0.8), MakeGroupedRun("0", 2, 0.8)};
    NameByDifferences(runs);
    EXPECT_EQ(runs[0].name, "dlearn-demo");
    EXPECT_EQ(GroupRuns(runs).size(), 1U);
}

TEST(RunGroups, AreTheSameWhateverARunWritesAndHowManyThreadsItHas)
{
    std::vector<NamedRun> runs{MakeGroupedRun("0", 1, 0.8), MakeGroupedRun("0", 2, 0.8)};
    for (const char* option : {"out",
                               "threads",
                               "transcript",
                               "netanim",
                               "checkpoint-every",
                               "compare",
                               "mpi",
                               "partition-of-ranks"})
    {
        runs[0].results.parameters.emplace_back(option, "1");
        runs[1].results.parameters.emplace_back(option, "2");
    }
    NameByDifferences(runs);
    EXPECT_EQ(GroupRuns(runs).size(), 1U);
}

TEST(RunGroups, HaveNoRunTwice)
{
    ExpectRefused(
        [] {
            GroupRuns({MakeGroupedRun("0", 7, 0.8), MakeGroupedRun("0", 7, 0.8)});
        },
        "a run is there twice: RngSeed 3, RngRun 7");
}

/** @return asynchronous peers: learner 0 closes round k after k + 1 s, learner 1 ten times as late,
 *          and only rounds 0 and 1 */
NamedRun
MakeRunWithASlowLearner()
{
    NamedRun run{"slow", MakeResults(2, 4)};
    auto& rows = run.results.rows;
    for (auto& row : rows)
    {
        row.record.closed = Seconds((row.record.round + 1) * (row.record.node == 0 ? 1 : 10));
    }
    rows.erase(std::remove_if(
                   rows.begin(),
                   rows.end(),
                   [](const auto& row) { return row.record.node == 1 && row.record.round > 1; }),
               rows.end());
    return run; // rounds end after 10, 20, 3 and 4 s, with a loss of 1 / (round + 1)
}

TEST(Target, IsReachedInTheRoundThatEndsFirst)
{
    const auto group = GroupRuns({MakeRunWithASlowLearner()}).front();
    const TargetCost cost = FindCost(group, {"loss", 0.5});
    EXPECT_EQ(cost.seconds.GetMean(), 3);
    EXPECT_EQ(cost.rounds.GetMean(), 2);
    EXPECT_EQ(cost.bytes.GetMean(), 3 * 200) << "of learner 0 alone";
    EXPECT_EQ(FindCost(group, {"loss", 0.3}).seconds.GetMean(), 4);
}

TEST(EvaluatedRounds, EndWithAllThatTheRunHasTaken)
{
    const auto rounds = FindEvaluatedRounds(MakeRunWithASlowLearner().results);
    const EvaluatedRound end = GetEnd(rounds);
    EXPECT_EQ(end.round, 3U);
    EXPECT_EQ(end.learners, 1U);
    EXPECT_EQ(end.metrics.at("loss").GetMean(), 0.25);
    EXPECT_EQ(end.time, Seconds(20));
    EXPECT_EQ(end.txBytes, 6U * 200);
    EXPECT_EQ(end.epsilon, 0.5 * 4) << "of round 3, more than 1.25 of learner 1";
    EXPECT_EQ(rounds.back().time, Seconds(4));
    ExpectRefused([] { GetEnd({}); }, "GetEnd: there must be rounds, got none");
}

TEST(Target, CostsWhatTheFirstRoundThatReachesItHasCost)
{
    // Accuracies 0.2, 0.4, 0.6, 0.8 and 0.15, 0.3, 0.45, 0.6; rounds end 0.1 s apart.
    auto runs = std::vector<NamedRun>{MakeGroupedRun("0", 1, 0.8), MakeGroupedRun("0", 2, 0.6)};
    const auto group = GroupRuns(runs).front();
    const TargetCost cost = FindCost(group, Target::Parse("accuracy:0.6"));
    EXPECT_EQ(cost.reached, 2U);
    EXPECT_EQ(cost.rounds.low, 2);
    EXPECT_EQ(cost.rounds.high, 3);
    EXPECT_NEAR(cost.seconds.GetMean(), (0.301 + 0.401) / 2, 1e-12);
    EXPECT_EQ(cost.bytes.low, 3 * 2 * 200);
    EXPECT_EQ(cost.epsilon.high, 0.5 * 4 + 0.25); // of learner 1
    EXPECT_EQ(FindCost(group, {"accuracy", 0.7}).reached, 1U);
    EXPECT_EQ(FindCost(group, {"loss", 0.5}).rounds.GetMean(), 1); // 1 / (round + 1)
    EXPECT_EQ(FindCommonTarget({group})->value, 0.6);
    EXPECT_FALSE(FindCommonTarget(GroupRuns({MakeGroupedRun("0", 1, 0.4)})));
    for (const std::string text : {"accuracy", "accuracy:", "accuracy:high", "speed:1", "a:b:c"})
    {
        ExpectRefused([&] { Target::Parse(text); },
                      "target must be METRIC:VALUE with one of loss, accuracy, error, consensus, "
                      "regret, such as accuracy:0.9; got '" +
                          text + "'");
    }
    ExpectRefused([&] { Target::Parse("accuracy:90"); },
                  "target: accuracy is a fraction and must be in [0, 1], got 90");
}

} // namespace

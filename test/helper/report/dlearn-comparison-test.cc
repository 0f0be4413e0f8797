/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-page-check.h"
#include "dlearn-results-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-comparison.h"
#include "ns3/dlearn-evaluated-rounds.h"
#include "ns3/dlearn-results-reader.h"
#include "ns3/dlearn-results-writer.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

/** @return a run with some accuracy in all rounds */
NamedRun
MakeRun(const std::string& name, uint64_t run, double accuracy)
{
    NamedRun named{name, MakeResults(2, 3)};
    named.results.run = run;
    named.results.parameters = {{"network", name}, {"rounds", "3"}};
    for (auto& row : named.results.rows)
    {
        row.evaluation->accuracy = accuracy;
    }
    return named;
}

TEST(Comparison, HasBandsDifferencesCostsAndTest)
{
    const std::vector<NamedRun> runs{MakeRun("ideal", 1, 0.9),
                                     MakeRun("ideal", 2, 0.8),
                                     MakeRun("wifi", 1, 0.8),
                                     MakeRun("wifi", 2, 0.6)};
    const auto html = MakeComparison(runs, Target{"accuracy", 0.8});
    EXPECT_EQ(html, MakeComparison(runs, Target{"accuracy", 0.8}));
    const Json page = ReadPage(html);
    EXPECT_EQ(page["title"], "Comparison of 4 runs");
    EXPECT_EQ(page["subtitle"], "2 configurations");
    EXPECT_EQ(page["sentence"],
              "The best mean accuracy at the end is 0.85, of ideal. By a paired t-test its "
              "difference from wifi (p = 0.2048, 2 pairs) may be chance.");
    EXPECT_EQ(FindPart(page, "Settings that differ")["rows"],
              (Json::array({Json::array({"network", "ideal", "wifi"})})));
    const Json cost = FindPart(page, "Cost of accuracy 0.8");
    EXPECT_EQ(cost["rows"][0][2], "2 of 2");
    EXPECT_EQ(cost["rows"][1][2], "1 of 2");
    // Of 0.9 and 0.8, and of 0.8 and 0.6, with t = 12.7062 of one degree of freedom.
    const Json last = FindPart(page, "At the last evaluated round")["rows"];
    EXPECT_EQ(last[2],
              Json::parse(R"(["accuracy", "ideal", "2", "0.85", "0.07071", "0.2147 to 1.485", "0.8",
                              "0.9"])"));
    EXPECT_EQ(last[3],
              Json::parse(R"(["accuracy", "wifi", "2", "0.7", "0.1414", "-0.5706 to 1.971", "0.6",
                              "0.8"])"));
    // Differences -0.1 and -0.2: t = -3 with one degree of freedom, p = 0.2048 (law of Cauchy).
    const Json test = FindPart(page, "Difference in the last accuracy from ideal");
    EXPECT_EQ(test["rows"][0][1], "2");
    EXPECT_EQ(test["rows"][0][2], "-0.15");
    EXPECT_EQ(test["rows"][0][4], "0.205");
    const Json curve = FindPart(page, "Accuracy")["axes"]["rounds"]["curves"][1];
    EXPECT_EQ(curve[1][0], 0.7);
    EXPECT_EQ(curve[2][0], 0.6);
    EXPECT_EQ(curve[3][0], 0.8);
    for (const auto& [band, low] :
         {std::pair(Band::DEVIATION, 0.558579), std::pair(Band::INTERVAL, -0.570620)})
    {
        const Json other = ReadPage(MakeComparison(runs, std::nullopt, band));
        EXPECT_NEAR(FindPart(other, "Accuracy")["axes"]["rounds"]["curves"][1][2][0], low, 1e-5);
    }
}

TEST(Comparison, IsATextForATerminal)
{
    const std::vector<NamedRun> runs{MakeRun("ideal", 1, 0.9),
                                     MakeRun("ideal", 2, 0.8),
                                     MakeRun("wifi", 1, 0.8),
                                     MakeRun("wifi", 2, 0.6)};
    const std::string text = MakeComparisonText(runs, Target{"accuracy", 0.8});
    EXPECT_EQ(text.find("The best mean accuracy at the end is 0.85, of ideal. "), 0U);
    EXPECT_NE(text.find("\nSettings that differ\n"
                        "  setting  ideal  wifi\n"
                        "  network  ideal  wifi\n\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("\n  figure              runs of  reached by  mean"), std::string::npos)
        << text;
    EXPECT_NE(text.find("\n  time (s)            wifi     1 of 2      "), std::string::npos)
        << text;
    EXPECT_EQ(text.find(" \n"), std::string::npos) << text;
    EXPECT_NE(text.find("\n\nA difference with a p below 0.05 is unlikely to be chance.\n"),
              std::string::npos)
        << text;
}

// Learners of one run compute for 2 ms of rounds of 10 ms, those of another one for 4 ms.
TEST(Comparison, SaysWhereTheTimeGoes)
{
    auto slow = MakeRun("slow", 1, 0.9);
    auto fast = MakeRun("fast", 1, 0.9);
    for (auto* run : {&slow, &fast})
    {
        for (auto& row : run->results.rows)
        {
            row.record.duration = MilliSeconds(10);
            row.record.closed = MilliSeconds(10 * (row.record.round + 1));
            row.record.compute = MilliSeconds(run == &slow ? 4 : 2);
        }
    }
    for (auto& row : slow.results.rows)
    {
        row.phases = {0.001, 0.002, 0, 0.003 + 0.001 * row.record.node};
    }
    const Json page = ReadPage(MakeComparison({slow, fast}, std::nullopt));
    // Each row adds up: without phases the rest of the time is one part.
    const Json times =
        FindPart(page, "Where the time of a round goes, in seconds: mean over rounds and learners");
    EXPECT_EQ(times["columns"].back(), "in all");
    EXPECT_EQ(
        times["rows"],
        Json::parse(R"([["slow", "peer", "0.004", "0.001", "0.002", "0", "0.0035", "", "0.0105"],
                              ["fast", "peer", "0.002", "", "", "", "", "0.008", "0.01"]])"));
    // Of several runs the parts of a group stand below one another.
    auto slower = slow;
    slower.results.run = 2;
    for (auto& row : slower.results.rows)
    {
        row.record.compute = MilliSeconds(6);
    }
    const Json several =
        FindPart(ReadPage(MakeComparison({slow, slower})), "Where the time")["rows"];
    ASSERT_EQ(several.size(), 6U);
    EXPECT_EQ(several[0], Json::parse(R"(["slow", "peer", "computing", "0.005", "0.001414",
                              "-0.007706 to 0.01771", "0.004", "0.006"])"));
    EXPECT_EQ(several[5][2], "in all");
    EXPECT_EQ(several[5][3], "0.0115");
}

// Node 0 spends 1 J in a round, node 1 spends 2 J; the energy of wifi is not known.
TEST(Comparison, HasJoulesWhereTheyAreMeasured)
{
    auto ideal = MakeRun("ideal", 1, 0.9);
    for (auto& row : ideal.results.rows)
    {
        row.energy = 1 + row.record.node;
        row.evaluation->accuracy = 0.3 * (1 + row.record.round);
    }
    const auto wifi = MakeRun("wifi", 1, 0.8);
    const Json page = ReadPage(MakeComparison({ideal, wifi}, Target{"accuracy", 0.5}));
    const Json cost = FindPart(page, "Cost of accuracy 0.5");
    EXPECT_EQ(cost["columns"][5], "energy (J)");
    EXPECT_EQ(cost["rows"][0][5], "6");
    EXPECT_EQ(cost["rows"][1][5], "");
    const Json last = FindPart(page, "At the last evaluated round");
    const Json titles = last["columns"];
    const auto column = std::find(titles.begin(), titles.end(), "energy (J)") - titles.begin();
    EXPECT_EQ(last["rows"][0][column], "9");
    const Json curves = FindPart(page, "Accuracy")["axes"]["joules"]["curves"];
    EXPECT_EQ(curves[0][0], (Json::array({3.0, 6.0, 9.0})));
    EXPECT_EQ(curves[1][0], Json::array());
    const Json plain = ReadPage(MakeComparison({wifi}, Target{"accuracy", 0.5}));
    EXPECT_FALSE(FindPart(plain, "Accuracy")["axes"].contains("joules"));
    EXPECT_EQ(FindPart(plain, "Cost of accuracy 0.5")["columns"].size(), 6U);
}

// Runs of a group whose rounds end at different times, the second run's 50 ms after the first
// one's.
TEST(Comparison, DrawsAnEpsilonThatIsNeverTooLow)
{
    auto first = MakeRun("ideal", 1, 0.9);
    auto second = MakeRun("ideal", 2, 0.9);
    for (auto& row : second.results.rows)
    {
        row.record.closed += MilliSeconds(50);
        row.record.epsilon *= 10;
    }
    const auto html = MakeComparison({first, second}, std::nullopt);
    const Json page = ReadPage(html);
    EXPECT_EQ(CountOf(html, "it is drawn as high as at the second of them"), 1U);
    EXPECT_EQ(FindPart(page, "Accuracy")["jumps"], false);
    const Json part = FindPart(page, "Epsilon spent");
    EXPECT_EQ(part["jumps"], true);
    const Json curve = part["axes"]["time"]["curves"][0];
    const auto rounds = FindEvaluatedRounds(first.results);
    const auto others = FindEvaluatedRounds(second.results);
    ASSERT_EQ(curve[0].size(), 4U); // from the second run's first round to the first one's last
    EXPECT_EQ(curve[0][0], others[0].time.GetSeconds());
    EXPECT_EQ(curve[1][0], (rounds[1].epsilon + others[0].epsilon) / 2);
    EXPECT_EQ(curve[1][1], (rounds[1].epsilon + others[1].epsilon) / 2);
    EXPECT_EQ(curve[1][2], (rounds[2].epsilon + others[1].epsilon) / 2);
    EXPECT_EQ(curve[1][3], (rounds[2].epsilon + others[2].epsilon) / 2);
}

// What all nodes had spent when a round ended is more than what their rows say.
TEST(Comparison, HasTheJoulesOfTheEndOfARound)
{
    TemporaryDirectory directory;
    auto run = MakeRun("ideal", 1, 0.9);
    for (auto& row : run.results.rows)
    {
        row.energy = 1;
        row.evaluation->accuracy = 0.3 * (1 + row.record.round);
        run.results.resources[row.record.round] = {0, 0, 2.5 * (1 + row.record.round)};
    }
    WriteResults(directory.GetPath("run"), run.results);
    for (const auto& results : {run.results, ReadResults(directory.GetPath("run"))})
    {
        const Json page = ReadPage(MakeComparison({{"ideal", results}}, Target{"accuracy", 0.5}));
        EXPECT_EQ(FindPart(page, "Cost of accuracy 0.5")["rows"][0][5], "5");
        EXPECT_EQ(FindPart(page, "Accuracy")["axes"]["joules"]["curves"][0][0],
                  (Json::array({2.5, 5.0, 7.5})));
    }
}

// The last round is not evaluated, and costs privacy nevertheless: 1.25 before it, 1.75 after it.
TEST(Comparison, HasTheEpsilonOfTheWholeRun)
{
    auto run = MakeRun("ideal", 1, 0.9);
    for (auto& row : run.results.rows)
    {
        if (row.record.round == 2)
        {
            row.evaluation.reset();
        }
    }
    const Json last = FindPart(ReadPage(MakeComparison({run})), "At the last evaluated round");
    const Json titles = last["columns"];
    const auto column =
        std::find(titles.begin(), titles.end(), "epsilon of the whole run") - titles.begin();
    EXPECT_EQ(last["rows"][0][column], "1.75");
}

// Of the two runs without privacy the one is chosen that differs less from the private one.
TEST(Comparison, SaysWhatElseDiffersWherePrivacyCosts)
{
    auto far = MakeRun("far", 1, 0.95);
    auto plain = MakeRun("plain", 1, 0.9);
    for (auto* run : {&far, &plain})
    {
        run->results.parameters = {{"network", "p2p"},
                                   {"target-epsilon", "27.8"},
                                   {"threat-model", "none"}};
        run->results.withoutEffect = {"target-epsilon"};
        for (auto& row : run->results.rows)
        {
            row.record.epsilon = std::numeric_limits<double>::quiet_NaN();
        }
    }
    far.results.parameters.emplace_back("rounds", "9");
    auto noisy = MakeRun("noisy", 1, 0.6);
    noisy.results.parameters = {{"network", "p2p"},
                                {"target-epsilon", "8"},
                                {"threat-model", "cdp"}};
    const auto read = [&] {
        return FindPart(ReadPage(MakeComparison({far, plain, noisy})),
                        "What privacy costs")["rows"];
    };
    EXPECT_EQ(read(), Json::parse(R"([["noisy", "plain", "nothing else", "1.75", "0.6", "0.9"]])"));
    noisy.results.parameters.emplace_back("delta", "1e-5"); // as it would be with an effect
    plain.results.parameters.emplace_back("delta", "1e-5");
    plain.results.withoutEffect.insert("delta");
    const Json both = ReadPage(MakeComparison({plain, noisy}));
    EXPECT_EQ(FindPart(both, "Settings that differ")["rows"],
              Json::parse(R"([["threat-model", "none", "cdp"], ["target-epsilon", "-", "8"]])"));
    noisy.results.parameters.emplace_back("step-size", "8");
    EXPECT_EQ(read(), Json::parse(R"([["noisy", "plain", "step-size", "1.75", "0.6", "0.9"]])"));
    const Json page = ReadPage(MakeComparison({far, plain}));
    EXPECT_EQ(FindPart(page, "Settings that differ")["rows"],
              Json::parse(R"([["rounds", "9", "-"]])"))
        << "an epsilon without effect is no difference";
}

TEST(Comparison, SaysWhyThereIsNoTest)
{
    const Json one = ReadPage(MakeComparison({MakeRun("ideal", 1, 0.9), MakeRun("wifi", 2, 0.8)}));
    const Json rows = FindPart(one, "Difference in the last accuracy")["rows"];
    EXPECT_EQ(rows[0].back(), "no test: 0 pairs of the same seed");
    const Json same = ReadPage(MakeComparison({MakeRun("ideal", 1, 0.9),
                                               MakeRun("ideal", 2, 0.8),
                                               MakeRun("wifi", 1, 0.9),
                                               MakeRun("wifi", 2, 0.8)}));
    EXPECT_EQ(FindPart(same, "Difference in the last accuracy")["rows"][0].back(),
              "no test: the same difference in all pairs");
    EXPECT_EQ(same["sentence"], "The best mean accuracy at the end is 0.85, of all.");
    ExpectRefused([] { MakeComparison({}); }, "a comparison needs at least one run");
}

// Of 20 pairs with a difference of 0.1 +- 0.2, p is between 0.05 / 2 and 0.05: enough for one test.
TEST(Comparison, DoubtsMoreWhereThereAreMoreTests)
{
    std::vector<NamedRun> runs;
    for (uint64_t run = 1; run <= 20; ++run)
    {
        runs.push_back(MakeRun("ideal", run, 0.8));
        runs.push_back(MakeRun("wifi", run, 0.7 + (run % 2 == 0 ? 0.2 : -0.2)));
    }
    const std::string two = ReadPage(MakeComparison(runs))["sentence"];
    EXPECT_EQ(two, "The best mean accuracy at the end is 0.8, of ideal.");
    runs.push_back(MakeRun("lte", 1, 0.1));
    const std::string three = ReadPage(MakeComparison(runs))["sentence"];
    EXPECT_NE(three.find("its difference from wifi (p = 0.04"), std::string::npos) << three;
    EXPECT_NE(three.find("too few runs of the same seeds to tell its difference from lte from "
                         "chance."),
              std::string::npos)
        << three;
}

TEST(Comparison, SaysWhatCannotBeCompared)
{
    auto digits = MakeRun("ideal", 1, 0.9);
    digits.results.parameters.emplace_back("data", "glyphs");
    auto numbers = MakeRun("wifi", 1, std::numeric_limits<double>::quiet_NaN());
    numbers.results.parameters.emplace_back("data", "linear-gaussian");
    const std::string sentence = ReadPage(MakeComparison({digits, numbers}))["sentence"];
    EXPECT_NE(sentence.find(" The runs differ in data, so that they learn different things. There "
                            "is no accuracy of wifi."),
              std::string::npos)
        << sentence;
}

TEST(Comparison, SaysOverHowManyLearnersTheLastMeansAre)
{
    auto run = MakeRun("ideal", 1, 0.9);
    run.results.rows.pop_back();
    EXPECT_EQ(ReadPage(MakeComparison({run}))["warnings"][0]["text"],
              "at the end of ideal (RngRun 1) 1 of 2 learners are left, over which its last means "
              "are");
}

TEST(Comparison, WarnsOfRunsThatAreNotComplete)
{
    auto run = MakeRun("ideal", 1, 0.9);
    run.results.status = "interrupted";
    const Json page = ReadPage(MakeComparison({run}));
    EXPECT_EQ(page["warnings"][0]["text"],
              "1 of 1 runs is not complete and left out of means, costs and tests");
    EXPECT_EQ(page["warnings"][1]["text"],
              "a run of ideal (RngRun 1) is not complete: interrupted");
    EXPECT_EQ(page["sentence"], "No run is complete.");
    EXPECT_EQ(ReadPage(MakeComparison({MakeRun("ideal", 1, 0.9)}))["warnings"], Json::array());
}

TEST(Comparison, NamesTheRunsThatWarned)
{
    auto first = MakeRun("wifi", 1, 0.9);
    auto second = MakeRun("wifi", 2, 0.8);
    first.results.warnings = {"learner 3 is down", "the graph is not connected"};
    second.results.warnings = {"learner 4 is down"};
    const Json page = ReadPage(MakeComparison({MakeRun("ideal", 1, 0.9), first, second}));
    EXPECT_EQ(page["warnings"], Json::parse(R"([
        {"text": "wifi: learner 3 is down", "more": ["wifi: learner 4 is down"]},
        {"text": "wifi: the graph is not connected", "more": []}])"));
}

TEST(Comparison, IsOfCompleteRunsOnly)
{
    auto failed = MakeRun("ideal", 3, 0.1);
    failed.results.status = "failed";
    failed.results.rows.resize(2); // of the first round
    const std::vector<NamedRun> runs{MakeRun("ideal", 1, 0.9),
                                     MakeRun("ideal", 2, 0.7),
                                     failed,
                                     MakeRun("wifi", 1, 0.6),
                                     MakeRun("wifi", 2, 0.5),
                                     MakeRun("wifi", 3, 0.5)};
    const Json page = ReadPage(MakeComparison(runs));
    EXPECT_EQ(page["warnings"][0]["text"],
              "1 of 6 runs is not complete and left out of means, costs and tests");
    EXPECT_EQ(page["sentence"].get<std::string>().find(
                  "The best mean accuracy at the end is 0.8, of ideal."),
              0U)
        << page["sentence"];
    const Json last = FindPart(page, "At the last evaluated round")["rows"];
    EXPECT_EQ(last[0][2], "2 (1 left out)");
    EXPECT_EQ(last[1][2], "3");
    // The highest accuracy that all complete runs reach.
    const Json cost = FindPart(page, "Cost of accuracy 0.5")["rows"];
    EXPECT_EQ(cost[0][2], "2 of 2 (1 left out)");
    EXPECT_EQ(FindPart(page, "Difference in the last accuracy")["rows"][0][1], "2");
    const Json curve = FindPart(page, "Accuracy")["axes"]["rounds"]["curves"][0];
    EXPECT_EQ(curve[0].size(), 3U) << "the failed run does not end the band";
    EXPECT_EQ(curve[2][0], 0.7);
}

} // namespace

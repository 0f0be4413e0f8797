/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-results-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-rounds-csv.h"
#include "ns3/dlearn-types.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

constexpr double NAN_NUMBER = std::numeric_limits<double>::quiet_NaN();

const std::string HEADER =
    "time_s,round,node,role,loss,accuracy,error,consensus,epsilon,epsilon_nominal,expected,"
    "received,late,lost,rejected,tx_bytes,rx_bytes,compute_s,round_s\n";

/** @return a row with a different value in each column */
ResultRow
MakeRow()
{
    ResultRow row;
    row.record.closed = MilliSeconds(1250);
    row.record.round = 7;
    row.record.node = 3;
    row.record.epsilon = 0.1 + 0.2;
    row.record.epsilonNominal = 0.3;
    row.record.expected = 9;
    row.record.received = 5;
    row.record.used = 4;
    row.record.rejected = 1;
    row.record.late = 3;
    row.record.lost = 1;
    row.record.txBytes = 12345678901234;
    row.record.rxBytes = 42;
    row.record.compute = MicroSeconds(1500);
    row.record.duration = NanoSeconds(250000001);
    row.role = "server";
    row.evaluation = Evaluation{0.5, 0.75, 1e-9, 1.0 / 3};
    return row;
}

/** @return summary.json, read back */
nlohmann::json
WriteSummary(const RunResults& results)
{
    return nlohmann::json::parse(*MakeResultsFiles(results)["summary.json"]);
}

TEST(ResultsWriter, CsvHasTheAgreedColumns)
{
    EXPECT_EQ(MakeRoundsCsv({}), HEADER);
    EXPECT_EQ(MakeRoundsCsv({MakeRow()}),
              HEADER + "1.25,7,3,server,0.5,0.75,1e-09,0.3333333333333333,0.30000000000000004,0.3,"
                       "9,5,3,1,1,12345678901234,42,0.0015,0.250000001\n");
}

TEST(ResultsWriter, OnlineLearnersHaveOneMoreColumn)
{
    auto online = MakeRow();
    online.phases.queue = online.phases.air = online.phases.again = online.phases.wait = 0.5;
    online.evaluation->regret = 0.125;
    auto other = MakeRow();
    other.record.node = 4;
    const std::string text = MakeRoundsCsv({online, other});
    EXPECT_EQ(text.substr(0, text.find('\n') + 1),
              HEADER.substr(0, HEADER.size() - 1) +
                  ",queue_s,air_s,retransmission_s,wait_s,regret\n");
    EXPECT_NE(text.find("0.250000001,0.5,0.5,0.5,0.5,0.125\n"), std::string::npos);
    EXPECT_NE(text.find("0.250000001,,,,,\n"), std::string::npos);

    auto results = MakeResults(2, 1);
    EXPECT_FALSE(WriteSummary(results)["final"].contains("regret"));
    EXPECT_EQ(MakeResultsFiles(results)["results.jsonl"]->find("regret"), std::string::npos);
    results.rows[0].evaluation->regret = 1;
    results.rows[1].evaluation->regret = 2;
    EXPECT_EQ(WriteSummary(results)["final"]["regret"], 1.5);
    const auto line = nlohmann::json::parse(*MakeResultsFiles(results)["results.jsonl"]);
    EXPECT_EQ(line["regret"], 1.5);
    EXPECT_EQ(line["regret_low"], 1);
    EXPECT_EQ(line["regret_high"], 2);
}

TEST(ResultsWriter, CsvLeavesEmptyWhatDoesNotApply)
{
    auto unevaluated = MakeRow();
    unevaluated.evaluation.reset();
    unevaluated.record.epsilon = INFINITE;
    unevaluated.record.epsilonNominal = NAN_NUMBER;
    auto regression = MakeRow();
    regression.record.closed = Seconds(2);
    regression.evaluation->accuracy = NAN_NUMBER;
    regression.evaluation->loss = INFINITE;
    EXPECT_EQ(MakeRoundsCsv({unevaluated, regression}),
              HEADER + "1.25,7,3,server,,,,,inf,,9,5,3,1,1,12345678901234,42,0.0015,0.250000001\n"
                       "2,7,3,server,inf,,1e-09,0.3333333333333333,0.30000000000000004,0.3,"
                       "9,5,3,1,1,12345678901234,42,0.0015,0.250000001\n");
}

TEST(ResultsWriter, CsvIsSortedByTimeThenNode)
{
    std::vector<ResultRow> rows;
    for (auto [milliSeconds, node] :
         std::vector<std::pair<int, LearnerId>>{{30, 0}, {10, 2}, {20, 1}, {10, 1}, {9, 11}})
    {
        ResultRow row;
        row.record.closed = MilliSeconds(milliSeconds);
        row.record.node = node;
        rows.push_back(row);
    }
    const auto text = MakeRoundsCsv(rows);
    const std::string zeros = ",peer,,,,,,,0,0,0,0,0,0,0,0,0\n";
    EXPECT_EQ(text,
              HEADER + "0.009,0,11" + zeros + "0.01,0,1" + zeros + "0.01,0,2" + zeros + "0.02,0,1" +
                  zeros + "0.03,0,0" + zeros);
    std::reverse(rows.begin(), rows.end());
    EXPECT_EQ(MakeRoundsCsv(rows), text);
}

TEST(ResultsWriter, SummaryReadsBack)
{
    auto results = MakeResults(3, 4);
    results.parameters = {{"zeta", "1"}, {"alpha", "two \"quoted\""}};
    results.withoutEffect = {"zeta"};
    results.attributes = {{"ns3::dlearn::X::Y", "5"}};
    results.warnings = {"first", "second"};
    results.totals = {{"sent_packets", 77}};
    results.figures = {{"some_figure", 0.25}, {"diverged", INFINITE}};
    results.wallSeconds = 2;
    results.events = 1700;
    const auto json = WriteSummary(results);

    EXPECT_EQ(json["program"], "dlearn-demo");
    EXPECT_FALSE(json["dlearn_version"].get<std::string>().empty());
    EXPECT_FALSE(json["ns3_version"].get<std::string>().empty());
    EXPECT_EQ(json["seed"], 3);
    EXPECT_EQ(json["run"], 4);
    EXPECT_EQ(json["parameters"]["alpha"], "two \"quoted\"");
    EXPECT_EQ(json["without_effect"], (std::vector<std::string>{"zeta"}));
    EXPECT_EQ(json["attributes"]["ns3::dlearn::X::Y"], "5");
    EXPECT_EQ(json["warnings"], (std::vector<std::string>{"first", "second"}));
    EXPECT_EQ(json["simulated_s"], 0.4);
    EXPECT_EQ(json["wall_s"], 2);
    EXPECT_EQ(json["events"], 1700);
    EXPECT_EQ(json["events_per_wall_s"], 850);

    // 3 nodes x 4 rounds x 2 messages; node 1 lost one in rounds 1 and 3.
    const auto& totals = json["totals"];
    EXPECT_EQ(totals["nodes"], 3);
    EXPECT_EQ(totals["closed_rounds"], 12);
    EXPECT_EQ(totals["expected"], 24);
    EXPECT_EQ(totals["received"], 22);
    EXPECT_EQ(totals["used"], 22);
    EXPECT_EQ(totals["rejected"], 0);
    EXPECT_EQ(totals["late"], 0);
    EXPECT_EQ(totals["lost"], 2);
    EXPECT_EQ(totals["tx_bytes"], 2400);
    EXPECT_EQ(totals["rx_bytes"], 2200);
    EXPECT_EQ(totals["sent_packets"], 77);
    EXPECT_EQ(json["conserved"], true);
    EXPECT_EQ(json["some_figure"], 0.25);
    EXPECT_TRUE(json["diverged"].is_null());

    const auto& final = json["final"];
    EXPECT_EQ(final["rounds"], 4);
    EXPECT_EQ(final["loss"], 0.25);
    EXPECT_EQ(final["delivered"], 22.0 / 24);
    EXPECT_EQ(final["time_s"], 0.402);
    EXPECT_EQ(final["learners"], 3);
    EXPECT_EQ(final["accuracy"], 0.5);
    EXPECT_EQ(final["error"], 0.5);
    EXPECT_EQ(final["consensus"], 1e-3);
    EXPECT_EQ(final["epsilon_max"], 2.5);
    EXPECT_EQ(final["epsilon"], (nlohmann::json{{"0", 2.0}, {"1", 2.25}, {"2", 2.5}}));
}

// A client whose budget does not allow its first update has an account, but no row.
TEST(ResultsWriter, EpsilonIsAlsoOfNodesWithoutRows)
{
    auto results = MakeResults(1, 1);
    results.rows[0].record.epsilon = NAN_NUMBER;
    EXPECT_TRUE(WriteSummary(results)["final"]["epsilon_max"].is_null());
    results.epsilon = {{1, 0}, {2, 0}};
    const auto final = WriteSummary(results)["final"];
    EXPECT_EQ(final["epsilon_max"], 0);
    EXPECT_EQ(final["epsilon"], (nlohmann::json{{"0", nullptr}, {"1", 0.0}, {"2", 0.0}}));
}

TEST(ResultsWriter, LargestEpsilonIsThatOfHonestLearners)
{
    auto results = MakeResults(3, 1);
    results.epsilon = {{0, 1}, {1, 2}, {2, 4}, {3, 8}};
    results.rows[2].role = "byzantine";
    EXPECT_EQ(WriteSummary(results)["final"]["epsilon_max"], 8);
    results.roles = {"peer", "peer", "byzantine", "byzantine"}; // the last has closed no round
    const auto final = WriteSummary(results)["final"];
    EXPECT_EQ(final["epsilon_max"], 2);
    EXPECT_EQ(final["epsilon"]["2"], 4);
}

TEST(ResultsWriter, FinalMetricsAreOfTheLastEvaluatedRound)
{
    auto results = MakeResults(2, 3);
    results.rows[2].evaluation->loss = 40; // round 1, node 0: its last one
    results.rows[4].evaluation.reset();    // round 2, node 0
    results.rows[5].evaluation->loss = 2;  // round 2, node 1
    results.rows[5].evaluation->error = NAN_NUMBER;
    std::reverse(results.rows.begin(), results.rows.end()); // order must not matter
    const auto final = WriteSummary(results)["final"];
    EXPECT_EQ(final["loss"], 2);
    EXPECT_TRUE(final["error"].is_null());
    EXPECT_EQ(final["learners"], 1);
    EXPECT_EQ(final["time_s"], 0.301);
}

TEST(ResultsWriter, LinesAreOfEvaluatedRounds)
{
    auto results = MakeResults(2, 3);
    results.rows[0].evaluation.reset(); // round 0 was not evaluated
    results.rows[1].evaluation.reset();
    results.rows[0].record.epsilon = 99; // spent in a round that was not evaluated
    results.rows[2].evaluation->accuracy = 0.25;
    results.rows[4].record.epsilon = INFINITE;
    for (const size_t row : {4, 5})
    {
        results.rows[row].record.expected = 0;
        results.rows[row].record.received = 0;
    }
    results.rows[3].evaluation->error = NAN_NUMBER;
    results.rows[2].evaluation->error = NAN_NUMBER;
    std::istringstream lines(*MakeResultsFiles(results)["results.jsonl"]);
    std::string line;
    ASSERT_TRUE(std::getline(lines, line));
    const auto first = nlohmann::json::parse(line);
    EXPECT_EQ(first,
              nlohmann::json::parse(R"({"round": 1, "time_s": 0.201, "learners": 2, "loss": 0.5,
                  "loss_low": 0.5, "loss_high": 0.5, "accuracy": 0.375, "accuracy_low": 0.25,
                  "accuracy_high": 0.5, "consensus": 1e-3, "consensus_low": 1e-3,
                  "consensus_high": 1e-3, "epsilon": 99.0, "epsilon_nominal": 1.0,
                  "delivered": 0.75, "tx_bytes": 800, "rx_bytes": 700})"));
    ASSERT_TRUE(std::getline(lines, line));
    const auto second = nlohmann::json::parse(line);
    EXPECT_EQ(second["epsilon"], "inf");
    EXPECT_FALSE(second.contains("delivered")) << "no message was expected";
    EXPECT_FALSE(std::getline(lines, line));
}

TEST(ResultsWriter, LinesCountWhatClientsSpend)
{
    auto results = MakeResults(2, 2);
    for (auto& row : results.rows)
    {
        row.role = row.record.node == 0 ? "server" : "client";
        row.evaluation = row.record.node == 0 ? row.evaluation : std::nullopt;
        row.record.epsilon = row.record.node == 0 ? NAN_NUMBER : row.record.epsilon;
    }
    std::istringstream lines(*MakeResultsFiles(results)["results.jsonl"]);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(nlohmann::json::parse(line)["epsilon"], 0.75);
    EXPECT_EQ(nlohmann::json::parse(line)["learners"], 1);
    std::getline(lines, line);
    EXPECT_EQ(nlohmann::json::parse(line)["epsilon"], 1.25);
}

TEST(ResultsWriter, SummaryHasNoNumberThatJsonLacks)
{
    auto results = MakeResults(2, 1);
    results.rows[0].evaluation = Evaluation{INFINITE, NAN_NUMBER, NAN_NUMBER, 0};
    results.rows[1].evaluation.reset();
    results.rows[0].record.epsilon = INFINITE;
    results.rows[1].record.epsilon = NAN_NUMBER;
    results.wallSeconds = 0;
    results.warnings = {"not UTF-8: \xff"};
    const auto json = WriteSummary(results);
    EXPECT_EQ(json["final"]["loss"], "inf");
    EXPECT_TRUE(json["final"]["accuracy"].is_null());
    EXPECT_EQ(json["final"]["consensus"], 0);
    EXPECT_EQ(json["final"]["epsilon_max"], "inf");
    EXPECT_EQ(json["final"]["epsilon"]["0"], "inf");
    EXPECT_TRUE(json["final"]["epsilon"]["1"].is_null());
    EXPECT_TRUE(json["events_per_wall_s"].is_null());

    const auto empty = WriteSummary(RunResults());
    EXPECT_EQ(empty["final"]["rounds"], 0);
    EXPECT_TRUE(empty["final"]["epsilon_max"].is_null());
    EXPECT_EQ(empty["final"]["epsilon"], nlohmann::json::object());
}

TEST(ResultsWriter, BrokenConservationIsToldInTheSummary)
{
    auto results = MakeResults(2, 2);
    // The sums still agree: each row must be looked at.
    results.rows[0].record.lost += 1;
    results.rows[1].record.expected += 1;
    EXPECT_EQ(WriteSummary(results)["conserved"], false);
    auto unused = MakeResults(2, 2);
    unused.rows[3].record.used -= 1;
    EXPECT_EQ(WriteSummary(unused)["conserved"], false);
}

TEST(ResultsWriter, EventsHaveTheAgreedColumns)
{
    auto results = MakeResults(1, 1);
    results.timeline = {
        {MilliSeconds(1250), 3, 7, "crashed", ""},
        {NanoSeconds(2000000001), std::nullopt, std::nullopt, "ended-early", "a, b"},
        {Seconds(3), 0, std::nullopt, "isolated", "c"}};
    EXPECT_EQ(MakeResultsFiles(results)["events.csv"],
              "time_s,node,round,event,detail\n"
              "1.25,3,7,crashed,\n"
              "2.000000001,,,ended-early,\"a, b\"\n"
              "3,0,,isolated,c\n");
}

TEST(ResultsWriter, WritesAllFilesIntoANewDirectory)
{
    TemporaryDirectory directory;
    auto results = MakeResults(3, 5);
    const auto one = directory.GetPath("results/demo/one");
    const auto two = directory.GetPath("two");
    WriteResults(one, results);
    results.wallSeconds = 9; // all that may differ between two runs
    WriteResults(two, results);
    for (const std::string name : {"rounds.csv", "results.jsonl", "events.csv", "report.html"})
    {
        EXPECT_EQ(ReadFile(one + "/" + name), ReadFile(two + "/" + name)) << name;
    }
    auto first = nlohmann::json::parse(ReadFile(one + "/summary.json"));
    auto second = nlohmann::json::parse(ReadFile(two + "/summary.json"));
    EXPECT_NE(first, second);
    for (auto* json : {&first, &second})
    {
        json->erase("wall_s");
        json->erase("events_per_wall_s");
    }
    EXPECT_EQ(first, second);
}

} // namespace

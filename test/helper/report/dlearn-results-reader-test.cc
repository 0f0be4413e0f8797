/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-results-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-results-reader.h"
#include "ns3/dlearn-results-writer.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

/** Writes results, and what is damaged in them. */
class ResultsReader : public testing::Test
{
  protected:
    /** Write a run. */
    void Write(const RunResults& results) { WriteResults(m_path, results); }

    /** Replace the first text in a file by another. */
    void Damage(const std::string& name, const std::string& text, const std::string& by)
    {
        const std::string path = m_path + "/" + name;
        std::string all = ReadFile(path);
        const size_t at = all.find(text);
        ASSERT_NE(at, std::string::npos) << text;
        std::ofstream(path, std::ios::binary) << all.replace(at, text.size(), by);
    }

    /** Expect that a damage of a file of a run is refused. */
    void ExpectDamage(const std::string& name,
                      const std::string& text,
                      const std::string& by,
                      const std::string& message)
    {
        Write(MakeResults(2, 2));
        Damage(name, text, by);
        ExpectRefused([this] { ReadResults(m_path); }, m_path + "/" + name + message);
    }

    TemporaryDirectory m_directory;                   //!< of the test
    std::string m_path{m_directory.GetPath("a run")}; //!< of the results
};

TEST_F(ResultsReader, ReadsWhatTheWriterWrites)
{
    auto results = MakeResults(3, 4);
    results.command = "dlearn-demo --loss=0.1";
    results.parameters = {{"zeta", "1"}, {"alpha", "two \"quoted\""}};
    results.withoutEffect = {"zeta"};
    results.attributes = {{"ns3::dlearn::X::Y", "5"}};
    results.globals = {{"RngRun", "4"}};
    results.warnings = {"first"};
    results.rows[2].record.closed = NanoSeconds(123456789012345);
    results.rows[3].evaluation.reset();
    results.rows[4].record.epsilon = std::numeric_limits<double>::infinity();
    results.rows[5].record.received = 9;
    results.rows[5].record.rejected = 7;
    results.rows[5].record.used = 2;
    results.rows[6].role = "byzantine";
    results.epsilon = {{0, 3.5}, {1, std::numeric_limits<double>::infinity()}};
    Write(results);
    const RunResults read = ReadResults(m_path);
    EXPECT_EQ(read.program, results.program);
    EXPECT_EQ(read.command, results.command);
    EXPECT_EQ(read.status, "complete");
    EXPECT_EQ(read.seed, 3U);
    EXPECT_EQ(read.run, 4U);
    EXPECT_EQ(read.parameters, results.parameters);
    EXPECT_EQ(read.withoutEffect, results.withoutEffect);
    EXPECT_EQ(read.attributes, results.attributes);
    EXPECT_EQ(read.globals, results.globals);
    EXPECT_EQ(read.warnings, results.warnings);
    EXPECT_EQ(read.epsilon.at(0), 3.5);
    EXPECT_TRUE(std::isinf(read.epsilon.at(1)));
    EXPECT_EQ(read.simulatedSeconds, results.simulatedSeconds);
    const std::string path = m_directory.GetPath("again.csv");
    WriteRoundsCsv(path, read.rows);
    EXPECT_EQ(ReadFile(path), ReadFile(m_path + "/rounds.csv"));
    EXPECT_EQ(read.rows.back().record.closed, NanoSeconds(123456789012345));
}

TEST_F(ResultsReader, ReadsEnergyWhereItWasMeasured)
{
    RunResults results = MakeResults(2, 2);
    results.rows[0].energy = 0.1;
    results.rows[0].battery = 9.9;
    results.energy = {{0, 0.25}, {1, 0.5}};
    results.battery = {{0, 9.75}};
    Write(results);
    const std::string csv = ReadFile(m_path + "/rounds.csv");
    EXPECT_NE(csv.find(",round_s,energy_j,battery_j\n"), std::string::npos);
    const auto rows = ReadResults(m_path).rows;
    EXPECT_EQ(rows.at(0).energy, 0.1);
    EXPECT_EQ(rows.at(0).battery, 9.9);
    EXPECT_TRUE(std::isnan(rows.at(1).energy));
    const auto summary = nlohmann::json::parse(ReadFile(m_path + "/summary.json"));
    EXPECT_EQ(summary["totals"]["energy_j"], 0.75);
    EXPECT_EQ(summary["final"]["energy_j"]["1"], 0.5);
    EXPECT_EQ(summary["final"]["battery_j"]["0"], 9.75);
    EXPECT_FALSE(summary["final"]["battery_j"].contains("1"));
}

TEST_F(ResultsReader, ReadsTheRegretOfOnlineLearners)
{
    RunResults results = MakeResults(2, 2);
    results.rows[0].evaluation->regret = 0.1;
    results.rows[1].evaluation->regret = std::numeric_limits<double>::infinity();
    Write(results);
    const auto rows = ReadResults(m_path).rows;
    EXPECT_EQ(rows.at(0).evaluation->regret, 0.1);
    EXPECT_TRUE(std::isinf(rows.at(1).evaluation->regret));
    EXPECT_TRUE(std::isnan(rows.at(2).evaluation->regret));
}

TEST_F(ResultsReader, RefusesWhatIsNoResultsDirectory)
{
    ExpectRefused([this] { ReadResults(m_path); }, m_path + ": is not a directory");
    Write(MakeResults(2, 2));
    for (const std::string name : {"rounds.csv", "summary.json"})
    {
        std::filesystem::remove(m_path + "/" + name);
        ExpectRefused([this] { ReadResults(m_path); },
                      m_path + ": is not a results directory: it has no " + name);
    }
}

TEST_F(ResultsReader, RefusesDamagedFiles)
{
    ExpectDamage("summary.json", "{", "", ": is not the summary.json of a run: no JSON object");
    ExpectDamage("summary.json", "\"seed\": 3", "\"sead\": 3", ": no member 'seed'");
    ExpectDamage("summary.json",
                 "\"seed\": 3",
                 "\"seed\": {}",
                 ": member 'seed' must be a whole number of at least 0, got {}");
    ExpectDamage("summary.json",
                 "\"run\": 4",
                 "\"run\": -1",
                 ": member 'run' must be a whole number of at least 0, got -1");
    ExpectDamage("summary.json",
                 "\"run\": 4",
                 "\"run\": 4.5",
                 ": member 'run' must be a whole number of at least 0, got 4.5");
    ExpectDamage("summary.json",
                 "\"closed_rounds\": 4",
                 "\"closed_rounds\": -4",
                 ": 'closed_rounds' of 'totals' must be a whole number of at least 0, got -4");
    ExpectDamage("summary.json",
                 "\"closed_rounds\": 4,",
                 "",
                 ": member 'totals' is damaged: no 'closed_rounds'");
    ExpectDamage("summary.json",
                 "\"parameters\": {}",
                 "\"parameters\": 7",
                 ": member 'parameters' must be an object");
    ExpectDamage("summary.json",
                 "\"parameters\": {}",
                 "\"parameters\": {\"a\": 1}",
                 ": 'a' of 'parameters' must be a text");
    ExpectDamage("summary.json",
                 "\"epsilon\": {",
                 "\"epsilon\": {\"x\": 1,",
                 ": member 'final' is damaged: epsilon of learner x is 1");
    ExpectDamage("results.jsonl",
                 "\"rx_bytes\":",
                 "\"rx_bytes\":-",
                 ":1: rx_bytes must be a whole number of at least 0, got -");
    ExpectDamage("results.jsonl",
                 "\"round\":1,",
                 "\"round\":4294967296,",
                 ":2: round must be at most 4294967295, got 4294967296");
    ExpectDamage("results.jsonl", "\"round\":1,", "\"round\":0,", ":2: round 0 is there twice");
    ExpectDamage("results.jsonl",
                 "\"round\":1,",
                 "\"round\":2,",
                 ": must have a line for each evaluated round of rounds.csv, round 1 has none");
    ExpectDamage("rounds.csv", "accuracy", "acuracy", ":1: no column accuracy");
    ExpectDamage("rounds.csv", "peer,1,", "peer,x,", ":2: 'x' is no value of column loss");
    ExpectDamage("rounds.csv", ",peer,", ",", ":2: must have 19 fields, got 18");
    ExpectDamage("rounds.csv",
                 ",2,2,0,0,0,",
                 ",2,2,0,0,5,",
                 ":2: rejected must not be more than received, got 5");
}

TEST_F(ResultsReader, RefusesAPartOfARun)
{
    const std::string path = m_path + "/rounds.csv";
    Write(MakeResults(2, 2));
    const std::string text = ReadFile(path);
    const size_t last = text.rfind('\n', text.size() - 2) + 1;
    const std::string row = text.substr(last);
    const auto expectPart = [&](const std::string& part, const std::string& message) {
        std::ofstream(path, std::ios::binary) << part;
        ExpectRefused([this] { ReadResults(m_path); }, path + message);
    };
    const std::string count = ": must have as many rows as 'closed_rounds' of summary.json says, ";
    expectPart(text.substr(0, last), count + "4, got 3");
    expectPart(text + "9" + row.substr(row.find(',')), ":6: round 1 of learner 1 is there twice");
    expectPart(text.substr(0, text.size() - 1), ": must end with a line feed");
    expectPart(text.substr(0, text.size() - 2), ": must end with a line feed");
}

// What others do may cost a client privacy in a round that it has closed.
TEST_F(ResultsReader, ReadsTheRowOfAClientInTheEnd)
{
    RunResults results = MakeResults(2, 2);
    for (auto& row : results.rows)
    {
        row.role = "client";
    }
    ResultRow row;
    row.role = "client";
    row.record.node = 1;
    row.record.round = 1;
    row.record.closed = Seconds(1);
    row.record.epsilon = 7;
    results.rows.push_back(row);
    Write(results);
    EXPECT_EQ(ReadResults(m_path).rows.size(), 5U);
}

} // namespace

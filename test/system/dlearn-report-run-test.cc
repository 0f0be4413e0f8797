/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3::dlearn
{
namespace
{

/** A run of peers, of which the one that spends most is switched off. */
class ReportOfARun : public testing::Test
{
  protected:
    ReportOfARun()
    {
        RunSpec spec = LdpOnlinePreset("report");
        spec.learners = 4;
        spec.graph = "complete";
        spec.rounds = 30;
        spec.evaluateEvery = 1;
        spec.noiseExponentStep = 0.3; // learner 0 has the least noise
        spec.dataSamples = 200;
        spec.churn = "crash:0@12ms";
        dlearn::Run run(spec);
        std::ostringstream table;
        m_results = run.Execute(table);
        m_summaries = run.GetSummaries();
    }

    RunResults m_results;                  //!< of the run
    std::vector<RoundSummary> m_summaries; //!< what the program has printed
};

TEST_F(ReportOfARun, SaysTheNumbersOfTheTable)
{
    auto files = MakeResultsFiles(m_results);
    std::istringstream lines(*files["results.jsonl"]);
    std::string line;
    ASSERT_EQ(m_summaries.size(), 30U);
    for (const RoundSummary& summary : m_summaries)
    {
        ASSERT_TRUE(std::getline(lines, line));
        const auto round = nlohmann::json::parse(line);
        EXPECT_EQ(round["round"], summary.round);
        EXPECT_EQ(round["time_s"], summary.time.GetSeconds());
        EXPECT_EQ(round["learners"], summary.learners);
        EXPECT_NEAR(round["loss"], summary.mean.loss, 1e-12);
        EXPECT_NEAR(round["accuracy"], summary.mean.accuracy, 1e-12);
        EXPECT_NEAR(round["error"], summary.mean.error, 1e-12 * summary.mean.error);
        EXPECT_EQ(round["epsilon"], summary.epsilon);
        EXPECT_EQ(round["delivered"], summary.delivered);
    }
    EXPECT_FALSE(std::getline(lines, line));
    const auto final = nlohmann::json::parse(*files["summary.json"])["final"];
    const RoundSummary& last = m_summaries.back();
    EXPECT_EQ(last.learners, 3U);
    EXPECT_EQ(final["learners"], 3);
    EXPECT_EQ(final["time_s"], last.time.GetSeconds());
    EXPECT_NEAR(final["loss"], last.mean.loss, 1e-12);
    EXPECT_NEAR(final["accuracy"], last.mean.accuracy, 1e-12);
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What privacy had cost by the end of each evaluated round, wherever it is told: the table, the
 * lines of results.jsonl, the tile of the report. It is never less than what the
 * rows of rounds.csv tell of the time before.
 */

#include "dlearn-federated-fixture.h"
#include "dlearn-system-fixture.h"

#include "ns3/dlearn-results-summary.h"
#include "ns3/dlearn-results-writer.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

namespace ns3::dlearn
{
namespace
{

/** @return the largest epsilon in rows of honest learners that were closed by a time */
double
FindSpentInRows(const RunResults& results, Time time)
{
    double spent = 0;
    for (const ResultRow& row : results.rows)
    {
        if (row.role != "byzantine" && row.record.closed <= time)
        {
            spent = std::fmax(spent, row.record.epsilon);
        }
    }
    return spent;
}

/** @return results of a run and the rounds that its table had */
std::pair<RunResults, std::vector<RoundSummary>>
Execute(const RunSpec& spec)
{
    dlearn::Run run(spec);
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    return {results, run.GetSummaries()};
}

/** All that tells of a run's evaluated rounds tells the same. */
void
ExpectOneEpsilon(const RunResults& results, const std::vector<RoundSummary>& summaries)
{
    const auto rounds = FindEvaluatedRounds(results);
    ASSERT_EQ(rounds.size(), summaries.size());
    ASSERT_FALSE(rounds.empty());
    std::istringstream lines(*MakeResultsFiles(results)["results.jsonl"]);
    EXPECT_GT(summaries.back().epsilon, 0);
    for (size_t k = 0; k < rounds.size(); ++k)
    {
        EXPECT_EQ(rounds[k].epsilon, summaries[k].epsilon) << k;
        std::string line;
        ASSERT_TRUE(std::getline(lines, line));
        const auto read = nlohmann::json::parse(line);
        EXPECT_EQ(read["epsilon"], summaries[k].epsilon) << k;
        EXPECT_EQ(read["epsilon_nominal"], rounds[k].epsilonNominal) << k;
        EXPECT_GE(rounds[k].epsilon, FindSpentInRows(results, rounds[k].time)) << k;
    }
}

/** @return a federation whose clients take very different times, without lock-step */
RunSpec
Buffered(const std::string& model)
{
    RunSpec spec = FedAvgPreset("spent-epsilon-test");
    spec.data = "generated";
    spec.dataSamples = 1000;
    spec.network = "p2p";
    spec.learners = 5;
    spec.rounds = 30;
    spec.mode = "buffered";
    spec.bufferSize = 3;
    spec.clientFlops = "lognormal:1e7:1.5";
    spec.threatModel = model;
    spec.clip = 1;
    return spec;
}

TEST(SpentEpsilon, OfClientsWithoutLockStep)
{
    for (const char* model : {"ldp", "cdp"})
    {
        SCOPED_TRACE(model);
        const auto [results, summaries] = Execute(Buffered(model));
        ExpectOneEpsilon(results, summaries);
        EXPECT_LE(summaries.back().epsilon, Summarize(results).epsilonMax);
    }
}

TEST(SpentEpsilon, OfClientsWhoseServerComesBack)
{
    RunSpec spec = Buffered("cdp");
    spec.churn = "crash:2@15ms,restart:2@32ms,crash:0@40ms,restart:0@60ms";
    spec.responseTimeout = "100ms";
    const auto [results, summaries] = Execute(spec);
    ExpectOneEpsilon(results, summaries);
}

// Rounds do not go together: a fast learner has spent more by then than one that closes the round.
TEST(SpentEpsilon, OfPeersThatAreAhead)
{
    RunSpec spec = SmallRun("p2p");
    spec.rounds = 60;
    spec.evaluateEvery = 1;
    spec.synchrony = "async";
    spec.clientFlops = "uniform:1e6:1e7";
    const auto [results, summaries] = Execute(spec);
    ExpectOneEpsilon(results, summaries);
    uint32_t ahead = 0;
    for (const RoundSummary& summary : summaries)
    {
        EXPECT_EQ(summary.epsilon, FindSpentInRows(results, summary.time));
        double together = 0;
        for (const ResultRow& row : results.rows)
        {
            together = row.record.round <= summary.round ? std::fmax(together, row.record.epsilon)
                                                         : together;
        }
        ahead += together < summary.epsilon ? 1 : 0;
    }
    EXPECT_GT(ahead, 10U) << "the test must have learners that are ahead";
}

} // namespace
} // namespace ns3::dlearn

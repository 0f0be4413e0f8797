/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SYSTEM_FIXTURE_H
#define DLEARN_SYSTEM_FIXTURE_H

#include "ns3/dlearn-peer-learners.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"

#include <gtest/gtest.h>
#include <sstream>

namespace ns3::dlearn
{

/** A small run over the given network: 5 learners on a ring, noise, uneven labels. */
inline RunSpec
SmallRun(const std::string& network, const std::string& transport = "udp")
{
    RunSpec options = LdpOnlinePreset("system-test");
    options.network = network;
    options.transport = transport;
    options.rounds = 20;
    options.batchSize = 4;
    options.evaluateEvery = 5;
    options.floatBits = 64;
    options.unitNorm = true;
    return options;
}

/** What a run leaves behind, and the models that its learners end with. */
struct Outcome
{
    RunResults results;                  //!< of the run
    std::vector<ModelVector> models;     //!< one a learner
    std::vector<RoundSummary> summaries; //!< evaluated rounds
};

/**
 * Run a scenario to its end. The conservation laws are checked by the run itself, which
 * throws when one is broken, and once more here from the rows.
 *
 * @param options what to run
 * @param customize called with the scenario before it runs
 * @return what is left
 */
inline Outcome
RunToEnd(const RunSpec& options, const std::function<void(dlearn::Run&)>& customize = {})
{
    dlearn::Run scenario(options);
    if (customize)
    {
        customize(scenario);
    }
    std::ostringstream table;
    Outcome outcome;
    const auto learners = scenario.GetPeers();
    std::vector<Ptr<UpdateRule>> rules;
    for (const auto& learner : learners)
    {
        rules.push_back(learner->GetRule());
    }
    outcome.results = scenario.Execute(table);
    outcome.summaries = scenario.GetSummaries();
    for (const auto& rule : rules)
    {
        outcome.models.push_back(rule->GetModel());
    }
    for (const ResultRow& row : outcome.results.rows)
    {
        const RoundRecord& r = row.record;
        EXPECT_EQ(r.expected, r.received + r.late + r.lost) << r.node << " " << r.round;
        EXPECT_EQ(r.received, r.used + r.rejected) << r.node << " " << r.round;
    }
    return outcome;
}

/** @return closed rounds of a learner */
inline uint32_t
CountRows(const RunResults& results, LearnerId node)
{
    uint32_t rows = 0;
    for (const ResultRow& row : results.rows)
    {
        rows += row.record.node == node ? 1 : 0;
    }
    return rows;
}

} // namespace ns3::dlearn

#endif // DLEARN_SYSTEM_FIXTURE_H

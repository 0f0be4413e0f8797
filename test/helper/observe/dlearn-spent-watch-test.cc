/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-short-runs.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace ns3::dlearn
{
namespace
{

/** @return the most that honest peers have spent, by their accounts as they are now */
double
GetSpentNow(const dlearn::Run& run)
{
    double spent = 0;
    for (const auto& peer : run.GetPeers())
    {
        spent = std::max(spent, peer->GetRule()->GetLedger()->GetEpsilon());
    }
    return spent;
}

TEST(SpentWatch, PeersThatAreAheadHaveSpentWhatTheySent)
{
    RunSpec spec = test::ThreePeers();
    spec.learners = 5;
    spec.rounds = 40;
    spec.evaluateEvery = 1;
    spec.loss = 0.1; // those that miss nothing go ahead
    dlearn::Run run(spec);
    std::map<Time, double> live; // when a round was closed
    double closed = 0;           // of all rounds that are closed
    std::map<Time, double> ofClosed;
    for (const auto& peer : run.GetPeers())
    {
        const auto look = [&](const RoundRecord& record) {
            closed = std::max(closed, record.epsilon);
            ofClosed[record.closed] = closed;
            live[record.closed] = GetSpentNow(run);
        };
        peer->TraceConnectWithoutContext("RoundEnd", Callback<void, const RoundRecord&>(look));
    }
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    std::map<uint32_t, Time> ends;
    for (const auto& row : results.rows)
    {
        ends[row.record.round] = std::max(ends[row.record.round], row.record.closed);
    }
    ASSERT_EQ(results.spent.size(), ends.size());
    size_t ahead = 0;
    for (const auto& [round, spent] : results.spent)
    {
        // Messages of the same instant count, too.
        EXPECT_GE(spent.realised, live.at(ends.at(round))) << "round " << round;
        EXPECT_LE(spent.realised, live.rbegin()->second) << "round " << round;
        ahead += live.at(ends.at(round)) > ofClosed.at(ends.at(round)) ? 1 : 0;
    }
    EXPECT_GT(ahead, 10U) << "nobody was ahead, so that this tests nothing";
}

// Learner 0 sends in round 1 and crashes before it closes it: no record has that.
TEST(SpentWatch, WhatWasSentBeforeACrashIsSpent)
{
    RunSpec spec = LdpOnlinePreset("crash");
    spec.network = "p2p";
    spec.rounds = 6;
    spec.evaluateEvery = 1;
    spec.noiseExponentStep = 2;
    spec.churn = "crash:0@3500us";
    dlearn::Run run(spec);
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    const double account = results.epsilon.at(0);
    double records = 0;
    for (const auto& row : results.rows)
    {
        records = std::max(records, row.record.epsilon);
    }
    ASSERT_GT(account, 1.1 * records);
    EXPECT_EQ(results.spent.rbegin()->second.realised, account);
}

} // namespace
} // namespace ns3::dlearn

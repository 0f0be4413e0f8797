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

/** Expect that the rows of each learner show all that its account says. */
void
ExpectShown(const RunResults& results)
{
    std::map<LearnerId, double> shown;
    for (const auto& row : results.rows)
    {
        double& most = shown[row.record.node];
        most = std::max(most, row.record.epsilon);
        EXPECT_EQ(row.record.received + row.record.late + row.record.lost, row.record.expected);
    }
    EXPECT_EQ(shown, results.epsilon);
}

/** @return the most that rounds which were closed have cost */
double
GetClosed(const RunResults& results)
{
    double closed = 0;
    for (const auto& row : results.rows)
    {
        closed = std::max(closed, row.record.expected > 0 ? row.record.epsilon : 0);
    }
    return closed;
}

// Learner 0 sends in round 1 and crashes before it closes it: only one more row has that.
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
    ASSERT_GT(account, 1.1 * GetClosed(results));
    EXPECT_EQ(results.spent.rbegin()->second.realised, account);
    ExpectShown(results);
    const auto last = std::find_if(results.rows.begin(), results.rows.end(), [](const auto& row) {
        return row.record.node == 0 && row.record.expected == 0;
    });
    ASSERT_NE(last, results.rows.end());
    EXPECT_GT(last->record.closed, MilliSeconds(1)) << "it has sent";
    EXPECT_LT(last->record.closed, MicroSeconds(3500));
    EXPECT_EQ(last->record.round, 1U);
    EXPECT_EQ(last->record.txBytes, 0U);
}

// All learners end amid rounds, by what the name says; the links are slow.
TEST(SpentWatch, RowsShowWhatOpenRoundsCost)
{
    RunSpec spec = GradientTrackingPreset("ends");
    spec.network = "p2p";
    spec.rate = "1Mbps";
    spec.rounds = 40;
    spec.dataSamples = 200;
    for (const char* end : {"crash", "first", "restart", "battery", "stop"})
    {
        SCOPED_TRACE(end);
        const std::string name = end;
        spec.churn = name == "first"     ? "crash:1@3ms"
                     : name == "crash"   ? "crash:1@22ms,crash:3@23ms"
                     : name == "restart" ? "crash:1@22ms,restart:1@40ms"
                                         : "";
        const bool energy = name == "battery";
        spec.energy = energy;
        spec.battery = energy ? "2e-3" : "";
        spec.txJoulesPerBit = energy ? "1e-7" : ""; // spent while sending
        spec.rxJoulesPerBit = energy ? "0" : "";
        dlearn::Run run(spec);
        Simulator::Schedule(MilliSeconds(name == "stop" ? 22 : 100000), [] { Simulator::Stop(); });
        std::ostringstream table;
        const RunResults results = run.Execute(table);
        ExpectShown(results);
        const auto& rows = results.rows;
        EXPECT_LT(rows.size(), 200U) << "nobody ended early";
        const auto isOpen = [](const ResultRow& row) { return row.record.expected == 0; };
        EXPECT_EQ(std::any_of(rows.begin(), rows.end(), isOpen), name != "restart");
    }
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "app/dlearn-federation-fixture.h"
#include "app/dlearn-peer-fixture.h"
#include "support/dlearn-short-runs.h"

#include "ns3/dlearn-evaluator.h"
#include "ns3/dlearn-fault-schedule.h"
#include "ns3/dlearn-monitor.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/dlearn-state-archive.h"
#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace ns3::dlearn
{
namespace test
{
namespace
{

/** Writes down whose models it is asked about: "round learner:model". */
class ListingEvaluator : public ModelEvaluator
{
  public:
    explicit ListingEvaluator(Lines& lines)
        : m_lines(lines)
    {
    }

    std::map<LearnerId, Evaluation> Evaluate(
        uint32_t round,
        const std::map<LearnerId, ModelVector>& models) override
    {
        std::map<LearnerId, Evaluation> evaluations;
        std::ostringstream line;
        line << round;
        for (const auto& [learner, model] : models)
        {
            line << " " << learner << ":" << model[0];
            evaluations[learner].error = model[0];
        }
        m_lines.push_back(line.str());
        return evaluations;
    }

    std::vector<std::string> GetWarnings() const override { return m_warnings; }

  private:
    Lines& m_lines;
    std::vector<std::string> m_warnings{"no warning"};
};

/** @param begin of a warning that there must be once */
void
ExpectWarning(const RunResults& results, const std::string& begin)
{
    const auto& warnings = results.warnings;
    EXPECT_EQ(std::count_if(warnings.begin(),
                            warnings.end(),
                            [&](const std::string& warning) { return warning.find(begin) == 0; }),
              1)
        << begin << " is not among " << testing::PrintToString(warnings);
}

class FederationMonitorTest : public FederationTest
{
  protected:
    /** Run with a monitor, on a network that never falls silent by itself. */
    void RunWatched(uint32_t every, Time keepAlive = Time(0))
    {
        Monitor monitor(m_federation.GetLearners(),
                        std::make_unique<ListingEvaluator>(evaluated),
                        every);
        monitor.GetEvaluations().SetSummaryCallback(
            [this](const RoundSummary& s) { summaries.push_back(s); });
        if (keepAlive.IsStrictlyPositive())
        {
            monitor.KeepAliveUntil(keepAlive);
        }
        Beacon();
        Simulator::Stop(Seconds(100));
        Simulator::Run();
        monitor.Finish(results);
    }

    /** As the beacons of an access point. */
    static void Beacon() { Simulator::Schedule(MilliSeconds(100), &FederationMonitorTest::Beacon); }

    Lines evaluated;
    std::vector<RoundSummary> summaries;
    RunResults results;
};

TEST_F(FederationMonitorTest, EvaluatesTheServerOnly)
{
    Build(2);
    Connect();
    RunWatched(2);
    EXPECT_EQ(evaluated, (Lines{"0 0:5.5", "2 0:16.5"}));
    ASSERT_EQ(summaries.size(), 2U);
    EXPECT_EQ(summaries[1].round, 2U);
    EXPECT_EQ(summaries[1].learners, 1U);
    EXPECT_EQ(summaries[1].time, MilliSeconds(45));
    EXPECT_EQ(summaries[1].mean.error, 16.5);
    EXPECT_EQ(summaries[1].delivered, 1);
    EXPECT_TRUE(std::isnan(summaries[1].epsilon));
    EXPECT_LT(Simulator::Now(), Seconds(2)) << "the monitor ends the run";
    std::map<std::string, uint32_t> rows;
    for (const ResultRow& row : results.rows)
    {
        ++rows[row.role];
        EXPECT_EQ(row.role, row.record.node == 0 ? "server" : "client");
        EXPECT_EQ(row.evaluation.has_value(), row.record.node == 0 && row.record.round != 1);
        EXPECT_TRUE(std::isnan(row.record.epsilon));
        EXPECT_TRUE(std::isnan(row.record.epsilonNominal));
    }
    EXPECT_EQ(rows, (std::map<std::string, uint32_t>{{"server", 3}, {"client", 6}}));
    EXPECT_TRUE(results.epsilon.empty());
    EXPECT_EQ(results.totals.at("staleness_0"), 6U);
    EXPECT_EQ(results.warnings, Lines{"no warning"});
}

// When the server has finished, at 30 ms, client 2 trains for another three seconds.
TEST_F(FederationMonitorTest, EndsWhenTheLastClientIsThrough)
{
    Build(2);
    SetCompute(0, Time(0));
    SetCompute(2, Seconds(3));
    SetBuffered(1);
    Connect();
    RunWatched(1);
    EXPECT_EQ(evaluated, (Lines{"0 0:1", "1 0:2", "2 0:3"}));
    EXPECT_GE(Simulator::Now(), Seconds(3));
    EXPECT_LT(Simulator::Now(), Seconds(5));
    EXPECT_EQ(Get(2)->GetState(), State::IDLE);
}

TEST_F(FederationMonitorTest, TellsOfRoundsWithoutUpdates)
{
    Build(2);
    Set("ResponseTimeout", TimeValue(MilliSeconds(20)));
    Connect();
    At(MilliSeconds(20), [this] { Get(1)->Crash(); });
    At(Time(0), [this] { Get(2)->Crash(); });
    RunWatched(1);
    for (const std::string warning : {"2 of 3 rounds closed without any update in time",
                                      "1 of 2 clients never trained on a model: 2"})
    {
        EXPECT_EQ(std::count(results.warnings.begin(), results.warnings.end(), warning), 1)
            << warning;
    }
}

// Without a reason of its own the run says where it was stopped.
TEST_F(FederationMonitorTest, TellsOfAnEndBeforeAllRounds)
{
    for (const std::string reason : {"", "a signal"})
    {
        Build(2);
        Connect();
        At(MilliSeconds(20), [] { Simulator::Stop(); });
        results = {};
        results.reason = reason;
        RunWatched(1);
        EXPECT_EQ(results.status, reason.empty() ? "interrupted" : "complete");
        EXPECT_EQ(results.reason,
                  reason.empty() ? "the simulation was stopped before its learners were done"
                                 : reason);
        EXPECT_DOUBLE_EQ(results.simulatedSeconds, 0.02);
        const std::string first = results.warnings.front();
        EXPECT_EQ(first.find("the run ended at 20 ms, after 1 of 3 rounds, before any learner had "
                             "closed all of its rounds (not finished: learner 0)") == 0,
                  reason.empty())
            << first;
        m_federation = {};
        Simulator::Destroy();
    }
}

// What dlearn-compare tells runs by; a script may draw for the next run already.
TEST_F(FederationMonitorTest, KnowsTheSeedAndTheRun)
{
    const uint64_t run = RngSeedManager::GetRun();
    RngSeedManager::SetRun(run + 7);
    Build(2);
    Connect();
    At(MilliSeconds(1), [run] { RngSeedManager::SetRun(run); });
    RunWatched(1);
    EXPECT_EQ(results.seed, RngSeedManager::GetSeed());
    EXPECT_EQ(results.run, run + 7);
    EXPECT_GT(results.simulatedSeconds, 1);
    EXPECT_EQ(results.status, "complete");
}

TEST_F(FederationMonitorTest, WaitsForTheOtherMonitorsOfTheSimulation)
{
    Build(2);
    Connect();
    Lines others;
    Monitor longer(m_federation.GetLearners(), std::make_unique<ListingEvaluator>(others), 1);
    longer.KeepAliveUntil(Seconds(7));
    RunWatched(1);
    EXPECT_GE(Simulator::Now(), Seconds(7));
    EXPECT_LT(Simulator::Now(), Seconds(9));
    EXPECT_EQ(results.status, "complete");
}

/** Of three clients, one of which may be Byzantine, the last one is down: all rounds are skipped.
 */
class RanksTest : public FederationMonitorTest
{
  protected:
    /**
     * @param elsewhere learners whose results come as bytes, as from another rank
     * @return the results of a run
     */
    RunResults RunOnRanks(const std::set<LearnerId>& elsewhere)
    {
        Build(3);
        Set("ResponseTimeout", TimeValue(MilliSeconds(20)));
        Choose<RobustServer>("Rule");
        m_server->GetRule()->SetAttribute("Byzantine", UintegerValue(1));
        Connect();
        const auto learners = m_federation.GetLearners();
        RunResults all;
        all.roles = {"server", "client", "client", "client"};
        {
            Monitor monitor(learners, std::make_unique<ListingEvaluator>(evaluated), 1);
            At(Time(0), [this] { Get(3)->Crash(); });
            Beacon();
            Simulator::Stop(Seconds(100));
            Simulator::Run();
            RankReport report;
            for (const LearnerId id : elsewhere)
            {
                report.outcomes.push_back(CollectOutcome(*learners[id]));
            }
            monitor.Take(LoadState<RankReport>(SaveState(report)));
            monitor.Finish(all);
        }
        m_federation = {};
        Simulator::Destroy();
        return all;
    }
};

// The results of rank 0 are those of one process, whatever learners the other rank has.
TEST_F(RanksTest, PutTheirResultsTogether)
{
    const RunResults whole = RunOnRanks({});
    ASSERT_GT(whole.rows.size(), 6U);
    ASSERT_FALSE(whole.totals.empty());
    EXPECT_EQ(whole.skipped, 3U);
    ExpectWarning(whole,
                  "3 of 3 rounds were skipped, as fewer updates came than the 3 that the "
                  "aggregator needs");
    ExpectWarning(whole, "1 of 3 clients never trained on a model: 3");
    ExpectWarning(whole, "nothing was learned after round 0: in the rounds 0 and 2, ");
    for (const std::set<LearnerId>& elsewhere :
         {std::set<LearnerId>{0}, {1}, {0, 2}, {1, 2, 3}, {0, 1, 2, 3}})
    {
        const RunResults parts = RunOnRanks(elsewhere);
        ASSERT_EQ(parts.rows.size(), whole.rows.size());
        for (size_t k = 0; k < whole.rows.size(); ++k)
        {
            EXPECT_EQ(SaveState(parts.rows[k]), SaveState(whole.rows[k])) << k;
            EXPECT_EQ(parts.rows[k].evaluation.has_value(), whole.rows[k].evaluation.has_value());
        }
        EXPECT_EQ(parts.totals, whole.totals);
        EXPECT_EQ(parts.epsilon, whole.epsilon);
        EXPECT_EQ(parts.staleness, whole.staleness);
        EXPECT_EQ(parts.skipped, whole.skipped);
        EXPECT_EQ(parts.warnings, whole.warnings);
        EXPECT_EQ(parts.timeline.size(), whole.timeline.size());
    }
}

TEST(RankReport, HasAllThatARankKnows)
{
    RankReport report;
    report.events = {{Seconds(1), 3, std::nullopt, "crashed", "late"}};
    report.warnings = {"rain", ""};
    report.messages = {
        {Seconds(2), {0, 1, ModelChannel::STATE}, 4, {}},
        {Seconds(3), {0, 1, ModelChannel::STATE}, 4, LearnerApplication::Reception::LATE}};
    report.handover.closed.push_back({RoundRecord(), ModelVector::LinSpaced(3, 0, 1)});
    report.handover.spent[Seconds(1)] = {2, 3};
    report.handover.draws[5].samples = {7, 8};
    report.spent = {1, 2};
    report.outcomes.resize(2);
    report.outcomes[1].node = 1;
    report.outcomes[1].epsilon = 0.5;
    report.outcomes[1].violation = "law";
    const std::string bytes = SaveState(report);
    const auto loaded = LoadState<RankReport>(bytes);
    EXPECT_EQ(loaded.events.at(0).detail, "late");
    EXPECT_EQ(loaded.warnings, report.warnings);
    EXPECT_EQ(loaded.messages.at(1).time, Seconds(3));
    EXPECT_FALSE(loaded.messages.at(0).reception);
    EXPECT_EQ(loaded.handover.closed.at(0).model, report.handover.closed[0].model);
    EXPECT_EQ(loaded.handover.draws.at(5).samples, report.handover.draws[5].samples);
    EXPECT_EQ(loaded.outcomes.at(1).epsilon, 0.5);
    EXPECT_EQ(loaded.outcomes.at(1).violation, "law");
    EXPECT_THROW(LoadState<RankReport>(bytes + "x"), std::invalid_argument);
    EXPECT_THROW(LoadState<RankReport>(bytes.substr(0, bytes.size() - 1)), std::invalid_argument);
}

using PeerMonitorTest = PeerApplicationTest;

// Learner 0 hears one of its two neighbours, as what comes by its first device after the loopback
// is lost.
TEST_F(PeerMonitorTest, TellsOfNeighborsThatNeverReachEachOther)
{
    Build(Complete(3), "p2p");
    SetAll("Rounds", UintegerValue(6));
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
    Connect();
    const auto loss = CreateObject<RateErrorModel>();
    loss->SetAttribute("ErrorRate", DoubleValue(1));
    apps[0]->GetNode()->GetDevice(1)->SetAttribute("ReceiveErrorModel", PointerValue(loss));
    Lines evaluated;
    Monitor monitor({apps.begin(), apps.end()}, std::make_unique<ListingEvaluator>(evaluated), 1);
    Run();
    RunResults results;
    monitor.Finish(results);
    ExpectWarning(results,
                  "no message has ever arrived whole from some learners at their neighbours: 1 to "
                  "0; ");
}

/** The numbers of a file of results are those of the rounds. */
void
ExpectConservation(const RunResults& results)
{
    std::map<LearnerId, uint64_t> received;
    for (const ResultRow& row : results.rows)
    {
        received[row.record.node] += row.record.received;
    }
    for (const PairRecord& pair : results.pairs)
    {
        EXPECT_EQ(pair.expected, pair.received + pair.late + pair.lost);
        received[pair.to] -= pair.received;
    }
    for (const auto& [node, rest] : received)
    {
        EXPECT_EQ(rest, 0U) << "learner " << node;
    }
}

// A message of 112 numbers of 4 bytes is a packet of 448 + 32 + 28 (UDP, IP) + 2 (PPP) bytes, which
// takes 0.51 ms on the link and 5 ms of propagation.
TEST(PairStatistics, LatencyIsThatOfTheLink)
{
    const RunResults results = test::Execute(test::ThreePeers("5ms"));
    ASSERT_EQ(results.pairs.size(), 6U);
    for (const PairRecord& pair : results.pairs)
    {
        EXPECT_NE(pair.from, pair.to);
        EXPECT_EQ(pair.expected, 10U);
        EXPECT_EQ(pair.received, 10U);
        EXPECT_NEAR(pair.GetMeanLatency(), 5.51, 1e-6);
    }
    ExpectConservation(results);
}

TEST(PairStatistics, ALateMessageHasArrived)
{
    RunSpec spec = test::ThreePeers("5ms");
    spec.rounds = 50;
    spec.deadline = "5ms"; // less than the latency
    const RunResults results = test::Execute(spec);
    ExpectConservation(results);
    uint64_t late = 0;
    for (const PairRecord& pair : results.pairs)
    {
        late += pair.late;
        EXPECT_NEAR(pair.GetMeanLatency(), 5.51, 0.6) << "may wait for the one before it";
    }
    EXPECT_GT(late, 100U);
}

// A learner that has left wants nothing, but the network brings it messages: of 22 datagrams with
// 10 % loss, all come with probability 0.098, so that more than 10 of 20 do with less than 1e-5.
TEST(PairStatistics, WhatNobodyWantsHasArrivedWhenItIsWhole)
{
    RunSpec spec = test::TwoClients("10Mbps");
    spec.rounds = 20;
    spec.loss = 0.1;
    spec.churn = "leave:1@5ms";
    spec.responseTimeout = "1s";
    const RunResults results = test::Execute(spec);
    const auto pair = std::find_if(results.pairs.begin(), results.pairs.end(), [](const auto& p) {
        return p.from == 0 && p.to == 1;
    });
    ASSERT_NE(pair, results.pairs.end());
    EXPECT_EQ(pair->expected, 20U);
    EXPECT_LE(pair->received + pair->late, 10U);
    if (pair->received + pair->late > 0)
    {
        // 7840 numbers of 4 bytes and 22 times 62 bytes of headers.
        EXPECT_GE(pair->GetMeanLatency(), (7840 * 4 + 22 * 62) * 8 / 10e3);
    }
}

// Byzantine learners that forge the names of others do not make messages of these.
TEST(PairStatistics, ForgedNamesDoNotCount)
{
    RunSpec spec = test::ThreePeers("5ms");
    spec.learners = 5;
    spec.byzantine = 1;
    spec.attack = "impersonate:1";
    const RunResults results = test::Execute(spec);
    for (const PairRecord& pair : results.pairs)
    {
        EXPECT_EQ(pair.expected, pair.received + pair.late + pair.lost);
        EXPECT_LE(pair.received, 10U);
    }
}

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
} // namespace test
} // namespace ns3::dlearn

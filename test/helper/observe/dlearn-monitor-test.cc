/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The monitor of a federation, and what that of peers warns of in the end; more of peers is tested
 * by whole runs in test/system.
 */

#include "app/dlearn-federation-fixture.h"
#include "app/dlearn-peer-fixture.h"

#include "ns3/dlearn-evaluator.h"
#include "ns3/dlearn-fault-schedule.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-monitor.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/error-model.h"
#include "ns3/pointer.h"
#include "ns3/rng-seed-manager.h"

#include <Eigen/Dense>
#include <algorithm>

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

    const std::vector<std::string>& GetWarnings() const override { return m_warnings; }

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
        monitor.SetSummaryCallback([this](const RoundSummary& s) { summaries.push_back(s); });
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

TEST_F(FederationMonitorTest, MayEndBeforeTheRun)
{
    Build(2);
    Connect();
    {
        Monitor monitor(m_federation.GetLearners(),
                        std::make_unique<ListingEvaluator>(evaluated),
                        1);
        monitor.KeepAliveUntil(MilliSeconds(1));
        monitor.ExpectRestart(MilliSeconds(2), 1);
    }
    Run();
    EXPECT_EQ(m_server->GetRecords().size(), 3U);
    EXPECT_TRUE(evaluated.empty());
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

// Client 2 leaves in round 1, which it finishes, and is back in round 3; the server goes down in
// round 4 and is back later. None of this ends the run early.
TEST_F(FederationMonitorTest, SurvivesChurn)
{
    Build(2);
    Set("Rounds", UintegerValue(6));
    Set("ResponseTimeout", TimeValue(MilliSeconds(20)));
    Set("SuspicionTimeout", TimeValue(MilliSeconds(20)));
    Connect();
    const auto churn = ChurnSchedule::Parse("leave:2@20ms,restart:2@50ms,crash:0@85ms,"
                                            "restart:0@3s");
    EXPECT_EQ(churn.GetEvents().at(0).kind, ChurnSchedule::Action::LEAVE);
    churn.Install(m_federation.GetLearners());
    RunWatched(1, churn.GetEnd());
    // 0: 0-15, 1: 15-30, 2: 30-55 without success, 3: 55-70, 4: 70-85 and so 4 is computed at 85 or
    // lost.
    const auto& records = m_server->GetRecords();
    ASSERT_EQ(records.size(), 6U);
    EXPECT_EQ(records[1].received, 2U);
    EXPECT_EQ(records[2].received, 1U);
    EXPECT_EQ(records[2].lost, 1U);
    EXPECT_EQ(records[3].received, 1U) << "suspected";
    EXPECT_EQ(records[3].late, 1U);
    EXPECT_EQ(m_server->GetState(), State::FINISHED);
    EXPECT_EQ(evaluated.back().substr(0, 4), "5 0:");
    EXPECT_GE(Simulator::Now(), Seconds(3));
    EXPECT_LT(Simulator::Now(), Seconds(6));
}

// Of three workers one may be Byzantine; with one that is down only two are left.
TEST_F(FederationMonitorTest, TellsOfRoundsThatWereSkipped)
{
    Build(3);
    Choose<RobustServer>("Rule");
    m_server->GetRule()->SetAttribute("Byzantine", UintegerValue(1));
    Set("ResponseTimeout", TimeValue(MilliSeconds(20)));
    Connect();
    At(Time(0), [this] { Get(3)->Crash(); });
    RunWatched(1);
    ExpectWarning(results,
                  "3 of 3 rounds were skipped, as fewer updates came than the 3 that the "
                  "aggregator needs");
    ExpectWarning(results, "nothing was learned after round 0: in the rounds 0 and 2, ");
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

// Nothing can change any more, so this is the end of the run.
TEST_F(FederationMonitorTest, IsCompleteWhenTheServerIsDownForGood)
{
    Build(2);
    Connect();
    At(MilliSeconds(20), [this] { m_server->Crash(); });
    RunWatched(1);
    EXPECT_EQ(results.status, "complete");
    EXPECT_EQ(results.timeline.back().event, "ended-early");
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

// F is the same in every round: 20 samples of a regression, weights of two clients' shards.
TEST(FixedEvaluator, KnowsTheMinimumOfTheGivenSamples)
{
    auto set = std::make_shared<Dataset>();
    set->features = Eigen::MatrixXd::NullaryExpr(2, 20, [](auto i, auto j) {
        return std::sin(1.0 + i + 3 * j);
    });
    set->labels = Eigen::VectorXd::NullaryExpr(20, [](auto j) { return std::cos(2.0 * j); });
    auto task = CreateObject<LeastSquaresTask>();
    task->SetAttribute("Regularization", DoubleValue(0.1));
    task->SetData(set, nullptr);
    WeightedSamples samples;
    samples.weights = ModelVector::LinSpaced(10, 1, 10) / 55;
    for (uint32_t k = 0; k < 10; ++k)
    {
        samples.indices.push_back(2 * k);
    }
    const auto w = samples.weights.asDiagonal();
    Eigen::MatrixXd rows(10, 2);
    Eigen::VectorXd labels(10);
    for (uint32_t k = 0; k < 10; ++k)
    {
        rows.row(k) = set->features.col(2 * k);
        labels[k] = set->labels[2 * k];
    }
    const Eigen::Matrix2d normal = rows.transpose() * w * rows + 0.1 * Eigen::Matrix2d::Identity();
    const Eigen::Vector2d minimum = normal.inverse() * (rows.transpose() * (w * labels));
    const auto loss = [&](const Eigen::Vector2d& theta) {
        const Eigen::VectorXd residual = rows * theta - labels;
        return residual.dot(w * residual) / 2 + 0.05 * theta.squaredNorm();
    };
    Evaluator evaluator(task, samples);
    const Eigen::Vector2d model(1, -2);
    for (const uint32_t round : {0, 1, 9})
    {
        const Evaluation got = evaluator.Evaluate(round, {{0, model}}).at(0);
        EXPECT_NEAR(got.loss, loss(model), 1e-12);
        EXPECT_NEAR(got.error, (model - minimum).squaredNorm(), 1e-9);
        EXPECT_NEAR(evaluator.GetMinimum(), loss(minimum), 1e-9);
        EXPECT_TRUE(std::isnan(got.regret)); // all was known from the start
        EXPECT_EQ(got.consensus, 0);
    }
}

} // namespace
} // namespace test
} // namespace ns3::dlearn

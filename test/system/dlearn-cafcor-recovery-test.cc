/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What a network that loses messages does to noise that should cancel, what the repair makes of
 * it, and what both cost in privacy.
 */

#include "audit/dlearn-audited-loss.h"
#include "dlearn-federated-fixture.h"

#include "audit/dlearn-audited-loss.h"
#include "ns3/dlearn-cafcor-worker.h"
#include "ns3/dlearn-federated-learners.h"
#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <utility>

namespace ns3::dlearn
{
namespace
{

/** Samples without features: all gradients are 0, messages are noise and nothing else. */
class NoiseOnly : public testing::Test
{
  protected:
    NoiseOnly()
        : m_path(testing::TempDir() + "dlearn-noise-only.libsvm")
    {
        std::ofstream file(m_path);
        for (int sample = 0; sample < 40; ++sample)
        {
            file << sample % 2 << " 2000:0\n";
        }
    }

    ~NoiseOnly() override { std::remove(m_path.c_str()); }

    RunSpec GetOptions() const
    {
        RunSpec options = CafCorPreset("system-test");
        options.data = m_path;
        options.testFraction = 0;
        options.unitNorm = false;
        options.regularization = 0;
        options.learners = 20;
        options.batchSize = 1;
        options.rounds = 20;
        options.stepSize = 1;
        options.momentum = MOMENTUM;
        options.floatBits = 64;
        options.aggregator = "Average";
        options.view = "lemma"; // all noise is shared
        return options;
    }

    static constexpr double MOMENTUM = 0.5;
    static constexpr uint32_t DIMENSION = 4000; // two classes of 2000 features

    std::string m_path;
};

/** The clients that the server missed, by round. */
class LostRecorder
{
  public:
    explicit LostRecorder(const Federation& federation)
    {
        federation.server->TraceConnectWithoutContext("Request",
                                                      MakeCallback(&LostRecorder::Record, this));
    }

    std::map<uint32_t, std::vector<LearnerId>> lost; //!< by round, where anybody was

  private:
    void Record(uint32_t round, const ModelVector& request)
    {
        lost[round].clear();
        for (const uint32_t place : ReadDropoutRequest(request))
        {
            lost[round].push_back(place + 1);
        }
    }
};

/** The server's steps -(mean of the messages), since the step size is 1 and theta_0 is 0. */
std::vector<ModelVector>
GetSteps(const std::vector<ModelVector>& models)
{
    std::vector<ModelVector> steps;
    for (size_t round = 0; round < models.size(); ++round)
    {
        steps.push_back(round == 0 ? models[0] : ModelVector(models[round] - models[round - 1]));
    }
    return steps;
}

TEST_F(NoiseOnly, WhatLossLeavesUncancelledHasThePredictedVariance)
{
    RunSpec options = GetOptions();
    options.network = "p2p";
    options.transport = "udp";
    options.loss = 0.01; // a message has 23 fragments: one of five is lost each way
    options.deadline = "1s";
    dlearn::Run scenario(options);
    ModelRecorder recorder(scenario.GetFederation());
    std::ostringstream table;
    const RunResults results = scenario.Execute(table);
    const auto rows = GetRows(results, 0);
    const auto steps = GetSteps(recorder.models);
    ASSERT_EQ(rows.size(), 20U);
    const double scale = scenario.Get<FederatedLearners>().GetPrivacy().GetNoiseScales().correlated;
    int lossy = 0;
    for (size_t t = 0; t < rows.size(); ++t)
    {
        const double arrived = rows[t].received;
        const double lost = options.learners - arrived;
        ASSERT_GT(arrived, 0);
        lossy += lost > 0 ? 1 : 0;
        // The mean of u_i over the set S of arrivals has variance s^2 |L| / |S|; the momentum of
        // all workers holds (1-beta) beta^k of the noise of k rounds ago.
        const double kept = (1 - MOMENTUM) / (1 + MOMENTUM) * (1 - std::pow(MOMENTUM, 2.0 * t + 2));
        const double predicted = scale * scale * lost / arrived * kept;
        const double measured = steps[t].squaredNorm() / DIMENSION;
        // A mean of 4000 squares of normal numbers has relative deviation sqrt(2/4000) = 0.022;
        // to be off by 5 of them has probability 6e-7, for 20 rounds 1e-5. Rounding to 1e-13.
        EXPECT_NEAR(measured, predicted, 0.112 * predicted + 1e-25 * scale * scale) << t;
    }
    EXPECT_GT(lossy, 15);
}

TEST_F(NoiseOnly, TheRepairTakesAwayWhatTheLostShared)
{
    RunSpec options = GetOptions();
    options.network = "p2p";
    options.transport = "udp";
    options.loss = 0.003;
    options.deadline = "1s";
    options.noiseRecovery = true;
    dlearn::Run scenario(options);
    ModelRecorder recorder(scenario.GetFederation());
    LostRecorder repairs(scenario.GetFederation());
    std::ostringstream table;
    const RunResults results = scenario.Execute(table);
    const auto rows = GetRows(results, 0);
    const auto steps = GetSteps(recorder.models);
    const double scale = scenario.Get<FederatedLearners>().GetPrivacy().GetNoiseScales().correlated;
    uint32_t clean = 0;
    for (size_t t = 0; t < rows.size(); ++t)
    {
        const double arrived = rows[t].received;
        const double lost = options.learners - arrived;
        EXPECT_EQ(repairs.lost[t].size(), lost);
        const double kept = (1 - MOMENTUM) / (1 + MOMENTUM) * (1 - std::pow(MOMENTUM, 2.0 * t + 2));
        // Each of k corrections that were lost too leaves the noise of one message with L.
        const double unit = scale * scale * lost / (arrived * arrived) * kept;
        const double measured = steps[t].squaredNorm() / DIMENSION;
        const double missing = lost == 0 ? 0 : std::round(measured / unit);
        EXPECT_NEAR(measured, missing * unit, 0.112 * missing * unit + 1e-25 * scale * scale) << t;
        EXPECT_LE(missing, 0.5 * arrived);
        clean += lost > 0 && missing == 0 ? 1 : 0;
    }
    EXPECT_GT(clean, 3U);
    EXPECT_EQ(results.totals.at("corrections_asked"),
              results.totals.at("corrections_used") + results.totals.at("corrections_lost") +
                  results.totals.at("corrections_late"));
    EXPECT_GT(results.totals.at("corrections_used"), 50U);
}

RunSpec
TwoSilent()
{
    RunSpec options = CafCorPreset("system-test");
    options.learners = 9;
    options.byzantine = 2;
    options.attack = "silent";
    options.rounds = 10;
    options.batchSize = 20;
    options.stepSize = 2;
    options.clip = 1;
    options.floatBits = 64;
    options.deadline = "1s";
    options.aggregator = "Average";
    return options;
}

std::vector<ModelVector>
GetModels(const RunSpec& options)
{
    dlearn::Run scenario(options);
    ModelRecorder recorder(scenario.GetFederation());
    std::ostringstream table;
    scenario.Execute(table);
    return recorder.models;
}

TEST(CafCorRepair, LeavesWhatTheOthersWouldHaveSentAmongThemselves)
{
    RunSpec options = TwoSilent();
    options.view = "lemma"; // all noise is shared
    options.noiseRecovery = true;
    const auto repaired = GetModels(options);
    options.noiseRecovery = false;
    const auto noisy = GetModels(options);
    options.threatModel = "none";
    const auto clean = GetModels(options);
    ASSERT_EQ(repaired.size(), clean.size());
    // Noise of standard deviation about 1 cancels to rounding, some 1e-15 a step.
    EXPECT_LE((repaired.back() - clean.back()).norm(), 1e-12);
    EXPECT_GE((noisy.back() - clean.back()).norm(), 0.1);
}

TEST(CafCorRepair, HasItsPriceInTheLedger)
{
    RunSpec options = TwoSilent();
    options.threatModel = "byzldp";
    options.view = "lemma"; // s_cor = s_ind
    options.noiseRecovery = true;
    dlearn::Run scenario(options);
    std::ostringstream table;
    const RunResults results = scenario.Execute(table);
    // By hand: two lost in each of ten rounds. The seven that are left may hold two Byzantine
    // ones, who tell all: lemma A.4 with n = 7, f = q = 0 among the honest, so with 9 - 2 - 2.
    const double s2 =
        std::pow(scenario.Get<FederatedLearners>().GetPrivacy().GetNoiseScales().correlated, 2);
    const double i2 =
        std::pow(scenario.Get<FederatedLearners>().GetPrivacy().GetNoiseScales().independent, 2);
    const double rate = 2.0 / (5 * s2 + i2) * (1 + s2 / i2);
    const double total = 10 * rate;
    const double epsilon = SolveGaussianEpsilon(total, options.delta);
    const auto survivor = GetRows(results, 1);
    EXPECT_NEAR(survivor.back().epsilon, epsilon, 1e-9 * epsilon);
    EXPECT_NEAR(survivor.back().epsilonNominal, 27.8, 1e-9);
    // Of a Byzantine worker all counts as released, whatever its behaviour does with it, here under
    // its own noise alone: by hand, ten rounds of LDP.
    const double alone = 10 * 2 / i2;
    EXPECT_NEAR(GetRows(results, 9).back().epsilon,
                SolveGaussianEpsilon(alone, options.delta),
                1e-6);
}

TEST(CafCorLedger, AccountsForThePlanAndStopsAtTheBudget)
{
    RunSpec options = TwoSilent();
    options.attack = "none";
    options.deadline = "";
    dlearn::Run whole(options);
    std::ostringstream table;
    const auto accounted = GetRows(whole.Execute(table), 4);
    ASSERT_EQ(accounted.size(), 10U);
    EXPECT_NEAR(accounted.back().epsilon,
                whole.Get<FederatedLearners>().GetPrivacy().GetPlannedEpsilon(),
                1e-9);
    EXPECT_NEAR(accounted.back().epsilon, 27.8, 1e-9);
    // No learner attacks, and all messages are seen: that is the truth, by dense algebra.
    GaussianAuditSetting truth;
    truth.workers = 9;
    truth.byzantine = {7, 8};
    truth.noise = whole.Get<FederatedLearners>().GetPrivacy().GetNoiseScales();
    truth.momentum = options.momentum;
    truth.sensitivity = 2 * options.clip;
    MessageAudit audit(truth);
    for (uint32_t worker = 0; worker < 9; ++worker)
    {
        for (uint32_t round = 0; round < 10; ++round)
        {
            audit.Draw(worker, round);
            audit.Send(worker, round);
        }
    }
    EXPECT_NEAR(GaussianEpsilon(audit.GetRate(3), options.delta), 27.8, 1e-6);

    options.budget = 15;
    options.responseTimeout = "1s";
    dlearn::Run limited(options);
    const auto rows = GetRows(limited.Execute(table), 4);
    ASSERT_LT(rows.size(), 10U);
    EXPECT_LE(rows.back().epsilon, 15);
    EXPECT_GT(accounted[rows.size()].epsilon, 15); // one more would have been too many
    EXPECT_EQ(rows.back().epsilon, accounted[rows.size() - 1].epsilon);
}

TEST(CafCorLedger, SaysWhenAViewLeavesMessagesOut)
{
    for (const std::string view : {"lemma", "transcript"})
    {
        RunSpec options = TwoSilent();
        options.view = view;
        options.rounds = 2;
        dlearn::Run scenario(options);
        std::ostringstream table;
        const RunResults results = scenario.Execute(table);
        const bool warned =
            std::any_of(results.warnings.begin(),
                        results.warnings.end(),
                        [](const std::string& warning) {
                            return warning.find("whoever sees all messages") != std::string::npos &&
                                   warning.find("has epsilon inf") != std::string::npos;
                        });
        EXPECT_EQ(warned, view == "lemma");
    }
}

// Worker 3 crashes with its message on the way: the server misses it and the others reveal what
// they shared with it, when its last record is long closed.
TEST(CafCorLedger, RecordsWhatIsRevealedAfterTheLastRound)
{
    RunSpec options = TwoSilent();
    options.attack = "none";
    options.threatModel = "byzldp";
    options.noiseRecovery = true;
    options.network = "p2p";
    options.rounds = 12;
    options.deadline = "50ms";
    options.churn = "crash:3@25ms";
    dlearn::Run scenario(options);
    LostRecorder repairs(scenario.GetFederation());
    std::ostringstream table;
    const RunResults results = scenario.Execute(table);
    const auto rows = GetRows(results, 3);
    ASSERT_GE(rows.size(), 2U);
    const RoundRecord& last = rows.back();
    const RoundRecord& closed = rows[rows.size() - 2];
    EXPECT_EQ(last.epsilon, results.epsilon.at(3));
    EXPECT_GT(last.epsilon, closed.epsilon + 1);
    EXPECT_EQ(last.epsilonNominal, closed.epsilonNominal);
    EXPECT_GT(last.closed, MilliSeconds(25));
    EXPECT_TRUE(repairs.lost.count(last.round) > 0);
    EXPECT_EQ(last.expected + last.received + last.used + last.rejected + last.late + last.lost, 0);
    EXPECT_EQ(last.txBytes + last.rxBytes, 0U);
}

/** What clients had spent when their rounds ended. */
class SpentRecorder
{
  public:
    explicit SpentRecorder(const Federation& federation)
    {
        for (const auto& client : federation.clients)
        {
            client->TraceConnectWithoutContext("RoundEnd",
                                               MakeCallback(&SpentRecorder::Record, this));
        }
    }

    std::map<std::pair<LearnerId, Time>, double> spent; //!< by client and time

  private:
    void Record(const RoundRecord& record) { spent[{record.node, record.closed}] = record.epsilon; }
};

// What others reveal later, and models that a trusted server makes later, is in later rows.
TEST(CafCorLedger, RecordsWhatWasSpentUntilTheTimeOfARow)
{
    for (const std::string model : {"byzldp", "cdp"})
    {
        RunSpec options = TwoSilent();
        options.attack = "none";
        options.threatModel = model;
        options.noiseRecovery = model == "byzldp";
        options.aggregator = "Average";
        options.network = "p2p";
        options.transport = "udp";
        options.loss = 0.1;
        options.deadline = "30ms";
        options.rounds = 12;
        dlearn::Run scenario(options);
        const SpentRecorder recorder(scenario.GetFederation());
        std::ostringstream table;
        const RunResults results = scenario.Execute(table);
        for (LearnerId client = 1; client <= options.learners; ++client)
        {
            const auto rows = GetRows(results, client);
            double before = 0;
            for (const RoundRecord& row : rows)
            {
                const auto found = recorder.spent.find({client, row.closed});
                const double spent =
                    found == recorder.spent.end() ? results.epsilon.at(client) : found->second;
                EXPECT_EQ(row.epsilon, spent) << model << " " << client << " " << row.round;
                EXPECT_GE(row.epsilon, before);
                before = row.epsilon;
            }
            EXPECT_EQ(rows.back().epsilon, results.epsilon.at(client)) << "nothing is left out";
        }
    }
}

/** Crashes a client as soon as its rule has made its update of a round. */
class Saboteur
{
  public:
    Saboteur(Ptr<FederatedClient> client, uint32_t round)
        : m_client(client),
          m_round(round)
    {
        m_client->TraceConnectWithoutContext("Update", MakeCallback(&Saboteur::Crash, this));
    }

  private:
    void Crash(LearnerId, uint32_t round, const ModelVector&)
    {
        if (round == m_round)
        {
            m_client->Crash();
        }
    }

    Ptr<FederatedClient> m_client; //!< crashes
    uint32_t m_round;              //!< when
};

// The update of round 2 is made, and is in the worker's momentum, but it does not leave the node.
// What the worker sends after its restart reveals it.
TEST(CafCorLedger, KnowsOfAnUpdateThatWasNeverHandedOver)
{
    RunSpec options = TwoSilent();
    options.attack = "none";
    options.network = "p2p";
    options.rounds = 12;
    options.deadline = "50ms";
    for (const bool restarts : {false, true})
    {
        options.churn = restarts ? "restart:4@200ms" : "";
        dlearn::Run scenario(options);
        Saboteur saboteur(scenario.GetFederation().clients[3], 2);
        std::ostringstream table;
        const RunResults results = scenario.Execute(table);
        const size_t sent = GetRows(results, 4).size();
        EXPECT_EQ(sent > 2, restarts);
        const double told = sent + (restarts ? 1 : 0);
        // n = 9, f = 2, sensitivity 2: by hand, for an adversary that sees all messages.
        const double s2 =
            std::pow(scenario.Get<FederatedLearners>().GetPrivacy().GetNoiseScales().correlated, 2);
        const double i2 =
            std::pow(scenario.Get<FederatedLearners>().GetPrivacy().GetNoiseScales().independent,
                     2);
        const double rate = 2 * ((1 - 1 / 7.0) / (9 * s2 + i2) + 1 / (7 * i2));
        const double total = told * rate;
        const double epsilon = SolveGaussianEpsilon(total, options.delta);
        EXPECT_NEAR(results.epsilon.at(4), epsilon, 1e-9 * epsilon);
    }
}

/** What a trusted server's workers computed, and whose updates it had when it closed a round. */
class ReleaseRecorder
{
  public:
    ReleaseRecorder(const Federation& federation, const GaussianAuditSetting& setting)
        : m_audit(setting)
    {
        federation.server->TraceConnectWithoutContext("ModelRx",
                                                      MakeCallback(&ReleaseRecorder::Rx, this));
        federation.server->TraceConnectWithoutContext("RoundEnd",
                                                      MakeCallback(&ReleaseRecorder::End, this));
        for (const auto& client : federation.clients)
        {
            client->TraceConnectWithoutContext("Update",
                                               MakeCallback(&ReleaseRecorder::Draw, this));
        }
    }

    double GetRate(LearnerId worker) const { return m_audit.GetRate(worker); }

    uint32_t lost{0}; //!< messages that were not in a release

  private:
    void Rx(LearnerId,
            LearnerId sender,
            uint32_t round,
            MessageDisposition disposition,
            bool usable)
    {
        if (disposition == MessageDisposition::ON_TIME && usable)
        {
            m_messages[sender] = round;
        }
    }

    void End(const RoundRecord& record)
    {
        m_audit.Release(record.round, m_messages);
        lost += record.expected - m_messages.size();
        m_messages.clear();
    }

    void Draw(LearnerId worker, uint32_t round, const ModelVector&) { m_audit.Draw(worker, round); }

    ReleaseAudit m_audit;                     //!< the truth
    std::map<LearnerId, uint32_t> m_messages; //!< of the open round
};

TEST(CafCorLedger, OfATrustedServerIsTheTruthOnALossyNetwork)
{
    RunSpec options = CafCorPreset("system-test");
    options.threatModel = "cdp";
    options.rounds = 30;
    options.network = "p2p";
    options.transport = "udp";
    options.loss = 0.01;
    options.deadline = "50ms";
    options.aggregator = "Average";
    dlearn::Run scenario(options);
    GaussianAuditSetting setting;
    setting.noise = scenario.Get<FederatedLearners>().GetPrivacy().GetNoiseScales();
    setting.momentum = options.momentum;
    setting.sensitivity = 2 * options.clip;
    ReleaseRecorder truth(scenario.GetFederation(), setting);
    std::ostringstream table;
    const RunResults results = scenario.Execute(table);
    EXPECT_GT(truth.lost, 5U);
    double largest = 0;
    for (LearnerId worker = 1; worker <= 20; ++worker)
    {
        const double rate = truth.GetRate(worker);
        const double epsilon = GaussianEpsilon(rate, options.delta);
        EXPECT_GE(results.epsilon.at(worker) * (1 + 1e-9), epsilon) << worker;
        EXPECT_LE(results.epsilon.at(worker), 1.1 * epsilon) << worker; // signs may differ
        largest = std::max(largest, epsilon);
    }
    EXPECT_GT(largest, 60); // planned for 27.8
}

TEST(CafCorLedger, AtExampleLevelAccountsForSampledRounds)
{
    RunSpec options = TwoSilent();
    options.attack = "none";
    options.deadline = "";
    options.privacyUnit = "sample";
    options.threatModel = "cdp";
    options.targetEpsilon = 5;
    dlearn::Run scenario(options);
    std::ostringstream table;
    const auto rows = GetRows(scenario.Execute(table), 4);
    // The noise is planned for the smallest shard, in which a sample takes part most often.
    EXPECT_LE(rows.back().epsilon, 5 * (1 + 1e-9));
    EXPECT_GE(rows.back().epsilon, 4.5);
}

/** Asks all workers for corrections at the end of each round, without the server's rule. */
class Asker
{
  public:
    using MakeRoster = std::function<ModelVector(uint32_t place)>;

    Asker(const Federation& federation, MakeRoster roster)
        : m_federation(federation),
          m_roster(std::move(roster))
    {
        federation.server->TraceConnectWithoutContext("RoundEnd", MakeCallback(&Asker::Ask, this));
    }

  private:
    void Ask(const RoundRecord& record)
    {
        for (uint32_t place = 0; place < m_federation.clients.size(); ++place)
        {
            const LearnerId client = m_federation.clients[place]->GetLearnerId();
            m_federation.server->GetExchange()->Send(
                record.round,
                {ModelChannel::REQUEST, {client}, m_roster(place)});
        }
    }

    Federation m_federation;
    MakeRoster m_roster;
};

// Workers answer where repairs are planned, about others, but not about all of them; what else they
// are asked they count, and it costs no privacy.
TEST_F(NoiseOnly, WorkersAnswerNoOtherRequests)
{
    RunSpec options = GetOptions();
    options.rounds = 4;
    const auto run = [&](bool repair, const Asker::MakeRoster& roster) {
        options.noiseRecovery = repair;
        dlearn::Run scenario(options);
        const Asker asker(scenario.GetFederation(), roster);
        std::ostringstream table;
        const RunResults results = scenario.Execute(table);
        // A worker with shared noise only has no noise left once another worker has revealed it.
        const auto answered = results.totals.find("rosters_answered");
        const bool told = answered != results.totals.end() && answered->second > 0;
        for (const auto& [worker, epsilon] : results.epsilon)
        {
            EXPECT_EQ(std::isinf(epsilon), told) << worker;
        }
        return results.totals;
    };
    const auto all = [](uint32_t) -> ModelVector { return ModelVector::Ones(20); };
    const auto others = [](uint32_t place) -> ModelVector {
        ModelVector roster = ModelVector::Ones(20);
        roster[place] = 0;
        return roster;
    };
    const auto itself = [](uint32_t place) -> ModelVector { return ModelVector::Unit(20, place); };
    const auto next = [](uint32_t place) -> ModelVector {
        return ModelVector::Unit(20, (place + 1) % 20);
    };
    const auto half = [&](uint32_t place) -> ModelVector { return next(place) / 2; };
    const auto empty = [](uint32_t) -> ModelVector { return ModelVector::Zero(20); };
    for (const Asker::MakeRoster& roster :
         std::vector<Asker::MakeRoster>{all, others, itself, half, empty})
    {
        auto totals = run(true, roster);
        EXPECT_EQ(totals["rosters_answered"], 0U);
        EXPECT_EQ(totals["rosters_missed"], 20U * 4);
    }
    EXPECT_EQ(run(false, next)["rosters_answered"], 0U);
    EXPECT_EQ(run(true, next)["rosters_answered"], 20U * 4);
}

} // namespace
} // namespace ns3::dlearn

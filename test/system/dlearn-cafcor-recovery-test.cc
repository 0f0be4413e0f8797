/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What a network that loses messages does to noise that should cancel, what the repair makes of
 * it, and what both cost in privacy.
 */

#include "dlearn-federated-fixture.h"

#include "ns3/dlearn-federated-learners.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
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

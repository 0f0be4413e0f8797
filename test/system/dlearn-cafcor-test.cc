/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * CafCor as a whole: against a straight-line implementation, and under attack.
 * Attackers of CafCor on networks that lose messages: they answer in time, end no run by chance,
 * learn from data of their own, and are no excuse to fear fewer of them.
 */

#include "dlearn-federated-fixture.h"
#include "support/dlearn-expect-refused.h"
#include "support/dlearn-own-components.h"
#include "support/dlearn-short-runs.h"

#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-federated-learners.h"
#include "ns3/dlearn-run-spec.h"
#include "ns3/dlearn-run.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <set>
#include <sstream>

namespace ns3::dlearn
{
namespace
{

RunSpec
SmallCafCor()
{
    RunSpec options = CafCorPreset("system-test");
    options.learners = 9;
    options.byzantine = 2;
    options.rounds = 10;
    options.batchSize = 20;
    options.stepSize = 2;
    options.clip = 1;
    options.floatBits = 64;
    return options;
}

/** The server's models after each round, and what went into them. */
class Recorder
{
  public:
    explicit Recorder(const Federation& federation)
        : m_server(federation.server)
    {
        m_server->TraceConnectWithoutContext("RoundEnd", MakeCallback(&Recorder::Round, this));
        for (const auto& client : federation.clients)
        {
            client->TraceConnectWithoutContext("Update", MakeCallback(&Recorder::Update, this));
        }
    }

    std::vector<ModelVector> models;                               //!< after each round
    std::map<std::pair<uint32_t, LearnerId>, ModelVector> updates; //!< by round, worker

  private:
    void Round(const RoundRecord& /* record */)
    {
        models.push_back(m_server->GetRule()->GetModel());
    }

    void Update(LearnerId worker, uint32_t round, const ModelVector& update)
    {
        updates[{round, worker}] = update;
    }

    Ptr<FederatedServer> m_server;
};

/** CAF as the paper's Algorithm 2 has it (maximum over weights that are left), by definition. */
ModelVector
Caf(const std::vector<ModelVector>& inputs, size_t f)
{
    const size_t n = inputs.size();
    const Eigen::Index d = inputs[0].size();
    Eigen::VectorXd c = Eigen::VectorXd::Ones(n);
    ModelVector best = ModelVector::Zero(d);
    double least = std::numeric_limits<double>::infinity();
    while (c.sum() > n - 2.0 * f)
    {
        ModelVector mean = ModelVector::Zero(d);
        for (size_t i = 0; i < n; ++i)
        {
            mean += c[i] / c.sum() * inputs[i];
        }
        Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(d, d);
        for (size_t i = 0; i < n; ++i)
        {
            covariance += c[i] / c.sum() * (inputs[i] - mean) * (inputs[i] - mean).transpose();
        }
        const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
        const double top = solver.eigenvalues()[d - 1];
        if (top <= least)
        {
            best = mean;
            least = top;
        }
        Eigen::VectorXd tau(n);
        double largest = 0;
        for (size_t i = 0; i < n; ++i)
        {
            tau[i] = std::pow(solver.eigenvectors().col(d - 1).dot(inputs[i] - mean), 2);
            largest = c[i] > 1e-12 ? std::max(largest, tau[i]) : largest;
        }
        for (size_t i = 0; i < n; ++i)
        {
            c[i] = c[i] > 1e-12 ? c[i] * (1 - tau[i] / largest) : 0;
        }
    }
    return best;
}

TEST(CafCor, EqualsAStraightLineImplementation)
{
    RunSpec options = SmallCafCor();
    options.threatModel = "byzldp"; // independent and correlated noise
    dlearn::Run scenario(options);
    Recorder recorder(scenario.GetFederation());
    // The gradients by definition, at the models that the run passed through.
    const auto& clients = scenario.GetFederation().clients;
    const auto task = clients[0]->GetRule()->GetData()->GetTask();
    std::map<std::pair<uint32_t, LearnerId>, SampleIndices> batches;
    for (const auto& client : clients)
    {
        client->TraceConnectWithoutContext(
            "Update",
            Callback<void, LearnerId, uint32_t, const ModelVector&>(
                // No Ptr, as the client holds the callback.
                [&batches, client = PeekPointer(client)](LearnerId worker,
                                                         uint32_t round,
                                                         const ModelVector&) {
                    batches[{round, worker}] = client->GetRule()->GetData()->GetSamples();
                }));
    }
    std::ostringstream table;
    scenario.Execute(table);
    ASSERT_EQ(recorder.models.size(), 10U);

    ModelVector model = ModelVector::Zero(task->GetDimension());
    std::vector<ModelVector> momenta(9, model);
    ModelVector noiseOfAll = model;
    for (uint32_t round = 0; round < 10; ++round)
    {
        ModelVector noiseSum = ModelVector::Zero(model.size());
        for (LearnerId worker = 1; worker <= 9; ++worker)
        {
            ModelVector gradient = options.regularization * model;
            const SampleIndices& batch = batches.at({round, worker});
            EXPECT_EQ(batch.size(), 20U);
            EXPECT_EQ(std::set<uint32_t>(batch.begin(), batch.end()).size(), 20U);
            for (const uint32_t sample : batch)
            {
                ModelVector one(model.size());
                task->BatchGradient(model, {sample}, one);
                gradient += (one - options.regularization * model) / 20.0;
            }
            gradient *= std::min(1.0, options.clip / gradient.norm());
            // m_t = beta m_{t-1} + (1 - beta) (g + noise): what is left is the noise.
            const ModelVector& sent = recorder.updates.at({round, worker});
            ModelVector& momentum = momenta[worker - 1];
            const ModelVector noise =
                (sent - options.momentum * momentum) / (1 - options.momentum) - gradient;
            const double variance = noise.squaredNorm() / noise.size();
            const NoiseScales& scales =
                scenario.Get<FederatedLearners>().GetPrivacy().GetNoiseScales();
            const double expected =
                scales.independent * scales.independent + 8 * scales.correlated * scales.correlated;
            // Chi-squared with 224 degrees: 7 standard deviations, fails with probability 1e-10.
            EXPECT_NEAR(variance / expected, 1, 7 * std::sqrt(2.0 / noise.size()));
            noiseSum += noise;
            momentum = sent;
        }
        // Of the sum only the independent noise is left.
        const double left = noiseSum.squaredNorm() / noiseSum.size() / 9;
        const double independent =
            std::pow(scenario.Get<FederatedLearners>().GetPrivacy().GetNoiseScales().independent,
                     2);
        EXPECT_NEAR(left / independent, 1, 7 * std::sqrt(2.0 / noiseSum.size()));
        model -= options.stepSize.value() * Caf(momenta, 2);
        EXPECT_LT((model - recorder.models[round]).norm(), 1e-10 * (1 + model.norm()));
        model = recorder.models[round];
    }
}

TEST(CafCor, WithstandsAttacksThatAnAverageDoesNot)
{
    for (const char* attack : {"Infinity", "InnerProduct:tau=20"})
    {
        RunSpec options = SmallCafCor();
        options.rounds = 20;
        options.threatModel = "none";
        options.attack = attack;
        const double robust = test::GetFinalAccuracy(options);
        EXPECT_GT(robust, 0.9) << attack;
        options.aggregator = "Average";
        if (options.attack == "InnerProduct:tau=20") // numbers that are not finite are left out
        {
            EXPECT_LT(test::GetFinalAccuracy(options), robust - 0.2) << attack;
        }
    }
}

/** 20 workers whose packets get lost, without noise. */
RunSpec
LossyRun()
{
    RunSpec options = CafCorPreset("system-test");
    options.learners = 20;
    options.byzantine = 3;
    options.threatModel = "none";
    options.network = "p2p";
    options.transport = "udp";
    options.loss = 0.1;
    options.deadline = "50ms";
    options.stepSize = 1;
    options.rounds = 40;
    return options;
}

TEST(CafCorAttacks, EndNoRunByChance)
{
    RunSpec options = LossyRun();
    options.learners = 5;
    options.byzantine = 2;
    options.batchSize = 5;
    options.dataSamples = 400;
    options.loss = 0.3;
    options.rounds = 15;
    for (const std::string& attack : test::GetOwnComponents(GetAttackNames()))
    {
        for (const bool omniscient : {true, false})
        {
            options.attack = attack;
            options.omniscient = omniscient;
            if (ParseAttack(attack)->NeedsReceiver())
            {
                ExpectRefused([&] { dlearn::Run scenario(options); }, "only peers can");
                continue;
            }
            EXPECT_NO_THROW(test::GetFinalAccuracy(options)) << attack << omniscient;
        }
    }
    options.attack = "Mimic:epsilon=3"; // there are three honest ones
    options.omniscient = true;
    ExpectRefused([&] { dlearn::Run scenario(options); },
                  "Mimic: Epsilon must be the place of one of the 3 learners");
    options.attack = "DerivedAlie";
    options.learners = 2;
    options.byzantine = 0;
    options.invocation.options = {"attack"};
    ExpectRefused([&] { dlearn::Run scenario(options); }, "it is for byzantine of at least 1");
}

/** @return the samples that each worker learns from: a batch holds its whole shard */
std::vector<std::multiset<uint32_t>>
GetShards(RunSpec options)
{
    options.batchSize = 1000000;
    options.rounds = 1;
    options.threatModel = "none";
    dlearn::Run scenario(options);
    const auto federation = scenario.GetFederation();
    std::vector<Ptr<const LocalData>> data;
    for (const auto& client : federation.clients)
    {
        data.push_back(client->GetRule()->GetData());
    }
    std::ostringstream table;
    scenario.Execute(table);
    std::vector<std::multiset<uint32_t>> shards;
    for (const auto& one : data)
    {
        shards.emplace_back(one->GetSamples().begin(), one->GetSamples().end());
    }
    return shards;
}

TEST(CafCorAttacks, HonestWorkersShareTheTrainingData)
{
    RunSpec options = CafCorPreset("system-test");
    options.learners = 9;
    options.byzantine = 2;
    options.dataSamples = 1000; // 800 to learn from
    options.partition = "sorted";
    for (const std::string mode : {"own", "shards"})
    {
        options.byzantineData = mode;
        const auto shards = GetShards(options);
        std::set<uint32_t> known;
        for (size_t worker = 0; worker < (mode == "own" ? 7 : 9); ++worker)
        {
            known.insert(shards[worker].begin(), shards[worker].end());
        }
        EXPECT_EQ(known.size(), 800U) << mode;
        for (size_t attacker : {7, 8})
        {
            const std::set<uint32_t> own(shards[attacker].begin(), shards[attacker].end());
            EXPECT_EQ(own.size(), shards[attacker].size()); // without replacement
            if (mode == "own")
            {
                EXPECT_EQ(own.size(), 800U / 7);
                EXPECT_NE(shards[7], shards[8]);
                // From all of the data: no honest shard holds half of it. A hypergeometric
                // number of mean 16 and standard deviation 3.4.
                for (size_t worker = 0; worker < 7; ++worker)
                {
                    std::vector<uint32_t> common;
                    std::set_intersection(own.begin(),
                                          own.end(),
                                          shards[worker].begin(),
                                          shards[worker].end(),
                                          std::back_inserter(common));
                    EXPECT_GT(common.size(), 0U);
                    EXPECT_LT(common.size(), 57U);
                }
            }
        }
    }
    options.byzantineData = "nope";
    ExpectRefused([&] { options.Validate(); },
                  "byzantine-data must be one of own, shards; got 'nope'");
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Private federations over networks, made by FederatedHelper and a plan.
 */

#include "app/dlearn-federation-fixture.h"
#include "audit/dlearn-audited-loss.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-aggregators.h"
#include "audit/dlearn-audited-loss.h"
#include "ns3/dlearn-cafcor-worker.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-compressor.h"
#include "ns3/dlearn-federated-helper.h"
#include "ns3/dlearn-federated-noise.h"
#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-robust-server.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace test
{
namespace
{

/** Four clients with the samples 1, 1, 1 and 2. */
class PrivateFederation : public FederationTest
{
  protected:
    void BuildClients(const std::string& network = "ideal")
    {
        Build(4, network, LocalSgd::GetTypeId());
    }

    /** @return a plan of three rounds with noise 2 */
    template <typename Model>
    FedAvgPlan MakePlan() const
    {
        FedAvgPlan plan;
        plan.model = CreateObject<Model>();
        plan.samples = {1, 1, 1, 2};
        plan.clip = 0.5;
        plan.rounds = 3;
        plan.delta = 1e-5;
        plan.noise = 2;
        return plan;
    }

    /** Connect, with samples that all differ. */
    void ConnectClients()
    {
        std::vector<Ptr<LocalData>> data;
        for (int k = 0; k < 4; ++k)
        {
            data.push_back(
                CreateObject<FixedData>(Eigen::MatrixXd::Constant(2, k < 3 ? 1 : 2, k - 1.5)));
        }
        Connect(data, ModelVector::Constant(2, 3));
    }

    /** @return the epsilon of a client, and what that of a sum of releases is */
    double GetEpsilon(LearnerId client) const
    {
        return m_federation.clients[client - 1]->GetRule()->GetLedger()->GetEpsilon();
    }

    static double Compose(const std::vector<double>& sensitivities, double sigma)
    {
        double rate = 0;
        for (const double sensitivity : sensitivities)
        {
            rate += sensitivity * sensitivity / (2 * sigma * sigma);
        }
        return SolveGaussianEpsilon(rate, 1e-5);
    }
};

// Client 4 is late in the second round: what it sent nevertheless was seen.
TEST_F(PrivateFederation, ClientsOfACuriousServerPayForWhatLeftThem)
{
    BuildClients();
    ChoosePolicy<DeadlinePolicy>()->SetAttribute("Deadline", TimeValue(MilliSeconds(50)));
    ProtectFederation(m_federation, MakePlan<LocalDp>(), 0, 500);
    ConnectClients();
    At(MilliSeconds(12), [&] { SetCompute(4, MilliSeconds(60)); });
    At(MilliSeconds(30), [&] { SetCompute(4, MilliSeconds(10)); });
    Run();
    EXPECT_EQ(m_server->GetRecords()[1].used, 3U);
    for (LearnerId client = 1; client <= 4; ++client)
    {
        const size_t sent = m_federation.clients[client - 1]->GetRecords().size();
        EXPECT_EQ(sent, 3U);
        EXPECT_NEAR(GetEpsilon(client), Compose(std::vector<double>(sent, 1), 2), 1e-10);
        EXPECT_NEAR(m_federation.clients[client - 1]->GetRecords().back().epsilon,
                    GetEpsilon(client),
                    1e-12);
    }
}

// The same for a trusted server: it discards the late update, so that client 4 pays for two models
// and the others weigh a third in the second one.
TEST_F(PrivateFederation, ClientsOfATrustedServerPayForItsModels)
{
    BuildClients();
    Set("Rounds", UintegerValue(2));
    ChoosePolicy<DeadlinePolicy>()->SetAttribute("Deadline", TimeValue(MilliSeconds(50)));
    ProtectFederation(m_federation, MakePlan<CentralDp>(), 0, 500);
    ConnectClients();
    At(MilliSeconds(12), [&] { SetCompute(4, MilliSeconds(200)); });
    Run();
    ASSERT_EQ(m_server->GetRecords()[1].used, 3U);
    for (LearnerId client = 1; client <= 3; ++client)
    {
        EXPECT_NEAR(GetEpsilon(client), Compose({1.0 / 5, 1.0 / 3}, 2), 1e-10);
    }
    EXPECT_NEAR(GetEpsilon(4), Compose({2.0 / 5}, 2), 1e-10);
}

// The model is that of a federation without privacy, except for the clipping and the noise.
TEST_F(PrivateFederation, NoiseOfAServerIsAddedOnceARound)
{
    FedAvgPlan plan = MakePlan<CentralDp>();
    BuildClients();
    ProtectFederation(m_federation, plan, 0, 500);
    ConnectClients();
    Run();
    const ModelVector priv = m_server->GetRule()->GetModel();
    TearDown();
    BuildClients();
    plan.noise = 0;
    ProtectFederation(m_federation, plan, 0, 500);
    ConnectClients();
    Run();
    const ModelVector bare = m_server->GetRule()->GetModel();
    EXPECT_TRUE(std::isinf(GetEpsilon(1)));
    TearDown();
    BuildClients();
    ConnectClients();
    for (const auto& client : m_federation.clients)
    {
        client->GetRule()->SetAttribute("ClipNorm", DoubleValue(0.5));
    }
    Run();
    EXPECT_EQ(bare, m_server->GetRule()->GetModel()); // noise-free, to the last bit
    // Three releases of standard deviation 2: 6 of them are exceeded with probability 2e-9.
    EXPECT_GT((priv - bare).norm(), 1e-3);
    EXPECT_LT((priv - bare).norm(), 6 * 2 * std::sqrt(6.0));
}

TEST_F(PrivateFederation, ABudgetEndsTheClientsPart)
{
    BuildClients();
    ProtectFederation(m_federation, MakePlan<LocalDp>(), Compose({1, 1}, 2) * 1.01, 500);
    ConnectClients();
    Run();
    for (LearnerId client = 1; client <= 4; ++client)
    {
        EXPECT_NEAR(GetEpsilon(client), Compose({1, 1}, 2), 1e-10);
        EXPECT_EQ(Get(client)->GetState(), State::FINISHED);
    }
}

// Two updates make a model, from whatever versions.
TEST_F(PrivateFederation, AccountsHoldInABuffer)
{
    BuildClients();
    Set("Rounds", UintegerValue(6));
    SetBuffered(2);
    Choose<PolynomialStaleness>("Staleness");
    ProtectFederation(m_federation, MakePlan<CentralDp>(), 0, 500);
    SetCompute(4, MilliSeconds(35));
    ConnectClients();
    Run();
    EXPECT_GT(m_server->GetStaleness().size(), 1U);
    double sum = 0; // of squares of the weights cannot exceed one for each model
    for (LearnerId client = 1; client <= 4; ++client)
    {
        EXPECT_GT(GetEpsilon(client), 0) << client;
        sum += GetEpsilon(client);
    }
    EXPECT_LE(sum, 4 * Compose(std::vector<double>(6, 1), 2));
}

TEST_F(PrivateFederation, RefusesServersWhoseAccountIsNotKnown)
{
    BuildClients();
    Choose<FedAsyncServer>("Rule");
    ExpectRefused([&] { ProtectFederation(m_federation, MakePlan<CentralDp>(), 0, 500); },
                  "CentralDp needs a server's rule that adds noise, got "
                  "ns3::dlearn::FedAsyncServer");
    EXPECT_NO_THROW(ProtectFederation(m_federation, MakePlan<LocalDp>(), 0, 500));
    Choose<RobustServer>("Rule");
    m_server->GetRule()->SetAttribute("Aggregator", TypeIdValue(MedianAggregator::GetTypeId()));
    ProtectFederation(m_federation, MakePlan<CentralDp>(), 0, 500);
    ExpectRefused([&] { ConnectClients(); },
                  "how far a client moves ns3::dlearn::MedianAggregator is not bounded");
    FedAvgPlan plan = MakePlan<LocalDp>();
    plan.samples = {1, 1};
    ExpectRefused([&] { ProtectFederation(m_federation, plan, 0, 500); },
                  "samples must have 4 entries, got 2");
}

// A server's noise is for updates within the clip, which compressed ones can exceed.
TEST_F(PrivateFederation, RefusesToCompressWhatTheServerProtects)
{
    const std::vector<std::pair<std::string, Ptr<AttributeValue>>> settings{
        {"Compressor", Create<TypeIdValue>(QsgdCompressor::GetTypeId())},
        {"ErrorFeedback", Create<BooleanValue>(true)},
        {"FloatBits", Create<UintegerValue>(16)}};
    BuildClients();
    for (const auto& [name, value] : settings)
    {
        const auto exchange = m_federation.clients.back()->GetExchange();
        const auto before = value->Copy();
        exchange->GetAttribute(name, *before);
        exchange->SetAttribute(name, *value);
        ExpectRefused([&] { ProtectFederation(m_federation, MakePlan<CentralDp>(), 0, 500); },
                      "needs clients whose MessageExchange has no Compressor, no ErrorFeedback and "
                      "FloatBits 32 or 64");
        EXPECT_NO_THROW(ProtectFederation(m_federation, MakePlan<LocalDp>(), 0, 500)) << name;
        exchange->SetAttribute(name, *before);
    }
    EXPECT_NO_THROW(ProtectFederation(m_federation, MakePlan<CentralDp>(), 0, 500));
}

// Their vectors carry those of the honest past the noise; in any order of set-up.
TEST_F(PrivateFederation, KnowsWhatAttackersSawBeforeTheServersNoise)
{
    const auto attack = [&](bool omniscient) {
        LearnerAttack("Alie").Install(m_federation, 1, omniscient, {}, 600);
    };
    for (const bool omniscient : {true, false})
    {
        for (const bool attackFirst : {true, false})
        {
            BuildClients();
            attackFirst ? attack(omniscient) : void();
            ProtectFederation(m_federation, MakePlan<CentralDp>(), 0, 500);
            attackFirst ? void() : attack(omniscient);
            for (const auto& client : m_federation.clients)
            {
                EXPECT_EQ(client->GetRule()->GetWarnings().size(),
                          omniscient && !client->IsByzantine() ? 1U : 0U);
            }
        }
    }
    BuildClients();
    attack(true);
    ProtectFederation(m_federation, MakePlan<LocalDp>(), 0, 500); // their vectors have noise
    EXPECT_TRUE(m_federation.clients[0]->GetRule()->GetWarnings().empty());
}

// CafCor with shared noise, set up by attributes and a plan alone.
TEST_F(PrivateFederation, SetsUpCafCor)
{
    Build(5, "ideal", CafCorWorker::GetTypeId());
    Choose<RobustServer>("Rule");
    m_server->GetRule()->SetAttribute("Byzantine", UintegerValue(1));
    CafCorPlan plan;
    plan.model = CreateObject<ByzantineLocalDp>();
    plan.counts = {5, 1};
    plan.clip = 1;
    plan.rounds = 3;
    plan.delta = 1e-5;
    plan.noise = PlanCafCorNoise(plan, 20);
    ASSERT_GT(plan.noise.correlated, 0);
    ProtectFederation(m_federation,
                      std::vector<CafCorPlan>(5, plan),
                      {CreateObject<JointCorrelatedNoise>(), false},
                      0,
                      500);
    Connect(2);
    Run();
    for (LearnerId client = 1; client <= 5; ++client)
    {
        EXPECT_NEAR(GetEpsilon(client), 20, 1e-9);
    }
    EXPECT_NE(m_server->GetRule()->GetModel()[0], 0); // noise, of a task that is at its optimum
    ExpectRefused([&] { ProtectFederation(m_federation, MakePlan<LocalDp>(), 0, 500); },
                  "samples must have 5 entries, got 4");
}

TEST_F(PrivateFederation, RefusesClientsThatReturnSomethingElse)
{
    Build(4, "ideal", CafCorWorker::GetTypeId());
    ExpectRefused([&] { ProtectFederation(m_federation, MakePlan<LocalDp>(), 0, 500); },
                  "the plan needs clients with the rule ns3::dlearn::LocalTraining, got "
                  "ns3::dlearn::CafCorWorker");
    ExpectRefused([&] { Connect(2); },
                  "FedAvgServer: clients must return differences of models, got a rule that "
                  "returns gradients");
    BuildClients();
    m_federation.clients[2]->SetAttribute("Rule", TypeIdValue(CafCorWorker::GetTypeId()));
    ExpectRefused([&] { Connect(2); },
                  "the rules of all clients must return the same, differences of models or "
                  "gradients; client 3 does not");
}

// A robust server of FedAvg goes to where the honest clients are, one Byzantine client or none.
TEST_F(PrivateFederation, RobustFedAvgConvergesDespiteAByzantineClient)
{
    for (const bool robust : {false, true})
    {
        Build(5, "ideal", LocalSgd::GetTypeId());
        Set("Rounds", UintegerValue(40));
        Choose<RobustServer>("Rule");
        m_server->GetRule()->SetAttribute("Byzantine", UintegerValue(1));
        m_server->GetRule()->SetAttribute("LearningRate", DoubleValue(1));
        m_server->GetRule()->SetAttribute(
            "Aggregator",
            TypeIdValue(robust ? MedianAggregator::GetTypeId() : AverageAggregator::GetTypeId()));
        for (const auto& client : m_federation.clients)
        {
            client->GetRule()->SetAttribute("StepSize", DoubleValue(0.3));
        }
        std::vector<Ptr<LocalData>> data;
        for (int k = 0; k < 5; ++k)
        {
            data.push_back(
                CreateObject<FixedData>(Eigen::MatrixXd::Constant(2, 1, k < 4 ? 1.0 : -1e6)));
        }
        Connect(data, ModelVector::Zero(2));
        Run();
        const double error = (m_server->GetRule()->GetModel() - ModelVector::Ones(2)).norm();
        EXPECT_EQ(error < 0.01, robust) << error;
        TearDown();
    }
}

} // namespace
} // namespace test
} // namespace ns3::dlearn

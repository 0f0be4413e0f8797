/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Private federations over networks, made by FederatedHelper and a plan.
 */

#include "app/dlearn-federation-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-cafcor-worker.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-federated-helper.h"
#include "ns3/dlearn-federated-noise.h"
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
        Build(4, network, {}, LocalSgd::GetTypeId());
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

    /** @return the epsilon of a client */
    double GetEpsilon(LearnerId client) const
    {
        return m_federation.clients[client - 1]->GetRule()->GetLedger()->GetEpsilon();
    }
};

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
    Build(5, "ideal", {}, CafCorWorker::GetTypeId());
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
    Build(4, "ideal", {}, CafCorWorker::GetTypeId());
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

} // namespace
} // namespace test
} // namespace ns3::dlearn

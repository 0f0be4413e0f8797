/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Private federations over networks, made by FederatedHelper and a plan.
 */

#include "app/dlearn-federation-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/constant-position-mobility-model.h"
#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-cafcor-worker.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-federated-helper.h"
#include "ns3/dlearn-federated-noise.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-learner-attack.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-mixing-matrix.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-peer-helper.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/dlearn-sample-stream.h"
#include "ns3/dlearn-tcp-transport.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/type-id.h"

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

/** @return delta of rounds of a total rate at an epsilon (Balle and Wang, 2018, theorem 8) */
double
GetDelta(double rate, double epsilon)
{
    const double mu = std::sqrt(2 * rate);
    const auto normal = [](double x) { return std::erfc(-x / std::sqrt(2)) / 2; };
    return normal(mu / 2 - epsilon / mu) - std::exp(epsilon) * normal(-mu / 2 - epsilon / mu);
}

// Three slots in which the noise is 2 on an update of weight 1, that of client 4, and 4 on those of
// the others, of weight 1/2. A distance is at most 2 x 0.5.
TEST_F(PrivateFederation, ASlotOnTheAirCostsWhatTheSumTells)
{
    for (const bool receiver : {true, false})
    {
        BuildClients();
        FedAvgPlan plan = MakePlan<AirDp>();
        plan.model = CreateObjectWithAttributes<AirDp>("ReceiverNoise", BooleanValue(receiver));
        ExpectRefused([&] { ProtectFederation(m_federation, plan, 0, 500); },
                      "AirDp needs updates on the air: the attribute Air of the MessageExchange");
        const auto air = CreateObject<MultipleAccessChannel>();
        air->SetAttribute("Fading", StringValue(""));
        air->SetAttribute("PowerControl",
                          StringValue("ns3::dlearn::ChannelInversion[Truncation=1]"));
        for (const auto& learner : m_federation.GetLearners())
        {
            const auto place = CreateObject<ConstantPositionMobilityModel>();
            place->SetPosition({10.0 * learner->GetNode()->GetId(), 0, 0});
            learner->GetNode()->AggregateObject(place);
            learner->GetExchange()->SetAttribute("Air", PointerValue(air));
        }
        ProtectFederation(m_federation, plan, 0, 500);
        ConnectClients();
        Run();
        EXPECT_NEAR(GetDelta(3 * 1 / (2 * 4.0), GetEpsilon(4)), 1e-5, 1e-12);
        EXPECT_NEAR(GetDelta(3 * 1 / (2 * 16.0), GetEpsilon(1)), 1e-5, 1e-12);
        EXPECT_NEAR(PlanFedAvgEpsilon(plan), GetEpsilon(4), 1e-9);
        TearDown();
    }
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

/** Three peers in a ring. */
class PeerHelperTest : public testing::Test
{
  protected:
    PeerHelperTest()
        : m_graph(MetropolisWeights(MakeRing(3))),
          m_network(CreateNetwork("ideal"))
    {
        m_network->Build(m_graph, {});
        m_learners = PeerHelper().Create(*m_network);
        for (auto& stream : m_streams)
        {
            stream = CreateObject<SampleStream>();
        }
    }

    ~PeerHelperTest() override { Simulator::Destroy(); }

    /** Expect that the learners cannot be connected. */
    void Refuse(const std::string& message, std::vector<Ptr<const Task>> tasks = {})
    {
        tasks.resize(3, CreateObject<LogisticTask>());
        const PeerHelper::ChannelGraphs graphs{{ModelChannel::STATE, m_graph}};
        ExpectRefused(
            [&] { PeerHelper::Connect(m_learners, *m_network, graphs, tasks, m_streams, {}); },
            message);
    }

    Graph m_graph;
    Ptr<Network> m_network;
    std::vector<Ptr<PeerApplication>> m_learners;
    std::vector<Ptr<SampleStream>> m_streams{3};
};

TEST_F(PeerHelperTest, RefusesANetworkThatIsNotBuilt)
{
    ExpectRefused([&] { PeerHelper().Create(*CreateNetwork("ideal")); },
                  "PeerHelper: the network has no nodes yet; its Build() comes first");
}

TEST_F(PeerHelperTest, RefusesALearnerThatIsNull)
{
    m_learners[2] = nullptr;
    Refuse("PeerHelper: learner 2 must not be null");
}

TEST_F(PeerHelperTest, RefusesTransportsThatDoNotUnderstandEachOther)
{
    m_learners[2]->GetExchange()->SetAttribute("Transport", TypeIdValue(TcpTransport::GetTypeId()));
    Refuse("PeerHelper: all learners must have the same transport, but learner 0 has "
           "ns3::dlearn::UdpTransport and another one ns3::dlearn::TcpTransport");
}

TEST_F(PeerHelperTest, RefusesASampleStreamOfTwoLearners)
{
    m_streams[2] = m_streams[0];
    Refuse("PeerHelper: each learner must have its own sample stream, but learners 0 and 2 "
           "have the same");
}

TEST_F(PeerHelperTest, RefusesTasksOfDifferentSizes)
{
    std::vector<Ptr<const Task>> tasks;
    for (const Eigen::Index features : {4, 4, 5})
    {
        const auto data = std::make_shared<Dataset>();
        data->features = Eigen::MatrixXd::Ones(features, 2);
        data->labels = Eigen::Vector2d(0, 1);
        data->classes = 2;
        const auto task = CreateObject<LogisticTask>();
        task->SetData(data, data);
        tasks.push_back(task);
    }
    Refuse("models of all learners must have the same size, but that of learner 2 has ", tasks);
}

} // namespace
} // namespace test
} // namespace ns3::dlearn

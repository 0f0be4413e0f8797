/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Synchronous federations whose learners stay.
 */

#include "dlearn-federation-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-network.h"
#include "ns3/pointer.h"

namespace ns3::dlearn
{
namespace test
{
namespace
{

using FederatedRounds = FederationTest;

/** A user's own, which does not keep its data. */
class ForgetfulClient : public ScriptedClient
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::ForgetfulClient")
                                .SetParent<ScriptedClient>()
                                .AddConstructor<ForgetfulClient>();
        return tid;
    }

    Ptr<const LocalData> GetData() const override { return nullptr; }
};

// Two clients that take 10 and 20 ms, a server that takes 5: a round lasts 25 ms. The mean of
// their updates 1 and 10 is 5.5.
TEST_F(FederatedRounds, OneAfterTheOther)
{
    for (const char* transport : {"ns3::dlearn::UdpTransport", "ns3::dlearn::TcpTransport"})
    {
        Build(2);
        SetTransport(transport);
        SetCompute(2, MilliSeconds(20));
        Connect();
        EXPECT_EQ(m_server->GetRole(), "server");
        EXPECT_EQ(Get(2)->GetRole(), "client");
        Run();
        EXPECT_EQ(GetRounds(), (Lines{"25 2/2 0 0", "50 2/2 0 0", "75 2/2 0 0"})) << transport;
        EXPECT_EQ(Script(1).log, (Lines{"0 #0 0", "25 #1 5.5", "50 #2 11"}));
        EXPECT_EQ(Script(2).log, Script(1).log);
        EXPECT_EQ(Script(2).ends, (Lines{"out", "out", "out"}));
        EXPECT_DOUBLE_EQ(GetModel(), 16.5);
        EXPECT_EQ(m_server->GetState(), State::FINISHED);
        EXPECT_EQ(Get(1)->GetState(), State::IDLE);
        EXPECT_TRUE(Get(1)->IsDone());
        const RoundRecord& round = m_server->GetRecords().at(1);
        EXPECT_EQ(round.round, 1U);
        EXPECT_EQ(round.node, 0U);
        EXPECT_NEAR(round.duration.GetSeconds(), 0.025, 1e-6); // TCP takes some nanoseconds
        EXPECT_EQ(round.compute, MilliSeconds(5));
        EXPECT_TRUE(std::isnan(round.epsilon));
        EXPECT_EQ(round.txBytes, 2U * (ModelHeader::SIZE + 4));
        EXPECT_EQ(round.rxBytes, 2U * (ModelHeader::SIZE + 4));
        const auto& records = Get(2)->GetRecords();
        ASSERT_EQ(records.size(), 3U);
        for (uint32_t k = 0; k < 3; ++k)
        {
            EXPECT_EQ(records[k].round, k);
            EXPECT_NEAR(records[k].closed.GetSeconds(), 0.02 + 0.025 * k, 1e-6);
            EXPECT_EQ(records[k].duration, MilliSeconds(20));
            EXPECT_EQ(records[k].txBytes, ModelHeader::SIZE + 4U);
            EXPECT_EQ(records[k].rxBytes, ModelHeader::SIZE + 4U);
        }
        EXPECT_EQ(m_server->GetStaleness(), (std::map<uint32_t, uint64_t>{{0, 6}}));
        Simulator::Destroy();
    }
}

// 100 entries at 1 Mbit/s. Frames: 20 (IP) + 8 (UDP) + 32 + 400 + 2 (PPP) = 462 bytes, 3.696 ms;
// one millisecond of delay each way; 10 ms and 5 ms of computing.
TEST_F(FederatedRounds, WiresTakeTheirTime)
{
    Build(1, "p2p,rate=1Mbps,delay=1ms");
    Set("Rounds", UintegerValue(2));
    Connect(100);
    Run();
    EXPECT_EQ(Script(1).log, (Lines{"4.696 #0 0", "29.088 #1 1"}));
    EXPECT_EQ(GetRounds(), (Lines{"24.392 1/1 0 0", "48.784 1/1 0 0"}));
}

// FedAvg as McMahan et al. write it down, with n_i of 2, 3 and 4 samples and three local steps.
TEST_F(FederatedRounds, AreTheTextbookIteration)
{
    constexpr uint32_t ROUNDS = 12;
    constexpr double STEP = 0.3;
    Build(3, "ideal", LocalSgd::GetTypeId());
    SetFloatBits(64);
    Set("Rounds", UintegerValue(ROUNDS));
    std::vector<Ptr<LocalData>> data;
    std::vector<Eigen::MatrixXd> samples;
    for (uint32_t k = 0; k < 3; ++k)
    {
        m_federation.clients[k]->GetRule()->SetAttribute("LocalSteps", UintegerValue(2));
        m_federation.clients[k]->GetRule()->SetAttribute("StepSize", DoubleValue(STEP));
        samples.push_back(Eigen::MatrixXd::NullaryExpr(4, 2 + k, [k](auto i, auto j) {
            return std::sin(1.0 + 3 * i + 5 * j + 7 * k);
        }));
        data.push_back(CreateObject<FixedData>(samples.back()));
    }
    const ModelVector start = ModelVector::LinSpaced(4, -1, 2);
    Connect(data, start);
    Run();
    const Eigen::VectorXd stiffness = Eigen::VectorXd::LinSpaced(4, 0.5, 1.5);
    Eigen::VectorXd model = start;
    for (uint32_t round = 0; round < ROUNDS; ++round)
    {
        Eigen::VectorXd sum = Eigen::VectorXd::Zero(4);
        for (uint32_t k = 0; k < 3; ++k)
        {
            const Eigen::Index batch = (2 + k) / 2; // the odd one of three is not used
            Eigen::VectorXd local = model;
            for (uint32_t step = 0; step < 2; ++step)
            {
                const Eigen::VectorXd mean =
                    samples[k].middleCols(step * batch, batch).rowwise().mean();
                local -= STEP * stiffness.cwiseProduct(local - mean);
            }
            sum += (2.0 + k) / 9 * local;
        }
        model = sum;
    }
    EXPECT_LT((m_server->GetRule()->GetModel() - model).norm(), 1e-12);
    EXPECT_GT((model - start).norm(), 0.1);
}

TEST_F(FederatedRounds, GoByThePlan)
{
    Build(3);
    Set("Rounds", UintegerValue(5));
    const auto schedule = DynamicCast<SynchronousSchedule>(m_server->GetSchedule());
    schedule->SetAttribute("Sampling", TypeIdValue(ScheduledSampling::GetTypeId()));
    schedule->GetSampling()->SetAttribute("Plan", StringValue("1,3;2"));
    Connect();
    Run();
    EXPECT_EQ(GetRounds(),
              (Lines{"15 2/2 0 0", "30 1/1 0 0", "45 2/2 0 0", "60 1/1 0 0", "75 2/2 0 0"}));
    // Means of 1 and 100, and of 10 alone.
    EXPECT_EQ(Script(1).log, (Lines{"0 #0 0", "30 #2 60.5", "60 #4 121"}));
    EXPECT_EQ(Script(2).log, (Lines{"15 #1 50.5", "45 #3 111"}));
    EXPECT_EQ(Script(3).log, Script(1).log);
}

// Client 2 takes 40 ms; rounds close after 30 and take 35. It finishes model 0 at 40, in round 1,
// the waiting model 1 at 80, in round 2, and then model 2 at 120, in round 3.
TEST_F(FederatedRounds, DeadlineClosesAndTheLateUpdateCountsAsLate)
{
    for (const bool use : {false, true})
    {
        totals.clear();
        Build(2);
        SetCompute(2, MilliSeconds(40));
        Set("Rounds", UintegerValue(4));
        if (use)
        {
            Choose<ConstantStaleness>("Staleness");
        }
        ChoosePolicy<DeadlinePolicy>()->SetAttribute("Deadline", TimeValue(MilliSeconds(30)));
        Connect();
        Run();
        EXPECT_EQ(GetRounds(), (Lines{"35 1/2 1 0", "70 1/2 1 0", "105 1/2 1 0", "140 1/2 1 0"}));
        EXPECT_EQ(m_server->GetRequests().GetTally().late, 4U);
        EXPECT_EQ(m_server->GetRequests().GetTally().duplicate, 0U);
        if (use)
        {
            // Rounds 1, 2, 3 average 1 and the 10 that was made of the model before.
            EXPECT_DOUBLE_EQ(GetModel(), 1 + 3 * 5.5);
            EXPECT_EQ(m_server->GetStaleness(), (std::map<uint32_t, uint64_t>{{0, 4}, {1, 3}}));
            EXPECT_EQ(Script(2).log, (Lines{"0 #0 0", "40 #1 1", "80 #2 6.5", "120 #3 12"}));
        }
        else
        {
            EXPECT_DOUBLE_EQ(GetModel(), 4);
            EXPECT_EQ(totals["updates_discarded_stale"], 4U);
            EXPECT_EQ(totals["updates_late_used"], 0U);
        }
        Simulator::Destroy();
    }
}

// Three clients of 10, 20 and 100 ms; two of three are enough. Client 3 skips the models that
// came while it trained but the newest.
TEST_F(FederatedRounds, QuorumDoesNotWaitForTheSlow)
{
    Build(3);
    SetCompute(2, MilliSeconds(20));
    SetCompute(3, MilliSeconds(100));
    Set("Rounds", UintegerValue(6));
    ChoosePolicy<QuorumPolicy>()->SetAttribute("Fraction", DoubleValue(0.6));
    Connect();
    Run();
    EXPECT_EQ(GetRounds(),
              (Lines{"25 2/3 1 0",
                     "50 2/3 0 1",
                     "75 2/3 0 1",
                     "100 2/3 1 0",
                     "125 2/3 0 1",
                     "150 2/3 1 0"}));
    // It finishes #0 at 100, #3 at 200 and #5 at 300.
    EXPECT_EQ(Script(3).log, (Lines{"0 #0 0", "100 #3 16.5", "200 #5 27.5"}));
    EXPECT_EQ(totals["models_superseded"], 3U);
    EXPECT_DOUBLE_EQ(GetModel(), 6 * 5.5);
}

TEST_F(FederatedRounds, NeedNoTimeWhereNothingTakesTime)
{
    Build(3);
    Set("Rounds", UintegerValue(50));
    for (LearnerId id = 0; id <= 3; ++id)
    {
        SetCompute(id, Time(0));
    }
    Connect();
    Run();
    ASSERT_EQ(GetRounds().size(), 50U);
    EXPECT_EQ(GetRounds().back(), "0 3/3 0 0");
    EXPECT_DOUBLE_EQ(GetModel(), 50 * 37);
}

TEST_F(FederatedRounds, RefuseWhatDoesNotFit)
{
    Build(2);
    ExpectRefused([this] { FederatedHelper::Connect(m_federation, *m_network, {}, {}); },
                  "FederatedHelper: data must have 2 entries, got 0");
    Federation incomplete = m_federation;
    incomplete.clients[1] = nullptr;
    ExpectRefused(
        [&] {
            FederatedHelper::Connect(incomplete, *m_network, {nullptr, nullptr}, {});
        },
        "FederatedHelper: learner 2 must not be null");
    ExpectRefused(
        [this] {
            Connect({nullptr, nullptr}, ModelVector::Zero(1));
        },
        "FederatedHelper: client 1 has no data");
    const Ptr<LocalData> data = CreateObject<FixedData>(Eigen::MatrixXd::Zero(2, 1));
    const Ptr<LocalData> other = CreateObject<FixedData>(Eigen::MatrixXd::Zero(2, 1));
    ExpectRefused(
        [&] {
            Connect({data, other}, ModelVector::Zero(3));
        },
        "FederatedHelper: initial model must have 2 entries, got 3");
    ExpectRefused(
        [&] {
            Connect({data, data}, ModelVector::Zero(2));
        },
        "FederatedHelper: each learner must have a data object of its own, but learners 1 and 2 "
        "have the same");
    ServerContext context;
    context.samples[1] = 1;
    context.initialModel = ModelVector::Zero(1);
    ExpectRefused([&] { m_server->SetContext(context, {}); },
                  "FederatedServer: server 0 has no address of its client 1");
    ExpectRefused(
        [&] {
            CreateObject<FederatedServer>()->SetContext(context, {{1, {}}});
        },
        "FederatedServer: add the application to a node first");
    ExpectRefused([] { Simulator::Run(); }, "SetContext() must be called before the start");
    const auto network = CreateNetwork("ideal");
    network->Build(Graph(1), {});
    ExpectRefused([&] { FederatedHelper().Create(*network); },
                  "FederatedHelper: a federation needs a server and a client, the network has 1");
}

// Parts are there from the beginning, can be described by text, and have a path of ns-3's Config.
TEST_F(FederatedRounds, PartsAreReachedByConfigUntilTheyAreSetUp)
{
    Build(2);
    Set("Rule", StringValue("ns3::dlearn::FedAvgServer[LearningRate=0.5]"));
    Set("Schedule", StringValue("ns3::dlearn::SynchronousSchedule"));
    Config::Set("/NodeList/0/ApplicationList/0/$ns3::dlearn::FederatedServer/Schedule/"
                "$ns3::dlearn::SynchronousSchedule/Sampling/$ns3::dlearn::UniformSampling/Count",
                UintegerValue(1));
    Config::Set("/NodeList/0/ApplicationList/0/$ns3::dlearn::FederatedServer/Rule/"
                "$ns3::dlearn::FedAvgServer/Momentum",
                DoubleValue(0.25));
    m_federation.clients[1]->SetAttribute("Rule", TypeIdValue(LocalSgd::GetTypeId()));
    EXPECT_NE(m_federation.clients[0]->GetRule(), m_federation.clients[1]->GetRule());
    Connect();
    Run();
    for (const RoundRecord& record : m_server->GetRecords())
    {
        EXPECT_EQ(record.expected, 1U);
    }
    DoubleValue momentum;
    m_server->GetRule()->GetAttribute("Momentum", momentum);
    EXPECT_EQ(momentum.Get(), 0.25);
    for (const std::string name : {"Rule", "Schedule", "Staleness"})
    {
        PointerValue part;
        m_server->GetAttribute(name, part);
        ExpectRefused([&] { Set(name, part); }, name + " cannot be replaced after set-up");
    }
    ExpectRefused(
        [&] { m_federation.clients[0]->SetAttribute("Rule", TypeIdValue(LocalSgd::GetTypeId())); },
        "FederatedClient: Rule cannot be replaced after set-up");
}

TEST_F(FederatedRounds, NeedTheDataOfTheirClients)
{
    Build(1, "ideal", ForgetfulClient::GetTypeId());
    ExpectRefused([&] { Connect(); },
                  "ForgetfulClient: GetData() must return the client's data after Setup(), got "
                  "null");
}

} // namespace
} // namespace test
} // namespace ns3::dlearn

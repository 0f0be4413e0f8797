/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Synchronous federations whose learners stay.
 * A server that uses what has arrived of updates that are not whole.
 * A later step that is not noise recovery: rules of a user that ask and answer with vectors of
 * their own.
 */

#include "dlearn-federation-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-network.h"
#include "ns3/pointer.h"

#include <gtest/gtest.h>
#include <limits>
#include <set>

namespace ns3::dlearn
{
namespace test
{
namespace
{

using FederatedRounds = FederationTest;

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

// Of the four clients asked, which take 10, 20, 30 and 40 ms, three are enough.
TEST_F(FederatedRounds, CloseWithTheNumberWantedOfMoreThatWereAsked)
{
    Build(4);
    for (LearnerId id = 1; id <= 4; ++id)
    {
        SetCompute(id, MilliSeconds(10 * id));
    }
    const auto sampling = DynamicCast<SynchronousSchedule>(m_server->GetSchedule())->GetSampling();
    sampling->SetAttribute("Count", UintegerValue(3));
    sampling->SetAttribute("OverSelection", DoubleValue(1.3));
    Connect();
    Run();
    EXPECT_EQ(GetRounds(), (Lines{"35 3/4 1 0", "70 3/4 1 0", "105 3/4 1 0"}));
    EXPECT_DOUBLE_EQ(GetModel(), 3 * (1 + 10 + 100) / 3.0);
}

// Two of four clients are enough, or what there is after 15 ms; less than two make no model.
TEST_F(FederatedRounds, CloseByQuorumOrDeadlineAndAreGivenUpBelowTheMinimum)
{
    for (const int64_t second : {12, 50})
    {
        totals.clear();
        Build(4);
        SetCompute(2, MilliSeconds(second));
        SetCompute(3, MilliSeconds(60));
        SetCompute(4, MilliSeconds(70));
        ChoosePolicy<QuorumPolicy>()->SetAttribute("Deadline", TimeValue(MilliSeconds(15)));
        m_server->GetSchedule()->SetAttribute("MinUpdates", UintegerValue(2));
        Connect();
        Run();
        ASSERT_EQ(m_server->GetRecords().size(), 3U);
        for (const RoundRecord& record : m_server->GetRecords())
        {
            EXPECT_EQ(record.used, second == 12 ? 2U : 0U);
            EXPECT_EQ(record.rejected, second == 12 ? 0U : 1U);
            EXPECT_EQ(record.duration, MilliSeconds(second == 12 ? 17 : 20));
        }
        EXPECT_DOUBLE_EQ(GetModel(), second == 12 ? 3 * 5.5 : 0);
        EXPECT_EQ(totals["rounds_given_up"], second == 12 ? 0U : 3U);
        Simulator::Destroy();
    }
}

// FedAvg of the two clients with the highest losses that they reported last; those that have not
// been asked come first.
TEST_F(FederatedRounds, ChooseByLossesAsWrittenDown)
{
    constexpr uint32_t ROUNDS = 12;
    constexpr double STEP = 0.3;
    Build(5, "ideal", LocalSgd::GetTypeId());
    SetFloatBits(64);
    Set("Rounds", UintegerValue(ROUNDS));
    const auto schedule = DynamicCast<SynchronousSchedule>(m_server->GetSchedule());
    schedule->SetAttribute("Sampling", TypeIdValue(LossSampling::GetTypeId()));
    schedule->GetSampling()->SetAttribute("Count", UintegerValue(2));
    std::vector<Ptr<LocalData>> data;
    std::vector<Eigen::MatrixXd> samples;
    for (uint32_t k = 0; k < 5; ++k)
    {
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
    std::vector<double> losses(5, std::numeric_limits<double>::infinity());
    std::set<std::set<size_t>> groups;
    for (uint32_t round = 0; round < ROUNDS; ++round)
    {
        const auto last = losses;
        const size_t first = std::max_element(last.begin(), last.end()) - last.begin();
        size_t second = first == 0 ? 1 : 0;
        for (size_t k = 0; k < 5; ++k)
        {
            second = k != first && last[k] > last[second] ? k : second;
        }
        groups.insert({first, second});
        Eigen::VectorXd sum = Eigen::VectorXd::Zero(4);
        for (const size_t k : {first, second})
        {
            const Eigen::MatrixXd away = model.replicate(1, 2 + k) - samples[k];
            losses[k] = (stiffness.asDiagonal() * away.cwiseAbs2()).sum() / 2 / (2.0 + k);
            const Eigen::VectorXd mean = samples[k].rowwise().mean();
            sum += (2.0 + k) * (model - STEP * stiffness.cwiseProduct(model - mean));
        }
        model = sum / (4.0 + first + second);
    }
    EXPECT_LT((m_server->GetRule()->GetModel() - model).norm(), 1e-10);
    EXPECT_GT(groups.size(), 3U);
}

/** A schedule that says how many steps clients take, and how long these are. */
class DirectingSchedule : public SynchronousSchedule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::DirectingSchedule")
                                .SetParent<SynchronousSchedule>()
                                .AddConstructor<DirectingSchedule>();
        return tid;
    }

    RoundPlan Plan(const RoundView& view) override
    {
        RoundPlan plan = SynchronousSchedule::Plan(view);
        plan.figures = {1.0 + view.round % 2, 0.3 / (1 + view.round)};
        return plan;
    }

    std::vector<std::string> GetSettings() const override { return {"LocalSteps", "StepSize"}; }
};

TEST_F(FederatedRounds, SetTheClientsAttributesAsThePlanSays)
{
    Build(2, "ideal", LocalSgd::GetTypeId());
    SetFloatBits(64);
    Set("Rounds", UintegerValue(5));
    Choose<DirectingSchedule>("Schedule");
    std::vector<Ptr<LocalData>> data;
    for (uint32_t k = 0; k < 2; ++k)
    {
        data.push_back(CreateObject<FixedData>(Eigen::MatrixXd::Constant(1, 2, k)));
    }
    Connect(data, ModelVector::Constant(1, 3));
    Run();
    const double stiffness = Eigen::VectorXd::LinSpaced(1, 0.5, 1.5)[0];
    double model = 3;
    for (uint32_t round = 0; round < 5; ++round)
    {
        double sum = 0;
        for (const double center : {0, 1})
        {
            double local = model;
            for (uint32_t step = 0; step <= round % 2; ++step)
            {
                local -= 0.3 / (1 + round) * stiffness * (local - center);
            }
            sum += local / 2;
        }
        model = sum;
    }
    EXPECT_NEAR(GetModel(), model, 1e-12);
}

// Every sampling there is, with loss and a client that crashes and comes back.
TEST_F(FederatedRounds, EndWithAnySampling)
{
    for (uint16_t k = 0; k < TypeId::GetRegisteredN(); ++k)
    {
        const TypeId type = TypeId::GetRegistered(k);
        if (!type.IsChildOf(ClientSampling::GetTypeId()) || !type.HasConstructor())
        {
            continue;
        }
        SCOPED_TRACE(type.GetName());
        Build(6, "p2p,rate=1Mbps,delay=1ms,loss=0.1", LocalSgd::GetTypeId());
        Set("Rounds", UintegerValue(20));
        const auto schedule = DynamicCast<SynchronousSchedule>(m_server->GetSchedule());
        schedule->SetAttribute("Sampling", TypeIdValue(type));
        schedule->SetAttribute("MinUpdates", UintegerValue(2));
        const auto sampling = schedule->GetSampling();
        sampling->SetAttributeFailSafe("Plan", StringValue("1-3;4-6"));
        sampling->SetAttributeFailSafe("Figure", StringValue("samples"));
        sampling->SetAttributeFailSafe("Count", UintegerValue(3));
        sampling->SetAttributeFailSafe("OverSelection", DoubleValue(1.3));
        ChoosePolicy<QuorumPolicy>()->SetAttribute("Deadline", TimeValue(MilliSeconds(200)));
        std::vector<Ptr<LocalData>> data;
        for (uint32_t client = 0; client < 6; ++client)
        {
            data.push_back(CreateObject<FixedData>(Eigen::MatrixXd::Constant(4, 2, client)));
        }
        Connect(data, ModelVector::Zero(4));
        At(MilliSeconds(100), [this] { Get(2)->Crash(); });
        At(Seconds(1), [this] { Get(2)->Restart(); });
        Run();
        EXPECT_EQ(m_server->GetRecords().size(), 20U);
        EXPECT_TRUE(m_server->GetRule()->GetModel().allFinite());
        EXPECT_GT(m_server->GetRule()->GetModel().norm(), 0);
        Simulator::Destroy();
    }
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

using Reception = LearnerApplication::Reception;

/** Two clients; of client 2, which trains all the time, the test sends fragments. */
class FederatedPartial : public FederationTest
{
  protected:
    /** @param use whether parts are used */
    void BuildPair(bool use)
    {
        totals.clear();
        receptions.clear();
        Build(2);
        Set("Rounds", UintegerValue(2));
        Set("UsePartial", BooleanValue(use));
        Set("ResponseTimeout", TimeValue(MilliSeconds(100)));
        Set("SuspicionTimeout", TimeValue(Seconds(10)));
        SetCompute(2, Seconds(90));
        m_server->TraceConnectWithoutContext("MessageRx",
                                             MakeCallback(&FederatedPartial::Note, this));
    }

    /** Let the second of two entries of client 2's update arrive. */
    void SendEntry(Time when, uint32_t requestId, const Bytes& number)
    {
        ModelHeader header;
        header.channel = ModelChannel::UPDATE;
        header.sender = 2;
        header.round = requestId;
        header.vectorLength = 2;
        header.messageLength = 8;
        header.fragmentOffset = 4;
        header.payloadLength = 4;
        InjectAt(when, 2, 0, test::Seal(header, number));
    }

    void Note(const MessageSource& source, uint32_t round, Reception reception)
    {
        std::ostringstream line;
        line << source.first << " #" << round << " " << ToString(reception);
        receptions.push_back(line.str());
    }

    const Bytes NUMBER{0x40, 0xa0, 0, 0};    //!< 5
    const Bytes NO_NUMBER{0x7f, 0xc0, 0, 0}; //!< NaN
    Lines receptions;                        //!< what the server got
};

// The clients weigh the same; client 1 returns 1 in both entries.
TEST_F(FederatedPartial, EntriesThatArrivedAreUsedWhenTheTimeIsOver)
{
    for (const bool use : {false, true})
    {
        BuildPair(use);
        Connect(2);
        SendEntry(MilliSeconds(5), 0, NUMBER);
        Run(Seconds(2));
        EXPECT_EQ(GetRounds(),
                  use ? (Lines{"105 2/2 0 0", "210 1/2 0 1"})
                      : (Lines{"105 1/2 0 1", "210 1/2 0 1"}));
        EXPECT_EQ(m_server->GetRule()->GetModel(), Eigen::Vector2d(2, use ? 4 : 2));
        EXPECT_EQ(receptions,
                  use ? (Lines{"1 #0 on-time", "2 #0 partial", "1 #1 on-time"})
                      : (Lines{"1 #0 on-time", "1 #1 on-time"}));
        EXPECT_EQ(totals.count("updates_partial"), use ? 1U : 0U);
        EXPECT_EQ(totals["updates_partial"], use ? 1U : 0U);
        Simulator::Destroy();
    }
}

// The rest comes when the next round is open: it is not wanted any more, and no message of its own.
TEST_F(FederatedPartial, TheRestOfAnUpdateIsNotWanted)
{
    BuildPair(true);
    ChoosePolicy<DeadlinePolicy>()->SetAttribute("Deadline", TimeValue(MilliSeconds(30)));
    Connect(2);
    SendEntry(MilliSeconds(5), 0, NUMBER);
    ModelHeader header;
    header.channel = ModelChannel::UPDATE;
    header.sender = 2;
    header.vectorLength = 2;
    header.messageLength = 8;
    header.payloadLength = 4;
    InjectAt(MilliSeconds(50), 2, 0, test::Seal(header, NUMBER));
    Run(Seconds(2));
    EXPECT_EQ(GetRounds(), (Lines{"35 2/2 0 0", "70 1/2 0 1"}));
    EXPECT_EQ(m_server->GetRule()->GetModel(), Eigen::Vector2d(2, 4));
    EXPECT_EQ(m_server->GetRequests().GetTally().duplicate, 0U);
    EXPECT_EQ(m_server->GetRequests().GetTally().late, 0U);
    EXPECT_EQ(m_server->GetExchange()->GetCounters().unwanted, 1U);
}

TEST_F(FederatedPartial, WhatIsNotFiniteIsLost)
{
    BuildPair(true);
    Connect(2);
    SendEntry(MilliSeconds(5), 0, NO_NUMBER);
    Run(Seconds(2));
    EXPECT_EQ(GetRounds(), (Lines{"105 1/2 0 1", "210 1/2 0 1"}));
    EXPECT_EQ(totals["not_finite"], 1U);
    EXPECT_EQ(totals["updates_partial"], 0U);
}

// A crash drops what has arrived, and the restarted server gives another model.
TEST_F(FederatedPartial, ACrashForgetsParts)
{
    BuildPair(true);
    Connect(2);
    SendEntry(MilliSeconds(5), 0, NUMBER);
    At(MilliSeconds(50), [this] { m_server->Crash(); });
    At(MilliSeconds(60), [this] { m_server->Restart(); });
    Run(Seconds(2));
    EXPECT_EQ(totals["updates_partial"], 0U);
    EXPECT_EQ(m_server->GetRule()->GetModel(), Eigen::Vector2d(2, 2));
}

// It waits for the rest without success: after 250 ms, in the third round, the client is suspected,
// and the fourth does not wait.
TEST_F(FederatedPartial, AClientThatNeverSendsTheRestIsSuspected)
{
    BuildPair(true);
    Set("Rounds", UintegerValue(4));
    Set("SuspicionTimeout", TimeValue(MilliSeconds(250)));
    Connect(2);
    for (uint32_t round = 0; round < 4; ++round)
    {
        SendEntry(MilliSeconds(105 * round + 5), round, NUMBER);
    }
    Run(Seconds(2));
    EXPECT_EQ(GetRounds(), (Lines{"105 2/2 0 0", "210 2/2 0 0", "315 2/2 0 0", "330 2/2 0 0"}));
    EXPECT_EQ(totals["updates_partial"], 4U);
}

/** Asks for a vote on the sum of the updates, and takes the sum of the votes for its model. */
class VotingServer : public ServerRule
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::VotingServer")
                                .SetParent<ServerRule>()
                                .AddConstructor<VotingServer>();
        return tid;
    }

    MessageFormat GetFormat(ModelChannel channel) const override
    {
        return {channel == ModelChannel::REQUEST ? 2U : 1U, {}};
    }

    Outbox Ask(uint32_t step, std::vector<ClientUpdate>& updates, const Replies& replies) override
    {
        if (step > 1)
        {
            for (ClientUpdate& update : updates)
            {
                const auto found = replies.find(update.client);
                update.values =
                    found == replies.end() ? ModelVector::Zero(1) : found->second.values;
            }
            return {};
        }
        Outgoing request{ModelChannel::REQUEST, {}, ModelVector::Zero(2)};
        for (const ClientUpdate& update : updates)
        {
            request.recipients.push_back(update.client);
            request.values[0] += update.values[0];
        }
        return {request};
    }

    double GetFlops(size_t /* updates */) const override { return 0; }

  protected:
    void CheckAttributes() const override {}

    ModelVector Move(const std::vector<ClientUpdate>& updates) override
    {
        ModelVector sum = ModelVector::Zero(1);
        for (const ClientUpdate& update : updates)
        {
            sum += update.values;
        }
        return sum;
    }
};

/** Votes with its update divided by the sum that it is asked about. */
class VotingClient : public ScriptedClient
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::VotingClient")
                                .SetParent<ScriptedClient>()
                                .AddConstructor<VotingClient>();
        return tid;
    }

    MessageFormat GetFormat(ModelChannel channel) const override
    {
        return {channel == ModelChannel::REQUEST ? 2U : 1U, {}};
    }

    Message Answer(uint32_t /* step */, const Message& request) override
    {
        return delta == 100 ? Message()
                            : Message(ModelVector::Constant(1, delta / request.values[0]));
    }
};

class FederatedLaterSteps : public FederationTest
{
  protected:
    void BuildVoters(uint32_t clients)
    {
        Build(clients, "ideal", VotingClient::GetTypeId());
        Choose<VotingServer>("Rule");
        Set("ResponseTimeout", TimeValue(Seconds(2)));
        m_server->TraceConnectWithoutContext("Request",
                                             MakeCallback(&FederatedLaterSteps::Record, this));
    }

    void Record(uint32_t round, const ModelVector& request)
    {
        requests.emplace_back(round, request[0]);
    }

    std::vector<std::pair<uint32_t, double>> requests; //!< round and sum
};

// The updates are 1 and 10 each time; three rounds.
TEST_F(FederatedLaterSteps, AsksAndUsesTheAnswersInEveryRound)
{
    BuildVoters(2);
    Connect();
    Run();
    EXPECT_NEAR(GetModel(), 1, 1e-6); // single precision on the wire
    EXPECT_EQ(requests,
              (std::vector<std::pair<uint32_t, double>>{{0, 11.0}, {1, 11.0}, {2, 11.0}}));
    EXPECT_EQ(totals.at("corrections_used"), 6U);
    EXPECT_EQ(totals.at("rosters_answered"), 6U);
}

// Client 3, whose update is 100, does not answer: the round goes on after the ResponseTimeout.
TEST_F(FederatedLaterSteps, GoesOnWithoutAClientThatDoesNotAnswer)
{
    BuildVoters(3);
    Set("Rounds", UintegerValue(1));
    Connect();
    Run();
    EXPECT_NEAR(GetModel(), 11.0 / 111, 1e-6);
    EXPECT_EQ(totals.at("corrections_lost"), 1U);
    EXPECT_EQ(totals.at("rosters_missed"), 1U);
    EXPECT_GE(m_server->GetRecords()[0].closed, Seconds(2));
}

// Client 3 is too slow for the deadline. Its updates come while client 1 does not answer in the
// later step; they are not of the round that comes next.
TEST_F(FederatedLaterSteps, AnUpdateThatComesMeanwhileIsOld)
{
    BuildVoters(3);
    ChoosePolicy<DeadlinePolicy>()->SetAttribute("Deadline", TimeValue(MilliSeconds(100)));
    Set("Rounds", UintegerValue(2));
    SetCompute(3, MilliSeconds(150));
    Connect();
    Script(1).delta = 100;
    Script(3).delta = 1;
    Run();
    EXPECT_EQ(requests, (std::vector<std::pair<uint32_t, double>>{{0, 110.0}, {1, 110.0}}));
    EXPECT_EQ(totals.at("updates_discarded_stale"), 2U);
}

/** Asks each of two clients for its number, and then for a sum with the answer of the other. */
class RelayServer : public VotingServer
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::RelayServer")
                                .SetParent<VotingServer>()
                                .AddConstructor<RelayServer>();
        return tid;
    }

    Outbox Ask(uint32_t step, std::vector<ClientUpdate>& updates, const Replies& replies) override
    {
        Outbox outbox;
        for (ClientUpdate& update : updates)
        {
            const LearnerId client = update.client;
            const double number = step == 1 ? client : replies.at(3 - client).values[0];
            if (step == 3)
            {
                update.values = replies.at(client).values;
                continue;
            }
            outbox.push_back({ModelChannel::REQUEST, {client}, Eigen::Vector2d(number, step)});
        }
        return outbox;
    }
};

/** Answers with ten times the number in step 1, and with one more in step 2. */
class RelayClient : public VotingClient
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::dlearn::test::RelayClient")
                                .SetParent<VotingClient>()
                                .AddConstructor<RelayClient>();
        return tid;
    }

    Message Answer(uint32_t step, const Message& request) override
    {
        EXPECT_EQ(step, request.values[1]);
        const double number = request.values[0];
        return {ModelVector::Constant(1, step == 1 ? 10 * number : number + 1)};
    }
};

// Every round has three steps; the second and third one have the numbers of the model and the next.
TEST_F(FederatedLaterSteps, EachClientIsToldItsOwnInSeveralSteps)
{
    Build(2, "ideal", RelayClient::GetTypeId());
    Choose<RelayServer>("Rule");
    Connect();
    Run();
    EXPECT_EQ(GetModel(), 10 + 1 + 20 + 1);
    ASSERT_EQ(Script(1).log.size(), 3U);
    for (const size_t round : {0, 1, 2})
    {
        EXPECT_NE(Script(1).log[round].find("#" + std::to_string(2 * round)), std::string::npos);
    }
    EXPECT_EQ(totals.at("corrections_used"), 12U);
    EXPECT_EQ(totals.at("rosters_answered"), 12U);
    EXPECT_EQ(m_server->GetRecords().size(), 3U);
}

TEST_F(FederatedLaterSteps, IsForRoundsInLockStep)
{
    BuildVoters(2);
    SetBuffered(2);
    Connect();
    Run();
    EXPECT_TRUE(requests.empty());
    EXPECT_EQ(GetModel(), 11);
}

} // namespace
} // namespace test
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * A server that goes back to its last checkpoint.
 * Federations under random churn and loss: whatever happens, the run ends in bounded time and the
 * records balance.
 */

#include "dlearn-federation-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-federated-noise.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/pointer.h"

namespace ns3::dlearn
{
namespace test
{
namespace
{

/** A server of one parameter and two clients. */
ServerContext
MakeContext()
{
    ServerContext context;
    context.id = 0;
    context.samples = {{1, 1}, {2, 1}};
    context.initialModel = ModelVector::Zero(1);
    return context;
}

/** Let both clients return a number. */
void
Aggregate(ServerRule& rule, double value, uint32_t round)
{
    std::vector<ClientUpdate> updates(2);
    for (LearnerId client : {1, 2})
    {
        updates[client - 1].client = client;
        updates[client - 1].values = ModelVector::Constant(1, value);
        updates[client - 1].round = round;
    }
    rule.Aggregate(updates);
}

TEST(ServerCheckpoint, IsWrittenAfterEveryRoundByDefault)
{
    const auto rule = CreateObject<FedAvgServer>();
    rule->Setup(MakeContext());
    ServerCheckpoint checkpoint;
    Aggregate(*rule, 3, 0);
    checkpoint.Update(*rule);
    EXPECT_FALSE(checkpoint.Restore());
    EXPECT_EQ(rule->GetModel()[0], 3);
    std::map<std::string, uint64_t> totals;
    checkpoint.Count(totals);
    EXPECT_TRUE(totals.empty());
    ExpectRefused([&] { checkpoint.SetInterval(0, *rule); }, "must be at least 1 round, got 0");
}

// Velocities with momentum 1/2: 1, 1.5, 1.75; models 1, 2.5, 4.25. Back at the second round the
// next velocity is 1.75 again.
TEST(ServerCheckpoint, HasTheMomentum)
{
    for (const char* type : {"ns3::dlearn::FedAvgServer", "ns3::dlearn::RobustServer"})
    {
        ObjectFactory factory(type, "Momentum", DoubleValue(0.5), "LearningRate", DoubleValue(1));
        if (std::string(type) == "ns3::dlearn::RobustServer")
        {
            factory.Set("Aggregator", StringValue("ns3::dlearn::AverageAggregator"));
        }
        const auto rule = factory.Create<ServerRule>();
        ServerContext context = MakeContext();
        context.updates = UpdateKind::DIFFERENCE;
        rule->Setup(context);
        ServerCheckpoint checkpoint;
        checkpoint.SetInterval(2, *rule);
        for (uint32_t round = 0; round < 3; ++round)
        {
            Aggregate(*rule, 1, round);
            checkpoint.Update(*rule);
        }
        EXPECT_EQ(rule->GetModel()[0], 4.25) << type;
        EXPECT_TRUE(checkpoint.Restore()) << type;
        EXPECT_EQ(rule->GetModel()[0], 2.5) << type;
        EXPECT_FALSE(checkpoint.Restore()) << type;
        Aggregate(*rule, 1, 3);
        EXPECT_EQ(rule->GetModel()[0], 4.25) << type;
        std::map<std::string, uint64_t> totals;
        checkpoint.Count(totals);
        EXPECT_EQ(totals["server_rounds_lost"], 1U) << type;
    }
}

/** Counts what a server tells. */
struct CountingListener : public ServerReleaseListener
{
    bool CanAfford(const ServerRelease&) const override { return true; }

    void Record(const ServerRelease& release) override { steps.push_back(release.step); }

    std::vector<uint32_t> steps; //!< of all releases
};

// The noise of a step is its own: that of the step after a restart is none that was added before,
// and the accounts have both.
TEST(ServerCheckpoint, DoesNotTakeNoiseBack)
{
    const auto noise = CreateObjectWithAttributes<ServerNoise>("Scale", DoubleValue(1));
    noise->AssignStreams(7);
    CountingListener listener;
    noise->AddListener(&listener);
    const auto rule = CreateObject<FedAvgServer>();
    rule->SetAttribute("Noise", PointerValue(noise));
    rule->Setup(MakeContext());
    ServerCheckpoint checkpoint;
    checkpoint.SetInterval(10, *rule);
    Aggregate(*rule, 0, 0);
    checkpoint.Update(*rule);
    const double before = rule->GetModel()[0];
    EXPECT_NE(before, 0);
    ASSERT_TRUE(checkpoint.Restore());
    EXPECT_EQ(rule->GetModel()[0], 0);
    Aggregate(*rule, 0, 0); // late ones
    EXPECT_NE(rule->GetModel()[0], 0);
    EXPECT_NE(rule->GetModel()[0], before);
    EXPECT_EQ(listener.steps, (std::vector<uint32_t>{0, 1}));
    noise->RemoveListener(&listener);
}

class ServerRestart : public FederationTest
{
  protected:
    /** Two clients, whose updates have the mean 5.5; 15 ms a round. */
    void BuildTwo(uint32_t rounds)
    {
        Build(2);
        Set("Rounds", UintegerValue(rounds));
        Set("ResponseTimeout", TimeValue(MilliSeconds(100)));
        Connect();
    }
};

// Rounds end at 15, 30 and 45. The checkpoint of two rounds is of 30 ms: the third is lost. The
// crash is in the fourth, which begins again at 58. Numbers of rounds and requests go on.
TEST_F(ServerRestart, GoesBackToTheCheckpoint)
{
    BuildTwo(6);
    m_server->SetCheckpointInterval(2);
    At(MilliSeconds(50), [this] {
        EXPECT_EQ(GetModel(), 3 * 5.5);
        m_server->Crash();
    });
    At(MilliSeconds(58), [this] {
        m_server->Restart();
        EXPECT_EQ(GetModel(), 2 * 5.5);
    });
    Run();
    const auto& records = m_server->GetRecords();
    ASSERT_EQ(records.size(), 6U);
    for (uint32_t round = 0; round < 6; ++round)
    {
        EXPECT_EQ(records[round].round, round);
    }
    EXPECT_EQ(GetModel(), 5 * 5.5);
    EXPECT_EQ(totals["server_rounds_lost"], 1U);
    EXPECT_EQ(Script(1).log,
              (Lines{"0 #0 0",
                     "15 #1 5.5",
                     "30 #2 11",
                     "45 #3 16.5",
                     "58 #4 11",
                     "73 #5 16.5",
                     "88 #6 22"}));
}

// A server out of lock-step uses late updates of old models, but not of those that it has lost.
TEST_F(ServerRestart, DoesNotUseUpdatesOfModelsThatItLost)
{
    for (const bool back : {false, true})
    {
        Build(2);
        SetBuffered(1);
        Choose<ConstantStaleness>("Staleness");
        Set("Rounds", UintegerValue(8));
        Set("ResponseTimeout", TimeValue(MilliSeconds(100)));
        SetCompute(2, MilliSeconds(70));
        Connect();
        m_server->SetCheckpointInterval(back ? 100 : 1);
        At(MilliSeconds(40), [this] { m_server->Crash(); });
        At(MilliSeconds(41), [this] { m_server->Restart(); });
        totals.clear();
        Run();
        EXPECT_EQ(totals["updates_discarded_stale"], back ? 1U : 0U);
        EXPECT_EQ(m_server->GetState(), State::FINISHED);
        Simulator::Destroy();
    }
}

// The first round is open when the server crashes: after the restart it has the same number. The
// clients' updates come late, when the same round is open again.
TEST_F(ServerRestart, AnUpdateOfARoundThatWasOpenIsOfTheModelThatWasLost)
{
    for (const bool back : {false, true})
    {
        Build(2);
        Choose<DiscardStale>("Staleness");
        Set("Rounds", UintegerValue(4));
        Set("ResponseTimeout", TimeValue(MilliSeconds(500)));
        SetCompute(1, MilliSeconds(20));
        SetCompute(2, MilliSeconds(20));
        Connect();
        m_server->SetCheckpointInterval(back ? 100 : 1);
        At(MilliSeconds(30), [this] { m_server->Crash(); }); // round 1 began at 25
        At(MilliSeconds(31), [this] { m_server->Restart(); });
        totals.clear();
        Run();
        const auto& records = m_server->GetRecords();
        ASSERT_EQ(records.size(), 4U);
        EXPECT_EQ(totals["server_rounds_lost"], back ? 1U : 0U);
        EXPECT_EQ(totals["updates_discarded_stale"], back ? 2U : 0U);
        EXPECT_EQ(totals["updates_superseded"], back ? 0U : 2U) << "the model is the same";
        EXPECT_DOUBLE_EQ(GetModel(), (back ? 3 : 4) * 5.5);
        Simulator::Destroy();
    }
}

TEST_F(ServerRestart, LosesNothingWhenItLeftInOrder)
{
    BuildTwo(4);
    m_server->SetCheckpointInterval(3);
    At(MilliSeconds(20), [this] { m_server->Leave(); });
    At(MilliSeconds(100), [this] { m_server->Restart(); });
    Run();
    EXPECT_EQ(GetModel(), 4 * 5.5);
    EXPECT_EQ(totals["server_rounds_lost"], 0U);
}

/** Number of the case, which seeds it. */
class FederatedSoak : public FederationTest, public testing::WithParamInterface<uint32_t>
{
};

INSTANTIATE_TEST_SUITE_P(Seeds, FederatedSoak, testing::Range(0U, 24U));

TEST_P(FederatedSoak, EndsWithBalancedRecords)
{
    constexpr uint32_t CLIENTS = 4;
    constexpr uint32_t ROUNDS = 20;
    std::mt19937 random(GetParam());
    const auto draw = [&](uint32_t below) { return static_cast<uint32_t>(random() % below); };
    const bool tcp = GetParam() % 2 == 1;
    Build(CLIENTS, draw(2) == 0 ? "p2p,rate=2Mbps" : "p2p,rate=2Mbps,loss=0.05");
    SetTransport(tcp ? "ns3::dlearn::TcpTransport" : "ns3::dlearn::UdpTransport");
    Set("Rounds", UintegerValue(ROUNDS));
    Set("ResponseTimeout", TimeValue(MilliSeconds(300)));
    Set("SuspicionTimeout", TimeValue(MilliSeconds(500)));
    Set("StalenessLimit", UintegerValue(draw(6)));
    switch (GetParam() / 2 % 4)
    {
    case 0:
        SetBuffered(1 + draw(5), draw(CLIENTS + 1));
        break;
    case 1:
        ChoosePolicy<DeadlinePolicy>()->SetAttribute("Deadline",
                                                     TimeValue(MilliSeconds(20 + draw(200))));
        break;
    case 2:
        ChoosePolicy<QuorumPolicy>();
        break;
    default:
        break;
    }
    if (draw(2) == 0)
    {
        Choose<FedAsyncServer>("Rule");
    }
    if (draw(3) > 0)
    {
        Choose<PolynomialStaleness>("Staleness");
    }
    for (LearnerId id = 1; id <= CLIENTS; ++id)
    {
        SetCompute(id, MilliSeconds(1 + draw(100)));
    }
    Connect(1 + draw(20000)); // up to 0.3 s on the wire
    for (uint32_t event = 0; event < 40; ++event)
    {
        const auto learner = Get(draw(4) == 0 ? 0 : 1 + draw(CLIENTS));
        const uint32_t action = draw(3);
        At(MilliSeconds(draw(4000)), [learner, action] {
            action == 0 ? learner->Crash() : action == 1 ? learner->Leave() : learner->Restart();
        });
    }
    At(Seconds(4), [this] { // all learners are up again
        for (const auto& learner : m_federation.GetLearners())
        {
            learner->Restart();
        }
    });
    Run(Seconds(60));
    EXPECT_TRUE(m_server->IsDone());
    if (m_server->GetSchedule()->IsSynchronous())
    {
        // Each round lasts ResponseTimeout and computing at most; a buffer needs several updates.
        EXPECT_LT(m_server->GetRecords().back().closed, Seconds(4 + ROUNDS * 0.31));
    }
    EXPECT_LE(m_server->GetRecords().size(), ROUNDS);
    EXPECT_TRUE(m_server->GetRule()->GetModel().allFinite());
    uint64_t aggregated = 0;
    for (const auto& [staleness, count] : m_server->GetStaleness())
    {
        aggregated += count;
    }
    uint64_t sent = 0;
    uint64_t trained = 0;
    for (LearnerId id = 1; id <= CLIENTS; ++id)
    {
        sent += Get(id)->GetRecords().size();
        trained += Script(id).log.size();
        EXPECT_EQ(Script(id).ends.size(), Get(id)->GetRecords().size()) << "each once";
    }
    EXPECT_LE(aggregated, sent) << "nothing counts twice";
    EXPECT_EQ(trained, sent + totals["models_dropped"]);
    const auto& tally = m_server->GetRequests().GetTally();
    EXPECT_LE(tally.onTime + tally.late, sent);
    EXPECT_EQ(tally.unexpected, 0U);
    if (!tcp) // which sends again what it cannot know to have arrived when a connection breaks
    {
        EXPECT_EQ(tally.duplicate, 0U);
    }
    EXPECT_EQ(totals["malformed"], 0U) << "no half message was followed by another";
    EXPECT_EQ(totals["contradictory_fragments"], 0U);
}

} // namespace
} // namespace test
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Federations whose learners crash, leave and come back. ResponseTimeout is 100 ms and
 * SuspicionTimeout 150 unless said otherwise.
 */

#include "dlearn-federation-fixture.h"
#include "support/dlearn-expect-refused.h"

namespace ns3::dlearn
{
namespace test
{
namespace
{

class FederatedChurn : public FederationTest
{
  protected:
    /** As Build(), with a response timeout and so many rounds. */
    void BuildPatient(uint32_t clients, uint32_t rounds, const std::string& network = "ideal")
    {
        Build(clients, network);
        Set("Rounds", UintegerValue(rounds));
        Set("ResponseTimeout", TimeValue(MilliSeconds(100)));
        Set("SuspicionTimeout", TimeValue(MilliSeconds(150)));
    }
};

// Rounds 0 and 1 wait for client 2 without success, 100 ms each; then the server suspects it. It is
// back at 300, in round 6 of 15 ms each, takes up the next model, and the server waits for it
// again.
TEST_F(FederatedChurn, AClientGoesAndComesBack)
{
    BuildPatient(2, 12);
    Connect();
    At(MilliSeconds(5), [this] { Get(2)->Crash(); });
    At(MilliSeconds(293), [this] { Get(2)->Restart(); });
    Run();
    const Lines rounds = GetRounds();
    ASSERT_EQ(rounds.size(), 12U);
    EXPECT_EQ(rounds[0], "105 1/2 0 1");
    EXPECT_EQ(rounds[1], "210 1/2 0 1");
    for (uint32_t k = 2; k < 8; ++k)
    {
        EXPECT_EQ(rounds[k], std::to_string(210 + 15 * (k - 1)) + " 1/2 0 1");
    }
    // Model 8 goes out at 300; at 310 client 1 closes the round, then client 2 answers.
    EXPECT_EQ(rounds[8], "315 1/2 1 0");
    EXPECT_EQ(rounds[9], "330 2/2 0 0");
    EXPECT_EQ(rounds[11], "360 2/2 0 0");
    EXPECT_EQ(Script(2).log,
              (Lines{"0 #0 0", "300 #8 8", "315 #9 9", "330 #10 14.5", "345 #11 20"}));
    EXPECT_EQ(totals["models_dropped"], 1U);
    EXPECT_EQ(Get(2)->GetRecords().size(), 4U);
}

TEST_F(FederatedChurn, AClientThatLeavesFinishesItsRound)
{
    BuildPatient(2, 4);
    SetCompute(2, MilliSeconds(20));
    Connect();
    At(MilliSeconds(30), [this] { Get(2)->Leave(); }); // while it trains on model 1
    Run();
    EXPECT_EQ(GetRounds(), (Lines{"25 2/2 0 0", "50 2/2 0 0", "155 1/2 0 1", "260 1/2 0 1"}));
    EXPECT_EQ(Get(2)->GetState(), State::STOPPED);
    EXPECT_EQ(Script(2).log.size(), 2U);
    EXPECT_EQ(Script(2).ends, (Lines{"out", "out"}));
    EXPECT_EQ(totals["unexpected"], 2U); // models 2 and 3 came to a client that is no more
}

// Model 1 waits at client 2 when it leaves; it must not be taken up after later ones. And what
// the client sent before it left has left the node, though its sockets are new.
TEST_F(FederatedChurn, AClientThatLeftForgetsTheModelThatWaited)
{
    BuildPatient(2, 8);
    SetCompute(2, MilliSeconds(40));
    ChoosePolicy<DeadlinePolicy>()->SetAttribute("Deadline", TimeValue(MilliSeconds(30)));
    Connect();
    At(MilliSeconds(38), [this] { Get(2)->Leave(); }); // model 1 came at 35
    At(MilliSeconds(100), [this] { Get(2)->Restart(); });
    Run();
    ASSERT_EQ(GetRounds().size(), 8U);
    EXPECT_EQ(GetRounds()[1], "70 1/2 0 1");
    EXPECT_EQ(Script(2).log.at(0), "0 #0 0");
    EXPECT_EQ(Script(2).log.at(1), "105 #3 3");
    EXPECT_EQ(Script(2).ends, Lines(Script(2).log.size(), "out"));
    EXPECT_EQ(Get(2)->GetRecords().size(), Script(2).log.size());
}

// 100000 entries take a third of a second at 10 Mbit/s. Client 2 dies in the middle of its first
// upload, at 450 ms, and comes back at 3 s.
TEST_F(FederatedChurn, AClientDiesInMidUpload)
{
    for (const char* transport : {"ns3::dlearn::UdpTransport", "ns3::dlearn::TcpTransport"})
    {
        BuildPatient(2, 8, "p2p,rate=10Mbps");
        Set("ResponseTimeout", TimeValue(Seconds(2)));
        Set("SuspicionTimeout", TimeValue(Seconds(3)));
        SetTransport(transport);
        Connect(100000);
        At(MilliSeconds(450), [this] {
            EXPECT_EQ(Script(2).log.size(), 1U);
            EXPECT_EQ(Get(2)->GetState(), State::IDLE);
            Get(2)->Crash();
        });
        At(Seconds(3), [this] { Get(2)->Restart(); });
        Run();
        EXPECT_EQ(m_server->GetState(), State::FINISHED) << transport;
        const auto& records = m_server->GetRecords();
        ASSERT_EQ(records.size(), 8U);
        EXPECT_EQ(records[0].received, 1U) << transport;
        EXPECT_EQ(records[0].lost, 1U) << transport;
        EXPECT_NEAR(records[0].duration.GetSeconds(), 2.005, 1e-3) << transport;
        EXPECT_EQ(records[7].received, 2U) << transport;
        EXPECT_LT(records[7].closed, Seconds(2 + 2 + 6)) << transport;
        EXPECT_EQ(Script(2).ends.front(), "out") << "some of it left the node";
        // Every model is the one before plus 1 or the mean of 1 and 10: nothing counts twice.
        double model = 0;
        for (const RoundRecord& record : records)
        {
            model += record.used == 2 ? 5.5 : 1;
        }
        EXPECT_DOUBLE_EQ(GetModel(), model) << transport;
        Simulator::Destroy();
    }
}

// All three go at 20 ms, in round 1, which had begun at 15, and are back at 420. Rounds pass as
// ResponseTimeout says, without a change of the model, and not in no time at all. At 445 the first
// to answer is the only one that is believed alive; the others, in the same instant, are late.
TEST_F(FederatedChurn, AllGoAndComeBack)
{
    BuildPatient(3, 8);
    Connect();
    At(MilliSeconds(20), [this] {
        for (const auto& client : m_federation.clients)
        {
            client->Crash();
        }
    });
    At(MilliSeconds(420), [this] {
        for (const auto& client : m_federation.clients)
        {
            client->Restart();
        }
    });
    Run();
    EXPECT_EQ(GetRounds(),
              (Lines{"15 3/3 0 0",
                     "120 0/3 0 3",
                     "225 0/3 0 3",
                     "330 0/3 0 3",
                     "435 0/3 0 3",
                     "450 1/3 2 0",
                     "465 3/3 0 0",
                     "480 3/3 0 0"}));
    EXPECT_DOUBLE_EQ(GetModel(), 37 + 1 + 37 + 37);
}

// The server is down from 22 to 50 ms: in round 1, begun at 15, when client 1's update has already
// arrived, which is lost. The round begins again, and its quorum counts the updates from then on:
// two of three, the clients of 5 and 10 ms.
TEST_F(FederatedChurn, TheServerCrashesInAnOpenRound)
{
    BuildPatient(3, 3);
    SetCompute(1, MilliSeconds(5));
    SetCompute(3, MilliSeconds(60));
    ChoosePolicy<QuorumPolicy>()->SetAttribute("Fraction", DoubleValue(0.5));
    Connect();
    At(MilliSeconds(22), [this] { m_server->Crash(); });
    At(MilliSeconds(50), [this] {
        EXPECT_EQ(m_server->GetState(), State::STOPPED);
        m_server->Restart();
    });
    Run();
    const Lines rounds = GetRounds();
    ASSERT_EQ(rounds.size(), 3U);
    EXPECT_EQ(rounds[0].substr(0, 3), "15 ");
    EXPECT_EQ(rounds[1].substr(0, 3), "65 ");
    EXPECT_EQ(m_server->GetRecords()[1].expected, 6U) << "of both tries";
    EXPECT_EQ(m_server->GetRecords()[1].received, 3U);
    EXPECT_EQ(rounds[2].substr(0, 3), "80 ");
    EXPECT_DOUBLE_EQ(GetModel(), 3 * 5.5);
    EXPECT_EQ(m_server->GetStaleness(), (std::map<uint32_t, uint64_t>{{0, 6}}));
}

/** Crashes the server in the middle of its first computation, and starts it again 20 ms later. */
struct Saboteur
{
    Ptr<FederatedServer> server;
    bool done{false};

    void OnState(LearnerApplication::State, LearnerApplication::State state)
    {
        if (state == LearnerApplication::State::TRAINING && !done)
        {
            done = true;
            Simulator::Schedule(MilliSeconds(2), &FederatedServer::Crash, server);
            Simulator::Schedule(MilliSeconds(22), &FederatedServer::Restart, server);
        }
    }
};

// What was being computed is lost, and its round with it.
TEST_F(FederatedChurn, TheServerCrashesWhileItComputes)
{
    for (const char* transport : {"ns3::dlearn::UdpTransport", "ns3::dlearn::TcpTransport"})
    {
        BuildPatient(2, 4, "p2p,rate=1Mbps");
        Set("ResponseTimeout", TimeValue(Seconds(2)));
        Set("SuspicionTimeout", TimeValue(Seconds(3)));
        SetTransport(transport);
        Connect();
        Saboteur saboteur{m_server};
        m_server->TraceConnectWithoutContext("StateTransition",
                                             MakeCallback(&Saboteur::OnState, &saboteur));
        Run();
        EXPECT_EQ(m_server->GetState(), State::FINISHED) << transport;
        ASSERT_EQ(m_server->GetRecords().size(), 4U);
        EXPECT_DOUBLE_EQ(GetModel(), 3 * 5.5) << transport;
        EXPECT_LT(m_server->GetRecords().back().closed, Seconds(4)) << transport;
        Simulator::Destroy();
    }
}

// The server listens at its start, and opens its first round in an event of its own at that time.
TEST_F(FederatedChurn, ACrashBetweenStartAndFirstRoundIsInForce)
{
    BuildPatient(2, 3);
    Connect();
    At(Time(0), [this] { Simulator::ScheduleNow([this] { m_server->Crash(); }); });
    Run();
    EXPECT_EQ(m_server->GetState(), State::STOPPED);
    EXPECT_TRUE(GetRounds().empty());
}

} // namespace
} // namespace test
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-fixture.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using test::Complete;
using test::Lines;
using test::Pair;
using test::PeerApplicationTest;
using State = PeerApplication::State;
using Disposition = MessageDisposition;

// ResponseTimeout 100 ms, tolerance 200 ms: rounds 2 and 3 wait 100 ms without success for the
// learner that crashed in its computation of round 2; from round 4 on no learner waits for it.
TEST_F(PeerApplicationTest, ACrashCostsTolerance)
{
    Build(Complete(3));
    SetAll("Rounds", UintegerValue(7));
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
    SetAll("SuspicionTimeout", TimeValue(MilliSeconds(200)));
    Connect();
    At(MilliSeconds(25), [this] { apps[2]->Crash(); });
    Run();
    EXPECT_EQ(GetEnds(0),
              (Lines{"10 end 0 [1:0 2:0]",
                     "20 end 1 [1:1 2:1]",
                     "130 end 2 [1:2]",
                     "240 end 3 [1:3]",
                     "250 end 4 [1:4]",
                     "260 end 5 [1:5]",
                     "270 end 6 [1:6]"}));
    EXPECT_EQ(GetEnds(1).size(), 7U);
    EXPECT_EQ(GetEnds(2), (Lines{"10 end 0 [0:0 1:0]", "20 end 1 [0:1 1:1]"}));
    EXPECT_EQ(apps[2]->GetState(), State::STOPPED);
    EXPECT_EQ(GetRecord(0, 2).lost, 1U);
}

// Learner 2 crashes at 25 ms. The others are rid of it from round 4 on, see above, so they
// send round r at 10 (r + 21) ms. It comes back at 275 ms, hears round 7 at 280 ms, joins it,
// and its own message of round 7 is late (287 ms), but it is waited for again in round 8.
TEST_F(PeerApplicationTest, RestartJoinsTheNeighboursRound)
{
    Build(Complete(3));
    SetAll("Rounds", UintegerValue(12));
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
    SetAll("SuspicionTimeout", TimeValue(MilliSeconds(200)));
    SetCompute(2, MilliSeconds(7));
    Connect();
    std::vector<State> states;
    At(MilliSeconds(25), [this] { apps[2]->Crash(); });
    At(MilliSeconds(275), [this] { apps[2]->Restart(); });
    At(MilliSeconds(276), [this, &states] { states.push_back(apps[2]->GetState()); });
    At(MilliSeconds(281), [this, &states] { states.push_back(apps[2]->GetState()); });
    Run();
    EXPECT_EQ(states, (std::vector<State>{State::JOINING, State::TRAINING}));
    EXPECT_EQ(GetEnds(2),
              (Lines{"10 end 0 [0:0 1:0]",
                     "20 end 1 [0:1 1:1]",
                     "287 end 7 [0:7 1:7]",
                     "294 end 8 [0:8 1:8]",
                     "304 end 9 [0:9 1:9]",
                     "314 end 10 [0:10 1:10]",
                     "324 end 11 [0:11 1:11]"}));
    EXPECT_EQ(GetEnds(0)[7], "280 end 7 [1:7]");
    EXPECT_EQ(GetRecord(0, 7).late, 1U);
    EXPECT_EQ(GetEnds(0)[8], "294 end 8 [1:8 2:8]");
    EXPECT_EQ(GetEnds(0).size(), 12U);
}

TEST_F(PeerApplicationTest, RestartAloneWaitsForItsTimeoutOnly)
{
    Build(Pair());
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
    SetAll("SuspicionTimeout", TimeValue(MilliSeconds(100)));
    Connect();
    At(MilliSeconds(15), [this] {
        apps[0]->Crash();
        apps[1]->Crash();
    });
    At(MilliSeconds(1000), [this] {
        apps[1]->Restart();
        apps[1]->Restart(); // no effect
    });
    Run();
    // Joins at 1100 in round 2 (1 was begun), computes until 1110, waits for 0 until 1210.
    EXPECT_EQ(GetEnds(1), (Lines{"10 end 0 [0:0]", "1210 end 2 []"}));
    EXPECT_EQ(apps[1]->GetState(), State::FINISHED);
}

TEST_F(PeerApplicationTest, CrashesInAnyStateAndRestarts)
{
    Build(Complete(3));
    SetAll("Rounds", UintegerValue(60));
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(50)));
    SetAll("SuspicionTimeout", TimeValue(MilliSeconds(100)));
    SetCompute(0, MilliSeconds(13));
    Connect();
    apps[1]->Crash();   // before the start: no effect
    apps[1]->Restart(); // the same
    std::set<State> states;
    // Learner 1 is up and down at times that meet computing, waiting and joining.
    for (uint32_t k = 0; k < 25; ++k)
    {
        At(MilliSeconds(25 + 31 * k + k % 7), [this, &states] {
            states.insert(apps[1]->GetState());
            apps[1]->Crash();
            apps[1]->Crash(); // no effect
        });
        At(MilliSeconds(25 + 31 * k + k % 7 + (k % 3 == 0 ? 24 : 4)),
           [this] { apps[1]->Restart(); });
    }
    Run();
    EXPECT_EQ(states, (std::set<State>{State::JOINING, State::TRAINING, State::EXCHANGING}));
    for (LearnerId id = 0; id < 3; ++id)
    {
        EXPECT_EQ(apps[id]->GetState(), State::FINISHED);
    }
    EXPECT_EQ(GetEnds(0).size(), 60U);
    EXPECT_LT(GetEnds(1).size(), 60U);
    EXPECT_GT(GetEnds(1).size(), 10U);
    apps[1]->Crash(); // finished: no effect
    EXPECT_EQ(apps[1]->GetState(), State::FINISHED);
}

// SuspicionTimeout and ResponseTimeout 100 ms. Learner 0 waits in round 0 until 110 ms; from then
// on it is alone and sends round r >= 1 at 110 + 10 r ms. Learner 1 starts at 505 ms with round 0,
// hears rounds 40 (510 ms) and 41 (520 ms), far beyond its two rounds ahead, and gives up
// round 0 at 615 ms to skip to 41, for which it does not wait. Learner 0 has heard it at
// 515 ms and waits for it in round 41 until 620 ms; it hears it again at 625 ms, and in round
// 42 both are together.
TEST_F(PeerApplicationTest, ALateLearnerSkipsToTheOthers)
{
    Build(Pair());
    SetAll("Rounds", UintegerValue(46));
    SetAll("Ahead", UintegerValue(2));
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
    SetAll("SuspicionTimeout", TimeValue(MilliSeconds(100)));
    apps[1]->SetStartTime(MilliSeconds(505));
    Connect();
    Run();
    EXPECT_EQ(GetEnds(1),
              (Lines{"615 end 0 []",
                     "625 end 41 []",
                     "635 end 42 [0:42]",
                     "645 end 43 [0:43]",
                     "655 end 44 [0:44]",
                     "665 end 45 [0:45]"}));
    const Lines ends = GetEnds(0);
    ASSERT_EQ(ends.size(), 46U);
    EXPECT_EQ(ends[0], "110 end 0 []");
    EXPECT_EQ(ends[40], "510 end 40 []");
    EXPECT_EQ(ends[41], "620 end 41 []");
    EXPECT_EQ(ends[42], "635 end 42 [1:42]");
    EXPECT_EQ(ends[43], "645 end 43 [1:43]");
    EXPECT_EQ(ends[45], "665 end 45 [1:45]");
    EXPECT_EQ(apps[1]->GetTable().GetTally().tooEarly, 2U);
    EXPECT_EQ(GetRecord(0, 0).late, 1U);
    EXPECT_EQ(GetRecord(0, 41).late, 1U);
}

/** Crashes a learner from within a trace: it takes effect once the learner has finished its work.
 */
struct Saboteur
{
    Ptr<PeerApplication> app;
    uint32_t calls{0};

    template <typename... Args>
    void Crash(Args... /* of the trace */)
    {
        ++calls;
        const State state = app->GetState();
        app->Crash();
        EXPECT_EQ(app->GetState(), state);
    }

    void OnState(State, State newState)
    {
        if (newState == State::EXCHANGING)
        {
            Crash();
        }
    }
};

TEST_F(PeerApplicationTest, MayBeCrashedByAListener)
{
    Saboteur saboteur;
    const std::map<std::string, CallbackBase> listeners = {
        {"StateTransition", MakeCallback(&Saboteur::OnState, &saboteur)},
        {"RoundBegin", MakeCallback(&Saboteur::Crash<LearnerId, uint32_t>, &saboteur)},
        {"ModelTx", MakeCallback(&Saboteur::Crash<LearnerId, uint32_t>, &saboteur)},
        {"Outbox", MakeCallback(&Saboteur::Crash<LearnerId, uint32_t, const Outbox&>, &saboteur)},
        {"ModelRx",
         MakeCallback(&Saboteur::Crash<LearnerId, LearnerId, uint32_t, Disposition, bool>,
                      &saboteur)},
        {"MessageRx",
         MakeCallback(
             &Saboteur::Crash<const MessageSource&, uint32_t, LearnerApplication::Reception>,
             &saboteur)},
        {"RoundEnd", MakeCallback(&Saboteur::Crash<const RoundRecord&>, &saboteur)},
        {"MessageTx",
         MakeCallback(&Saboteur::Crash<const EncodedMessage&, const std::vector<LearnerId>&>,
                      &saboteur)},
        {"Departure", MakeCallback(&Saboteur::Crash<const EncodedMessage&>, &saboteur)}};
    for (const auto& [trace, listener] : listeners)
    {
        for (const char* transport : {"ns3::dlearn::UdpTransport", "ns3::dlearn::TcpTransport"})
        {
            apps.clear();
            Build(Pair(), "p2p");
            SetAll("ResponseTimeout", TimeValue(MilliSeconds(20)));
            SetAll("SuspicionTimeout", TimeValue(MilliSeconds(40)));
            for (const auto& app : apps)
            {
                app->GetExchange()->SetAttribute("Transport",
                                                 TypeIdValue(TypeId::LookupByName(transport)));
            }
            Connect();
            saboteur = {apps[1]};
            const Ptr<MessageExchange> exchange = apps[1]->GetExchange();
            EXPECT_TRUE(apps[1]->TraceConnectWithoutContext(trace, listener) ||
                        exchange->TraceConnectWithoutContext(trace, listener) ||
                        ConstCast<Transport>(exchange->GetTransport())
                            ->TraceConnectWithoutContext(trace, listener));
            Run(Seconds(2));
            EXPECT_EQ(saboteur.calls, 1U) << trace;
            EXPECT_EQ(apps[1]->GetState(), State::STOPPED) << trace;
            EXPECT_EQ(apps[0]->GetState(), State::FINISHED) << trace;
            // The message that the trace tells of closes the round, before the learner crashes.
            const bool closes = trace.find("Rx") != std::string::npos || trace == "RoundEnd";
            EXPECT_EQ(GetEnds(1).size(), closes ? 1U : 0U) << trace;
            Simulator::Destroy();
        }
    }
    saboteur.app = nullptr;
}

/** Lets a learner leave at the end of a round. */
struct Shepherd
{
    Ptr<PeerApplication> app;

    void OnEnd(const RoundRecord& record)
    {
        if (record.round == 1)
        {
            app->Leave();
        }
    }
};

TEST_F(PeerApplicationTest, LeavesAtTheEndOfTheRoundInWhichItIsToldTo)
{
    Build(Pair());
    SetAll("Rounds", UintegerValue(6));
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(50)));
    SetAll("SuspicionTimeout", TimeValue(MilliSeconds(50)));
    Connect();
    Shepherd shepherd{apps[1]};
    apps[1]->TraceConnectWithoutContext("RoundEnd", MakeCallback(&Shepherd::OnEnd, &shepherd));
    Run();
    EXPECT_EQ(apps[1]->GetState(), State::STOPPED);
    EXPECT_EQ(GetEnds(1), (Lines{"10 end 0 [0:0]", "20 end 1 [0:1]"}));
    EXPECT_EQ(GetEnds(0).size(), 6U);
}

/** Writes the events of a learner down: "milliseconds learner round event other". */
struct EventWriter
{
    Lines lines;

    void Write(const LearnerEvent& event)
    {
        std::ostringstream line;
        line << Simulator::Now().GetMicroSeconds() / 1e3 << " " << event.learner << " ";
        line << (event.round ? std::to_string(*event.round) : "-") << " " << ToString(event.kind);
        line << (event.other ? " " + std::to_string(*event.other) : "");
        lines.push_back(line.str());
    }

    void Listen(LearnerApplication& learner)
    {
        learner.TraceConnectWithoutContext("Event", MakeCallback(&EventWriter::Write, this));
    }
};

// Learners start at 50 ms. What happens to them before is in force: learner 1 does not start,
// learner 2 was restarted before, and learner 3 comes later than the others and joins them.
TEST_F(PeerApplicationTest, WhatHappensBeforeTheStartIsInForce)
{
    for (const bool leave : {false, true})
    {
        apps.clear();
        Build(Complete(4));
        SetAll("Rounds", UintegerValue(5));
        SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
        SetAll("SuspicionTimeout", TimeValue(MilliSeconds(200)));
        EventWriter writer;
        for (const auto& app : apps)
        {
            app->SetStartTime(MilliSeconds(50));
            writer.Listen(*app);
        }
        Connect();
        for (const LearnerId id : {1, 2, 3})
        {
            At(MilliSeconds(id == 3 ? 0 : 10), [this, id, leave] {
                leave ? apps[id]->Leave() : apps[id]->Crash();
                EXPECT_EQ(apps[id]->GetState(), State::STOPPED);
                EXPECT_TRUE(apps[id]->IsDone());
            });
        }
        At(MilliSeconds(20), [this] {
            apps[2]->Restart();
            EXPECT_EQ(apps[2]->GetState(), State::NOT_STARTED);
        });
        At(MilliSeconds(295), [this] { apps[3]->Restart(); });
        Run();
        EXPECT_TRUE(GetRule(1).GetLog().empty());
        EXPECT_EQ(apps[1]->GetState(), State::STOPPED);
        EXPECT_EQ(GetEnds(2).size(), 5U);
        EXPECT_EQ(GetEnds(0).front(), "160 end 0 [2:0]");
        EXPECT_FALSE(GetEnds(3).empty());
        EXPECT_EQ(apps[3]->GetState(), State::FINISHED);
        const std::string kind = leave ? "left" : "crashed";
        EXPECT_EQ(writer.lines[0], "0 3 - " + kind);
        EXPECT_EQ(writer.lines[1], "10 1 - " + kind);
        EXPECT_EQ(writer.lines[2], "10 2 - " + kind);
        EXPECT_EQ(writer.lines[3], "20 2 - restarted");
        Simulator::Destroy();
    }
}

TEST_F(PeerApplicationTest, TellsWhatHappensToIt)
{
    Build(Complete(3));
    SetAll("Rounds", UintegerValue(30));
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
    SetAll("SuspicionTimeout", TimeValue(MilliSeconds(150)));
    apps[0]->SetStopTime(MilliSeconds(400));
    apps[1]->GetRule()->SetAttribute("Affordable", UintegerValue(4));
    EventWriter writer;
    for (const auto& app : apps)
    {
        writer.Listen(*app);
    }
    Connect();
    At(MilliSeconds(15), [this] { apps[2]->Crash(); });
    At(MilliSeconds(17), [this] { apps[2]->Crash(); }); // once is enough
    At(MilliSeconds(300), [this] { apps[2]->Restart(); });
    At(MilliSeconds(305), [this] { apps[2]->Leave(); });
    Run();
    // Learners 0 and 1 wait 100 ms for learner 2 in rounds 1 and 2 and then no more. Learner 1
    // can send in rounds 0 to 3 and spends the rest of its budget in round 4.
    const Lines expected{"15 2 1 crashed",
                         "120 0 1 timed-out 2",
                         "120 1 1 timed-out 2",
                         "230 0 2 neighbor-suspected 2",
                         "230 0 2 timed-out 2",
                         "230 1 2 neighbor-suspected 2",
                         "230 1 2 timed-out 2",
                         "250 1 4 budget-spent",
                         "300 2 1 restarted",
                         "305 2 1 left"};
    ASSERT_GE(writer.lines.size(), expected.size() + 1);
    EXPECT_EQ(Lines(writer.lines.begin(), writer.lines.begin() + 10), expected);
    EXPECT_EQ(writer.lines.back().substr(0, 6), "400 0 ");
    EXPECT_NE(writer.lines.back().find("stopped"), std::string::npos);
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-baselines.h"

#include <sstream>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using test::Bytes;
using test::Complete;
using test::DIMENSION;
using test::Exact;
using test::Lines;
using test::Pair;
using test::PeerApplicationTest;
using test::Script;

using State = PeerApplication::State;
using Disposition = MessageDisposition;

TEST_F(PeerApplicationTest, CallsTheRuleInOrder)
{
    Build(Complete(3));
    Connect();
    EXPECT_EQ(apps[0]->GetState(), State::NOT_STARTED);
    Run();
    EXPECT_EQ(GetRule(1).GetLog(),
              (Lines{"0 begin 0",
                     "10 compute",
                     "10 send",
                     "10 end 0 [0:0 2:0]",
                     "10 begin 1",
                     "20 compute",
                     "20 send",
                     "20 end 1 [0:1 2:1]",
                     "20 begin 2",
                     "30 compute",
                     "30 send",
                     "30 end 2 [0:2 2:2]"}));
    EXPECT_EQ(apps[1]->GetState(), State::FINISHED);
    EXPECT_TRUE(apps[1]->IsDone());
    const RoundRecord& record = GetRecord(1, 2);
    EXPECT_EQ(record.closed, MilliSeconds(30));
    EXPECT_EQ(record.round, 2U);
    EXPECT_EQ(record.node, 1U);
    EXPECT_EQ(record.expected, 2U);
    EXPECT_EQ(record.used, 2U);
    EXPECT_EQ(record.compute, MilliSeconds(10));
    EXPECT_EQ(record.duration, MilliSeconds(10));
    uint64_t bytes = 0;
    for (size_t round = 0; round < 3; ++round)
    {
        bytes += GetRecord(1, round).txBytes;
    }
    EXPECT_EQ(bytes, 3U * 2 * (32 + 4 * DIMENSION));
}

TEST_F(PeerApplicationTest, DirectedEdgesCarryOneWay)
{
    Graph graph(2);
    graph.SetWeight(1, 0, 1); // 0 -> 1
    Build(graph);
    SetCompute(0, MilliSeconds(25));
    Connect();
    Run();
    EXPECT_EQ(GetEnds(0), (Lines{"25 end 0 []", "50 end 1 []", "75 end 2 []"}));
    // Learner 1 hands nothing to anybody: nothing leaves.
    EXPECT_EQ(GetEnds(1), (Lines{"25 end 0 [0:0]!", "50 end 1 [0:1]!", "75 end 2 [0:2]!"}));
}

TEST_F(PeerApplicationTest, StopsWhenTheBudgetIsSpent)
{
    Build(Pair());
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
    SetAll("SuspicionTimeout", TimeValue(MilliSeconds(100)));
    apps[1]->GetRule()->SetAttribute("Affordable", UintegerValue(1));
    Connect();
    Run();
    EXPECT_EQ(GetRule(1).GetLog(),
              (Lines{"0 begin 0",
                     "10 compute",
                     "10 send",
                     "10 end 0 [0:0]",
                     "10 begin 1",
                     "20 compute",
                     "20 send"}));
    EXPECT_EQ(apps[1]->GetState(), State::FINISHED);
    EXPECT_EQ(GetEnds(0), (Lines{"10 end 0 [1:0]", "120 end 1 []", "130 end 2 []"}));
}

// One fragment of two of learner 1's vector comes.
TEST_F(PeerApplicationTest, PartsAreUsedWhenAskedFor)
{
    for (const bool use : {false, true})
    {
        apps.clear();
        Build(Pair());
        SetAll("Rounds", UintegerValue(1));
        SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
        SetAll("SuspicionTimeout", TimeValue(MilliSeconds(200)));
        SetAll("UsePartial", BooleanValue(use));
        apps[1]->SetStartTime(Seconds(90));
        Connect();
        ModelHeader header;
        header.sender = 1;
        header.vectorLength = DIMENSION;
        header.messageLength = 4 * DIMENSION;
        header.fragmentOffset = 4;
        header.payloadLength = 4;
        InjectAt(MilliSeconds(5), 1, 0, {test::Seal(header, {0x40, 0x20, 0, 0})}); // 2.5
        Run(Seconds(2));
        EXPECT_EQ(GetEnds(0), Lines{use ? "110 end 0 [1:0?]" : "110 end 0 []"});
        EXPECT_EQ(GetRecord(0, 0).used, use ? 1U : 0U);
        EXPECT_EQ(GetRecord(0, 0).lost, use ? 0U : 1U);
        if (use)
        {
            const Arrival& arrival = *GetRule(0).inboxes[0].Find(1, ModelChannel::STATE);
            EXPECT_EQ(arrival.present, (std::vector<bool>{false, true, false}));
            EXPECT_EQ(arrival.values, Eigen::Vector3d(0, 2.5, 0));
        }
        Simulator::Destroy();
    }
}

/** Writes all traces down. */
struct Traces
{
    void Connect(const Ptr<PeerApplication>& app)
    {
        app->TraceConnectWithoutContext("StateTransition", MakeCallback(&Traces::Switched, this));
        app->TraceConnectWithoutContext("RoundBegin", MakeCallback(&Traces::Began, this));
        app->TraceConnectWithoutContext("ModelTx", MakeCallback(&Traces::Sent, this));
        app->TraceConnectWithoutContext("ModelRx", MakeCallback(&Traces::Received, this));
        app->TraceConnectWithoutContext("RoundEnd", MakeCallback(&Traces::Ended, this));
    }

    std::ostream& Write() { return lines << "; "; }

    void Switched(State oldState, State newState)
    {
        Write() << static_cast<int>(oldState) << "->" << static_cast<int>(newState);
    }

    void Began(LearnerId learner, uint32_t round)
    {
        Write() << "begin " << learner << " " << round;
    }

    void Sent(LearnerId learner, uint32_t round) { Write() << "tx " << learner << " " << round; }

    void Received(LearnerId learner,
                  LearnerId sender,
                  uint32_t round,
                  Disposition disposition,
                  bool usable)
    {
        Write() << "rx " << learner << "<-" << sender << " " << round << " "
                << ToString(disposition) << (usable ? "" : " unusable");
    }

    void Ended(const RoundRecord& record)
    {
        Write() << "end " << record.node << " " << record.round << " " << record.used << "/"
                << record.expected << " " << record.closed.GetMilliSeconds() << "ms";
    }

    std::ostringstream lines;
};

TEST_F(PeerApplicationTest, TracesTellTheStory)
{
    Build(Pair());
    SetAll("Rounds", UintegerValue(2));
    SetCompute(0, MilliSeconds(3));
    Connect();
    Traces traces;
    traces.Connect(apps[1]);
    InjectAt(MilliSeconds(12),
             0,
             1,
             {test::MakeFragment(0, 0, Exact(DIMENSION)),
              test::MakeFragment(0, 1, Exact(DIMENSION + 1))});
    Run();
    EXPECT_EQ(traces.lines.str(),
              "; 0->2; begin 1 0; rx 1<-0 0 on time; 2->3; tx 1 0; end 1 0 1/1 10ms; 3->2; "
              "begin 1 1; rx 1<-0 0 duplicate unusable; rx 1<-0 1 on time unusable; "
              "rx 1<-0 1 duplicate unusable; 2->3; tx 1 1; end 1 1 0/1 20ms; 3->4");
    EXPECT_EQ(GetRecord(1, 1).rejected, 1U);
}

TEST_F(PeerApplicationTest, DeadlineClosesWithoutTheSlowOne)
{
    Build(Complete(3));
    SetPolicy("RoundPolicy", DeadlinePolicy::GetTypeId());
    for (const auto& app : apps)
    {
        app->GetRoundPolicy()->SetAttribute("Deadline", TimeValue(MilliSeconds(15)));
    }
    SetCompute(2, MilliSeconds(29));
    SetAll("SuspicionTimeout", TimeValue(MilliSeconds(200)));
    Connect();
    Run();
    // Learner 2's round 0 comes at 29 ms, late; it is missed at 15, heard at 29, missed at 30.
    EXPECT_EQ(GetEnds(0), (Lines{"15 end 0 [1:0]", "30 end 1 [1:1]", "45 end 2 [1:2]"}));
    // It closes as soon as it has computed, which is past the deadline already.
    EXPECT_EQ(GetEnds(2),
              (Lines{"29 end 0 [0:0 1:0]", "58 end 1 [0:1 1:1]", "87 end 2 [0:2 1:2]"}));
    EXPECT_EQ(GetRecord(0, 0).late, 1U);
    EXPECT_EQ(GetRecord(0, 1).late, 1U);
    EXPECT_EQ(GetRule(0).late,
              (std::vector<std::pair<LearnerId, uint32_t>>{{2, 0}, {2, 1}, {2, 2}}));
    EXPECT_TRUE(GetRule(2).late.empty());
}

// Of three equal entries the first is sent.
TEST_F(PeerApplicationTest, RulesLearnWhatReceiversRead)
{
    Build(Pair());
    for (const auto& app : apps)
    {
        app->GetExchange()->SetAttribute("Compressor", TypeIdValue(TopKCompressor::GetTypeId()));
        DynamicCast<test::ScriptedRule>(app->GetRule())->exact = false;
    }
    Connect();
    Run();
    for (uint32_t round = 0; round < 3; ++round)
    {
        const ModelVector& read = GetRule(1).sent.at(round);
        EXPECT_EQ(read, Eigen::Vector3d(Script(1, round), 0, 0));
        EXPECT_EQ(read, GetRule(0).inboxes.at(round).Find(1, ModelChannel::STATE)->values);
    }
}

// The same with two vectors a neighbour: two messages missing are one wait.
TEST_F(PeerApplicationTest, ToleranceCountsTimeNotMessages)
{
    Build(Complete(3));
    for (const auto& app : apps)
    {
        app->GetRule()->SetAttribute("Tracker", BooleanValue(true));
    }
    SetAll("Rounds", UintegerValue(4));
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
    SetAll("SuspicionTimeout", TimeValue(MilliSeconds(200)));
    Connect();
    At(MilliSeconds(5), [this] { apps[2]->Crash(); });
    Run();
    EXPECT_EQ(GetEnds(0),
              (Lines{"110 end 0 [1:0 1:0t]",
                     "220 end 1 [1:1 1:1t]",
                     "230 end 2 [1:2 1:2t]",
                     "240 end 3 [1:3 1:3t]"}));
    EXPECT_EQ(GetRecord(0, 0).lost, 2U);
}

// What has come early belongs to its own round and stands in for none before it.
TEST_F(PeerApplicationTest, LastReceivedNeverComesFromTheFuture)
{
    Build(Pair());
    SetPolicy("MissingPolicy", LastReceived::GetTypeId());
    SetAll("Rounds", UintegerValue(3));
    SetAll("ResponseTimeout", TimeValue(MilliSeconds(100)));
    SetAll("SuspicionTimeout", TimeValue(MilliSeconds(200)));
    apps[1]->SetStartTime(Seconds(90)); // a plain socket plays it until then
    Connect();
    InjectAt(MilliSeconds(5),
             1,
             0,
             {test::MakeFragment(1, 1, ModelVector::Constant(DIMENSION, Script(1, 1)))});
    Run(Seconds(2));
    EXPECT_EQ(GetEnds(0), (Lines{"10 end 0 []", "20 end 1 [1:1]", "130 end 2 [1:1]"}));
}

// Gradients of 10 and 25 ms. No learner waits, and of several messages the newest is used.
TEST_F(PeerApplicationTest, AsynchronousLearnersGoTheirOwnPace)
{
    Build(Pair());
    SetPolicy("RoundPolicy", AsynchronousPolicy::GetTypeId());
    apps[0]->SetAttribute("Rounds", UintegerValue(6));
    SetCompute(1, MilliSeconds(25));
    Connect();
    Run();
    EXPECT_EQ(GetEnds(0),
              (Lines{"10 end 0 []",
                     "20 end 1 []",
                     "30 end 2 [1:0]",
                     "40 end 3 []",
                     "50 end 4 []", // what 1 sends at 50 comes just after
                     "60 end 5 [1:1]"}));
    EXPECT_EQ(GetEnds(1), (Lines{"25 end 0 [0:1]", "50 end 1 [0:3]", "75 end 2 [0:5]"}));
    for (size_t round = 0; round < 3; ++round)
    {
        EXPECT_EQ(GetRecord(1, round).expected, 2U);
        EXPECT_EQ(GetRecord(1, round).received, 2U);
        EXPECT_EQ(GetRecord(1, round).used, 1U);
    }
    EXPECT_EQ(apps[1]->GetTable().GetTally().superseded, 3U);
    EXPECT_EQ(apps[0]->GetTable().GetTally().superseded, 0U);
}

// Learner 0 sends at 10, 40, 70 and 100 ms, learner 1 at 65, 130 and 195 ms.
TEST_F(PeerApplicationTest, AsynchronousLearnersMayTakeLastReceivedAndAPeriod)
{
    Build(Pair());
    SetPolicy("RoundPolicy", AsynchronousPolicy::GetTypeId());
    SetPolicy("MissingPolicy", LastReceived::GetTypeId());
    apps[0]->SetAttribute("Rounds", UintegerValue(4));
    SetCompute(1, MilliSeconds(65));
    apps[0]->GetRoundPolicy()->SetAttribute("Period", TimeValue(MilliSeconds(30)));
    Connect();
    Run();
    EXPECT_EQ(GetEnds(0),
              (Lines{"30 end 0 []", "60 end 1 []", "90 end 2 [1:0]", "120 end 3 [1:0]"}));
    EXPECT_EQ(GetEnds(1), (Lines{"65 end 0 [0:1]", "130 end 1 [0:3]", "195 end 2 [0:3]"}));
    EXPECT_EQ(GetRecord(0, 3).expected, 0U) << "a stand-in is no message";
}

// The crash at 30 ms costs learner 1 its round 1; back at 62 ms it goes on with its own round 2,
// whatever round the other is in.
TEST_F(PeerApplicationTest, AsynchronousLearnersRestartWhereTheyWere)
{
    Build(Pair());
    SetPolicy("RoundPolicy", AsynchronousPolicy::GetTypeId());
    SetAll("Rounds", UintegerValue(9));
    SetCompute(1, MilliSeconds(25));
    apps[1]->SetAttribute("Rounds", UintegerValue(3));
    Connect();
    At(MilliSeconds(30), [this] { apps[1]->Crash(); });
    At(MilliSeconds(62), [this] { apps[1]->Restart(); });
    Run();
    EXPECT_EQ(GetEnds(1), (Lines{"25 end 0 [0:1]", "87 end 2 [0:7]"}));
    // Of the messages of rounds 2 to 7, those at 30 to 60 ms found it down; at 70 and 80 it
    // listens.
    EXPECT_EQ(GetRecord(1, 1).expected, 6U);
    EXPECT_EQ(GetRecord(1, 1).received, 2U);
    EXPECT_EQ(GetRecord(1, 1).lost, 4U);
    EXPECT_EQ(GetEnds(0).back(), "90 end 8 [1:2]");
    EXPECT_EQ(GetRecord(0, 8).lost, 1U) << "its round 1 never left";
}

TEST_F(PeerApplicationTest, AsynchronousLearnersRefuseToWait)
{
    const auto refuse = [this](const std::string& attribute,
                               const AttributeValue& value,
                               const std::string& message) {
        Build(Pair());
        SetPolicy("RoundPolicy", AsynchronousPolicy::GetTypeId());
        SetAll(attribute, value);
        apps[0]->GetRoundPolicy()->SetAttribute("Period", TimeValue(MilliSeconds(30)));
        ExpectRefused([this] { Connect(); }, message);
        apps.clear();
        Simulator::Destroy();
    };
    refuse(
        "MissingPolicy",
        TypeIdValue(WaitForMissing::GetTypeId()),
        "MissingPolicy must not be ns3::dlearn::WaitForMissing with an asynchronous RoundPolicy");
    refuse("Rule",
           TypeIdValue(PushSumSgd::GetTypeId()),
           "Rule must not be ns3::dlearn::PushSumSgd with an asynchronous RoundPolicy");
    refuse("UsePartial",
           BooleanValue(true),
           "UsePartial must be false with an asynchronous RoundPolicy");
    refuse(
        "ResponseTimeout",
        TimeValue(MilliSeconds(20)),
        "ResponseTimeout must be at least the Period of an asynchronous RoundPolicy, +0.03s, got "
        "+0.02s");
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-fixture.h"
#include "support/dlearn-expect-refused.h"

#include <sstream>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using test::Complete;
using test::DIMENSION;
using test::Exact;
using test::Lines;
using test::Pair;
using test::PeerApplicationTest;
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

TEST_F(PeerApplicationTest, FreeComputingOverAnIdealNetworkNeedsNoTimeEither)
{
    Build(Complete(4));
    SetAll("Rounds", UintegerValue(20));
    for (LearnerId id = 0; id < 4; ++id)
    {
        SetCompute(id, Time(0));
    }
    Connect();
    Run();
    for (LearnerId id = 0; id < 4; ++id)
    {
        EXPECT_EQ(GetEnds(id).size(), 20U);
        EXPECT_EQ(GetRecord(id, 19).closed, Time(0));
        EXPECT_EQ(GetRecord(id, 19).used, 3U);
    }
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

TEST_F(PeerApplicationTest, RefusesVectorsThatNoNeighbourExpects)
{
    Build(Pair());
    apps[0]->GetRule()->SetAttribute("Secret", BooleanValue(true));
    Connect();
    ExpectRefused([this] { Run(); },
                  "learner 0, round 0: ns3::dlearn::test::ScriptedRule sends a vector of channel "
                  "update, which is not in "
                  "its GetChannels()");
}

TEST_F(PeerApplicationTest, RefusesToStartWithoutWhatItNeeds)
{
    Build(Pair());
    ExpectRefused([this] { CreateObject<PeerApplication>()->SetContext(GetContext(0), {}); },
                  "PeerApplication: add the application to a node first");
    ExpectRefused([this] { apps[0]->SetContext(GetContext(0), {}); },
                  "PeerApplication: learner 0 has no address of its neighbour 1");
    ExpectRefused([] { Simulator::Run(); },
                  "PeerApplication: SetContext() must be called before the start");
    EXPECT_EQ(CreateObject<PeerApplication>()->AssignStreams(3), 1); // LDP-OL's noise
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-fixture.h"

namespace ns3::dlearn
{
namespace
{

using test::Bytes;
using test::Complete;
using test::DIMENSION;
using test::Lines;
using test::Pair;
using test::PeerApplicationTest;
using test::Script;

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

} // namespace
} // namespace ns3::dlearn

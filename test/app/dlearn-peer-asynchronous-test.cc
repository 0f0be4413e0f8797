/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-baselines.h"

#include <string>

namespace ns3::dlearn
{
namespace
{

using test::Bytes;
using test::DIMENSION;
using test::Exact;
using test::Lines;
using test::Pair;
using test::PeerApplicationTest;

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

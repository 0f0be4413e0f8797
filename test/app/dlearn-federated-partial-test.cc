/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * A server that uses what has arrived of updates that are not whole.
 */

#include "dlearn-federation-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"

namespace ns3::dlearn
{
namespace
{

using test::Bytes;
using test::FederationTest;
using test::Lines;
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

} // namespace
} // namespace ns3::dlearn

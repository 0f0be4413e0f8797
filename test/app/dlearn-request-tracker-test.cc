/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-request-tracker.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

using Disposition = RequestLog::Disposition;

/** A desk of the clients 1, 3 and 5 that writes down what it tells; timeout 2 s, tolerance 3 s. */
class RequestTrackerTest : public testing::Test
{
  protected:
    explicit RequestTrackerTest(const ResponseTimeouts& timeouts = ResponseTimeouts({Seconds(2),
                                                                                     Seconds(3)}))
    {
        m_tracker.Setup(
            {1, 3, 5},
            timeouts,
            {[this](LearnerId /* client */) { Note("expired"); },
             [this](uint32_t requestId) { Note("over #" + std::to_string(requestId)); }});
    }

    ~RequestTrackerTest() override { Simulator::Destroy(); }

    void Note(const std::string& what)
    {
        std::ostringstream line;
        line << Simulator::Now().GetMilliSeconds() << " " << what;
        m_log.push_back(line.str());
    }

    /** Let time pass. */
    void Wait(Time time)
    {
        Simulator::Stop(time);
        Simulator::Run();
    }

    /** A client answers in time. */
    void Answer(LearnerId client, uint32_t requestId)
    {
        const Time waited = m_tracker.GetWaited(*m_tracker.GetLog().Find(client, requestId));
        m_tracker.RecordAnswer(client, m_tracker.Answer(client, requestId, true), true, waited);
    }

    RequestTracker m_tracker;
    std::vector<std::string> m_log; //!< in milliseconds
};

/** Nothing is chosen: 30 s before the first answer, then four times the slowest. */
class FollowingTrackerTest : public RequestTrackerTest
{
  protected:
    FollowingTrackerTest()
        : RequestTrackerTest(ResponseTimeouts({Time(0), Time(0), Time(0), {}, true, 3}))
    {
    }
};

TEST_F(FollowingTrackerTest, TheFirstAnswerMakesTheWaitForTheOthersShorter)
{
    m_tracker.Give({1, 3, 5}, 0);
    Wait(MilliSeconds(500));
    Answer(1, 0);
    Wait(Seconds(40));
    EXPECT_EQ(m_log, (std::vector<std::string>{"2000 expired", "2000 over #0", "2000 expired"}));
}

TEST_F(FollowingTrackerTest, WhoIsSlowMakesTheWaitLonger)
{
    m_tracker.Give({1, 3, 5}, 0);
    Wait(Seconds(1));
    Answer(1, 0);
    Wait(Seconds(2)); // at 3 s, of the 4 s that the first one told
    Answer(3, 0);
    Wait(Seconds(40));
    EXPECT_EQ(m_log, (std::vector<std::string>{"12000 over #0", "12000 expired"}));
    EXPECT_EQ(m_tracker.GetTimeouts().GetSuspicion(), Seconds(24));
    m_tracker.Give({5}, 1);
    Wait(Seconds(40));
    EXPECT_EQ(m_tracker.CountAlive(), 2U) << "12 s, twice";
}

TEST_F(FollowingTrackerTest, WithoutAnyAnswerTheWaitIsLong)
{
    m_tracker.Give({1, 3, 5}, 0);
    Wait(Seconds(40));
    EXPECT_EQ(m_log.front(), "30000 expired");
}

TEST_F(FollowingTrackerTest, WhatTheServerGaveUpItselfTellsNothing)
{
    m_tracker.Give({1, 3}, 0);
    Wait(Seconds(1));
    m_tracker.DropAll();
    EXPECT_EQ(m_tracker.GetWaited(*m_tracker.GetLog().Find(1, 0)), Time(0));
    m_tracker.Give({3}, 0);
    Wait(Seconds(1));
    EXPECT_EQ(m_tracker.GetWaited(*m_tracker.GetLog().Find(3, 1)), Seconds(1));
    EXPECT_EQ(m_tracker.GetTimeouts().GetResponse(), Seconds(30));
}

TEST_F(RequestTrackerTest, GivesUpAfterTheTimeout)
{
    EXPECT_EQ(m_tracker.Give({1, 3}, 7), 0U);
    EXPECT_EQ(m_tracker.GetIdle(), std::vector<LearnerId>{5});
    EXPECT_EQ(m_tracker.GetLog().Find(3, 0)->version, 7U);
    Wait(Seconds(1));
    EXPECT_EQ(m_tracker.Give({5}, 7), 1U);
    EXPECT_EQ(m_tracker.GetLastRequestId(), 1U);
    EXPECT_EQ(m_tracker.Answer(3, 0, true), Disposition::ON_TIME);
    EXPECT_EQ(m_tracker.Answer(3, 0, true), Disposition::DUPLICATE);
    Wait(Seconds(1.5));
    EXPECT_EQ(m_tracker.Answer(5, 1, true), Disposition::ON_TIME);
    EXPECT_EQ(m_tracker.Answer(1, 0, true), Disposition::LATE);
    Wait(Seconds(9));
    EXPECT_EQ(m_log, (std::vector<std::string>{"2000 over #0", "2000 expired", "2500 over #1"}));
    EXPECT_EQ(m_tracker.GetIdle(), m_tracker.GetClients());
}

TEST_F(RequestTrackerTest, KnowsWhichClientsToWaitFor)
{
    m_tracker.Give({1, 3}, 0);
    EXPECT_EQ(m_tracker.CountAlive(), 3U);
    EXPECT_EQ(m_tracker.CountAwaited(), 2U);
    Wait(Seconds(1.6));
    m_tracker.RecordAnswer(3, Disposition::LATE, true, Time(0)); // whatever it was
    m_tracker.GiveUpAll();
    EXPECT_EQ(m_tracker.CountAwaited(), 0U);
    m_tracker.Give({1, 3}, 1);
    EXPECT_EQ(m_tracker.CountAwaited(), 2U) << "1.6 s without an answer is within the tolerance";
    Wait(Seconds(1));
    m_tracker.RecordAnswer(3, Disposition::LATE, true, Time(0));
    Wait(Seconds(0.5));
    m_tracker.GiveUpAll();
    m_tracker.Give({1, 3, 5}, 2);
    EXPECT_EQ(m_tracker.CountAlive(), 2U) << "client 1 did not answer for 3.1 s in all";
    EXPECT_EQ(m_tracker.CountAwaited(), 2U);
    m_tracker.Reset();
    EXPECT_EQ(m_tracker.CountAwaited(), 3U);
    EXPECT_EQ(m_log, (std::vector<std::string>{"1600 over #0", "3100 over #1"}));
}

TEST_F(RequestTrackerTest, RecordsWhatEndedUnderTheRoundThatIsClosed)
{
    m_tracker.Give({1, 3, 5}, 0);
    m_tracker.Answer(1, 0, true);
    m_tracker.Answer(3, 0, false);
    m_tracker.GiveUpAll();
    m_tracker.Close(4);
    m_tracker.Answer(5, 0, true); // late, and still of round 4
    m_tracker.GetLastRecord().txBytes = 77;
    m_tracker.Close(5);
    const auto& records = m_tracker.GetLog().GetRecords();
    ASSERT_EQ(records.size(), 2U);
    EXPECT_EQ(records[0].round, 4U);
    EXPECT_EQ(records[0].expected, 3U);
    EXPECT_EQ(records[0].received, 2U);
    EXPECT_EQ(records[0].used, 1U);
    EXPECT_EQ(records[0].rejected, 1U);
    EXPECT_EQ(records[0].late, 1U);
    EXPECT_EQ(records[0].lost, 0U);
    EXPECT_EQ(records[0].txBytes, 77U);
    EXPECT_EQ(&m_tracker.GetLastRecord(), &records[1]);
    EXPECT_EQ(records[1].expected, 0U);
}

TEST_F(RequestTrackerTest, TellsNothingOnceStopped)
{
    m_tracker.Give({1, 3, 5}, 0);
    m_tracker.Stop();
    Wait(Seconds(10));
    EXPECT_TRUE(m_log.empty());
    ExpectRefused([&] { m_tracker.Give({}, 0); },
                  "RequestTracker: a model must be given to a client");
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-repair-progress.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <tuple>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** A report: when it is sent, to which learner, of which round. */
using Sent = std::tuple<Time, LearnerId, uint32_t>;

/** Learner 7, which is asked for reports. */
class RepairReportsTest : public testing::Test
{
  protected:
    ~RepairReportsTest() override { Simulator::Destroy(); }

    /** @return a poll of some learners for a message of 100 bytes */
    static RepairDatagram MakePoll(uint32_t round, std::vector<uint32_t> learners)
    {
        RepairDatagram poll;
        poll.channel = ModelChannel::TRACKER;
        poll.round = round;
        poll.messageLength = 100;
        poll.words = std::move(learners);
        return poll;
    }

    std::vector<Sent> m_sent; //!< what was sent
    RepairReports m_reports{[this](LearnerId to, const RepairDatagram& report) {
        EXPECT_EQ(report.kind, RepairDatagram::Kind::REPORT);
        EXPECT_EQ(report.channel, ModelChannel::TRACKER);
        EXPECT_EQ(report.messageLength, 100U);
        EXPECT_TRUE(report.words.empty());
        m_sent.emplace_back(Simulator::Now(), to, report.round);
    }}; //!< of learner 7
};

TEST_F(RepairReportsTest, AreSentInTheOrderOfThePoll)
{
    m_reports.Schedule(7, 1, MakePoll(3, {5, 6, 7}), MilliSeconds(4));
    m_reports.Schedule(7, 2, MakePoll(4, {7, 5}), MilliSeconds(4));
    m_reports.Schedule(7, 3, MakePoll(5, {5, 6}), MilliSeconds(4)); // not of this learner
    Simulator::Run();
    EXPECT_EQ(m_sent, (std::vector<Sent>{{Time(0), 2, 4}, {MilliSeconds(8), 1, 3}}));
}

TEST_F(RepairReportsTest, ANewerPollOfTheChannelReplacesAnOlderOne)
{
    m_reports.Schedule(7, 1, MakePoll(3, {5, 7}), MilliSeconds(4));
    m_reports.Schedule(7, 1, MakePoll(4, {5, 6, 7}), MilliSeconds(4));
    Simulator::Run();
    EXPECT_EQ(m_sent, (std::vector<Sent>{{MilliSeconds(8), 1, 4}}));
}

TEST_F(RepairReportsTest, TakeATenthOfASecondAtMost)
{
    const auto poll = MakePoll(0, std::vector<uint32_t>(1000, 5));
    EXPECT_EQ(RepairReports::GetSpan(MakePoll(0, {5, 6, 7}), MilliSeconds(4)), MilliSeconds(12));
    EXPECT_EQ(RepairReports::GetSpan(poll, MilliSeconds(4)), MilliSeconds(100));
}

TEST_F(RepairReportsTest, AreNotSentWhenTheyAreCleared)
{
    m_reports.Schedule(7, 1, MakePoll(3, {5, 7}), MilliSeconds(4));
    m_reports.Clear();
    Simulator::Run();
    EXPECT_TRUE(m_sent.empty());
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-tcp-peer-connection.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** Calls that all fail: each plans the next one. */
class TcpCallScheduleTest : public testing::Test
{
  protected:
    void TearDown() override { Simulator::Destroy(); }

    void Call()
    {
        times.push_back(Simulator::Now().GetMilliSeconds());
        schedule.NoteFailure();
        schedule.Plan(MilliSeconds(100), last);
    }

    TcpCallSchedule schedule{[this] { Call(); }};
    bool last{false};
    std::vector<int64_t> times;
};

TEST_F(TcpCallScheduleTest, CallsForEverWhileMessagesMayFollow)
{
    Call();
    Simulator::Stop(Seconds(10.05));
    Simulator::Run();
    EXPECT_EQ(times.size(), 101U);
    EXPECT_EQ(times.back(), 10000);
    EXPECT_EQ(schedule.GetFailures(), 101U);
    schedule.Cancel();
    Simulator::Run();
    EXPECT_EQ(times.size(), 101U);
}

TEST_F(TcpCallScheduleTest, CallsLessOftenOnceNoMessageWillFollow)
{
    last = true;
    Call();
    Simulator::Run(); // ends by itself
    EXPECT_EQ(times.size(), 1U + TcpCallSchedule::LAST_CALLS);
    EXPECT_EQ(times[1], 100);
    EXPECT_EQ(times[2], 300);
    EXPECT_EQ(times.back(), 100 * ((1 << TcpCallSchedule::LAST_CALLS) - 1));
    schedule.NoteAnswer();
    EXPECT_EQ(schedule.GetFailures(), 0U);
    Call();
    Simulator::Run();
    EXPECT_EQ(times.size(), 2U + 2 * TcpCallSchedule::LAST_CALLS);
}

// A learner that left and came back has all of its last calls again.
TEST_F(TcpCallScheduleTest, BeginsAnewWhenMessagesMayFollowAgain)
{
    for (const bool cancel : {false, true})
    {
        last = true;
        Call();
        Simulator::Run();
        if (cancel)
        {
            schedule.Cancel();
        }
        else
        {
            schedule.Plan(MilliSeconds(100), false);
        }
        times.clear();
        Call();
        Simulator::Run();
        EXPECT_EQ(times.size(), 1U + TcpCallSchedule::LAST_CALLS) << cancel;
        schedule.Cancel();
    }
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-compute-model.h"
#include "ns3/dlearn-life-cycle.h"
#include "ns3/double.h"
#include "ns3/simulator.h"

#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

// What it is like for whole learners: dlearn-peer-churn-test, dlearn-federated-churn-test.

using State = LifeCycle::State;
using Log = std::vector<std::string>;

/** A learner that does nothing but note what it is told. */
class LifeCycleTest : public testing::Test, protected LifeCycle
{
  protected:
    void TearDown() override { Simulator::Destroy(); }

    void Open() override { m_log.emplace_back("open"); }

    void Close() override { m_log.emplace_back("close"); }

    void DoStart() override
    {
        m_log.emplace_back("start");
        SwitchToState(State::EXCHANGING);
    }

    void DoRestart() override
    {
        m_log.emplace_back("restart");
        SwitchToState(State::JOINING);
    }

    bool IsTracing() override { return m_tracing; }

    void HandleState(State /* left */, State /* entered */) override {}

    void HandleEvent(LearnerEvent::Kind kind) override
    {
        m_log.emplace_back(ToString(kind));
        if (m_restarts && kind == LearnerEvent::Kind::LEFT)
        {
            Restart();
        }
    }

    /** @return what was noted since the last call */
    Log Take() { return std::exchange(m_log, {}); }

    bool m_tracing{false};  //!< whether listeners of traces are being called
    bool m_restarts{false}; //!< whether it restarts as soon as it has left
    Log m_log;              //!< what it was told
};

TEST_F(LifeCycleTest, StartsOnceAndStopsForGood)
{
    EXPECT_FALSE(IsRunning());
    Start();
    EXPECT_TRUE(IsRunning());
    Retire();
    EXPECT_EQ(GetState(), State::STOPPED);
    EXPECT_EQ(Take(), (Log{"open", "start", "close", "stopped"}));
    Restart();
    Crash();
    EXPECT_EQ(Take(), Log());
}

TEST_F(LifeCycleTest, DoesNotStartAfterACrashUntilItIsRestarted)
{
    Crash();
    Start();
    EXPECT_EQ(Take(), Log{"crashed"});
    Restart();
    EXPECT_EQ(GetState(), State::JOINING);
    EXPECT_EQ(Take(), (Log{"restarted", "open", "restart"}));
}

TEST_F(LifeCycleTest, ARestartBeforeTheStartTimeWaitsForIt)
{
    Crash();
    Restart();
    EXPECT_EQ(GetState(), State::NOT_STARTED);
    Start();
    EXPECT_EQ(Take(), (Log{"crashed", "restarted", "open", "start"}));
}

TEST_F(LifeCycleTest, ReturnsWithPowerOnlyIfNothingElseKeepsItDown)
{
    Start();
    LosePower();
    EXPECT_TRUE(IsAwaitingPower());
    RestorePower();
    EXPECT_EQ(Take(),
              (Log{"open", "start", "close", "battery-empty", "restarted", "open", "restart"}));
    LosePower();
    Crash();
    RestorePower();
    EXPECT_EQ(GetState(), State::STOPPED);
    EXPECT_EQ(Take(), (Log{"close", "battery-empty", "crashed"}));
}

TEST_F(LifeCycleTest, ARestartWithoutPowerWaitsForIt)
{
    Start();
    Crash();
    LosePower();
    EXPECT_FALSE(IsAwaitingPower());
    Take();
    Restart();
    EXPECT_TRUE(IsAwaitingPower());
    EXPECT_EQ(Take(), Log{"battery-empty"});
    RestorePower();
    EXPECT_EQ(Take(), (Log{"restarted", "open", "restart"}));
}

TEST_F(LifeCycleTest, HasLeftWhenItHasFinishedWhatItBegan)
{
    Start();
    Take();
    Leave();
    EXPECT_TRUE(IsLeaving());
    EXPECT_EQ(Take(), Log());
    SwitchToState(State::STOPPED);
    EXPECT_EQ(Take(), Log{"left"}) << "sockets stay open";
    Restart();
    Leave(); // it had begun nothing
    EXPECT_EQ(GetState(), State::STOPPED);
    EXPECT_EQ(Take(), (Log{"restarted", "open", "restart", "close", "left"}));
}

TEST_F(LifeCycleTest, StaysWhenItIsToRestartBeforeItHasLeft)
{
    Start();
    Take();
    Restart(); // it does not leave
    EXPECT_EQ(Take(), Log());
    Leave();
    Restart();
    EXPECT_FALSE(IsLeaving());
    EXPECT_EQ(GetState(), State::EXCHANGING);
    EXPECT_EQ(Take(), Log{"restarted"});
    Leave();
    Restart();
    Leave();
    EXPECT_EQ(Take(), Log{"restarted"});
    SwitchToState(State::STOPPED);
    EXPECT_EQ(Take(), Log{"left"});
}

TEST_F(LifeCycleTest, ARestartAtTheInstantOfLeavingIsNoLeave)
{
    Start();
    SwitchToState(State::IDLE);
    m_restarts = true;
    Leave();
    EXPECT_EQ(GetState(), State::JOINING);
    EXPECT_FALSE(IsLeaving());
}

TEST_F(LifeCycleTest, LeavesNoMoreWhenItHasFinished)
{
    Start();
    Leave();
    Take();
    SwitchToState(State::FINISHED);
    EXPECT_FALSE(IsLeaving());
    Restart();
    EXPECT_EQ(GetState(), State::FINISHED);
    EXPECT_EQ(Take(), Log());
}

TEST_F(LifeCycleTest, HasLeftWhenItsPowerGoesWhileItLeaves)
{
    Start();
    Leave();
    Take();
    LosePower();
    EXPECT_FALSE(IsAwaitingPower());
    RestorePower();
    EXPECT_EQ(GetState(), State::STOPPED);
    EXPECT_EQ(Take(), (Log{"close", "battery-empty", "left"}));
    Restart();
    EXPECT_EQ(Take(), (Log{"restarted", "open", "restart"}));
}

TEST_F(LifeCycleTest, WhatAListenerOfATraceAsksForWaits)
{
    Start();
    Take();
    m_tracing = true;
    Crash();
    Restart();
    EXPECT_EQ(Take(), Log());
    m_tracing = false;
    Simulator::Run();
    EXPECT_EQ(Take(), (Log{"close", "crashed", "restarted", "open", "restart"}));
    m_tracing = true;
    Crash();
    CancelRequests();
    m_tracing = false;
    Simulator::Run();
    EXPECT_EQ(Take(), Log());
}

TEST(ComputeModel, FixedIsTheSameWhateverTheWork)
{
    const auto model = CreateObject<FixedCompute>();
    EXPECT_EQ(model->GetTime(1, 1), MilliSeconds(10)); // the documented default
    model->SetAttribute("Duration", TimeValue(MicroSeconds(7)));
    EXPECT_EQ(model->GetTime(0, 0), MicroSeconds(7));
    EXPECT_EQ(model->GetTime(1000000, 1e9), MicroSeconds(7));
    EXPECT_EQ(model->AssignStreams(4), 0);
    model->SetAttribute("Duration", TimeValue(Time(0)));
    EXPECT_EQ(model->GetTime(5, 5), Time(0));
}

TEST(ComputeModel, FlopsIsOverheadPlusWorkOverSpeed)
{
    const auto model = CreateObject<FlopsCompute>();
    model->SetAttribute("Flops", DoubleValue(2e6));
    model->SetAttribute("Overhead", TimeValue(MilliSeconds(1)));
    EXPECT_EQ(model->GetTime(3, 1e6), MilliSeconds(1501));
    EXPECT_EQ(model->GetTime(0, 1e6), MilliSeconds(1));
    EXPECT_EQ(model->GetTime(1, 1), MilliSeconds(1) + NanoSeconds(500));
    // More samples than 32 bits count: 2^33 / 2e6 s = 4294.967296 s
    EXPECT_EQ(model->GetTime(uint64_t{1} << 33, 1), MilliSeconds(1) + NanoSeconds(4294967296000));
    EXPECT_EQ(model->AssignStreams(4), 0);
}

// A sample of N log-normal times. The mean of the times has standard deviation
// m sqrt(exp(s^2) - 1) / sqrt(N), the variance of their logarithms s^2 sqrt(2 / N); five
// of each fail with probability 6e-7, and the stream is fixed.
TEST(ComputeModel, RandomHasTheMeanAndSpreadAskedFor)
{
    const double mean = 0.02;
    const double spread = 0.8;
    const uint32_t draws = 20000;
    const auto model = CreateObject<RandomCompute>();
    model->SetAttribute("Mean", DoubleValue(mean));
    model->SetAttribute("Spread", DoubleValue(spread));
    EXPECT_EQ(model->AssignStreams(5), 1);
    double sum = 0;
    double logSum = 0;
    double logSquares = 0;
    for (uint32_t k = 0; k < draws; ++k)
    {
        const double seconds = model->GetTime(1, 1).GetSeconds();
        ASSERT_GT(seconds, 0);
        sum += seconds;
        logSum += std::log(seconds);
        logSquares += std::log(seconds) * std::log(seconds);
    }
    const double s2 = spread * spread;
    EXPECT_NEAR(sum / draws, mean, 5 * mean * std::sqrt((std::exp(s2) - 1) / draws));
    const double variance = logSquares / draws - std::pow(logSum / draws, 2);
    EXPECT_NEAR(variance, s2, 5 * s2 * std::sqrt(2.0 / draws));
}

TEST(ComputeModel, RandomFollowsItsStream)
{
    const auto draw = [](int64_t stream) {
        const auto model = CreateObject<RandomCompute>();
        model->AssignStreams(stream);
        return std::vector<Time>{model->GetTime(1, 1), model->GetTime(1, 1)};
    };
    EXPECT_EQ(draw(3), draw(3));
    EXPECT_NE(draw(3), draw(4));
}

// GetExpectedTime() is what GetTime() is, or on average is, and draws nothing.
TEST(ComputeModel, KnowsTheTimeToExpect)
{
    const auto fixed = CreateObject<FixedCompute>();
    EXPECT_EQ(fixed->GetExpectedTime(5, 5), fixed->GetTime(5, 5));
    const auto flops = CreateObject<FlopsCompute>();
    EXPECT_EQ(flops->GetExpectedTime(7, 1e6), MilliSeconds(8)); // 1 ms and 7e6 / 1e9 s
    const auto random = CreateObject<RandomCompute>();
    const auto other = CreateObject<RandomCompute>();
    random->AssignStreams(3);
    other->AssignStreams(3);
    EXPECT_EQ(random->GetExpectedTime(1, 1), MilliSeconds(10)); // the attribute Mean
    EXPECT_EQ(random->GetTime(1, 1), other->GetTime(1, 1));
}

/** @return a clock that is fast by a number of seconds in a million */
LearnerClock
MakeClock(double ppm)
{
    LearnerClock clock;
    clock.SetDrift(ppm);
    clock.BeginRound();
    return clock;
}

TEST(LearnerClock, FastOneIsOverEarlierAndSlowOneLater)
{
    // A clock that is fast by a quarter shows 5 s after 4 s; one that is slow by half 2 s.
    EXPECT_EQ(MakeClock(250000).ToSimulated("a span", Seconds(5)), Seconds(4));
    EXPECT_EQ(MakeClock(250000).ToLocal(Seconds(4)), Seconds(5));
    EXPECT_EQ(MakeClock(-500000).ToSimulated("a span", Seconds(2)), Seconds(4));
    EXPECT_EQ(MakeClock(-500000).ToLocal(Seconds(4)), Seconds(2));
}

TEST(LearnerClock, ASpanIsOverWhenItsTimeIs)
{
    for (const double ppm : {-999999.0, -31.7, 0.3, 47.0, 1e7})
    {
        const LearnerClock clock = MakeClock(ppm);
        for (const int64_t span : {1, 3, 999, 1000003, 123456789})
        {
            const Time local = NanoSeconds(span);
            EXPECT_GE(clock.ToLocal(clock.ToSimulated("a span", local)), local)
                << ppm << " " << span;
        }
    }
}

TEST(LearnerClock, DriftIsInForceFromTheNextRound)
{
    LearnerClock clock;
    clock.SetDrift(250000);
    EXPECT_EQ(clock.ToLocal(Seconds(4)), Seconds(4));
    clock.BeginRound();
    EXPECT_EQ(clock.ToLocal(Seconds(4)), Seconds(5));
}

TEST(LearnerClock, TellsSinceWhenTheRoundIsOpen)
{
    LearnerClock clock;
    Simulator::Schedule(Seconds(1), [&clock] {
        clock.SetDrift(250000);
        clock.BeginRound();
    });
    Simulator::Schedule(Seconds(5), [&clock] {
        EXPECT_EQ(clock.GetDuration(), Seconds(4));
        EXPECT_EQ(clock.GetElapsed(), Seconds(5));
        EXPECT_EQ(clock.GetLeft("the deadline", Seconds(10)), Seconds(4));
        EXPECT_EQ(clock.GetLeft("the deadline", Seconds(4)), Seconds(0)) << "it is over";
    });
    Simulator::Run();
    Simulator::Destroy();
}

TEST(LearnerClock, RefusesWhatEndsBeyondTheEndOfTime)
{
    const LearnerClock clock = MakeClock(-999999);
    ExpectRefused([&] { clock.ToSimulated("the deadline", Seconds(1e5)); }, "the deadline");
}

} // namespace
} // namespace ns3::dlearn

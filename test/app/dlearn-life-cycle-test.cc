/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-life-cycle.h"
#include "ns3/simulator.h"

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

} // namespace
} // namespace ns3::dlearn

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
class LifeCycleTest : public testing::Test, protected LifeCycle::Owner
{
  protected:
    void TearDown() override { Simulator::Destroy(); }

    void Open() override { m_log.emplace_back("open"); }

    void Close() override { m_log.emplace_back("close"); }

    void DoStart() override
    {
        m_log.emplace_back("start");
        m_life.SwitchTo(State::EXCHANGING);
    }

    void DoRestart() override
    {
        m_log.emplace_back("restart");
        m_life.SwitchTo(State::JOINING);
    }

    bool IsTracing() override { return m_tracing; }

    void HandleState(State /* left */, State /* entered */) override {}

    void HandleEvent(LearnerEvent::Kind kind) override
    {
        m_log.emplace_back(ToString(kind));
        if (m_restarts && kind == LearnerEvent::Kind::LEFT)
        {
            m_life.Restart();
        }
    }

    /** @return what was noted since the last call */
    Log Take() { return std::exchange(m_log, {}); }

    LifeCycle m_life{*this}; //!< its own
    bool m_tracing{false};   //!< whether listeners of traces are being called
    bool m_restarts{false};  //!< whether it restarts as soon as it has left
    Log m_log;               //!< what it was told
};

TEST_F(LifeCycleTest, StartsOnceAndStopsForGood)
{
    EXPECT_FALSE(m_life.IsRunning());
    m_life.Start();
    EXPECT_TRUE(m_life.IsRunning());
    m_life.Retire();
    EXPECT_EQ(m_life.GetState(), State::STOPPED);
    EXPECT_EQ(Take(), (Log{"open", "start", "close", "stopped"}));
    m_life.Restart();
    m_life.Crash();
    EXPECT_EQ(Take(), Log());
}

TEST_F(LifeCycleTest, DoesNotStartAfterACrashUntilItIsRestarted)
{
    m_life.Crash();
    m_life.Start();
    EXPECT_EQ(Take(), Log{"crashed"});
    m_life.Restart();
    EXPECT_EQ(m_life.GetState(), State::JOINING);
    EXPECT_EQ(Take(), (Log{"restarted", "open", "restart"}));
}

TEST_F(LifeCycleTest, ARestartBeforeTheStartTimeWaitsForIt)
{
    m_life.Crash();
    m_life.Restart();
    EXPECT_EQ(m_life.GetState(), State::NOT_STARTED);
    m_life.Start();
    EXPECT_EQ(Take(), (Log{"crashed", "restarted", "open", "start"}));
}

TEST_F(LifeCycleTest, ReturnsWithPowerOnlyIfNothingElseKeepsItDown)
{
    m_life.Start();
    m_life.LosePower();
    EXPECT_TRUE(m_life.IsAwaitingPower());
    m_life.RestorePower();
    EXPECT_EQ(Take(),
              (Log{"open", "start", "close", "battery-empty", "restarted", "open", "restart"}));
    m_life.LosePower();
    m_life.Crash();
    m_life.RestorePower();
    EXPECT_EQ(m_life.GetState(), State::STOPPED);
    EXPECT_EQ(Take(), (Log{"close", "battery-empty", "crashed"}));
}

TEST_F(LifeCycleTest, ARestartWithoutPowerWaitsForIt)
{
    m_life.Start();
    m_life.Crash();
    m_life.LosePower();
    EXPECT_FALSE(m_life.IsAwaitingPower());
    Take();
    m_life.Restart();
    EXPECT_TRUE(m_life.IsAwaitingPower());
    EXPECT_EQ(Take(), Log{"battery-empty"});
    m_life.RestorePower();
    EXPECT_EQ(Take(), (Log{"restarted", "open", "restart"}));
}

TEST_F(LifeCycleTest, HasLeftWhenItHasFinishedWhatItBegan)
{
    m_life.Start();
    Take();
    m_life.Leave();
    EXPECT_TRUE(m_life.IsLeaving());
    EXPECT_EQ(Take(), Log());
    m_life.SwitchTo(State::STOPPED);
    EXPECT_EQ(Take(), Log{"left"}) << "sockets stay open";
    m_life.Restart();
    m_life.Leave(); // it had begun nothing
    EXPECT_EQ(m_life.GetState(), State::STOPPED);
    EXPECT_EQ(Take(), (Log{"restarted", "open", "restart", "close", "left"}));
}

TEST_F(LifeCycleTest, StaysWhenItIsToRestartBeforeItHasLeft)
{
    m_life.Start();
    Take();
    m_life.Restart(); // it does not leave
    EXPECT_EQ(Take(), Log());
    m_life.Leave();
    m_life.Restart();
    EXPECT_FALSE(m_life.IsLeaving());
    EXPECT_EQ(m_life.GetState(), State::EXCHANGING);
    EXPECT_EQ(Take(), Log{"restarted"});
    m_life.Leave();
    m_life.Restart();
    m_life.Leave();
    EXPECT_EQ(Take(), Log{"restarted"});
    m_life.SwitchTo(State::STOPPED);
    EXPECT_EQ(Take(), Log{"left"});
}

TEST_F(LifeCycleTest, ARestartAtTheInstantOfLeavingIsNoLeave)
{
    m_life.Start();
    m_life.SwitchTo(State::IDLE);
    m_restarts = true;
    m_life.Leave();
    EXPECT_EQ(m_life.GetState(), State::JOINING);
    EXPECT_FALSE(m_life.IsLeaving());
}

TEST_F(LifeCycleTest, LeavesNoMoreWhenItHasFinished)
{
    m_life.Start();
    m_life.Leave();
    Take();
    m_life.SwitchTo(State::FINISHED);
    EXPECT_FALSE(m_life.IsLeaving());
    m_life.Restart();
    EXPECT_EQ(m_life.GetState(), State::FINISHED);
    EXPECT_EQ(Take(), Log());
}

TEST_F(LifeCycleTest, HasLeftWhenItsPowerGoesWhileItLeaves)
{
    m_life.Start();
    m_life.Leave();
    Take();
    m_life.LosePower();
    EXPECT_FALSE(m_life.IsAwaitingPower());
    m_life.RestorePower();
    EXPECT_EQ(m_life.GetState(), State::STOPPED);
    EXPECT_EQ(Take(), (Log{"close", "battery-empty", "left"}));
    m_life.Restart();
    EXPECT_EQ(Take(), (Log{"restarted", "open", "restart"}));
}

TEST_F(LifeCycleTest, WhatAListenerOfATraceAsksForWaits)
{
    m_life.Start();
    Take();
    m_tracing = true;
    m_life.Crash();
    m_life.Restart();
    EXPECT_EQ(Take(), Log());
    m_tracing = false;
    Simulator::Run();
    EXPECT_EQ(Take(), (Log{"close", "crashed", "restarted", "open", "restart"}));
    m_tracing = true;
    m_life.Crash();
    m_life.Cancel();
    m_tracing = false;
    Simulator::Run();
    EXPECT_EQ(Take(), Log());
}

} // namespace
} // namespace ns3::dlearn

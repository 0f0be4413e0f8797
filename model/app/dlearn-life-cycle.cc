/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-life-cycle.h"

#include "ns3/log.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

const char*
ToString(LearnerEvent::Kind kind)
{
    static const char* const names[] = {"crashed",
                                        "left",
                                        "stopped",
                                        "restarted",
                                        "budget-spent",
                                        "battery-empty",
                                        "neighbor-suspected",
                                        "client-suspected",
                                        "client-joined",
                                        "client-left",
                                        "timed-out"};
    return names[static_cast<size_t>(kind)];
}

NS_LOG_COMPONENT_DEFINE("DlearnLifeCycle");

void
LifeCycle::CancelRequests()
{
    for (EventId& event : m_deferred)
    {
        event.Cancel();
    }
}

void
LifeCycle::Start()
{
    m_started = true;
    if (m_state == State::NOT_STARTED)
    {
        Open();
        DoStart();
    }
}

void
LifeCycle::Retire()
{
    m_retired = true;
    m_leaving = false;
    const bool ended = HasEnded();
    Halt(State::STOPPED);
    if (!ended)
    {
        HandleEvent(LearnerEvent::Kind::STOPPED);
    }
}

void
LifeCycle::SwitchToState(State state)
{
    NS_LOG_FUNCTION(this << static_cast<int>(m_state) << static_cast<int>(state));
    const State left = std::exchange(m_state, state);
    const bool leaves = m_leaving && state == State::STOPPED;
    m_leaving = m_leaving && IsRunning();
    HandleState(left, state);
    if (leaves)
    {
        HandleEvent(LearnerEvent::Kind::LEFT);
    }
}

void
LifeCycle::Halt(State state)
{
    NS_LOG_FUNCTION(this << static_cast<int>(state));
    Close();
    SwitchToState(state);
}

void
LifeCycle::GoDown(LearnerEvent::Kind kind)
{
    m_leaving = false;
    if (m_started)
    {
        Halt(State::STOPPED);
    }
    else
    {
        SwitchToState(State::STOPPED); // there are neither sockets nor a round yet
    }
    HandleEvent(kind);
}

void
LifeCycle::StayDown(LearnerEvent::Kind kind)
{
    m_awaitsPower = false;
    HandleEvent(kind);
}

bool
LifeCycle::Defer(void (LifeCycle::*action)())
{
    if (!IsTracing())
    {
        return false;
    }
    const auto expired = [](const EventId& event) { return event.IsExpired(); };
    m_deferred.erase(std::remove_if(m_deferred.begin(), m_deferred.end(), expired),
                     m_deferred.end());
    m_deferred.push_back(Simulator::ScheduleNow(action, this));
    return true;
}

void
LifeCycle::Crash()
{
    NS_LOG_FUNCTION(this);
    if (Defer(&LifeCycle::Crash))
    {
        return;
    }
    if (m_awaitsPower)
    {
        StayDown(LearnerEvent::Kind::CRASHED);
    }
    else if (!HasEnded())
    {
        GoDown(LearnerEvent::Kind::CRASHED);
    }
}

void
LifeCycle::LosePower()
{
    NS_LOG_FUNCTION(this);
    if (Defer(&LifeCycle::LosePower))
    {
        return;
    }
    m_powered = false;
    if (!HasEnded())
    {
        m_awaitsPower = true;
        const bool leaving = m_leaving;
        GoDown(LearnerEvent::Kind::BATTERY_EMPTY);
        if (leaving)
        {
            StayDown(LearnerEvent::Kind::LEFT);
        }
    }
}

void
LifeCycle::RestorePower()
{
    NS_LOG_FUNCTION(this);
    if (Defer(&LifeCycle::RestorePower))
    {
        return;
    }
    m_powered = true;
    if (m_awaitsPower)
    {
        Restart();
    }
}

void
LifeCycle::Leave()
{
    NS_LOG_FUNCTION(this);
    m_leaving = IsRunning();
    if (Defer(&LifeCycle::Leave))
    {
        return;
    }
    if (m_awaitsPower)
    {
        StayDown(LearnerEvent::Kind::LEFT);
    }
    else if (m_state == State::NOT_STARTED || m_state == State::JOINING)
    {
        GoDown(LearnerEvent::Kind::LEFT);
    }
    else if (m_state == State::IDLE)
    {
        SwitchToState(State::STOPPED); // the transport still sends its messages
    }
}

void
LifeCycle::Restart()
{
    NS_LOG_FUNCTION(this);
    if (Defer(&LifeCycle::Restart) || m_retired)
    {
        return;
    }
    if (m_leaving)
    {
        m_leaving = false; // it stays
        HandleEvent(LearnerEvent::Kind::RESTARTED);
    }
    if (m_state != State::STOPPED)
    {
        return;
    }
    if (!m_powered)
    {
        if (!m_awaitsPower)
        {
            HandleEvent(LearnerEvent::Kind::BATTERY_EMPTY); // the reason from now on
        }
        m_awaitsPower = true;
        return;
    }
    m_awaitsPower = false;
    HandleEvent(LearnerEvent::Kind::RESTARTED);
    if (!m_started)
    {
        SwitchToState(State::NOT_STARTED); // until the start time
        return;
    }
    Open();
    DoRestart();
}

} // namespace ns3::dlearn

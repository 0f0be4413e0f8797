/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LIFE_CYCLE_H
#define DLEARN_LIFE_CYCLE_H

#include "ns3/dlearn-types.h"
#include "ns3/event-id.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace ns3::dlearn
{

/** @ingroup dlearn
 *  An exceptional event of a learner. */
struct LearnerEvent
{
    enum class Kind
    {
        CRASHED,            //!< LifeCycle::Crash()
        LEFT,               //!< LifeCycle::Leave(), when the learner has finished its work
        STOPPED,            //!< its stop time has come
        RESTARTED,          //!< LifeCycle::Restart()
        BUDGET_SPENT,       //!< the privacy budget forbids another release
        BATTERY_EMPTY,      //!< LifeCycle::LosePower()
        NEIGHBOR_SUSPECTED, //!< a peer no longer waits for a neighbour
        CLIENT_SUSPECTED,   //!< a server no longer waits for a client
        CLIENT_JOINED,      //!< FederatedServer::Admit()
        CLIENT_LEFT,        //!< FederatedServer::Dismiss()
        TIMED_OUT //!< the response timeout has passed, and a round ends without a message of
                  //!< another learner that it waited for
    };

    Kind kind{Kind::CRASHED};
    LearnerId learner{0};           //!< the learner
    std::optional<uint32_t> round;  //!< newest round that it has opened, if any
    std::optional<LearnerId> other; //!< the learner that is suspected, was waited for, comes, goes
};

/**
 * @ingroup dlearn
 * @return its name: crashed, left, stopped, restarted, budget-spent, battery-empty,
 *         neighbor-suspected, client-suspected, client-joined, client-left or timed-out
 */
const char* ToString(LearnerEvent::Kind kind);

/**
 * @ingroup dlearn
 * The state of a learner, and the calls that start and stop it.
 *
 * A learner is down after a crash, without power, after it has left, and after its stop time. It
 * starts again when it is told to restart and has power. A learner that is told to restart before
 * it has left stays.
 *
 * A listener of a trace may call Crash(), LosePower(), RestorePower(), Leave() and Restart(): they
 * take effect when the learner has finished its current work, at the same simulated time.
 */
class LifeCycle
{
  public:
    /** The activity of a learner. */
    enum class State
    {
        NOT_STARTED, //!< before its start time
        JOINING,     //!< after a restart: listens for the neighbours' round
        TRAINING,    //!< computes: its gradient, or as a server the next model
        EXCHANGING,  //!< has sent, waits for the others
        FINISHED,    //!< all rounds done, or the privacy budget forbids another
        STOPPED,     //!< crashed, left, or past its stop time
        IDLE         //!< a client, or a server of a lower tier, without a model to train
    };

    LifeCycle() = default;
    LifeCycle(const LifeCycle&) = delete;
    LifeCycle& operator=(const LifeCycle&) = delete;
    virtual ~LifeCycle() = default;

    /**
     * Stop at once, as if the power went. Before its start time, the learner will not start. No
     * effect on a learner that has finished or stopped.
     */
    void Crash();

    /**
     * As Crash(), because the battery of the device is empty: until RestorePower(), the learner
     * does not start. A learner that crashes or leaves meanwhile is then down for that reason.
     */
    void LosePower();

    /** The battery is charged again: start the learner if only the lack of power kept it down. */
    void RestorePower();

    /** Finish the current work and stop; otherwise as Crash(). */
    void Leave();

    /**
     * Start again after Crash() or Leave(), at the start time at the earliest, and with power. A
     * learner that is still leaving stays. Otherwise, and after the stop time, there is no effect.
     */
    void Restart();

    State GetState() const { return m_state; }

    /** @return whether the learner has finished or stopped */
    bool HasEnded() const { return m_state == State::FINISHED || m_state == State::STOPPED; }

    /** @return whether the learner has started, and neither finished nor stopped */
    bool IsRunning() const { return m_state != State::NOT_STARTED && !HasEnded(); }

    /** @return whether the learner was asked to leave, and finishes its current work */
    bool IsLeaving() const { return m_leaving; }

    /** @return whether the learner is down and starts as soon as it has power */
    bool IsAwaitingPower() const { return m_awaitsPower; }

  protected:
    /** The start time has come: open and begin, unless the learner went down before. */
    void Start();

    /** The stop time has come: stop for good. */
    void Retire();

    void SwitchToState(State state);

    /** @param state STOPPED or FINISHED, which ends all work */
    void Halt(State state);

    /** The end of the simulation: drop the requests of listeners of traces. */
    void CancelRequests();

    /** Open the sockets. A learner that has left still has open ones. */
    virtual void Open() = 0;

    /** Give up the current work, and close the sockets. */
    virtual void Close() = 0;

    /** Begin to work, at the start time; the sockets are open. */
    virtual void DoStart() = 0;

    /** Begin to work again; the sockets are open. */
    virtual void DoRestart() = 0;

    /** @return whether listeners of traces are being called */
    virtual bool IsTracing() = 0;

    virtual void HandleState(State left, State entered) = 0;
    virtual void HandleEvent(LearnerEvent::Kind kind) = 0;

  private:
    void GoDown(LearnerEvent::Kind reason);

    /** The learner is down without power, and does not start with power any more. */
    void StayDown(LearnerEvent::Kind reason);

    /** Postpone a request of a listener of a trace. @return whether it is postponed */
    bool Defer(void (LifeCycle::*action)());

    State m_state{State::NOT_STARTED};
    bool m_started{false};           //!< whether the start time has come
    bool m_leaving{false};           //!< whether it is about to leave
    bool m_retired{false};           //!< whether the stop time has passed
    bool m_powered{true};            //!< whether its device has power
    bool m_awaitsPower{false};       //!< whether it is down only for lack of power
    std::vector<EventId> m_deferred; //!< requests of listeners of traces
};

} // namespace ns3::dlearn

#endif // DLEARN_LIFE_CYCLE_H

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

/**
 * @ingroup dlearn
 * Something out of the ordinary that happened to a learner.
 */
struct LearnerEvent
{
    /** What may happen. */
    enum class Kind
    {
        CRASHED,            //!< LearnerApplication::Crash()
        LEFT,               //!< LearnerApplication::Leave(), when the learner has finished its work
        STOPPED,            //!< its stop time has come
        RESTARTED,          //!< LearnerApplication::Restart()
        BUDGET_SPENT,       //!< the privacy budget forbids another release
        BATTERY_EMPTY,      //!< LearnerApplication::LosePower()
        NEIGHBOR_SUSPECTED, //!< a peer no longer waits for a neighbour
        CLIENT_SUSPECTED,   //!< a server no longer waits for a client
        TIMED_OUT //!< the response timeout has passed, and a round ends without a message of
                  //!< another learner that it waited for
    };

    Kind kind{Kind::CRASHED};
    LearnerId learner{0};           //!< to which learner
    std::optional<uint32_t> round;  //!< newest round that it has opened; nothing before the first
    std::optional<LearnerId> other; //!< the learner that is suspected or was waited for
};

/**
 * @ingroup dlearn
 * @return its name: crashed, left, stopped, restarted, budget-spent, battery-empty,
 *         neighbor-suspected, client-suspected or timed-out
 */
const char* ToString(LearnerEvent::Kind kind);

/**
 * @ingroup dlearn
 * The state of a learner, and the calls that start and stop it.
 *
 * A learner is down after a crash, without power, when it has left, and beyond its stop time. It
 * starts again when it is told to restart, but not without power: one that lacks only that starts
 * as soon as it has power. One that is told to restart before it has left stays.
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
        IDLE         //!< a client without a model to train
    };

    /** The learner, as its life cycle sees it. */
    class Owner
    {
      public:
        virtual ~Owner() = default;

        /** Listen to others, and send again: a learner that has left listens still. */
        virtual void Open() = 0;

        /** Give up whatever is under way, and listen no more. */
        virtual void Close() = 0;

        /** Begin to work; the learner listens. Called at the start time. */
        virtual void DoStart() = 0;

        /** Begin to work again; the learner listens. */
        virtual void DoRestart() = 0;

        /** @return whether listeners of traces are being called, so that their requests have to
         *          wait until the learner has finished its current work */
        virtual bool IsTracing() = 0;

        virtual void HandleState(State left, State entered) = 0;
        virtual void HandleEvent(LearnerEvent::Kind kind) = 0;
    };

    /** @param owner the learner, which outlives its life cycle */
    explicit LifeCycle(Owner& owner)
        : m_owner(owner)
    {
    }

    LifeCycle(const LifeCycle&) = delete;
    LifeCycle& operator=(const LifeCycle&) = delete;

    /** The start time has come: open and begin, unless it went down before. */
    void Start();

    /** The stop time has come: stop for good. */
    void Retire();

    void Crash();        //!< @see LearnerApplication::Crash()
    void LosePower();    //!< @see LearnerApplication::LosePower()
    void RestorePower(); //!< @see LearnerApplication::RestorePower()
    void Leave();        //!< @see LearnerApplication::Leave()
    void Restart();      //!< @see LearnerApplication::Restart()

    void SwitchTo(State state);

    /** @param state STOPPED or FINISHED, which ends all that is under way */
    void Halt(State state);

    State GetState() const { return m_state; }

    /** @return whether the learner has finished or stopped */
    bool HasEnded() const { return m_state == State::FINISHED || m_state == State::STOPPED; }

    /** @return whether the learner has started, and neither finished nor stopped */
    bool IsRunning() const { return m_state != State::NOT_STARTED && !HasEnded(); }

    /** @return whether the learner was asked to leave, and finishes its current work */
    bool IsLeaving() const { return m_leaving; }

    /** @return whether the learner is down and starts as soon as it has power */
    bool IsAwaitingPower() const { return m_awaitsPower; }

    /** The end of the simulation: requests of listeners of traces are dropped. */
    void Cancel();

  private:
    void GoDown(LearnerEvent::Kind reason);

    /** It is down without power, and does not start with power any more. */
    void StayDown(LearnerEvent::Kind reason);

    /** Postpone an action that a listener of a trace asked for until the trace is over.
     *  @return whether it is postponed; false outside of a trace */
    bool Defer(void (LifeCycle::*action)());

    Owner& m_owner;
    State m_state{State::NOT_STARTED};
    bool m_started{false};           //!< whether the start time has come
    bool m_leaving{false};           //!< whether it was asked to leave, and has not yet
    bool m_retired{false};           //!< whether the stop time has passed
    bool m_powered{true};            //!< whether its device has power
    bool m_awaitsPower{false};       //!< whether it is down only because of that
    std::vector<EventId> m_deferred; //!< requests of listeners of traces
};

} // namespace ns3::dlearn

#endif // DLEARN_LIFE_CYCLE_H

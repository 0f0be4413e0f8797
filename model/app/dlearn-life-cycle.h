/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LIFE_CYCLE_H
#define DLEARN_LIFE_CYCLE_H

#include "dlearn-learner-event.h"

#include "ns3/event-id.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Whether a learner is up, and what it is doing: its state, and all that starts and stops it.
 *
 * A learner is down after a crash, without power, when it has left, and beyond its stop time. It
 * starts again when it is told to restart, but not without power: one that lacks only that starts
 * as soon as it has power. One that is told to restart before it has left stays.
 */
class LifeCycle
{
  public:
    /** What the learner is doing. */
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

        /**
         * @return whether listeners of traces are being called, so that what they ask for has to
         *         wait until the learner has finished what it is doing
         */
        virtual bool IsTracing() = 0;

        /**
         * @param left the state left
         * @param entered the state entered
         */
        virtual void HandleState(State left, State entered) = 0;

        /** @param kind what has happened to the learner */
        virtual void HandleEvent(LearnerEvent::Kind kind) = 0;
    };

    /** @param owner the learner, which outlives its life cycle */
    explicit LifeCycle(Owner& owner);
    LifeCycle(const LifeCycle&) = delete;
    LifeCycle& operator=(const LifeCycle&) = delete;

    /** The start time has come: open and begin, unless it went down before. */
    void Start();

    /** The stop time has come: stop for good. */
    void Retire();

    /** @see LearnerApplication::Crash() */
    void Crash();

    /** @see LearnerApplication::LosePower() */
    void LosePower();

    /** @see LearnerApplication::RestorePower() */
    void RestorePower();

    /** @see LearnerApplication::Leave() */
    void Leave();

    /** @see LearnerApplication::Restart() */
    void Restart();

    /** @param state the new one */
    void SwitchTo(State state);

    /** @param state STOPPED or FINISHED, which ends all that is under way */
    void Halt(State state);

    /** @return the state */
    State GetState() const { return m_state; }

    /** @return whether the learner has finished or stopped */
    bool HasEnded() const { return m_state == State::FINISHED || m_state == State::STOPPED; }

    /** @return whether the learner has started, and neither finished nor stopped */
    bool IsRunning() const { return m_state != State::NOT_STARTED && !HasEnded(); }

    /** @return whether the learner was asked to leave, and finishes what it has begun */
    bool IsLeaving() const { return m_leaving; }

    /** @return whether the learner is down and starts as soon as it has power */
    bool IsAwaitingPower() const { return m_awaitsPower; }

    /** The end of the simulation: what listeners of traces asked for is not done any more. */
    void Cancel();

  private:
    /**
     * Stop, and tell the owner.
     * @param kind why
     */
    void GoDown(LearnerEvent::Kind kind);

    /**
     * It is down without power, and does not start with power any more.
     * @param kind of what keeps it down from now on
     */
    void StayDown(LearnerEvent::Kind kind);

    /**
     * Postpone an action that a listener of a trace asked for until the trace is over.
     *
     * @param action crashes, stops or the like
     * @return whether it is postponed; false outside of a trace
     */
    bool Defer(void (LifeCycle::*action)());

    /** @param action to do when this event is over, at the same time */
    void Schedule(void (LifeCycle::*action)());

    Owner& m_owner;                    //!< the learner
    State m_state{State::NOT_STARTED}; //!< what the learner is doing
    bool m_started{false};             //!< whether the start time has come
    bool m_leaving{false};             //!< whether it was asked to leave, and has not yet
    bool m_retired{false};             //!< whether the stop time has passed
    bool m_powered{true};              //!< whether its device has power
    bool m_awaitsPower{false};         //!< whether it is down only because of that
    std::vector<EventId> m_deferred;   //!< what listeners of traces asked for
};

} // namespace ns3::dlearn

#endif // DLEARN_LIFE_CYCLE_H

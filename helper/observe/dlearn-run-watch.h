/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_WATCH_H
#define DLEARN_RUN_WATCH_H

#include "dlearn-isolation-watch.h"
#include "dlearn-run-event.h"
#include "dlearn-run-warnings.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/nstime.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Notices when a run is dead, or partly so. It keeps the timeline of what happens out of the
 * ordinary (RunEvent), warns while it happens of what stops learning (RunWarnings), and knows when
 * nothing can change any more, so that a run need not go on:
 *
 *  - IsOver(): all learners are done, and none of them restarts; or the server is down for good;
 *    or only Byzantine peers go on, which teach no learner;
 *  - IsDeserted(): the server goes on, but no honest client will ever train again, and its updates
 *    have had time to arrive.
 *
 * A learner that restarts later has to be announced (ExpectRestart()): the watch knows no plans.
 * It watches for as long as it lives.
 */
class RunWatch
{
  public:
    /** Seconds of waiting for a restart alone above which there is a warning. */
    static constexpr int64_t LONG_WAIT = 60;

    /**
     * @param learners all applications of a federation, or all peers that exchange vectors, in the
     *        order of their numbers; a script with several of these has a watch for each
     * @throw std::invalid_argument for a null learner, and for one whose number is not its place
     */
    explicit RunWatch(std::vector<Ptr<LearnerApplication>> learners);

    RunWatch(const RunWatch&) = delete;
    RunWatch& operator=(const RunWatch&) = delete;

    /** @return the warnings, to add others and to listen to them */
    RunWarnings& GetWarnings() { return m_warnings; }

    /**
     * @param time when a learner will be asked to restart
     * @param learner which one
     */
    void ExpectRestart(Time time, LearnerId learner);

    /** @param event of the timeline, which may still be to come */
    void Add(RunEvent event) { m_events.push_back(std::move(event)); }

    /** @return whether nothing can change any more, as far as the learners' states tell; notes it
     *          when only a restart is waited for */
    bool IsOver();

    /**
     * @param record round that a learner has closed
     * @param grace time in which the last updates of clients arrive
     * @return whether it is the server's, and no client is left
     */
    bool IsDeserted(const RoundRecord& record, Time grace);

    /** @return whether a learner has closed all of its rounds, as far as is known */
    bool HasClosedAll() const;

    /** @return whether a learner has finished or stopped, for good */
    bool HasEnded(const LearnerApplication& learner) const;

    /** @return why learners of this rank (Ranks) are down or have ended */
    std::map<LearnerId, LearnerEvent::Kind> GetDown() const;

    /**
     * Learners of other ranks are in the states that they have there.
     *
     * @param down why those of them that are down are so
     * @param closedAll whether one of them has closed all of its rounds
     * @param change when a learner of any rank last changed its state
     */
    void Follow(const std::map<LearnerId, LearnerEvent::Kind>& down, bool closedAll, Time change);

    /** @param time at which the run ends because nothing can change any more */
    void NoteEnd(Time time);

    /** The run ends for a reason that others tell, such as a signal: Finish() does not warn of it.
     */
    void NoteInterruption() { m_ended = true; }

    /**
     * After the simulation: warn of what was too short to judge, and of an end before any learner
     * has closed all of its rounds, unless that was noted before.
     *
     * @return the events up to now, by time, then learner
     */
    std::vector<RunEvent> Finish();

  private:
    /** @param event of a learner, which goes to the timeline */
    void HandleEvent(const LearnerEvent& event);

    /**
     * @param event of a learner whose budget is spent
     * @param noted gets its epsilon
     */
    void NoteBudget(const LearnerEvent& event, RunEvent& noted);

    /** @param learner for whose restart the run goes on */
    void NoteWaiting(const LearnerApplication& learner);

    /** @param time to note when no honest client is left, unless another one was noted before */
    void UpdateDeserted(Time time);

    /** @return whether a learner is down and will be restarted */
    bool IsComingBack(const LearnerApplication& learner) const;

    /** @return when a learner last changed its state: now, but on several ranks */
    Time GetChange() const;

    /** Note it when all learners are down. */
    void NoteAllDown();

    /** @return why learners that are down are so, and which of the others had rounds to do */
    std::string ExplainStop() const;

    /**
     * The run ends before any learner has closed all of its rounds.
     *
     * @param time when
     * @param what happens then, for the warning
     * @param why likewise
     * @param reason why learners do no more
     */
    void AddEarlyEnd(Time time,
                     const std::string& what,
                     const std::string& why,
                     const std::string& reason);

    std::vector<Ptr<LearnerApplication>> m_learners;    //!< all
    Ptr<LearnerApplication> m_server;                   //!< of a federation, else null
    std::multimap<LearnerId, Time> m_restarts;          //!< that were announced
    std::map<LearnerId, LearnerEvent::Kind> m_down;     //!< why learners have ended
    std::map<LearnerId, LearnerEvent::Kind> m_wereDown; //!< the same, of all that ever were
    std::optional<Time> m_deserted;                     //!< since when no client is left
    bool m_waiting{false};                              //!< whether a restart is waited for
    bool m_allDown{false};                              //!< whether all learners are down
    bool m_ended{false};                                //!< whether its end was noted
    bool m_closedElsewhere{false};                      //!< see Follow()
    std::optional<Time> m_change;                       //!< see Follow()
    std::vector<RunEvent> m_events;                     //!< the timeline
    RunWarnings m_warnings;                             //!< given as they occur
    IsolationWatch m_isolation;                         //!< uses the others
    TraceConnections m_traces;                          //!< of the learners
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_WATCH_H

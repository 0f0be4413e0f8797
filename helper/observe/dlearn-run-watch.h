/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_WATCH_H
#define DLEARN_RUN_WATCH_H

#include "dlearn-run-results.h"
#include "dlearn-run-warnings.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-life-cycle.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param learner of a run
 * @return whether it trains or serves, and is honest: its rounds and its model count
 */
bool HasRounds(const LearnerApplication& learner);

/**
 * @ingroup dlearn
 * @param learners of a run
 * @return the server of a federation; null among peers
 */
Ptr<LearnerApplication> FindServer(const std::vector<Ptr<LearnerApplication>>& learners);

/**
 * @ingroup dlearn
 * @param learner of a run
 * @param all learners of the run
 * @return the learners that it expects messages from; for a server or a client all others
 */
std::set<LearnerId> GetSenders(const LearnerApplication& learner,
                               const std::vector<Ptr<LearnerApplication>>& all);

/**
 * @ingroup dlearn
 * The progress of one rank (Ranks), or of several together, for the monitors of the others.
 */
struct RankProgress
{
    Time changed;        //!< when a learner last changed its state
    uint64_t closed{0};  //!< rounds that are evaluated or count for progress
    uint64_t rxBytes{0}; //!< received by learners
    SpentEpsilon spent;  //!< by the clients so far
    std::map<LearnerId, LearnerEvent::Kind> down; //!< why learners have ended
    uint64_t mostClosed{0};                       //!< see RunWatch::GetMostClosed()
    bool closedAll{false};                        //!< see RunWatch::HasClosedAll()
    bool deserted{false};                         //!< see RunWatch::IsDeserted()

    /** @param other of another rank */
    void Add(const RankProgress& other);

    /** @return the values that StateArchive passes between ranks */
    auto Tie()
    {
        return std::tie(changed, closed, rxBytes, spent, down, mostClosed, closedAll, deserted);
    }
};

/**
 * @ingroup dlearn
 * Notices when a run is dead, or partly so. It keeps the timeline of events out of the ordinary
 * (RunEvent), warns at once when learning stops (RunWarnings), and knows when nothing can change
 * any more, so that the run may end:
 *
 *  - IsOver(): all learners are done, and none of them restarts; or the server is down for good;
 *    or only Byzantine peers are left, which teach no learner;
 *  - IsDeserted(): the server is up, but no honest client will ever train again, and its updates
 *    have had time to arrive.
 *
 * Learners that get no usable message in their first rounds though some should come are isolated:
 * it says so once, with the likely reason and the remedy.
 *
 * A learner that restarts later has to be announced (ExpectRestart()): the watch knows no plans.
 * It watches for as long as it lives.
 */
class RunWatch
{
  public:
    /** Seconds of waiting for a restart alone above which there is a warning. */
    static constexpr int64_t LONG_WAIT = 60;

    /** Rounds without any usable message after which a learner counts as isolated. */
    static constexpr uint32_t SILENT_ROUNDS = 5;

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

    /**
     * Warn when the account of an honest learner exceeds the epsilon that its noise was planned
     * for. That happens where a plan cannot know the run, as when a fast client sends more updates
     * to a buffer than there are rounds, or when a mean is of fewer messages than were planned.
     * Only a budget stops a learner.
     *
     * @param target epsilon, more than 0
     */
    void WatchTarget(double target);

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

    /** @return the most rounds that a learner has closed, as far as is known */
    uint64_t GetMostClosed() const;

    /** @return whether a learner has finished or stopped, for good */
    bool HasEnded(const LearnerApplication& learner) const;

    /** @return why learners of this rank (Ranks) are down or have ended */
    std::map<LearnerId, LearnerEvent::Kind> GetDown() const;

    /**
     * Learners of other ranks are in the states that they have there.
     *
     * @param others all other ranks
     * @param change when a learner of any rank last changed its state
     */
    void Follow(const RankProgress& others, Time change);

    /** @param time at which the run ends because nothing can change any more */
    void NoteEnd(Time time);

    /** The run ends for a reason that is known, such as a signal: Finish() does not warn of it. */
    void NoteInterruption() { m_ended = true; }

    /**
     * After the simulation: warn of learners that had too few rounds to be judged before, and of an
     * end before any learner has closed all of its rounds, unless that was noted before.
     *
     * @return the events up to now, by time, then learner
     */
    std::vector<RunEvent> Finish();

  private:
    /** The messages that a learner has received. */
    struct Hearing
    {
        uint32_t rounds{0};  //!< closed without any usable message
        bool settled{false}; //!< whether a message has come, or the learner counts as isolated
    };

    void HandleEvent(const LearnerEvent& event);
    void HandleRoundEnd(const RoundRecord& record);
    void HandleExposure(LearnerId client, uint32_t round);
    void HandleTarget(const RoundRecord& record);
    void NoteBudget(const LearnerEvent& event, RunEvent& noted);
    void NoteExceeded(LearnerId learner, uint32_t round, double epsilon);
    void NoteWaiting(const LearnerApplication& learner);
    void NoteAllDown();
    void NoteIsolated(LearnerId learner);
    std::string ExplainSilence(const LearnerApplication& learner) const;
    void UpdateDeserted(Time time);
    bool IsComingBack(const LearnerApplication& learner) const;
    Time GetChange() const;
    std::string ExplainStop() const;
    void AddEarlyEnd(Time time,
                     const std::string& what,
                     const std::string& why,
                     const std::string& reason);

    std::vector<Ptr<LearnerApplication>> m_learners;
    Ptr<LearnerApplication> m_server;                   //!< of a federation, else null
    std::multimap<LearnerId, Time> m_restarts;          //!< that were announced
    std::map<LearnerId, LearnerEvent::Kind> m_down;     //!< why learners have ended
    std::map<LearnerId, LearnerEvent::Kind> m_wereDown; //!< the same, of all that ever were
    std::optional<Time> m_deserted;                     //!< since when no client is left
    bool m_waiting{false};                              //!< whether a restart is waited for
    bool m_allDown{false};                              //!< whether all learners are down
    bool m_ended{false};                                //!< whether its end was noted
    RankProgress m_elsewhere;                           //!< of other ranks
    std::optional<Time> m_change;                       //!< see Follow()
    std::optional<double> m_target;                     //!< see WatchTarget()
    std::set<LearnerId> m_exceeded;                     //!< learners that have exceeded it
    std::vector<Hearing> m_hearing;                     //!< by learner
    std::vector<RunEvent> m_events;                     //!< the timeline
    RunWarnings m_warnings;
    TraceConnections m_traces;
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_WATCH_H

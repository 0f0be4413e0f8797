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

/** @return whether a learner is honest and has rounds, so that they are evaluated @ingroup dlearn
 */
bool HasRounds(const LearnerApplication& learner);

/**
 * @ingroup dlearn
 * @param learner of a run
 * @param all learners of the run
 * @return the learners from which it expects messages; for a server or a client all others
 */
std::set<LearnerId> GetSenders(const LearnerApplication& learner,
                               const std::vector<Ptr<LearnerApplication>>& all);

/** The progress of one rank (Ranks), or of several, for the other monitors. @ingroup dlearn */
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
 * Detects runs that no longer learn, or in part. It keeps the timeline of unusual events
 * (RunEvent), warns at once when learning stops (RunWarnings), and detects when nothing can change
 * any more, so that the run may end:
 *
 *  - IsOver(): all learners are done, and none of them restarts; or the server is down for good;
 *    or only Byzantine peers are left;
 *  - IsDeserted(): the server is up, but no honest client will train again, and all updates have
 *    had time to arrive.
 *
 * Learners without a usable message in their first rounds are isolated, if messages should come:
 * a warning gives the likely reason and the remedy.
 *
 * Restarts to come must be announced (ExpectRestart()).
 */
class RunWatch
{
  public:
    /**
     * @param learners all applications of a federation, or all peers that exchange vectors, in the
     *        order of their numbers; a script with several groups has a watch for each
     * @throw std::invalid_argument for a null learner, or a number that is not the learner's place
     */
    explicit RunWatch(std::vector<Ptr<LearnerApplication>> learners);

    /** @return the warnings, to add others and to listen to them */
    RunWarnings& GetWarnings() { return m_warnings; }

    /** A learner will be asked to restart at a time. */
    void ExpectRestart(Time time, LearnerId learner);

    /**
     * Warn when the account of an honest learner exceeds the epsilon for which its noise was
     * planned: a fast client may send more updates to a buffer than there are rounds, or a mean may
     * have fewer messages than planned. Only a budget stops a learner.
     *
     * @param target epsilon, more than 0
     */
    void WatchTarget(double target);

    /** @param event of the timeline, which may still be to come */
    void Add(RunEvent event) { m_events.push_back(std::move(event)); }

    /** @return whether nothing can change any more, by the learners' states; notes a wait for a
     *          restart */
    bool IsOver();

    /**
     * @param record of a round that a learner has closed
     * @param grace time in which the last updates of clients arrive
     * @return whether the learner is the server, and no client is left
     */
    bool IsDeserted(const RoundRecord& record, Time grace);

    /** @return whether a learner has closed all of its rounds, as far as this rank knows */
    bool HasClosedAll() const;

    /** @return the most rounds that a learner has closed, as far as this rank knows */
    uint64_t GetMostClosed() const;

    /** @return whether a learner has finished or stopped, for good */
    bool HasEnded(const LearnerApplication& learner) const;

    /** @return why learners of this rank (Ranks) are down or have ended */
    std::map<LearnerId, LearnerEvent::Kind> GetDown() const;

    /**
     * Take the states of the learners of all other ranks.
     *
     * @param others all other ranks
     * @param change when a learner of any rank last changed its state
     */
    void Follow(const RankProgress& others, Time change);

    /** @param time at which the run ends because nothing can change any more */
    void NoteEnd(Time time);

    /** The run ends for a known reason, such as a signal: Finish() does not warn of it. */
    void NoteInterruption() { m_ended = true; }

    /**
     * After the simulation: warn of isolated learners with fewer rounds, and of an end before any
     * learner has closed all of its rounds, unless that was noted before.
     *
     * @return the events up to now, by time, then learner
     */
    std::vector<RunEvent> Finish();

  private:
    /** The messages that a learner has received. */
    struct Hearing
    {
        uint32_t rounds{0};  //!< closed without a usable message
        bool settled{false}; //!< a message has come, or the learner counts as isolated
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
    void AddEarlyEnd(Time time, const std::string& end, const std::string& reason);

    std::vector<Ptr<LearnerApplication>> m_learners;
    Ptr<LearnerApplication> m_server;                   //!< of a federation; null among peers
    std::multimap<LearnerId, Time> m_restarts;          //!< announced
    std::map<LearnerId, LearnerEvent::Kind> m_down;     //!< why learners have ended
    std::map<LearnerId, LearnerEvent::Kind> m_wereDown; //!< the same, with restarted learners
    std::optional<Time> m_deserted;                     //!< time since when no client is left
    bool m_waiting{false};                              //!< for a restart
    bool m_allDown{false};
    bool m_ended{false};          //!< whether the end was noted
    RankProgress m_elsewhere;     //!< of other ranks
    std::optional<Time> m_change; //!< see Follow()
    std::optional<double> m_target;
    std::set<LearnerId> m_exceeded; //!< learners beyond the target
    std::vector<Hearing> m_hearing; //!< by learner
    std::vector<RunEvent> m_events;
    RunWarnings m_warnings;
    TraceConnections m_traces;
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_WATCH_H

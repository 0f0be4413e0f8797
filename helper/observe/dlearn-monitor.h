/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MONITOR_H
#define DLEARN_MONITOR_H

#include "dlearn-evaluator.h"
#include "dlearn-run-results.h"
#include "dlearn-run-watch.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Counts the messages between each pair of learners, as they leave and arrive. A vector that the
 * receiver then rejects has arrived; messages under the name of another learner do not count.
 *
 * With several ranks (Ranks), each notes its own messages, and rank 0 counts at the end.
 */
class PairStatistics
{
  public:
    /** A message that has left, or arrived. */
    struct Note
    {
        Time time;                                              //!< simulated
        std::tuple<LearnerId, LearnerId, ModelChannel> stream;  //!< sender, receiver, channel
        uint32_t round{0};                                      //!< of the message
        std::optional<LearnerApplication::Reception> reception; //!< absent: it has left

        /** @return the values that StateArchive passes between ranks */
        auto Tie() { return std::tie(time, stream, round, reception); }
    };

    /** @param learners all, with their surroundings */
    explicit PairStatistics(const std::vector<Ptr<LearnerApplication>>& learners);

    /** @return messages that are not counted yet: with several ranks all of this rank */
    const std::vector<Note>& GetNotes() const { return m_notes; }

    /** @param notes of another rank */
    void Add(const std::vector<Note>& notes);

    /** Count the messages that were noted, in the order of time. */
    void CountNotes();

    /** @return one record for each pair with a message, by sender, then receiver */
    std::vector<PairRecord> GetRecords() const;

  private:
    void HandleTx(LearnerId from, const EncodedMessage& message, const std::vector<LearnerId>& to);
    void HandleRx(LearnerId to,
                  const MessageSource& source,
                  uint32_t round,
                  LearnerApplication::Reception reception);
    void Take(const Note& note);
    void Count(const Note& note);

    std::map<std::pair<LearnerId, LearnerId>, PairRecord> m_records; //!< without lost messages
    /** Messages under way: round and departure. */
    std::map<decltype(Note::stream), std::deque<std::pair<uint32_t, Time>>> m_open;
    std::vector<Note> m_notes;
    TraceConnections m_traces;
};

/** The results of one rank (Ranks) for rank 0 when the simulation is over. @ingroup dlearn */
struct RankReport
{
    std::vector<LearnerOutcome> outcomes;       //!< of its learners
    std::vector<RunEvent> events;               //!< of its learners
    std::vector<std::string> warnings;          //!< so far
    std::vector<PairStatistics::Note> messages; //!< of its learners
    RankHandover handover;                      //!< rounds to evaluate
    SpentEpsilon spent;                         //!< by its clients

    /** @return the values that StateArchive passes between ranks */
    auto Tie() { return std::tie(outcomes, events, warnings, messages, handover, spent); }
};

/**
 * @ingroup dlearn
 * Complete the records of a learner, once, when the simulation is over.
 *
 * @param learner simulated by this rank (Ranks)
 * @return its part of the results
 */
LearnerOutcome CollectOutcome(LearnerApplication& learner);

/**
 * @ingroup dlearn
 * Observes all learners of a run from outside. It has models evaluated (RoundEvaluations; in a
 * federation those of the server, among peers those of the honest peers), reports progress on the
 * standard error once a second, and ends the simulation when all learners have finished, or nothing
 * can change any more (RunWatch). Without it, the beacons of a radio network would keep the
 * simulation running. With several monitors, one for each group of learners, the last that is done
 * ends the simulation.
 *
 * With several ranks (Ranks), each has a monitor, which knows the learners of its own rank. It
 * gets the progress of the others from time to time, at the same simulated time on all ranks:
 * it evaluates (on rank 0) and ends the simulation only then.
 */
class Monitor
{
  public:
    /** Called with true when all learners have finished, with false when one resumes after all. */
    using EndListener = std::function<void(bool over)>;

    /**
     * @param learners as of RunWatch, set up
     * @param evaluator measures the models
     * @param evaluateEvery interval of the rounds that are evaluated, at least 1
     */
    Monitor(std::vector<Ptr<LearnerApplication>> learners,
            std::unique_ptr<ModelEvaluator> evaluator,
            uint32_t evaluateEvery);
    ~Monitor();

    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;

    /** @return the evaluated rounds so far, and those of this rank to hand over */
    RoundEvaluations& GetEvaluations() { return m_evaluations; }

    /** @param meter returns the joules that all nodes have spent so far, for evaluated rounds */
    void SetMeter(std::function<double()> meter) { m_joules = std::move(meter); }

    /** @param listener called at the end of learning, when packets may still be under way */
    void AddEndListener(EndListener listener) { m_endListeners.push_back(std::move(listener)); }

    /** @param time before which the simulation must not end */
    void KeepAliveUntil(Time time);

    /** The simulation does not end before a learner that is down is asked to restart at a time,
     *  unless the restart would change nothing. */
    void ExpectRestart(Time time, LearnerId learner);

    /** @return the timeline and the warnings of the run */
    RunWatch& GetWatch() { return m_watch; }

    /**
     * After the simulation and before Simulator::Destroy(): evaluate the remaining rounds, check
     * the conservation laws and collect rows, totals and warnings (of RunWatch, the evaluator and
     * DescribeRun()).
     *
     * @param results gets rows, totals, timeline and warnings, the seed and the run at which the
     *        monitor was made, and the simulated time. Its status becomes interrupted when the
     *        simulation was stopped before honest learners were done. When it has a reason already,
     *        its status stays, and the watch does not warn of the end
     * @throw std::logic_error when a conservation law does not hold
     */
    void Finish(RunResults& results);

    /** @param handover of another rank, to be evaluated here */
    void Take(RankHandover handover);

    /** @return the progress of this rank */
    RankProgress GetProgress() const;

    /**
     * Evaluate the complete rounds, and end the simulation when it is over.
     * @param others progress of all other ranks together
     */
    void Proceed(const RankProgress& others);

    /** @return the results for rank 0; on other ranks, instead of Finish() */
    RankReport Report();

    /** @param report of another rank, before Finish() */
    void Take(RankReport report);

  private:
    void HandleRoundEnd(const RoundRecord& record);
    void HandleState(LearnerApplication::State oldState, LearnerApplication::State newState);
    bool IsThrough(const LearnerApplication& learner, uint32_t round) const;
    void EvaluateReady(bool all);
    void NotifyEnd(bool over) const;
    void StopWhenDone();
    void LookAfter(Time time);
    void PlanEnd(Time end, Time changed);
    void Stop();
    void NoteCut(RunResults& results) const;
    void ReportProgress();

    std::vector<Ptr<LearnerApplication>> m_learners;
    RunWatch m_watch;
    PairStatistics m_pairs;
    RoundEvaluations m_evaluations;
    std::function<double()> m_joules; //!< may be empty
    uint32_t m_rounds{0};             //!< most rounds of any learner
    std::vector<EndListener> m_endListeners;
    Time m_keepAlive;         //!< see KeepAliveUntil()
    Time m_grace{Seconds(1)}; //!< for packets under way
    EventId m_stopEvent;      //!< end of the simulation
    Time m_planned;           //!< last change of a state before it was planned
    bool m_stopped{false};
    uint64_t m_seed;                         //!< RngSeed
    uint64_t m_run;                          //!< RngRun
    std::map<LearnerId, uint32_t> m_through; //!< rounds that learners of other ranks have closed
    RankProgress m_others;                   //!< all other ranks together
    std::map<LearnerId, LearnerOutcome> m_outcomes; //!< of learners of other ranks
    std::optional<Time> m_deserted;                 //!< with ranks: when the run should have ended
    Time m_changed;                                 //!< when a learner here last changed its state
    uint64_t m_goal{0};                             //!< rounds of all learners, for progress
    uint64_t m_closed{0};                           //!< closed rounds
    std::chrono::steady_clock::time_point m_start{std::chrono::steady_clock::now()};
    std::chrono::steady_clock::time_point m_reported{m_start}; //!< last progress
    TraceConnections m_traces;
    std::shared_ptr<const bool> m_alive{std::make_shared<const bool>(true)}; //!< see LookAfter()
};

} // namespace ns3::dlearn

#endif // DLEARN_MONITOR_H

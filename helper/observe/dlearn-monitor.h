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
 * Counts the messages between each pair of learners, as they leave and arrive. It is about the
 * network: a vector that the receiver then rejects has arrived, and messages under the name of
 * another learner do not count.
 *
 * On several ranks (Ranks), where a message may leave on one and arrive on another, each only notes
 * its own, and rank 0 counts at the end.
 */
class PairStatistics
{
  public:
    /** A message that has left, or arrived. */
    struct Note
    {
        Time time;                                              //!< when
        std::tuple<LearnerId, LearnerId, ModelChannel> stream;  //!< sender, receiver, channel
        uint32_t round{0};                                      //!< of the message
        std::optional<LearnerApplication::Reception> reception; //!< absent: it has left

        /** @return the values that StateArchive passes between ranks */
        auto Tie() { return std::tie(time, stream, round, reception); }
    };

    /** @param learners all, with their surroundings */
    explicit PairStatistics(const std::vector<Ptr<LearnerApplication>>& learners);

    PairStatistics(const PairStatistics&) = delete;
    PairStatistics& operator=(const PairStatistics&) = delete;

    /** @return messages that are not counted yet: with several ranks all of this one */
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

    std::map<std::pair<LearnerId, LearnerId>, PairRecord> m_records; //!< without lost
    /** Messages under way, by stream: round and departure. */
    std::map<decltype(Note::stream), std::deque<std::pair<uint32_t, Time>>> m_open;
    std::vector<Note> m_notes;
    TraceConnections m_traces;
};

/**
 * @ingroup dlearn
 * The news of one rank (Ranks) for rank 0 when the simulation is over.
 */
struct RankReport
{
    std::vector<LearnerOutcome> outcomes;       //!< of its learners
    std::vector<RunEvent> events;               //!< of its learners
    std::vector<std::string> warnings;          //!< that it has given
    std::vector<PairStatistics::Note> messages; //!< of its learners
    RankHandover handover;                      //!< rounds to evaluate
    SpentEpsilon spent;                         //!< by its clients

    /** @return the values that StateArchive passes between ranks */
    auto Tie() { return std::tie(outcomes, events, warnings, messages, handover, spent); }
};

/**
 * @ingroup dlearn
 * The simulation is over: complete the records of a learner, once.
 *
 * @param learner simulated by this rank (Ranks)
 * @return its part of the results
 */
LearnerOutcome CollectOutcome(LearnerApplication& learner);

/**
 * @ingroup dlearn
 * Observes all learners of a run from outside. It has models evaluated (RoundEvaluations; in a
 * federation only those of the server, among peers only those of the honest ones), reports
 * progress on the standard error once a second, and ends the simulation when all learners have
 * finished, or nothing can change any more (RunWatch). Without it, the beacons of a radio network
 * would keep the simulation running. Where a simulation has several of them, one for each group of
 * learners, the last one that is done ends it.
 *
 * On several ranks (Ranks) there is one on each. It knows the learners of its own rank, and learns
 * of the others now and then, at the same simulated time on all ranks: it evaluates (on rank 0) and
 * ends the simulation only then.
 */
class Monitor
{
  public:
    /** Called for every evaluated round, in order. */
    using SummaryCallback = RoundEvaluations::SummaryCallback;

    /** Called with true when all learners have finished, with false when one resumes after all. */
    using EndListener = std::function<void(bool over)>;

    /**
     * @param learners all applications of the run, set up, in the order of their numbers, as of
     *        RunWatch
     * @param evaluator measures the models
     * @param evaluateEvery which rounds are evaluated, at least 1
     */
    Monitor(std::vector<Ptr<LearnerApplication>> learners,
            std::unique_ptr<ModelEvaluator> evaluator,
            uint32_t evaluateEvery);
    ~Monitor();

    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;

    /** @param callback called for every evaluated round, in order */
    void SetSummaryCallback(SummaryCallback callback)
    {
        m_evaluations.SetSummaryCallback(std::move(callback));
    }

    /** @return the evaluated rounds so far, and those of this rank to hand over */
    RoundEvaluations& GetEvaluations() { return m_evaluations; }

    /** @param meter returns the joules that all nodes have spent so far, for evaluated rounds */
    void SetMeter(std::function<double()> meter) { m_joules = std::move(meter); }

    /** @param listener called at the end of learning, after which packets may be under way */
    void AddEndListener(EndListener listener) { m_endListeners.push_back(std::move(listener)); }

    /** @param time before which the simulation must not end */
    void KeepAliveUntil(Time time);

    /**
     * The simulation does not end while a learner that is down is to restart, unless that would
     * change nothing.
     *
     * @param time when a learner will be asked to restart
     * @param learner which one
     */
    void ExpectRestart(Time time, LearnerId learner);

    /** @return keeps the timeline and the warnings of the run */
    RunWatch& GetWatch() { return m_watch; }

    /**
     * After the simulation and before Simulator::Destroy(): evaluate what is left, check the
     * conservation laws and collect the rows and totals. Besides the warnings of RunWatch there are
     * those of the evaluator and DescribeRun().
     *
     * @param results gets rows, totals, timeline and warnings, the seed and the run at which the
     *        monitor was made, and the simulated time. Its status becomes interrupted when the
     *        simulation was stopped before honest learners were done. Where its reason says already
     *        why the run has ended, its status stays and the watch does not warn of it
     * @throw std::logic_error when a conservation law does not hold
     */
    void Finish(RunResults& results);

    /** @param handover of another rank, to be evaluated here */
    void Take(RankHandover handover);

    /** @return the progress of this rank */
    RankProgress GetProgress() const;

    /**
     * The progress of all other ranks is known: evaluate what is complete, and end the simulation
     * when it is over.
     *
     * @param others all other ranks together
     */
    void Proceed(const RankProgress& others);

    /** @return on another rank than 0, instead of Finish(): the part of the results for rank 0 */
    RankReport Report();

    /** @param report of another rank, before Finish() */
    void Take(RankReport report);

  private:
    void HandleRoundEnd(const RoundRecord& record);
    void HandleState(LearnerApplication::State oldState, LearnerApplication::State newState);
    bool IsThrough(const LearnerApplication& learner, uint32_t round) const;
    void EvaluateReady(bool all);
    void TellEnd(bool over) const;
    void StopWhenDone();
    void LookAfter(Time time);
    void PlanEnd(Time end, Time changed);
    void Stop();
    void NoteCut(RunResults& results) const;
    std::vector<LearnerOutcome> GatherOutcomes() const;
    void ReportProgress();

    std::vector<Ptr<LearnerApplication>> m_learners; //!< all
    RunWatch m_watch;
    PairStatistics m_pairs;
    RoundEvaluations m_evaluations;
    std::function<double()> m_joules; //!< see SetMeter(); may be empty
    uint32_t m_rounds{0};             //!< most rounds of any learner
    std::vector<EndListener> m_endListeners;
    Time m_keepAlive;                        //!< see KeepAliveUntil()
    Time m_grace{Seconds(1)};                //!< for packets under way
    EventId m_stopEvent;                     //!< end of the simulation
    Time m_planned;                          //!< last change of a state before it was planned
    bool m_stopped{false};                   //!< whether it has come
    uint64_t m_seed;                         //!< RngSeed of the run
    uint64_t m_run;                          //!< RngRun of it
    std::map<LearnerId, uint32_t> m_through; //!< rounds that learners of other ranks have closed
    RankProgress m_others;                   //!< all other ranks together
    std::vector<LearnerOutcome> m_outcomes;  //!< of learners of other ranks
    std::optional<Time> m_deserted;          //!< with ranks: when the run should have ended
    Time m_changed;                          //!< when a learner here last changed its state
    uint64_t m_goal{0};                      //!< rounds of all learners, for progress
    uint64_t m_closed{0};                    //!< of these, closed
    std::chrono::steady_clock::time_point m_start{std::chrono::steady_clock::now()};
    std::chrono::steady_clock::time_point m_reported{m_start}; //!< when progress was, last
    TraceConnections m_traces;
    std::shared_ptr<const bool> m_alive{std::make_shared<const bool>(true)}; //!< see LookAfter()
};

} // namespace ns3::dlearn

#endif // DLEARN_MONITOR_H

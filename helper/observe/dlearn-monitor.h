/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MONITOR_H
#define DLEARN_MONITOR_H

#include "dlearn-model-evaluator.h"
#include "dlearn-pair-statistics.h"
#include "dlearn-run-results.h"
#include "dlearn-run-watch.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/event-id.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

class StateArchive;

/**
 * @ingroup dlearn
 * Summary of an evaluated round, complete when all learners have finished it.
 */
struct RoundSummary
{
    Time time;                        //!< when the last learner closed it
    uint32_t round{0};                //!< t
    uint32_t learners{0};             //!< how many closed it
    Evaluation mean;                  //!< mean over the learners that closed it
    double epsilon{Evaluation::NONE}; //!< largest realised epsilon so far, of peers or of clients
    double delivered{0};              //!< share of the expected messages that arrived in time

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(time, round, learners, mean, epsilon, delivered);
    }
};

/**
 * @ingroup dlearn
 * Observes all learners of a run from outside. It keeps the models of every EvaluateEvery-th
 * round (and of the last one) until all learners have finished the round, evaluates them (in a
 * federation only those of the server, among peers only those of the honest ones), reports
 * progress, and ends the simulation when all learners have finished, or nothing can change any
 * more (RunWatch). Without it, the beacons of a radio network would keep the simulation running.
 */
class Monitor
{
  public:
    /** Called for every evaluated round, in order. */
    using SummaryCallback = std::function<void(const RoundSummary&)>;

    /** Called with true when all learners have finished, with false when one goes on after all. */
    using EndListener = std::function<void(bool over)>;

    /**
     * @param learners all applications of the run, set up, in the order of their numbers
     * @param evaluator says how good a model is
     * @param evaluateEvery which rounds are evaluated, at least 1
     */
    Monitor(std::vector<Ptr<LearnerApplication>> learners,
            std::unique_ptr<ModelEvaluator> evaluator,
            uint32_t evaluateEvery);

    Monitor(const Monitor&) = delete;
    Monitor& operator=(const Monitor&) = delete;

    /** @param callback called for every evaluated round, in order */
    void SetSummaryCallback(SummaryCallback callback);

    /** @param listener called at the end of learning, after which packets may be under way */
    void AddEndListener(EndListener listener);

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
    RunWatch& GetWatch();

    /** @param grace simulated time for packets that are under way when all are done */
    void SetGrace(Time grace);

    /**
     * After the simulation: evaluate what is left, check the conservation laws and collect
     * the rows and totals.
     *
     * @param results gets rows, totals, timeline and warnings
     * @throw std::logic_error when a conservation law does not hold
     */
    void Finish(RunResults& results);

    /** @param archive saves or loads what changes during a run */
    void VisitState(StateArchive& archive);

  private:
    /** @param record of a round that a learner has closed */
    void HandleRoundEnd(const RoundRecord& record);

    /**
     * @param oldState of a learner
     * @param newState of the same
     */
    void HandleState(LearnerApplication::State oldState, LearnerApplication::State newState);

    /** @return whether the model of a learner counts: that of a server, or of honest peers */
    static bool IsEvaluated(const LearnerApplication& learner);

    /** @return whether a learner has closed a round, or will not close it any more */
    static bool IsThrough(const LearnerApplication& learner, uint32_t round);

    /**
     * Evaluate the rounds that all learners have closed, in order.
     *
     * @param all whether to evaluate the other pending rounds, too
     */
    void EvaluateReady(bool all);

    /**
     * @param round to evaluate
     * @param models of the learners that closed it
     */
    void EvaluateRound(uint32_t round, const std::map<LearnerId, ModelVector>& models);

    /** @return the largest epsilon of the clients so far */
    double GetClientEpsilon() const;

    /** @param over whether all learners have finished, for the listeners */
    void TellEnd(bool over) const;

    /** Stop the simulation when no learner can change anything any more. */
    void StopWhenDone();

    /** Stop the simulation. */
    void Stop();

    /** Tell how many rounds are closed, now and then. */
    void ReportProgress();

    /** Add what the rounds give reason to warn of. */
    void AddWarnings();

    std::vector<Ptr<LearnerApplication>> m_learners; //!< all
    RunWatch m_watch;                                //!< notices when a run is dead
    PairStatistics m_pairs;                          //!< counts messages
    std::unique_ptr<ModelEvaluator> m_evaluator;     //!< central observer
    uint32_t m_every;                                //!< which rounds are evaluated
    uint32_t m_rounds{0};                            //!< most rounds of any learner
    uint32_t m_nextEvaluation{0};                    //!< rounds before it are evaluated
    SummaryCallback m_summary;                       //!< called for evaluated rounds
    std::vector<EndListener> m_endListeners;         //!< called at the end of learning
    Time m_keepAlive;                                //!< do not end before
    Time m_grace{Seconds(1)};                        //!< for packets under way
    EventId m_stopEvent;                             //!< end of the simulation
    std::map<uint32_t, std::map<LearnerId, ModelVector>> m_pending;           //!< models by round
    std::map<std::pair<uint32_t, LearnerId>, Evaluation> m_evaluations;       //!< done
    std::map<std::pair<uint32_t, LearnerId>, RoundRecord> m_evaluatedRecords; //!< at closing
    double m_epsilon{Evaluation::NONE};                 //!< largest in an evaluated round so far
    uint64_t m_planned{0};                              //!< rounds that all are to do
    uint64_t m_closed{0};                               //!< of these, closed
    std::chrono::steady_clock::time_point m_start;      //!< of the run
    std::chrono::steady_clock::time_point m_lastReport; //!< of progress
};

} // namespace ns3::dlearn

#endif // DLEARN_MONITOR_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MONITOR_H
#define DLEARN_MONITOR_H

#include "dlearn-pair-statistics.h"
#include "dlearn-progress-report.h"
#include "dlearn-rank-progress.h"
#include "dlearn-round-evaluations.h"
#include "dlearn-run-results.h"
#include "dlearn-run-watch.h"
#include "dlearn-spent-watch.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/event-id.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

class StateArchive;

/**
 * @ingroup dlearn
 * Observes all learners of a run from outside. It has models evaluated (RoundEvaluations; in a
 * federation only those of the server, among peers only those of the honest ones), reports
 * progress, and ends the simulation when all learners have finished, or nothing can change any more
 * (RunWatch). Without it, the beacons of a radio network would keep the simulation running. Where a
 * simulation has several of them, one for each group of learners, the last one that is done ends
 * it.
 *
 * On several ranks (Ranks) there is one on each. It knows what the learners of its own rank do, and
 * is told now and then what the others do, at the same simulated time on all ranks: it evaluates
 * (on rank 0) and ends the simulation only then.
 */
class Monitor
{
  public:
    /** Called for every evaluated round, in order. */
    using SummaryCallback = RoundEvaluations::SummaryCallback;

    /** Called with true when all learners have finished, with false when one goes on after all. */
    using EndListener = std::function<void(bool over)>;

    /**
     * @param learners all applications of the run, set up, in the order of their numbers, as of
     *        RunWatch
     * @param evaluator says how good a model is
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

    /** @param meter tells the joules that all nodes have spent so far, for evaluated rounds */
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
     * those of the rules and of the evaluator, and of what only a whole run shows: pairs of peers
     * that never reach each other (DescribeSilentPairs()), rounds that a server skipped or
     * withheld, and that nothing was learned (DescribeNoLearning()).
     *
     * @param results gets rows, totals, timeline and warnings, the seed and the run at which the
     *        monitor was made, and the simulated time. Its status becomes interrupted when the
     *        simulation was stopped while honest learners could go on. Where its reason says
     *        already why the run has ended, its status stays and the watch does not warn of it
     * @throw std::logic_error when a conservation law does not hold
     */
    void Finish(RunResults& results);

    /** @param handover of another rank, to be evaluated here */
    void Take(RankHandover handover);

    /** @return what this rank has to tell */
    RankProgress GetProgress() const;

    /**
     * All that other ranks have to tell is known: evaluate what is complete, and end the
     * simulation when it is over.
     *
     * @param others what all other ranks together have done; of its time the latest
     */
    void Proceed(const RankProgress& others);

    /** @param archive saves what only this rank knows, or adds what another one knows */
    void VisitRank(StateArchive& archive);

  private:
    /** @param record of a round that a learner has closed */
    void HandleRoundEnd(const RoundRecord& record);

    /**
     * @param oldState of a learner
     * @param newState of the same
     */
    void HandleState(LearnerApplication::State oldState, LearnerApplication::State newState);

    /** @return whether a learner has closed a round, or will not close it any more */
    bool IsThrough(const LearnerApplication& learner, uint32_t round) const;

    /**
     * Evaluate the rounds that all learners have closed, in order.
     *
     * @param all whether to evaluate the other pending rounds, too
     */
    void EvaluateReady(bool all);

    /** @return whether no learner can change anything any more */
    bool IsOver();

    /** @param over whether all learners have finished, for the listeners */
    void TellEnd(bool over) const;

    /** Stop the simulation when no learner can change anything any more. */
    void StopWhenDone();

    /** @param time when StopWhenDone() is called, if the monitor is still there; now if it is past
     */
    void LookAfter(Time time);

    /**
     * Have the simulation stopped if no learner can change anything any more, and not otherwise.
     *
     * @param end when to stop it
     * @param changed when a learner last changed its state, as far as is known
     */
    void PlanEnd(Time end, Time changed);

    /** This monitor is done: stop the simulation, unless another one is not. */
    void Stop();

    /** @param results get status and reason, if the simulation was cut */
    void NoteCut(RunResults& results) const;

    /** Tell how many rounds are closed, now and then. */
    void ReportProgress();

    std::vector<Ptr<LearnerApplication>> m_learners; //!< all
    RunWatch m_watch;                                //!< notices when a run is dead
    PairStatistics m_pairs;                          //!< counts messages
    RoundEvaluations m_evaluations;                  //!< of the models
    SpentWatch m_spent;                              //!< tells them what was spent
    std::function<double()> m_joules;                //!< see SetMeter(); empty: not measured
    uint32_t m_rounds{0};                            //!< most rounds of any learner
    std::vector<EndListener> m_endListeners;         //!< called at the end of learning
    Time m_keepAlive;                                //!< do not end before
    Time m_grace{Seconds(1)};                        //!< for packets under way
    EventId m_stopEvent;                             //!< end of the simulation
    Time m_planned;                                  //!< last change of a state before its plan
    bool m_stopped{false};                           //!< whether that has come
    uint64_t m_seed;                                 //!< RngSeed of the run
    uint64_t m_run;                                  //!< RngRun of it
    std::map<LearnerId, uint32_t> m_through; //!< rounds that learners of other ranks have closed
    RankProgress m_others;                   //!< of other ranks
    std::optional<Time> m_deserted;          //!< with ranks: when the run should have ended
    Time m_changed;                          //!< when a learner here last changed its state
    uint64_t m_closed{0};                    //!< of these, closed
    ProgressReport m_report;                 //!< on the standard error
    TraceConnections m_traces;               //!< of the learners
    std::shared_ptr<const bool> m_alive{std::make_shared<const bool>(true)}; //!< see LookAfter()
};

} // namespace ns3::dlearn

#endif // DLEARN_MONITOR_H

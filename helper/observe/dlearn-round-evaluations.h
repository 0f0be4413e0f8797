/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_EVALUATIONS_H
#define DLEARN_ROUND_EVALUATIONS_H

#include "dlearn-model-evaluator.h"
#include "dlearn-round-summary.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A round that a learner has closed, and that is to be evaluated.
 */
struct ClosedRound
{
    RoundRecord record; //!< of the round
    ModelVector model;  //!< of the learner at its end

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(record, model);
    }
};

/**
 * @ingroup dlearn
 * What a rank (Ranks) hands over for evaluation.
 */
struct RankHandover
{
    std::vector<ClosedRound> closed;                //!< rounds of its learners since the last time
    std::map<Time, SpentEpsilon> spent;             //!< see RoundEvaluations::NoteSpent()
    std::map<LearnerId, SampleStream::Draws> draws; //!< what they have drawn since, if it matters

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(closed, spent, draws);
    }
};

/**
 * @ingroup dlearn
 * Keeps the models of every EvaluateEvery-th round (and of the last one) until all learners have
 * finished the round, and evaluates them. On several ranks (Ranks) rank 0 does that, and the others
 * hand over to it.
 */
class RoundEvaluations
{
  public:
    /** Called for every evaluated round, in order. */
    using SummaryCallback = std::function<void(const RoundSummary&)>;

    /** Says whether all learners have closed a round, or will not close it any more. */
    using Predicate = std::function<bool(uint32_t round)>;

    /**
     * @param evaluator says how good a model is
     * @param every which rounds are evaluated, at least 1
     */
    RoundEvaluations(std::unique_ptr<ModelEvaluator> evaluator, uint32_t every);

    RoundEvaluations(const RoundEvaluations&) = delete;
    RoundEvaluations& operator=(const RoundEvaluations&) = delete;

    /** @param callback called for every evaluated round, in order */
    void SetSummaryCallback(SummaryCallback callback) { m_summary = std::move(callback); }

    /** @param origin simulated time from which the times of summaries count */
    void SetOrigin(Time origin) { m_origin = origin; }

    /** @param meter tells what all learners have spent so far */
    void SetMeter(std::function<SpentResources()> meter) { m_meter = std::move(meter); }

    /**
     * A learner has closed a round.
     *
     * @param record of the round
     * @param rounds that learners are to do, the last of which is evaluated
     * @param model of the learner at its end
     */
    void Add(const RoundRecord& record, uint32_t rounds, const ModelVector& model);

    /**
     * An honest learner has closed a round, which need not be evaluated. It counts for evaluated
     * rounds that ended at the same time, too.
     *
     * @param closed when
     * @param spent what it has spent by then
     */
    void NoteSpent(Time closed, const SpentEpsilon& spent);

    /**
     * Evaluate the rounds that all learners have closed, in order.
     *
     * @param isThrough says which these are
     * @param clients gives what clients have spent so far
     */
    void Evaluate(const Predicate& isThrough, const std::function<SpentEpsilon()>& clients);

    /** @return the evaluated rounds so far, in order */
    const std::vector<RoundSummary>& GetSummaries() const { return m_summaries; }

    /** @return what was spent until the end of each round that is evaluated */
    const std::map<uint32_t, SpentEpsilon>& GetSpent() const { return m_spentUntil; }

    /** @return what was spent until the last learner closed a round that is evaluated; without a
     *          meter empty */
    const std::map<uint32_t, SpentResources>& GetResources() const { return m_resources; }

    /** @return how good the model of a learner was; nothing when it was not evaluated */
    std::optional<Evaluation> Find(const RoundRecord& record) const;

    /** @return what could not be evaluated and why, and DescribeNoLearning() */
    std::vector<std::string> GetWarnings() const;

    /** @return whether there are rounds to hand over */
    bool HasPending() const { return !m_pending.empty(); }

    /** @return what is new since the last time, for another rank to evaluate */
    RankHandover HandOver();

    /** @param handover of another rank, to be evaluated here */
    void Take(RankHandover handover);

  private:
    /**
     * @param round to evaluate
     * @param models of the learners that closed it
     * @param clients what they have spent so far
     */
    void EvaluateRound(uint32_t round,
                       const std::map<LearnerId, ModelVector>& models,
                       const SpentEpsilon& clients);

    /** Keep a model until its round is evaluated, unless that was done already. */
    void Keep(const RoundRecord& record, ModelVector model);

    std::unique_ptr<ModelEvaluator> m_evaluator;    //!< central observer
    uint32_t m_every;                               //!< which rounds are evaluated
    SummaryCallback m_summary;                      //!< called for evaluated rounds
    Time m_origin;                                  //!< see SetOrigin()
    uint32_t m_next{0};                             //!< rounds before it are evaluated
    SpentEpsilon m_spent;                           //!< until the last evaluated round
    std::map<Time, SpentEpsilon> m_closedSpent;     //!< of closed rounds after that, by time
    std::map<uint32_t, SpentEpsilon> m_spentUntil;  //!< see GetSpent()
    std::multimap<Time, uint32_t> m_ends;           //!< of evaluated rounds
    std::vector<RoundSummary> m_summaries;          //!< of evaluated rounds
    std::function<SpentResources()> m_meter;        //!< see SetMeter(); empty: none
    std::map<uint32_t, SpentResources> m_resources; //!< see GetResources()
    std::map<uint32_t, std::map<LearnerId, ModelVector>> m_pending;     //!< models by round
    std::map<std::pair<uint32_t, LearnerId>, Evaluation> m_evaluations; //!< done
    std::map<std::pair<uint32_t, LearnerId>, RoundRecord> m_records;    //!< at closing
};

} // namespace ns3::dlearn

#endif // DLEARN_ROUND_EVALUATIONS_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EVALUATOR_H
#define DLEARN_EVALUATOR_H

#include "dlearn-run-results.h"

#include "ns3/dlearn-data-drift.h"
#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-local-data.h"
#include "ns3/dlearn-sample-stream.h"
#include "ns3/dlearn-task.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/ptr.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/** A central observer without noise, which measures the models of a round. It costs no simulated
 *  time. @ingroup dlearn */
class ModelEvaluator
{
  public:
    ModelEvaluator() = default;
    virtual ~ModelEvaluator() = default;

    ModelEvaluator(const ModelEvaluator&) = delete;
    ModelEvaluator& operator=(const ModelEvaluator&) = delete;

    /**
     * @param round the round, not less than in the call before
     * @param models of the nodes that closed the round; consensus is measured from their mean
     * @return an evaluation of each model, NaN for figures that do not exist
     * @throw std::invalid_argument when rounds go back or a model has the wrong dimension
     */
    virtual std::map<LearnerId, Evaluation> Evaluate(
        uint32_t round,
        const std::map<LearnerId, ModelVector>& models) = 0;

    /** @return reasons for missing figures, for the results */
    virtual std::vector<std::string> GetWarnings() const { return {}; }

    /** @return samples that learners of this rank (Ranks) have drawn since the last call, if the
     *          evaluations depend on them */
    virtual std::map<LearnerId, SampleStream::Draws> TakeDraws() { return {}; }

    /** @param draws of TakeDraws() on another rank */
    virtual void AddDraws(const std::map<LearnerId, SampleStream::Draws>& /* draws */) {}
};

/** Measures models by another evaluator, and adds to its evaluations. @ingroup dlearn */
class AddingEvaluator : public ModelEvaluator
{
  public:
    /** @param inner measures first */
    explicit AddingEvaluator(std::unique_ptr<ModelEvaluator> inner)
        : m_inner(std::move(inner))
    {
    }

    std::map<LearnerId, Evaluation> Evaluate(uint32_t round,
                                             const std::map<LearnerId, ModelVector>& models) final;

    std::vector<std::string> GetWarnings() const override { return m_inner->GetWarnings(); }

    std::map<LearnerId, SampleStream::Draws> TakeDraws() override { return m_inner->TakeDraws(); }

    void AddDraws(const std::map<LearnerId, SampleStream::Draws>& draws) override
    {
        m_inner->AddDraws(draws);
    }

  private:
    /** Add to the evaluation of a model. */
    virtual void Add(const ModelVector& model, Evaluation& evaluation) = 0;

    std::unique_ptr<ModelEvaluator> m_inner;
};

/** Adds how far an attack on data succeeds (DataPoisoning::MakeTest()). @ingroup dlearn */
class AttackEvaluator : public AddingEvaluator
{
  public:
    /**
     * @param inner measures first
     * @param test its test samples are those that the attack wants to be classified in its way
     */
    AttackEvaluator(std::unique_ptr<ModelEvaluator> inner, Ptr<const Task> test)
        : AddingEvaluator(std::move(inner)),
          m_test(test)
    {
    }

  private:
    void Add(const ModelVector& model, Evaluation& evaluation) override;

    Ptr<const Task> m_test;
};

/**
 * @ingroup dlearn
 * Measures the models of a round on all data that learners have seen by then, or on data that are
 * available from the start.
 *
 * The objective of round t is that of Chen and Wang ("Locally Differentially Private
 * Distributed Online Learning with Guaranteed Optimality", problem (1)-(2)),
 *
 *   F_t(theta) = 1/m sum_i (mean of l(theta, xi) over the samples that learner i drew in
 *                rounds <= t) + (Regularization / 2) ||theta||^2,
 *
 * over the m learners that have drawn samples. Its minimum theta_t* is computed when the task is a
 * ConvexTask, each time starting from the previous one. Where F_t has more than one minimum (fewer
 * samples than parameters, no regularization), theta_t* is one of them.
 *
 * Learners draw with replacement, and the observer counts the draws of each sample: the cost of a
 * round is bounded by the size of the data set, whatever the number of rounds.
 */
class Evaluator : public ModelEvaluator
{
  public:
    /**
     * @param task of the learners
     * @param streams the learners' samples, in any order
     * @throw std::invalid_argument without a task or a stream
     */
    Evaluator(Ptr<const Task> task, std::vector<Ptr<SampleStream>> streams);

    /**
     * @param task of the learners
     * @param samples over which F_t averages in every round
     * @throw std::invalid_argument without a task
     */
    Evaluator(Ptr<const Task> task, WeightedSamples samples);

    /** @return a task with these test samples */
    using MakeTask = std::function<Ptr<const Task>(DatasetPtr test)>;

    /**
     * Test models on the test samples of each round and, without streams, average F_t over the
     * training samples of the round, all of equal weight.
     *
     * @param drift chooses them; the task's data, and the evaluator's samples, are of
     *        DataDrift::Prepare()
     * @param makeTask for tests
     */
    void SetDrift(Ptr<const DataDrift> drift, MakeTask makeTask);

    /**
     * @copydoc ModelEvaluator::Evaluate
     *
     * NaN are: loss and all that follows from it until a sample has been drawn; accuracy of a
     * regression; error and regret when the task is not a ConvexTask, has more than 2000
     * parameters, or F_t does not have a minimum that can be reached (GetWarnings()); and regret of
     * samples that are the same in every round. A model that is not finite has infinite loss,
     * error, regret and consensus, and no accuracy; the others are still evaluated.
     */
    std::map<LearnerId, Evaluation> Evaluate(
        uint32_t round,
        const std::map<LearnerId, ModelVector>& models) override;

    std::vector<std::string> GetWarnings() const override { return m_warnings; }

    std::map<LearnerId, SampleStream::Draws> TakeDraws() override;
    void AddDraws(const std::map<LearnerId, SampleStream::Draws>& draws) override;

  private:
    /** The samples that one learner has drawn so far. */
    struct Drawn
    {
        Ptr<SampleStream> stream;
        size_t read{0};                      //!< entries of the log that are counted
        std::map<uint32_t, uint64_t> counts; //!< by sample
        size_t taken{0};                     //!< entries that TakeDraws() has given
    };

    void FollowDrift(uint32_t round);
    bool UpdateCounts(uint32_t round);
    void UpdateSamples();
    void UpdateMinimum(uint32_t round);

    Ptr<const Task> m_task;
    std::vector<Drawn> m_drawn;         //!< by learner; empty: fixed samples
    bool m_fresh{false};                //!< whether fixed samples still lack their minimum
    uint32_t m_round{0};                //!< of the last call
    WeightedSamples m_samples;          //!< of F_t
    Ptr<const DataDrift> m_drift;       //!< of the data; null: none
    MakeTask m_makeTask;                //!< of SetDrift()
    SampleIndices m_all;                //!< of SetDrift(): the samples that F_t chooses from
    SampleIndices m_tested;             //!< test samples of m_tester
    Ptr<const Task> m_tester;           //!< the task, or one with the test samples of the round
    ModelVector m_start;                //!< the newest minimum found: the next search begins there
    ModelVector m_minimizer;            //!< theta_t*, or empty
    double m_minimum{Evaluation::NONE}; //!< F_t(theta_t*)
    std::vector<std::string> m_warnings;
};

/**
 * @ingroup dlearn
 * Measures how far each learner's model is from a stationary point: the error is
 * ||grad F(x_i)||^2 of the learner's own model x_i, for the objective of Chen, Wang and Zhang,
 * "Differentially Private Gradient-Tracking-Based Distributed Stochastic Optimization over
 * Directed Graphs", problem (1),
 *
 *   F(x) = 1/n sum_i (mean of l(x, xi) over all samples of learner i)
 *          + (Regularization / 2) ||x||^2,
 *
 * not clipped and without noise. The paper's theorems bound its mean; it requires neither convexity
 * nor a known minimum. Learners have equal weight, however many samples they have.
 */
class GradientNormEvaluator : public ModelEvaluator
{
  public:
    /**
     * @param task of the learners
     * @param shards samples of each learner
     * @param lossSamples samples of the loss; absent: those of F. The gradient is always that of F
     * @throw std::invalid_argument without a task or a learner, or for one without samples
     */
    GradientNormEvaluator(Ptr<const Task> task,
                          const std::vector<SampleIndices>& shards,
                          std::optional<WeightedSamples> lossSamples = std::nullopt);

    /**
     * @copydoc ModelEvaluator::Evaluate
     *
     * There is no regret. Error and consensus of a model that is not finite, or whose gradient is
     * not, are infinite.
     */
    std::map<LearnerId, Evaluation> Evaluate(
        uint32_t round,
        const std::map<LearnerId, ModelVector>& models) override;

  private:
    Ptr<const Task> m_task;
    WeightedSamples m_samples;     //!< of F
    WeightedSamples m_lossSamples; //!< of the loss
};

/**
 * @ingroup dlearn
 * Measures a model of a LinearGaussianProblem exactly, from the known truth.
 *
 * For the model w after round t (from 0), with w* the truth of the data of round t + 1 (as in
 * FedAvgErrorCurve(), the error at the beginning of the next round),
 *
 *   error = ||w* - w||^2,
 *   loss = mean over the clients of E l = (||w* - gamma_i - w||^2 + sigma_i^2) / 2.
 */
class LinearGaussianEvaluator : public ModelEvaluator
{
  public:
    /** @param problem the truth */
    explicit LinearGaussianEvaluator(Ptr<const LinearGaussianProblem> problem);

    std::map<LearnerId, Evaluation> Evaluate(
        uint32_t round,
        const std::map<LearnerId, ModelVector>& models) override;

  private:
    Ptr<const LinearGaussianProblem> m_problem;
};

/**
 * @ingroup dlearn
 * @param rounds evaluated rounds of a run, in order
 * @return a warning that nothing was learned: neither loss, error nor accuracy is better in the
 *         last round than in the first, with at least 3 rounds; or that the loss has grown to 5
 *         times that of the first round; else empty
 */
std::string DescribeNoLearning(const std::vector<RoundSummary>& rounds);

/** The rounds of one rank (Ranks) that another rank evaluates. @ingroup dlearn */
struct RankHandover
{
    /** A round that a learner has closed. */
    struct Round
    {
        RoundRecord record;
        ModelVector model; //!< of the learner at its end

        /** @return the values that StateArchive passes between ranks */
        auto Tie() { return std::tie(record, model); }
    };

    std::vector<Round> closed;                      //!< by its learners since the last handover
    std::map<Time, SpentEpsilon> spent;             //!< see RoundEvaluations::NoteSpent()
    std::map<LearnerId, SampleStream::Draws> draws; //!< see ModelEvaluator::TakeDraws()

    /** @return the values that StateArchive passes between ranks */
    auto Tie() { return std::tie(closed, spent, draws); }
};

/** Keeps the models of every EvaluateEvery-th round, and of the last round, until all learners have
 *  finished it, and evaluates them. With several ranks (Ranks), the others hand over to rank 0.
 *  @ingroup dlearn */
class RoundEvaluations
{
  public:
    /** Called for every evaluated round, in order. */
    using SummaryCallback = std::function<void(const RoundSummary&)>;

    /** Called for every evaluated round, in order, with the models at its end by learner. */
    using ModelsCallback =
        std::function<void(const RoundSummary&, const std::map<LearnerId, ModelVector>&)>;

    /** Returns whether all learners have closed a round, or will not close it any more. */
    using Predicate = std::function<bool(uint32_t round)>;

    /**
     * @param evaluator measures the models
     * @param every which rounds are evaluated, at least 1
     */
    RoundEvaluations(std::unique_ptr<ModelEvaluator> evaluator, uint32_t every);

    /** @param callback called for every evaluated round, in order */
    void SetSummaryCallback(SummaryCallback callback) { m_summary = std::move(callback); }

    /** @param callback called before that for summaries */
    void SetModelsCallback(ModelsCallback callback) { m_modelsOfRound = std::move(callback); }

    /** @param origin simulated time from which the times of summaries count */
    void SetOrigin(Time origin) { m_origin = origin; }

    /** @param meter returns the resources that all learners have spent so far */
    void SetMeter(std::function<SpentResources()> meter) { m_meter = std::move(meter); }

    /**
     * Note the accounts of honest learners with rounds (peers, servers) whenever they may have
     * grown: when a message leaves, and when the learner goes down or has finished.
     *
     * @param learners set up
     */
    void WatchSpending(const std::vector<Ptr<LearnerApplication>>& learners);

    /**
     * A learner has closed a round.
     *
     * @param record of the round
     * @param rounds of the run, the last of which is evaluated
     * @param model of the learner at its end
     */
    void Add(const RoundRecord& record, uint32_t rounds, const ModelVector& model);

    /** An honest learner has spent so much by a time. It counts for evaluated rounds that ended at
     *  the same time, too. */
    void NoteSpent(Time time, const SpentEpsilon& spent);

    /**
     * Evaluate the rounds that all learners have closed, in order.
     *
     * @param isThrough returns whether a round is one of them
     * @param clients returns the epsilons that clients have spent so far
     */
    void Evaluate(const Predicate& isThrough, const std::function<SpentEpsilon()>& clients);

    /** @return the evaluated rounds so far, in order */
    const std::vector<RoundSummary>& GetSummaries() const { return m_summaries; }

    /** @return epsilons spent until the end of each evaluated round */
    const std::map<uint32_t, SpentEpsilon>& GetSpent() const { return m_spentUntil; }

    /** @return resources spent until the last learner closed each evaluated round, by a meter */
    const std::map<uint32_t, SpentResources>& GetResources() const { return m_resources; }

    /** @return the evaluation of a learner's model at the end of a round, if there is one */
    std::optional<Evaluation> Find(const RoundRecord& record) const;

    /** @return the warnings of the evaluator, and DescribeNoLearning() */
    std::vector<std::string> GetWarnings() const;

    /** @return whether there are rounds to hand over */
    bool HasPending() const { return !m_pending.empty(); }

    /** @return the rounds since the last call, for another rank to evaluate */
    RankHandover HandOver();

    /** @param handover of another rank, to be evaluated here */
    void Take(RankHandover handover);

  private:
    using Account = Ptr<const PrivacyAccount>;

    void HandleMessage(Account account, const EncodedMessage&, const std::vector<LearnerId>&);
    void HandleState(Account account, LearnerApplication::State, LearnerApplication::State entered);
    void Keep(const RoundRecord& record, ModelVector model);
    void EvaluateRound(uint32_t round,
                       const std::map<LearnerId, ModelVector>& models,
                       const SpentEpsilon& clients);

    std::unique_ptr<ModelEvaluator> m_evaluator;
    uint32_t m_every;
    SummaryCallback m_summary;      //!< may be empty
    ModelsCallback m_modelsOfRound; //!< may be empty
    Time m_origin;
    uint32_t m_next{0};                            //!< rounds before it are evaluated
    SpentEpsilon m_spent;                          //!< until the last evaluated round
    std::map<Time, SpentEpsilon> m_spentLater;     //!< after that, by time
    std::map<uint32_t, SpentEpsilon> m_spentUntil; //!< see GetSpent()
    std::multimap<Time, uint32_t> m_ends;          //!< of evaluated rounds
    std::vector<RoundSummary> m_summaries;
    std::function<SpentResources()> m_meter;
    std::map<uint32_t, SpentResources> m_resources;
    std::map<uint32_t, std::map<LearnerId, ModelVector>> m_pending;     //!< models by round
    std::map<std::pair<uint32_t, LearnerId>, Evaluation> m_evaluations; //!< by round
    std::map<std::pair<uint32_t, LearnerId>, RoundRecord> m_records;    //!< of pending rounds
    TraceConnections m_traces;
};

} // namespace ns3::dlearn

#endif // DLEARN_EVALUATOR_H

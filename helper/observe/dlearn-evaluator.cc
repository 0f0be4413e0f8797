/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-evaluator.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-newton.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/simulator.h"

#include <cmath>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t MAX_DIMENSION = 2000; //!< of a Hessian that is factored in every Newton step
constexpr size_t MIN_CHECKED_ROUNDS = 3; //!< for a warning that nothing was learned
/** Growth of the loss with a warning: more than noise around a model that has been learned. */
constexpr double GROWN_LOSS = 5;

double
OrInfinity(double x)
{
    return std::isfinite(x) ? x : INFINITE;
}

/** @throw std::invalid_argument naming the node and the sizes */
void
RequireModelSizes(const std::string& where,
                  const std::map<LearnerId, ModelVector>& models,
                  uint32_t dimension)
{
    for (const auto& [node, model] : models)
    {
        RequireSize(where,
                    "model of node " + std::to_string(node),
                    static_cast<size_t>(model.size()),
                    dimension);
    }
}

ModelVector
GetMeanModel(const std::map<LearnerId, ModelVector>& models)
{
    ModelVector mean = ModelVector::Zero(models.empty() ? 0 : models.begin()->second.size());
    for (const auto& [node, model] : models)
    {
        mean += model / static_cast<double>(models.size());
    }
    return mean;
}

/** Loss (without samples: none), accuracy and consensus, as of Evaluator::Evaluate().
 *  @param tester has the test samples */
Evaluation
MeasureModel(const Task& task,
             const Task& tester,
             const WeightedSamples& samples,
             const ModelVector& model,
             const ModelVector& mean)
{
    // A task refuses a model that is not finite; here it is a result.
    const bool finite = model.allFinite();
    Evaluation evaluation;
    evaluation.consensus = OrInfinity((model - mean).squaredNorm());
    if (!samples.indices.empty())
    {
        evaluation.loss = finite ? task.GetLoss(model, samples) : INFINITE;
    }
    if (finite) // after the loss: an ExternalTask answers all three at once
    {
        evaluation.accuracy = tester.GetAccuracy(model);
        evaluation.own = task.GetMetrics(model);
    }
    return evaluation;
}

/** @return the samples of all learners, so that learners have equal weight */
WeightedSamples
JoinShards(const std::vector<SampleIndices>& shards)
{
    Require(!shards.empty(), "GradientNormEvaluator: there must be at least one learner");
    WeightedSamples samples;
    std::vector<double> weights;
    for (size_t learner = 0; learner < shards.size(); ++learner)
    {
        const SampleIndices& shard = shards[learner];
        Require(!shard.empty(),
                "GradientNormEvaluator: learner {} must have at least one sample",
                learner);
        samples.indices.insert(samples.indices.end(), shard.begin(), shard.end());
        weights.resize(
            samples.indices.size(),
            1.0 / (static_cast<double>(shards.size()) * static_cast<double>(shard.size())));
    }
    samples.weights = Eigen::Map<const ModelVector>(weights.data(), weights.size());
    return samples;
}

} // namespace

std::map<LearnerId, Evaluation>
AddingEvaluator::Evaluate(uint32_t round, const std::map<LearnerId, ModelVector>& models)
{
    auto evaluations = m_inner->Evaluate(round, models);
    for (auto& [node, evaluation] : evaluations)
    {
        Add(models.at(node), evaluation);
    }
    return evaluations;
}

void
AttackEvaluator::Add(const ModelVector& model, Evaluation& evaluation)
{
    evaluation.attackSuccess = model.allFinite() ? m_test->GetAccuracy(model) : Evaluation::NONE;
}

Evaluator::Evaluator(Ptr<const Task> task, std::vector<Ptr<SampleStream>> streams)
    : m_task(std::move(task)),
      m_tester(m_task)
{
    Require(m_task != nullptr, "Evaluator: there must be a task");
    Require(!streams.empty(), "Evaluator: there must be at least one sample stream");
    for (auto& stream : streams)
    {
        m_drawn.push_back({std::move(stream), 0, {}, 0});
    }
}

Evaluator::Evaluator(Ptr<const Task> task, WeightedSamples samples)
    : m_task(std::move(task)),
      m_fresh(true),
      m_samples(std::move(samples)),
      m_tester(m_task)
{
    Require(m_task != nullptr, "Evaluator: there must be a task");
}

void
Evaluator::SetDrift(Ptr<const DataDrift> drift, MakeTask makeTask)
{
    m_drift = drift;
    m_makeTask = std::move(makeTask);
    m_all = m_samples.indices;
}

void
Evaluator::FollowDrift(uint32_t round)
{
    const Dataset& test = m_task->GetTest();
    const SampleIndices all = FirstSamples(test.GetSize() / m_drift->GetVersions());
    SampleIndices tested = m_drift->Choose(test, all, round);
    if (tested != m_tested)
    {
        m_tested = std::move(tested);
        m_tester = m_makeTask(std::make_shared<const Dataset>(Subset(test, m_tested)));
    }
    if (m_all.empty())
    {
        return;
    }
    SampleIndices present = m_drift->Choose(m_task->GetTrain(), m_all, round);
    if (present != m_samples.indices)
    {
        m_samples = EqualWeights(std::move(present));
        m_fresh = true;
    }
}

std::map<LearnerId, Evaluation>
Evaluator::Evaluate(uint32_t round, const std::map<LearnerId, ModelVector>& models)
{
    Require(round >= m_round,
            "Evaluator: rounds must not go back, got {} after {}",
            round,
            m_round);
    RequireModelSizes("Evaluator", models, m_task->GetDimension());
    m_round = round;
    if (m_drift)
    {
        FollowDrift(round);
    }
    if (m_fresh)
    {
        m_fresh = false;
        UpdateMinimum(round);
    }
    if (UpdateCounts(round))
    {
        UpdateSamples();
        UpdateMinimum(round);
    }
    const ModelVector mean = GetMeanModel(models);
    std::map<LearnerId, Evaluation> evaluations;
    for (const auto& [node, model] : models)
    {
        Evaluation& evaluation = evaluations[node];
        evaluation = MeasureModel(*m_task, *m_tester, m_samples, model, mean);
        if (m_minimizer.size() > 0)
        {
            evaluation.error = model.allFinite() ? (model - m_minimizer).squaredNorm() : INFINITE;
            // Learners whose data were all there from the start have no regret.
            evaluation.regret = m_drawn.empty() ? Evaluation::NONE : evaluation.loss - m_minimum;
        }
    }
    return evaluations;
}

bool
Evaluator::UpdateCounts(uint32_t round)
{
    bool gained = false;
    for (Drawn& drawn : m_drawn)
    {
        const auto& log = drawn.stream->GetLog();
        // A learner may have drawn for later rounds already: those do not count yet.
        const size_t end = drawn.stream->GetLogSize(round);
        gained = gained || drawn.read < end;
        for (; drawn.read < end; ++drawn.read)
        {
            ++drawn.counts[log[drawn.read]];
        }
    }
    return gained;
}

/** Turn the counts into the weights of F_t: 1/m for a learner, shared by its draws. */
void
Evaluator::UpdateSamples()
{
    size_t active = 0;
    for (const auto& drawn : m_drawn)
    {
        active += drawn.read > 0 ? 1 : 0;
    }
    std::vector<double> weights(m_task->GetTrain().GetSize(), 0.0);
    for (const auto& drawn : m_drawn)
    {
        const double unit = 1 / (static_cast<double>(active) * static_cast<double>(drawn.read));
        for (const auto& [index, count] : drawn.counts)
        {
            weights[index] += unit * static_cast<double>(count);
        }
    }
    m_samples.indices.clear();
    std::vector<double> used;
    for (uint32_t index = 0; index < weights.size(); ++index)
    {
        if (weights[index] > 0)
        {
            m_samples.indices.push_back(index);
            used.push_back(weights[index]);
        }
    }
    m_samples.weights = Eigen::Map<const ModelVector>(used.data(), used.size());
}

void
Evaluator::UpdateMinimum(uint32_t round)
{
    const auto convex = dynamic_cast<const ConvexTask*>(PeekPointer(m_task));
    if (convex == nullptr)
    {
        return;
    }
    const std::string missing =
        m_drawn.empty() ? "error is left out" : "error and regret are left out";
    if (m_task->GetDimension() > MAX_DIMENSION)
    {
        if (m_warnings.empty())
        {
            m_warnings.push_back(missing + ", the distance to the best model, which is computed " +
                                 "up to " + std::to_string(MAX_DIMENSION) +
                                 " parameters; there are " +
                                 std::to_string(m_task->GetDimension()));
        }
        return;
    }
    if (m_start.size() == 0)
    {
        m_start = ModelVector::Zero(m_task->GetDimension());
    }
    try
    {
        m_start = Minimize(*convex, m_samples, m_start);
        m_minimizer = m_start;
        m_minimum = m_task->GetLoss(m_minimizer, m_samples);
    }
    catch (const std::runtime_error& error)
    {
        // Some objectives fall forever, or are too flat for Newton's steps.
        m_minimizer.resize(0);
        m_minimum = Evaluation::NONE;
        if (m_warnings.empty())
        {
            m_warnings.push_back(missing + " in round " + std::to_string(round) +
                                 " and perhaps others: " + error.what());
        }
    }
}

std::map<LearnerId, SampleStream::Draws>
Evaluator::TakeDraws()
{
    std::map<LearnerId, SampleStream::Draws> all;
    for (LearnerId learner = 0; learner < m_drawn.size(); ++learner)
    {
        Drawn& drawn = m_drawn[learner];
        SampleStream::Draws draws = drawn.stream->GetDraws(drawn.taken);
        if (!draws.samples.empty()) // none of a learner of another rank
        {
            drawn.taken += draws.samples.size();
            all.emplace(learner, std::move(draws));
        }
    }
    return all;
}

void
Evaluator::AddDraws(const std::map<LearnerId, SampleStream::Draws>& draws)
{
    for (const auto& [learner, drawn] : draws)
    {
        m_drawn.at(learner).stream->AddDraws(drawn);
    }
}

GradientNormEvaluator::GradientNormEvaluator(Ptr<const Task> task,
                                             const std::vector<SampleIndices>& shards,
                                             std::optional<WeightedSamples> lossSamples)
    : m_task(std::move(task)),
      m_samples(JoinShards(shards)),
      m_lossSamples(lossSamples ? std::move(*lossSamples) : m_samples)
{
    Require(m_task != nullptr, "GradientNormEvaluator: there must be a task");
}

std::map<LearnerId, Evaluation>
GradientNormEvaluator::Evaluate(uint32_t /* round */,
                                const std::map<LearnerId, ModelVector>& models)
{
    RequireModelSizes("GradientNormEvaluator", models, m_task->GetDimension());
    const ModelVector mean = GetMeanModel(models);
    ModelVector gradient(m_task->GetDimension());
    std::map<LearnerId, Evaluation> evaluations;
    for (const auto& [node, model] : models)
    {
        Evaluation& evaluation = evaluations[node];
        evaluation = MeasureModel(*m_task, *m_task, m_lossSamples, model, mean);
        evaluation.error = INFINITE;
        if (model.allFinite())
        {
            m_task->ClippedGradient(model, m_samples, 0, gradient);
            const double error = gradient.squaredNorm();
            evaluation.error = std::isnan(error) ? evaluation.error : error;
        }
    }
    return evaluations;
}

LinearGaussianEvaluator::LinearGaussianEvaluator(Ptr<const LinearGaussianProblem> problem)
    : m_problem(problem)
{
    Require(problem != nullptr, "LinearGaussianEvaluator: there must be a problem");
}

std::map<LearnerId, Evaluation>
LinearGaussianEvaluator::Evaluate(uint32_t round, const std::map<LearnerId, ModelVector>& models)
{
    const ModelVector& truth = m_problem->GetTruth(round + 1);
    const uint32_t clients = m_problem->GetOptions().clients;
    RequireModelSizes("LinearGaussianEvaluator", models, truth.size());
    const ModelVector mean = GetMeanModel(models);
    std::map<LearnerId, Evaluation> evaluations;
    for (const auto& [node, model] : models)
    {
        Evaluation& evaluation = evaluations[node];
        evaluation.error = OrInfinity((truth - model).squaredNorm());
        evaluation.consensus = OrInfinity((mean - model).squaredNorm());
        double loss = 0;
        for (uint32_t client = 0; client < clients; ++client)
        {
            const double sigma = m_problem->GetNoiseStd(client);
            const ModelVector offset = truth - m_problem->GetGamma(client) - model;
            loss += (offset.squaredNorm() + sigma * sigma) / 2 / clients;
        }
        evaluation.loss = OrInfinity(loss);
    }
    return evaluations;
}

std::string
DescribeNoLearning(const std::vector<RoundSummary>& rounds)
{
    if (rounds.size() < 2)
    {
        return "";
    }
    const RoundSummary& first = rounds.front();
    const RoundSummary& last = rounds.back();
    std::string text;
    bool better = false;
    const auto compare = [&](const char* name, double Evaluation::*figure, double sign) {
        const double before = first.mean.*figure;
        const double after = last.mean.*figure;
        if (!std::isnan(before))
        {
            better = better || sign * after > sign * before;
            text += (text.empty() ? "" : ", ") + std::string(name) + " " + FormatRounded(before) +
                    " and " + FormatRounded(after);
        }
    };
    compare("loss", &Evaluation::loss, -1);
    compare("error", &Evaluation::error, -1);
    compare("accuracy", &Evaluation::accuracy, 1);
    const double growth = last.mean.loss / first.mean.loss; // NaN without a loss
    const bool grown = first.mean.loss > 0 && growth >= GROWN_LOSS;
    const bool few = rounds.size() < MIN_CHECKED_ROUNDS;
    if (text.empty() || ((better || few) && !grown))
    {
        return "";
    }
    const std::string finding =
        better ? "the loss has grown to " + FormatRounded(growth) + " times its beginning"
               : "nothing was learned after round " + std::to_string(first.round);
    return finding + ": in the rounds " + std::to_string(first.round) + " and " +
           std::to_string(last.round) + ", " + text;
}

void
RoundEvaluations::WatchSpending(const std::vector<Ptr<LearnerApplication>>& learners)
{
    for (const auto& learner : learners)
    {
        const Account account = learner->GetLearnerRule()->GetLedger();
        if (account && learner->GetRounds() > 0 && !learner->IsByzantine())
        {
            m_traces.Add(learner->GetExchange(),
                         "MessageTx",
                         MakeCallback(&RoundEvaluations::HandleMessage, this, account));
            m_traces.Add(learner,
                         "StateTransition",
                         MakeCallback(&RoundEvaluations::HandleState, this, account));
        }
    }
}

void
RoundEvaluations::HandleMessage(Account account,
                                const EncodedMessage& /* message */,
                                const std::vector<LearnerId>& /* recipients */)
{
    NoteSpent(Simulator::Now(), {account->GetEpsilon(), account->GetNominalEpsilon()});
}

void
RoundEvaluations::HandleState(Account account,
                              LearnerApplication::State /* left */,
                              LearnerApplication::State entered)
{
    if (entered == LearnerApplication::State::STOPPED ||
        entered == LearnerApplication::State::FINISHED)
    {
        NoteSpent(Simulator::Now(), {account->GetEpsilon(), account->GetNominalEpsilon()});
    }
}

RoundEvaluations::RoundEvaluations(std::unique_ptr<ModelEvaluator> evaluator, uint32_t every)
    : m_evaluator(std::move(evaluator)),
      m_every(every)
{
    Require(m_evaluator != nullptr, "Monitor: there must be an evaluator, got null");
    Require(every >= 1, "Monitor: evaluateEvery must be at least 1, got ", every);
}

void
RoundEvaluations::Add(const RoundRecord& record, uint32_t rounds, const ModelVector& model)
{
    if (record.round % m_every == 0 || record.round + 1 == rounds)
    {
        Keep(record, model);
    }
}

void
RoundEvaluations::Keep(const RoundRecord& record, ModelVector model)
{
    // A learner that restarts behind the others may close rounds that were evaluated without it.
    if (record.round >= m_next)
    {
        m_pending[record.round][record.node] = std::move(model);
        m_records[{record.round, record.node}] = record;
        if (m_meter && Ranks::GetCount() == 1) // else no rank knows what the others have spent
        {
            m_resources[record.round] = m_meter();
        }
    }
}

void
RoundEvaluations::NoteSpent(Time time, const SpentEpsilon& spent)
{
    for (auto end = m_ends.lower_bound(time); end != m_ends.end(); ++end)
    {
        m_spentUntil[end->second].Add(spent);
    }
    const auto later = m_spentLater.upper_bound(time);
    if (later != m_spentLater.begin())
    {
        const SpentEpsilon& before = std::prev(later)->second;
        if (spent.realised <= before.realised && spent.nominal <= before.nominal)
        {
            return;
        }
    }
    m_spentLater[time].Add(spent);
}

void
RoundEvaluations::Evaluate(const Predicate& isThrough, const std::function<SpentEpsilon()>& clients)
{
    while (!m_pending.empty())
    {
        const uint32_t round = m_pending.begin()->first;
        if (!isThrough(round))
        {
            return;
        }
        EvaluateRound(round, m_pending.begin()->second, clients());
        m_next = round + 1;
        m_pending.erase(m_pending.begin());
    }
}

void
RoundEvaluations::EvaluateRound(uint32_t round,
                                const std::map<LearnerId, ModelVector>& models,
                                const SpentEpsilon& clients)
{
    RoundSummary summary;
    summary.round = round;
    summary.learners = models.size();
    Evaluation& mean = summary.mean;
    mean.loss = mean.accuracy = mean.error = mean.consensus = mean.regret = 0;
    uint64_t expected = 0;
    uint64_t received = 0;
    for (const auto& [node, evaluation] : m_evaluator->Evaluate(round, models))
    {
        m_evaluations[{round, node}] = evaluation;
        mean.loss += evaluation.loss / models.size();
        mean.accuracy += evaluation.accuracy / models.size();
        mean.error += evaluation.error / models.size();
        mean.consensus += evaluation.consensus / models.size();
        mean.regret += evaluation.regret / models.size();
        const RoundRecord& record = m_records.at({round, node});
        summary.time = Max(summary.time, record.closed);
        expected += record.expected;
        received += record.received;
        m_records.erase({round, node});
    }
    // The spending of learners that are ahead, or down by now, counts as well.
    const auto later = m_spentLater.upper_bound(summary.time);
    for (auto entry = m_spentLater.begin(); entry != later; ++entry)
    {
        m_spent.Add(entry->second);
    }
    m_spentLater.erase(m_spentLater.begin(), later);
    m_spent.Add(clients);
    m_spentUntil[round] = m_spent;
    m_ends.emplace(summary.time, round);
    summary.epsilon = m_spent.realised;
    summary.delivered = GetDeliveredShare(received, expected);
    summary.time -= m_origin;
    m_summaries.push_back(summary);
    if (m_modelsOfRound)
    {
        m_modelsOfRound(summary, models);
    }
    if (m_summary)
    {
        m_summary(summary);
    }
}

std::vector<std::string>
RoundEvaluations::GetWarnings() const
{
    auto warnings = m_evaluator->GetWarnings();
    warnings.push_back(DescribeNoLearning(m_summaries));
    return warnings;
}

std::optional<Evaluation>
RoundEvaluations::Find(const RoundRecord& record) const
{
    const auto found = m_evaluations.find({record.round, record.node});
    return found == m_evaluations.end() ? std::nullopt : std::optional(found->second);
}

RankHandover
RoundEvaluations::HandOver()
{
    RankHandover handover;
    for (auto& [round, models] : m_pending)
    {
        for (auto& [learner, model] : models)
        {
            handover.closed.push_back({m_records.at({round, learner}), std::move(model)});
        }
    }
    m_pending.clear();
    m_records.clear();
    handover.spent.swap(m_spentLater);
    handover.draws = m_evaluator->TakeDraws();
    return handover;
}

void
RoundEvaluations::Take(RankHandover handover)
{
    m_evaluator->AddDraws(handover.draws);
    for (const auto& [time, spent] : handover.spent)
    {
        NoteSpent(time, spent);
    }
    for (RankHandover::Round& round : handover.closed)
    {
        Keep(round.record, std::move(round.model));
    }
}

} // namespace ns3::dlearn
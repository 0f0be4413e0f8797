/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gradient-norm-evaluator.h"

#include "ns3/dlearn-check.h"

#include <cmath>
#include <limits>
#include <utility>

namespace ns3::dlearn
{

namespace
{

const char* const NAME = "GradientNormEvaluator"; //!< for messages

/**
 * @param shards samples of each learner
 * @return all samples, so that learners have equal weight
 */
WeightedSamples
JoinShards(const std::vector<SampleIndices>& shards)
{
    Require(!shards.empty(), NAME, ": there must be at least one learner");
    WeightedSamples samples;
    std::vector<double> weights;
    for (size_t learner = 0; learner < shards.size(); ++learner)
    {
        const SampleIndices& shard = shards[learner];
        Require(!shard.empty(), NAME, ": learner ", learner, " must have at least one sample");
        samples.indices.insert(samples.indices.end(), shard.begin(), shard.end());
        weights.resize(
            samples.indices.size(),
            1.0 / (static_cast<double>(shards.size()) * static_cast<double>(shard.size())));
    }
    samples.weights = Eigen::Map<const ModelVector>(weights.data(), weights.size());
    return samples;
}

} // namespace

GradientNormEvaluator::GradientNormEvaluator(Ptr<const Task> task,
                                             const std::vector<SampleIndices>& shards,
                                             WeightedSamples lossSamples)
    : m_task(std::move(task)),
      m_samples(JoinShards(shards)),
      m_lossSamples(std::move(lossSamples))
{
    Require(PeekPointer(m_task) != nullptr, NAME, ": there must be a task");
}

GradientNormEvaluator::GradientNormEvaluator(Ptr<const Task> task,
                                             const std::vector<SampleIndices>& shards)
    : GradientNormEvaluator(std::move(task), shards, JoinShards(shards))
{
}

std::map<LearnerId, Evaluation>
GradientNormEvaluator::Evaluate(uint32_t /* round */,
                                const std::map<LearnerId, ModelVector>& models)
{
    RequireModelSizes(NAME, models, m_task->GetDimension());
    const ModelVector mean = GetMeanModel(models);
    ModelVector gradient(m_task->GetDimension());
    std::map<LearnerId, Evaluation> evaluations;
    for (const auto& [node, model] : models)
    {
        Evaluation& evaluation = evaluations[node];
        evaluation = MeasureModel(*m_task, m_lossSamples, model, mean);
        evaluation.error = std::numeric_limits<double>::infinity();
        if (model.allFinite())
        {
            m_task->ClippedGradient(model, m_samples, 0, gradient);
            const double error = gradient.squaredNorm();
            evaluation.error = std::isnan(error) ? evaluation.error : error;
        }
    }
    return evaluations;
}

} // namespace ns3::dlearn

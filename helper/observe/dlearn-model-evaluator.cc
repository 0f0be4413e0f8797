/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-model-evaluator.h"

#include "ns3/dlearn-check.h"

#include <cmath>
#include <limits>

namespace ns3::dlearn
{

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
    ModelVector mean;
    for (const auto& [node, model] : models)
    {
        if (mean.size() == 0)
        {
            mean = ModelVector::Zero(model.size());
        }
        mean += model / static_cast<double>(models.size());
    }
    return mean;
}

Evaluation
MeasureModel(const Task& task,
             const WeightedSamples& samples,
             const ModelVector& model,
             const ModelVector& mean)
{
    // A task refuses a model that is not finite; here it is a result.
    const double infinity = std::numeric_limits<double>::infinity();
    const bool finite = model.allFinite();
    Evaluation evaluation;
    const double distance = (model - mean).squaredNorm();
    evaluation.consensus = std::isfinite(distance) ? distance : infinity;
    if (finite)
    {
        evaluation.accuracy = task.GetAccuracy(model);
    }
    if (!samples.indices.empty())
    {
        evaluation.loss = finite ? task.GetLoss(model, samples) : infinity;
    }
    return evaluation;
}

std::map<LearnerId, SampleStream::Draws>
ModelEvaluator::TakeDraws()
{
    return {};
}

void
ModelEvaluator::AddDraws(const std::map<LearnerId, SampleStream::Draws>& /* draws */)
{
}

} // namespace ns3::dlearn

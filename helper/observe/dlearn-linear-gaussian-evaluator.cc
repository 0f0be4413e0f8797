/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-linear-gaussian-evaluator.h"

#include "ns3/dlearn-check.h"

#include <cmath>
#include <limits>

namespace ns3::dlearn
{

namespace
{

/** @return x, or infinity for what a model that diverged gives */
double
OrInfinity(double x)
{
    return std::isfinite(x) ? x : std::numeric_limits<double>::infinity();
}

} // namespace

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
    ModelVector mean = ModelVector::Zero(truth.size());
    for (const auto& [node, model] : models)
    {
        RequireSize("LinearGaussianEvaluator", "model", model.size(), truth.size());
        mean += model / static_cast<double>(models.size());
    }
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

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gradient-estimator.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-types.h"

namespace ns3::dlearn
{

GradientEstimator::GradientEstimator(Graph graph, const LdpOnlineSteps& steps, uint32_t rounds)
    : m_graph(std::move(graph)),
      m_steps(steps),
      m_rounds(rounds)
{
    RequirePositive("GradientEstimator", "stepSize", steps.stepSize);
    RequireNonNegative("GradientEstimator", "stepExponent", steps.stepExponent);
    RequireNonNegative("GradientEstimator", "coupling", steps.coupling);
    RequireNonNegative("GradientEstimator", "couplingExponent", steps.couplingExponent);
    Require(rounds >= 1, "GradientEstimator: rounds must be at least 1, got ", rounds);
}

void
GradientEstimator::Note(const Overheard& overheard)
{
    if (overheard.channel == ModelChannel::STATE && overheard.round <= m_rounds &&
        overheard.sender < m_graph.GetSize())
    {
        m_vectors.try_emplace({overheard.sender, overheard.round}, overheard.values);
    }
}

void
GradientEstimator::CheckRange(LearnerId learner, uint32_t round) const
{
    Require(learner < m_graph.GetSize() && round < m_rounds,
            "GradientEstimator: learner and round must be less than ",
            m_graph.GetSize(),
            " and ",
            m_rounds,
            ", got ",
            learner,
            " and ",
            round);
}

double
GradientEstimator::GetStepSize(uint32_t round) const
{
    return PowerLaw(m_steps.stepSize, -m_steps.stepExponent, round);
}

double
GradientEstimator::GetCoupling(uint32_t round) const
{
    return PowerLaw(m_steps.coupling, -m_steps.couplingExponent, round);
}

const ModelVector*
GradientEstimator::FindModel(LearnerId learner, uint32_t round) const
{
    const auto found = m_vectors.find({learner, round});
    return found == m_vectors.end() ? nullptr : &found->second;
}

std::optional<ModelVector>
GradientEstimator::Estimate(LearnerId learner, uint32_t round) const
{
    CheckRange(learner, round);
    const ModelVector* now = FindModel(learner, round);
    const ModelVector* next = FindModel(learner, round + 1);
    if (!now || !next || now->size() != next->size())
    {
        return std::nullopt;
    }
    ModelVector moved = *now;
    for (const auto& [neighbor, weight] : m_graph.GetInNeighbors(learner))
    {
        const ModelVector* other = FindModel(neighbor, round);
        if (!other || other->size() != now->size())
        {
            return std::nullopt;
        }
        moved += GetCoupling(round) * weight * (*other - *now);
    }
    return (moved - *next) / GetStepSize(round);
}

double
GradientEstimator::GetDeviation(LearnerId learner, uint32_t round, double scale, double next) const
{
    CheckRange(learner, round);
    double weights = 0;
    for (const auto& [neighbor, weight] : m_graph.GetInNeighbors(learner))
    {
        weights += weight;
    }
    // A Laplace variable of scale b has variance 2 b^2.
    return std::sqrt(2.0) * std::hypot((1 - GetCoupling(round) * weights) * scale, next) /
           GetStepSize(round);
}

} // namespace ns3::dlearn

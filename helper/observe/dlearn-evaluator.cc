/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-evaluator.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-newton.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t MAX_DIMENSION = 2000; //!< of a Hessian that is factored in every Newton step

} // namespace

Evaluator::Evaluator(Ptr<const Task> task, std::vector<Ptr<SampleStream>> streams)
    : m_task(std::move(task))
{
    Require(PeekPointer(m_task) != nullptr, "Evaluator: there must be a task");
    Require(!streams.empty(), "Evaluator: there must be at least one sample stream");
    for (size_t learner = 0; learner < streams.size(); ++learner)
    {
        Require(PeekPointer(streams[learner]) != nullptr,
                "Evaluator: sample stream ",
                learner,
                " is a null pointer");
        m_drawn.push_back({std::move(streams[learner]), 0, {}});
    }
}

Evaluator::Evaluator(Ptr<const Task> task, WeightedSamples samples)
    : m_task(std::move(task)),
      m_fresh(true),
      m_samples(std::move(samples))
{
    Require(PeekPointer(m_task) != nullptr, "Evaluator: there must be a task");
}

std::map<LearnerId, Evaluation>
Evaluator::Evaluate(uint32_t round, const std::map<LearnerId, ModelVector>& models)
{
    Require(round >= m_round,
            "Evaluator: rounds must not go back, got ",
            round,
            " after ",
            m_round);
    RequireModelSizes("Evaluator", models, m_task->GetDimension());
    m_round = round;
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
        evaluations[node] = EvaluateModel(model, mean);
    }
    return evaluations;
}

/**
 * @param model of a node
 * @param mean of the models of all nodes
 * @return how good the model is
 */
Evaluation
Evaluator::EvaluateModel(const ModelVector& model, const ModelVector& mean) const
{
    Evaluation evaluation = MeasureModel(*m_task, m_samples, model, mean);
    if (m_minimizer.size() > 0)
    {
        evaluation.error = model.allFinite() ? (model - m_minimizer).squaredNorm()
                                             : std::numeric_limits<double>::infinity();
        // Learners whose data were all there from the start could regret nothing.
        evaluation.regret = m_drawn.empty() ? Evaluation::NONE : evaluation.loss - m_minimum;
    }
    return evaluation;
}

/**
 * Count what the logs have gained.
 *
 * @param round count what was drawn up to this round
 * @return whether anything was gained
 */
bool
Evaluator::UpdateCounts(uint32_t round)
{
    bool gained = false;
    for (auto& drawn : m_drawn)
    {
        const auto& log = drawn.stream->GetLog();
        // A learner may have drawn for later rounds already: those do not count yet.
        const size_t end = drawn.stream->GetLogSize(round);
        gained = gained || drawn.read < end;
        for (; drawn.read < end; ++drawn.read)
        {
            const uint32_t index = log[drawn.read];
            Require(index < m_task->GetTrain().GetSize(),
                    "Evaluator: a stream has sample ",
                    index,
                    ", the task has ",
                    m_task->GetTrain().GetSize());
            ++drawn.counts[index];
        }
    }
    return gained;
}

/** Turn the counts into the weights of F_t: 1/m for a learner, shared by all it has drawn. */
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

/**
 * Find theta_t* for the new samples.
 *
 * @param round for the warning when there is none
 */
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
        // Some objectives fall forever, or are too flat for Newton's steps. The run is sound
        // nevertheless: only these two figures do not exist.
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

} // namespace ns3::dlearn

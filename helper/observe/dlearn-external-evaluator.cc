/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-external-evaluator.h"

#include <cmath>
#include <utility>

namespace ns3::dlearn
{

ExternalEvaluator::ExternalEvaluator(std::unique_ptr<ModelEvaluator> inner, Settings settings)
    : AddingEvaluator(std::move(inner)),
      m_settings(std::move(settings))
{
}

void
ExternalEvaluator::Add(const ModelVector& model, Evaluation& evaluation)
{
    if (!m_process)
    {
        m_process = std::make_unique<LearnerProcess>(m_settings.command, 1, m_settings.timeout);
        m_metrics =
            m_process
                ->Greet(LearnerProcess::MakeGreeting(m_settings.learners,
                                                     std::exchange(m_settings.train, nullptr),
                                                     std::exchange(m_settings.test, nullptr)),
                        LearnerHello::EVALUATES,
                        m_settings.check)
                .metrics;
    }
    if (!model.allFinite())
    {
        return;
    }
    const LearnerScores scores = m_process->Evaluate(model, {}, m_metrics);
    evaluation.loss = std::isnan(evaluation.loss) ? scores.loss : evaluation.loss;
    evaluation.accuracy = std::isnan(evaluation.accuracy) ? scores.accuracy : evaluation.accuracy;
    evaluation.own.insert(scores.metrics.begin(), scores.metrics.end());
}

} // namespace ns3::dlearn

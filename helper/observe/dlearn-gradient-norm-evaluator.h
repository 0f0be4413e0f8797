/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRADIENT_NORM_EVALUATOR_H
#define DLEARN_GRADIENT_NORM_EVALUATOR_H

#include "dlearn-model-evaluator.h"

#include "ns3/dlearn-task.h"
#include "ns3/ptr.h"

#include <map>
#include <string>
#include <vector>

namespace ns3::dlearn
{

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
     * @param task what is learned
     * @param shards samples of each learner
     * @param lossSamples what the loss is measured on; the gradient never is
     * @throw std::invalid_argument when there is no task, no learner, or one without samples
     */
    GradientNormEvaluator(Ptr<const Task> task,
                          const std::vector<SampleIndices>& shards,
                          WeightedSamples lossSamples);

    /**
     * As above, with the loss F itself.
     *
     * @param task what is learned
     * @param shards samples of each learner
     */
    GradientNormEvaluator(Ptr<const Task> task, const std::vector<SampleIndices>& shards);

    /**
     * Evaluate the models that some nodes hold at the end of a round. Error and consensus of a
     * model that is not finite, or whose gradient is not, are infinite.
     *
     * @param round the round
     * @param models of the nodes that closed the round; consensus is measured from their mean
     * @return loss, accuracy, error and consensus of each of @p models
     * @throw std::invalid_argument when a model has the wrong dimension
     */
    std::map<LearnerId, Evaluation> Evaluate(
        uint32_t round,
        const std::map<LearnerId, ModelVector>& models) override;

    /** @return nothing */
    const std::vector<std::string>& GetWarnings() const override { return m_warnings; }

  private:
    Ptr<const Task> m_task;              //!< what is learned
    WeightedSamples m_samples;           //!< of F
    WeightedSamples m_lossSamples;       //!< of the loss
    std::vector<std::string> m_warnings; //!< empty
};

} // namespace ns3::dlearn

#endif // DLEARN_GRADIENT_NORM_EVALUATOR_H

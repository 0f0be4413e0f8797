/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MODEL_EVALUATOR_H
#define DLEARN_MODEL_EVALUATOR_H

#include "dlearn-run-results.h"

#include "ns3/dlearn-sample-stream.h"
#include "ns3/dlearn-task.h"
#include "ns3/dlearn-types.h"

#include <map>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A central observer without noise, which measures the models of a round. It takes no part in the
 * run and costs no simulated time.
 */
class ModelEvaluator
{
  public:
    ModelEvaluator() = default;
    virtual ~ModelEvaluator() = default;
    ModelEvaluator(const ModelEvaluator&) = delete;
    ModelEvaluator& operator=(const ModelEvaluator&) = delete;

    /**
     * Evaluate the models that some nodes hold at the end of a round.
     *
     * @param round the round, not less than in the call before
     * @param models of the nodes that closed the round; consensus is measured from their mean
     * @return an evaluation for each of @p models, NaN for figures that do not exist
     * @throw std::invalid_argument when rounds go back or a model has the wrong dimension
     */
    virtual std::map<LearnerId, Evaluation> Evaluate(
        uint32_t round,
        const std::map<LearnerId, ModelVector>& models) = 0;

    /** @return what could not be evaluated and why, for the results; empty when nothing */
    virtual const std::vector<std::string>& GetWarnings() const = 0;

    /** @return the samples that learners of this rank (Ranks) have drawn since the last call, if
     *          they matter */
    virtual std::map<LearnerId, SampleStream::Draws> TakeDraws();

    /** @param draws of TakeDraws() on another rank */
    virtual void AddDraws(const std::map<LearnerId, SampleStream::Draws>& draws);
};

/**
 * @param where the caller, for the message
 * @param models by node
 * @param dimension entries that each must have
 * @throw std::invalid_argument naming the node and the sizes
 */
void RequireModelSizes(const std::string& where,
                       const std::map<LearnerId, ModelVector>& models,
                       uint32_t dimension);

/**
 * @param models by node, of one size
 * @return their mean; empty without models
 */
ModelVector GetMeanModel(const std::map<LearnerId, ModelVector>& models);

/**
 * Measure what all evaluators of tasks have in common: loss, accuracy and consensus. A model that
 * is not finite has infinite loss and consensus, and no accuracy.
 *
 * @param task what is learned
 * @param samples what the loss is measured on; empty for no loss
 * @param model of a node, of as many entries as the task has parameters
 * @param mean of the models of all nodes
 * @return the evaluation; NaN for what it does not measure
 */
Evaluation MeasureModel(const Task& task,
                        const WeightedSamples& samples,
                        const ModelVector& model,
                        const ModelVector& mean);

} // namespace ns3::dlearn

#endif // DLEARN_MODEL_EVALUATOR_H

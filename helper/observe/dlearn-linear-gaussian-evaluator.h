/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINEAR_GAUSSIAN_EVALUATOR_H
#define DLEARN_LINEAR_GAUSSIAN_EVALUATOR_H

#include "dlearn-model-evaluator.h"

#include "ns3/dlearn-linear-gaussian-problem.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * How good a model of a LinearGaussianProblem is, exactly: the truth is known, so no samples are
 * needed.
 *
 * Of the model w after round t (from 0) it says, with w* the truth that the data of round t + 1
 * follow (as FedAvgErrorCurve(): the error as the next round finds it),
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

    /** @return nothing: every figure exists */
    const std::vector<std::string>& GetWarnings() const override;

  private:
    Ptr<const LinearGaussianProblem> m_problem; //!< the truth
    std::vector<std::string> m_warnings;        //!< none
};

} // namespace ns3::dlearn

#endif // DLEARN_LINEAR_GAUSSIAN_EVALUATOR_H

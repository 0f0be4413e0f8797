/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINEAR_GAUSSIAN_EVALUATOR_H
#define DLEARN_LINEAR_GAUSSIAN_EVALUATOR_H

#include "dlearn-model-evaluator.h"

#include "ns3/dlearn-local-data.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Measures a model of a LinearGaussianProblem exactly: the truth is known, so no samples are
 * needed.
 *
 * For the model w after round t (from 0), with w* the truth of the data of round t + 1 (as in
 * FedAvgErrorCurve(), the error at the beginning of the next round),
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
    const std::vector<std::string>& GetWarnings() const override { return m_warnings; }

  private:
    Ptr<const LinearGaussianProblem> m_problem; //!< the truth
    std::vector<std::string> m_warnings;        //!< none
};

} // namespace ns3::dlearn

#endif // DLEARN_LINEAR_GAUSSIAN_EVALUATOR_H

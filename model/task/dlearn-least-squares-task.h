/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LEAST_SQUARES_TASK_H
#define DLEARN_LEAST_SQUARES_TASK_H

#include "dlearn-generalized-linear-task.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Linear regression: l(theta, (x, y)) = (y - x^T theta)^2 / 2, with gradient x (x^T theta - y).
 *
 * The data must be those of a regression (classes = 0). Nothing bounds the gradient, so
 * GetSensitivity() is infinite unless ClipNorm is set.
 */
class LeastSquaresTask : public GeneralizedLinearTask
{
  public:
    static TypeId GetTypeId();

    /** @return NaN: a regression has no share of right answers */
    double GetAccuracy(ConstVectorRef theta) const override;

    /**
     * @param window batches to keep; 0 keeps all
     * @return a QuadraticHistory, which costs the same in every round, when all batches are
     *         kept and gradients are not clipped; else null, because sufficient statistics can
     *         neither clip nor forget a batch without a growing error
     */
    std::unique_ptr<GradientHistory> CreateShortHistory(uint32_t window) const override;

    /**
     * The minimum of F that is nearest to the start: with fewer samples than features the
     * interpolation of all samples of least change, the limit of gradient descent from the start
     * with small steps,
     *
     *   start + A^+ (b - A start),  rows sqrt(weight_k) x_k^T of A, entries sqrt(weight_k) y_k
     *
     * of b, and A^+ the pseudoinverse, by an orthogonal decomposition. That takes n p doubles
     * and about 4 n p min(n, p) operations for n samples of p features, and does not square
     * the condition number as the normal equations do.
     *
     * @param start where to start
     * @param samples what to average over; not empty
     * @return the minimum; nothing when it is regularized: then there is only one
     */
    std::optional<ModelVector> SolveFrom(ConstVectorRef start,
                                         const WeightedSamples& samples) const override;

  protected:
    void CheckData() const override;
    double GetGradientBound() const override;

    Values GetLosses(const Values& scores, const Values& labels) const override
    {
        return 0.5 * (scores - labels).square();
    }

    Values GetSlopes(const Values& scores, const Values& labels) const override
    {
        return scores - labels;
    }

    Values GetCurvatures(const Values& scores) const override;

    double GetCurvatureBound() const override { return 1; }
};

} // namespace ns3::dlearn

#endif // DLEARN_LEAST_SQUARES_TASK_H

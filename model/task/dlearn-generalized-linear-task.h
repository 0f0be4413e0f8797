/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GENERALIZED_LINEAR_TASK_H
#define DLEARN_GENERALIZED_LINEAR_TASK_H

#include "dlearn-task.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A convex loss that depends on a sample (x, y) only through the score z = x^T theta and the label:
 * l(theta, (x, y)) = phi(z, y). The model has one parameter per feature.
 *
 * The gradient is phi'(z, y) x and the Hessian phi''(z, y) x x^T (primes are derivatives by z), so
 * a subclass defines phi, phi' and phi'' and a bound on phi'', and everything else follows.
 *
 * Clipping a gradient to norm c clamps phi' to [-c / ||x||, c / ||x||]. A clamped nondecreasing
 * function is nondecreasing: the clipped gradients are the gradients of another convex objective,
 * with linear tails as Huber's loss has. Gradient descent on them still converges, but where
 * clipping is active at the end, it converges to the minimum of that objective and not to that of
 * Minimize().
 */
class GeneralizedLinearTask : public ConvexTask
{
  public:
    static TypeId GetTypeId();

    uint32_t GetDimension() const override;
    double GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const override;
    void ClippedGradient(ConstVectorRef theta,
                         const WeightedSamples& samples,
                         double clipNorm,
                         VectorRef gradient) const override;
    Eigen::MatrixXd GetHessian(ConstVectorRef theta, const WeightedSamples& samples) const override;

    /** @return bound on phi'' times max ||x||^2, plus the regularization */
    double GetSmoothness() const override;

    /** @return 4 operations a feature: x^T theta, and adding a multiple of x */
    double GetFlopsPerSample() const override;

  protected:
    /** Scores or labels of some samples, or a function of them. */
    using Values = Eigen::ArrayXd;

    /**
     * @param scores z of each sample
     * @param labels y of each sample
     * @return phi(z, y) of each sample
     */
    virtual Values GetLosses(const Values& scores, const Values& labels) const = 0;

    /**
     * @param scores z of each sample
     * @param labels y of each sample
     * @return phi'(z, y) of each sample
     */
    virtual Values GetSlopes(const Values& scores, const Values& labels) const = 0;

    /**
     * @param scores z of each sample
     * @return phi''(z, y) of each sample, at least 0; it must not depend on y
     */
    virtual Values GetCurvatures(const Values& scores) const = 0;

    /** @return sup over z of phi''(z, y) */
    virtual double GetCurvatureBound() const = 0;
};

} // namespace ns3::dlearn

#endif // DLEARN_GENERALIZED_LINEAR_TASK_H

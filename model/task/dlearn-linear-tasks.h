/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINEAR_TASKS_H
#define DLEARN_LINEAR_TASKS_H

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

    uint32_t GetDimension() const override { return GetTrain().GetFeatures(); }

    double GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const override;
    void ClippedGradient(ConstVectorRef theta,
                         const WeightedSamples& samples,
                         double clipNorm,
                         VectorRef gradient) const override;
    Eigen::MatrixXd GetHessian(ConstVectorRef theta, const WeightedSamples& samples) const override;

    /** @return bound on phi'' times max ||x||^2, plus the regularization */
    double GetSmoothness() const override;

    /** @return 4 operations a feature: x^T theta, and adding a multiple of x */
    double GetFlopsPerSample() const override { return 4.0 * GetDimension(); }

  protected:
    /** Scores or labels of some samples, or a function of them. */
    using Values = Eigen::ArrayXd;

    // Each number of the following results belongs to a sample.

    /** @return phi(z, y) */
    virtual Values GetLosses(const Values& scores, const Values& labels) const = 0;

    /** @return phi'(z, y) */
    virtual Values GetSlopes(const Values& scores, const Values& labels) const = 0;

    /** @return phi''(z, y), at least 0; it must not depend on y */
    virtual Values GetCurvatures(const Values& scores) const = 0;

    /** @return sup over z of phi''(z, y) */
    virtual double GetCurvatureBound() const = 0;
};

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
     * @param samples of the average; not empty
     * @return the minimum; nothing when it is regularized: then there is only one
     */
    std::optional<ModelVector> SolveFrom(ConstVectorRef start,
                                         const WeightedSamples& samples) const override;

  protected:
    void CheckData() const override;

    Values GetLosses(const Values& scores, const Values& labels) const override
    {
        return 0.5 * (scores - labels).square();
    }

    Values GetSlopes(const Values& scores, const Values& labels) const override
    {
        return scores - labels;
    }

    Values GetCurvatures(const Values& scores) const override
    {
        return Values::Ones(scores.size());
    }

    double GetCurvatureBound() const override { return 1; }
};

/**
 * @ingroup dlearn
 * Logistic regression on two classes: l(theta, (x, y)) = log(1 + exp(z)) - y z with the score
 * z = x^T theta and the class y in {0, 1}.
 *
 * This is the loss of Chen and Wang's experiment on "mushrooms", (1 - y) z - log s(z) with
 * s(z) = 1 / (1 + exp(-z)), because -log s(z) = log(1 + exp(z)) - z.
 *
 * The gradient is (s(z) - y) x, of norm at most ||x||; replacing one sample moves it by at
 * most 2 max ||x||, and phi'' = s(z) (1 - s(z)) is at most 1/4. All functions are written in
 * the score of the wrong class, w = (1 - 2y) z, so that they keep full relative accuracy for
 * scores of any size.
 */
class LogisticTask : public GeneralizedLinearTask
{
  public:
    static TypeId GetTypeId();

    /** @return share of test samples with class 1 where z > 0 and class 0 elsewhere */
    double GetAccuracy(ConstVectorRef theta) const override;

  protected:
    void CheckData() const override;

    double GetGradientBound() const override { return GetMaxNorm(); }

    Values GetLosses(const Values& scores, const Values& labels) const override;
    Values GetSlopes(const Values& scores, const Values& labels) const override;
    Values GetCurvatures(const Values& scores) const override;

    double GetCurvatureBound() const override { return 0.25; }
};

/**
 * @ingroup dlearn
 * Multinomial logistic regression on K classes.
 *
 * The model has K columns of d parameters, one column per class and one parameter per feature,
 * laid out column after column: theta[k d + j] weighs feature j in the score of class k,
 * z_k = x^T theta_k. The loss is the cross-entropy
 *
 *   l(theta, (x, y)) = log sum_k exp(z_k) - z_y.
 *
 * With p = softmax(z) and e_y the unit vector of class y, the gradient is the outer product
 * x (p - e_y)^T, of norm at most sqrt(2) ||x||, and the Hessian is the Kronecker product of
 * diag(p) - p p^T, which is at most I/2, and x x^T. Adding one vector to all columns changes
 * nothing, so without regularization the minimum is not unique. Clipped gradients, other than
 * those of a GeneralizedLinearTask, need not be the gradients of a convex function.
 */
class SoftmaxTask : public ConvexTask, public SampleLoss
{
  public:
    static TypeId GetTypeId();

    uint32_t GetDimension() const override { return GetTrain().GetFeatures() * GetTrain().classes; }

    double GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const override;
    void ClippedGradient(ConstVectorRef theta,
                         const WeightedSamples& samples,
                         double clipNorm,
                         VectorRef gradient) const override;

    /** @return share of test samples whose class has the largest score, the first of equal ones */
    double GetAccuracy(ConstVectorRef theta) const override;

    Eigen::MatrixXd GetHessian(ConstVectorRef theta, const WeightedSamples& samples) const override;

    /** @return max ||x||^2 / 2 plus the regularization */
    double GetSmoothness() const override;

    /** @return 4 operations a parameter: the scores, and adding the outer product */
    double GetFlopsPerSample() const override { return 4.0 * GetDimension(); }

    ModelVector GetModelGradient(ConstVectorRef theta,
                                 const Eigen::MatrixXd& features,
                                 const Eigen::VectorXd& labels) const override;
    Eigen::MatrixXd GetInputGradient(ConstVectorRef theta,
                                     const Eigen::MatrixXd& features,
                                     const Eigen::VectorXd& labels) const override;

    uint32_t GetInputs() const override { return GetTrain().GetFeatures(); }

    uint32_t GetClasses() const override { return GetTrain().classes; }

  protected:
    void CheckData() const override;

    double GetGradientBound() const override { return std::sqrt(2.0) * GetMaxNorm(); }

  private:
    /** @return classes x samples: the scores z; samples are columns */
    Eigen::MatrixXd GetScores(const Eigen::Ref<const Eigen::MatrixXd>& features,
                              ConstVectorRef theta) const;

    /** @return classes x samples: p - e_y of each */
    Eigen::MatrixXd GetResiduals(const Eigen::Ref<const Eigen::MatrixXd>& features,
                                 ConstVectorRef labels,
                                 ConstVectorRef theta) const;
};

} // namespace ns3::dlearn

#endif // DLEARN_LINEAR_TASKS_H

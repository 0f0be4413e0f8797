/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SOFTMAX_TASK_H
#define DLEARN_SOFTMAX_TASK_H

#include "dlearn-sample-loss.h"
#include "dlearn-task.h"

namespace ns3::dlearn
{

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

    uint32_t GetDimension() const override;
    double GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const override;
    void ClippedGradient(ConstVectorRef theta,
                         const WeightedSamples& samples,
                         double clipNorm,
                         VectorRef gradient) const override;

    /** @return share of test samples whose class has the largest score, the first one of
     *          equal scores */
    double GetAccuracy(ConstVectorRef theta) const override;

    Eigen::MatrixXd GetHessian(ConstVectorRef theta, const WeightedSamples& samples) const override;

    /** @return max ||x||^2 / 2 plus the regularization */
    double GetSmoothness() const override;

    /** @return 4 operations a parameter: the scores, and adding the outer product */
    double GetFlopsPerSample() const override;

    ModelVector GetModelGradient(ConstVectorRef theta,
                                 const Eigen::MatrixXd& features,
                                 const Eigen::VectorXd& labels) const override;
    Eigen::MatrixXd GetInputGradient(ConstVectorRef theta,
                                     const Eigen::MatrixXd& features,
                                     const Eigen::VectorXd& labels) const override;
    uint32_t GetInputs() const override;
    uint32_t GetClasses() const override;

  protected:
    void CheckData() const override;
    double GetGradientBound() const override;

  private:
    /**
     * @param features samples as columns
     * @param theta a model
     * @return classes x samples: the scores z
     */
    Eigen::MatrixXd GetScores(const Eigen::Ref<const Eigen::MatrixXd>& features,
                              ConstVectorRef theta) const;

    /**
     * @param features samples as columns
     * @param labels of these
     * @param theta a model
     * @return classes x samples: p - e_y of each
     */
    Eigen::MatrixXd GetResiduals(const Eigen::Ref<const Eigen::MatrixXd>& features,
                                 ConstVectorRef labels,
                                 ConstVectorRef theta) const;
};

} // namespace ns3::dlearn

#endif // DLEARN_SOFTMAX_TASK_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LOGISTIC_TASK_H
#define DLEARN_LOGISTIC_TASK_H

#include "dlearn-generalized-linear-task.h"

namespace ns3::dlearn
{

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
    double GetGradientBound() const override;
    Values GetLosses(const Values& scores, const Values& labels) const override;
    Values GetSlopes(const Values& scores, const Values& labels) const override;
    Values GetCurvatures(const Values& scores) const override;

    double GetCurvatureBound() const override { return 0.25; }
};

} // namespace ns3::dlearn

#endif // DLEARN_LOGISTIC_TASK_H

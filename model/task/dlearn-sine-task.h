/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SINE_TASK_H
#define DLEARN_SINE_TASK_H

#include "dlearn-task.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A non-convex loss with a known minimum. For a sample with features xi and label y, and a model
 * theta of one parameter per feature,
 *
 *   l(theta, (xi, y)) = sum_j (theta_j - y)^2 + (3 + xi_j) sin^2 theta_j + 2 xi_j cos theta_j.
 *
 * With one feature and y = 0 it is the example of Chen, Wang and Zhang, "Differentially Private
 * Gradient-Tracking-Based Distributed Stochastic Optimization over Directed Graphs", Remark 4,
 * where xi ~ Lap(1/2), so that the mean loss is x^2 + 3 sin^2 x: not convex, but smooth with L = 8
 * and satisfying the condition of Polyak and Lojasiewicz with mu = 1/32 (Karimi, Nutini and Schmidt
 * 2016, section 2.2). The labels y are not in the paper: without them all samples agree on the
 * minimum, with them each sample shifts the parabola to a different place, and learners differ.
 *
 * Known minimum. The derivative of the mean loss over samples with mean label 0 and mean features m
 * is 2 theta_j + (3 + m_j) sin(2 theta_j) - 2 m_j sin(theta_j), which is 0 at theta = 0. From
 *
 *   F(theta) - F(0) = sum_j theta_j^2 + 3 sin^2 theta_j - m_j (1 - cos theta_j)^2
 *
 * it is the only minimiser while all m_j are at most 2.15, and F(0) = sum_j mean y^2 + 2 m_j.
 * MakeSineData() makes samples with mean label 0.
 *
 * The gradient grows with theta and has no bound: GetSensitivity() is infinite unless ClipNorm is
 * set. The task is not a ConvexTask, but knows its smoothness.
 */
class SineTask : public Task
{
  public:
    static TypeId GetTypeId();

    uint32_t GetDimension() const override { return GetTrain().GetFeatures(); }

    double GetLoss(ConstVectorRef theta, const WeightedSamples& samples) const override;
    void ClippedGradient(ConstVectorRef theta,
                         const WeightedSamples& samples,
                         double clipNorm,
                         VectorRef gradient) const override;

    /** @return sine, cosine and eight operations a parameter, each counted as one */
    double GetFlopsPerSample() const override { return 10.0 * GetDimension(); }

    /**
     * Lipschitz constant of one sample's gradient, over all theta and training samples. The
     * second derivative is 2 + 2 (3 + xi) cos(2 theta) - 2 xi cos(theta).
     *
     * @return L = max over samples and features of 2 + 2 |3 + xi| + 2 |xi|, plus the
     *         regularization; a bound, attained for xi = 0: 8
     */
    double GetSmoothness() const override;

  protected:
    void CheckData() const override;
};

} // namespace ns3::dlearn

#endif // DLEARN_SINE_TASK_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_QUADRATIC_HISTORY_H
#define DLEARN_QUADRATIC_HISTORY_H

#include "dlearn-gradient-history.h"
#include "dlearn-task.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The history of least squares at constant cost (Chen and Wang, section III-B, equations
 * (5)-(7)).
 *
 * The gradient is linear in theta, so the average over all batches needs only the averages of x x^T
 * and of x y: d_t(theta) = A_t theta - b_t, with A_t = 1/(t+1) sum_k (mean over batch k of x x^T +
 * r I), b_t likewise of x y, and r the regularization. These are the Hessian of the batch and minus
 * its gradient at 0, so the task itself computes them. The result is that of ReplayHistory, up to
 * rounding, for p^2 doubles of memory and p^2 multiplications (p features) however long the history
 * is.
 */
class QuadraticHistory : public GradientHistory
{
  public:
    /** @param task of a quadratic loss, gradients not clipped; must outlive this object */
    explicit QuadraticHistory(const ConvexTask& task);

    void Add(const SampleIndices& batch) override;
    void Gradient(ConstVectorRef theta, VectorRef gradient) const override;

    uint32_t GetBatches() const override { return m_batches; }

    /** @return p / 2 rounded up: as a gradient of one sample costs 4p operations, A theta 2p^2 */
    uint64_t GetCost() const override { return (m_task.GetDimension() + 1) / 2; }

    uint64_t GetLargestCost(uint64_t samples, uint64_t batch) const override;

  private:
    const ConvexTask& m_task;  //!< knows the data and the regularization
    Eigen::MatrixXd m_moments; //!< A_t times the number of batches
    ModelVector m_products;    //!< b_t times the number of batches
    uint32_t m_batches{0};     //!< batches in the sums
};

} // namespace ns3::dlearn

#endif // DLEARN_QUADRATIC_HISTORY_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-quadratic-history.h"

#include "ns3/dlearn-check.h"

namespace ns3::dlearn
{

QuadraticHistory::QuadraticHistory(const ConvexTask& task)
    : m_task(task),
      m_moments(Eigen::MatrixXd::Zero(task.GetDimension(), task.GetDimension())),
      m_products(ModelVector::Zero(task.GetDimension()))
{
    Require(task.GetClipNorm() == 0,
            "QuadraticHistory: ClipNorm must be 0, got ",
            task.GetClipNorm(),
            ": clipped gradients are not linear in theta");
}

void
QuadraticHistory::Add(const SampleIndices& batch)
{
    const ModelVector zero = ModelVector::Zero(m_products.size());
    ModelVector gradient(m_products.size());
    m_task.BatchGradient(zero, batch, gradient);
    m_moments += m_task.GetHessian(zero, EqualWeights(batch));
    m_products -= gradient;
    ++m_batches;
}

void
QuadraticHistory::Gradient(ConstVectorRef theta, VectorRef gradient) const
{
    Require(m_batches > 0, "QuadraticHistory: Gradient needs at least one batch, got none");
    m_task.CheckModel(theta);
    m_task.CheckSize("gradient", gradient);
    gradient = -m_products;
    gradient.noalias() += m_moments * theta;
    gradient /= m_batches;
}

uint64_t
QuadraticHistory::GetLargestCost(uint64_t /* samples */, uint64_t /* batch */) const
{
    return GetCost();
}

} // namespace ns3::dlearn

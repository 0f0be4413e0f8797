/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-layer.h"

namespace ns3::dlearn
{

template <typename Scalar>
NetworkLayer<Scalar>::NetworkLayer(const LayerPlan& plan)
    : m_plan(plan)
{
}

template <typename Scalar>
const LayerPlan&
NetworkLayer<Scalar>::GetPlan() const
{
    return m_plan;
}

template <typename Scalar>
bool
NetworkLayer<Scalar>::IsInPlace() const
{
    return false;
}

template <typename Scalar>
void
NetworkLayer<Scalar>::GetGradient(RowMatrixRef<Scalar> /* input */,
                                  RowMatrixRef<Scalar> /* outputGradient */,
                                  GrowingMatrix<Scalar>& /* work */,
                                  ParametersOut /* gradient */) const
{
}

template <typename Scalar>
void
NetworkLayer<Scalar>::AddSquaredNorms(RowMatrixRef<Scalar> /* input */,
                                      RowMatrixRef<Scalar> /* outputGradient */,
                                      GrowingMatrix<Scalar>& /* work */,
                                      GrowingMatrix<Scalar>& /* own */,
                                      Eigen::Ref<Eigen::ArrayXd> /* squares */) const
{
}

template class NetworkLayer<float>;
template class NetworkLayer<double>;

} // namespace ns3::dlearn

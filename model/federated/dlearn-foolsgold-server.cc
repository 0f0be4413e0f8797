/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-foolsgold-server.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-type-id.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ns3::dlearn
{

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;

Eigen::VectorXd
GetFoolsGoldWeights(const RowMatrix<double>& histories)
{
    const Index count = histories.rows();
    const ArrayXd norms = histories.rowwise().norm();
    const ArrayXd inverse = (norms > 0).select(norms.inverse(), 0);
    MatrixXd cosines = inverse.matrix().asDiagonal() * (histories * histories.transpose()) *
                       inverse.matrix().asDiagonal();
    cosines.diagonal().setZero();
    const ArrayXd closest = cosines.rowwise().maxCoeff();
    for (Index i = 0; i < count; ++i)
    {
        for (Index j = 0; j < count; ++j)
        {
            cosines(i, j) *= closest(i) < closest(j) ? closest(i) / closest(j) : 1;
        }
    }
    const ArrayXd apart = (1 - cosines.rowwise().maxCoeff().array()).max(0).min(1);
    const double most = apart.maxCoeff();
    if (most == 0)
    {
        return ArrayXd::Zero(count);
    }
    return (apart / most).unaryExpr([](double a) {
        return a < 1 ? std::min(std::max(std::log(a / (1 - a)) + 0.5, 0.0), 1.0) : 1;
    });
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(FoolsGoldServer, FedAvgServer);

void
FoolsGoldServer::CheckAttributes() const
{
    FedAvgServer::CheckAttributes();
    Require(!m_noise,
            "FoolsGoldServer: Noise must not be set, as the weights depend on the updates, so that "
            "no account holds");
}

ModelVector
FoolsGoldServer::Move(const std::vector<ClientUpdate>& updates)
{
    RowMatrix<double> histories(updates.size(), m_model.size());
    for (size_t k = 0; k < updates.size(); ++k)
    {
        const auto values = updates[k].values.head(m_model.size());
        ModelVector& history = m_histories[updates[k].client];
        history = history.size() > 0 ? ModelVector(history + values) : ModelVector(values);
        histories.row(k) = history.transpose();
    }
    const Eigen::VectorXd weights = GetFoolsGoldWeights(histories);
    if (weights.maxCoeff() == 0)
    {
        ++m_tooFew;
        return m_model;
    }
    m_weights.clear();
    for (size_t k = 0; k < updates.size(); ++k)
    {
        m_weights[updates[k].client] = weights(k);
    }
    return FedAvgServer::Move(updates);
}

std::function<void()>
FoolsGoldServer::RememberLearned()
{
    return [this, restore = FedAvgServer::RememberLearned(), histories = m_histories] {
        restore();
        m_histories = histories;
    };
}

} // namespace ns3::dlearn

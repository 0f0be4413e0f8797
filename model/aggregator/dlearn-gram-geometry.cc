/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-gram-geometry.h"

#include "ns3/dlearn-check.h"

#include <utility>

namespace ns3::dlearn
{

GramGeometry::GramGeometry(Eigen::Index count, Measure measure)
    : m_count(count),
      m_measure(std::move(measure))
{
}

const Eigen::MatrixXd&
GramGeometry::GetProducts() const
{
    if (!m_products)
    {
        m_products = m_measure();
        RequireSize("GramGeometry", "products", m_products->rows(), m_count + 1);
        RequireSize("GramGeometry", "products", m_products->cols(), m_count + 1);
    }
    return *m_products;
}

Eigen::MatrixXd
GramGeometry::GetSquaredDistances() const
{
    const Eigen::VectorXd squares = GetProducts().diagonal().head(m_count);
    // The sum of squares first: it is the same on both sides of the diagonal.
    const auto sums = squares.replicate(1, m_count) + squares.transpose().replicate(m_count, 1);
    const auto inner = GetProducts().topLeftCorner(m_count, m_count);
    Eigen::MatrixXd distances = (sums - 2 * inner).cwiseMax(0.0);
    distances.diagonal().setZero();
    return distances;
}

Eigen::VectorXd
GramGeometry::GetNorms() const
{
    return GetDistancesFrom(Eigen::VectorXd::Zero(m_count));
}

Eigen::VectorXd
GramGeometry::GetDistancesFrom(const Eigen::VectorXd& weights) const
{
    const Eigen::MatrixXd& products = GetProducts();
    Eigen::VectorXd affine(m_count + 1);
    affine << weights, 1 - weights.sum();
    const Eigen::VectorXd inner = products * affine;
    const Eigen::ArrayXd squares =
        products.diagonal().array() - 2 * inner.array() + affine.dot(inner);
    return squares.head(m_count).max(0.0).sqrt().matrix();
}

double
GramGeometry::GetSquaredLength(const Eigen::VectorXd& weights) const
{
    Eigen::VectorXd all(m_count + 1);
    all << weights, -weights.sum();
    return std::max(all.dot(GetProducts() * all), 0.0);
}

GramGeometry
GramGeometry::Mix(const Eigen::MatrixXd& mixing) const
{
    RequireSize("GramGeometry", "mixing columns", mixing.cols(), m_count);
    return GramGeometry(mixing.rows(), [this, mixing] {
        const Eigen::Index rows = mixing.rows();
        Eigen::MatrixXd affine = Eigen::MatrixXd::Zero(rows + 1, m_count + 1);
        affine.topLeftCorner(rows, m_count) = mixing;
        affine.topRightCorner(rows, 1) = 1 - mixing.rowwise().sum().array();
        affine(rows, m_count) = 1; // the origin stays
        const Eigen::MatrixXd products = affine * GetProducts() * affine.transpose();
        return Eigen::MatrixXd((products + products.transpose()) / 2);
    });
}

} // namespace ns3::dlearn

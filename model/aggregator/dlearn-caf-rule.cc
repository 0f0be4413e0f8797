/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-caf-rule.h"

#include "dlearn-weight-rules.h"

#include <Eigen/Eigenvalues>
#include <limits>
#include <vector>

namespace ns3::dlearn
{

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace
{

/** The direction of largest variance of weighted points. */
struct Spread
{
    double variance; //!< in that direction
    ArrayXd offsets; //!< of each point from the weighted mean, in that direction
};

/**
 * Largest eigenpair of sum_i p_i (x_i - mu)(x_i - mu)^T, which shares its eigenvalues with the
 * matrix of sqrt(p_i p_j) <x_i - mu, x_j - mu>.
 *
 * @param products of the points
 * @param shares p: weights that sum to 1, all greater than 0
 * @return the direction, by what it does to the points
 */
Spread
FindSpread(const MatrixXd& products, const VectorXd& shares)
{
    MatrixXd centred = products;
    const VectorXd columnMeans = centred.transpose() * shares;
    centred.rowwise() -= columnMeans.transpose();
    const VectorXd rowMeans = centred * shares;
    centred.colwise() -= rowMeans;
    const VectorXd roots = shares.cwiseSqrt();
    const MatrixXd scaled = roots.asDiagonal() * centred * roots.asDiagonal();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(scaled);
    const Index top = scaled.rows() - 1; // eigenvalues ascend
    const double variance = std::max(solver.eigenvalues()(top), 0.0);
    if (variance == 0)
    {
        return {0, ArrayXd::Zero(shares.size())};
    }
    const VectorXd combination = roots.cwiseProduct(solver.eigenvectors().col(top));
    return {variance, (centred * combination).array() / std::sqrt(variance)};
}

/** @return the positions of weights greater than 0 */
std::vector<Index>
FindActive(const VectorXd& weights)
{
    std::vector<Index> active;
    for (Index i = 0; i < weights.size(); ++i)
    {
        if (weights(i) > 0)
        {
            active.push_back(i);
        }
    }
    return active;
}

} // namespace

CafOutcome
FilterByCovariance(const GramGeometry& points, uint32_t f)
{
    constexpr double NEGLIGIBLE = 1e-12;
    const Index count = points.GetCount();
    RequireMinority("Caf", f, count);
    CafOutcome best{GetAverageWeights(points), 0, std::numeric_limits<double>::infinity()};
    VectorXd weights = VectorXd::Ones(count);
    while (weights.sum() > count - 2.0 * f)
    {
        const std::vector<Index> active = FindActive(weights);
        const VectorXd shares = weights(active) / weights.sum();
        const Spread spread = FindSpread(points.GetProducts()(active, active), shares);
        if (spread.variance <= best.largestVariance)
        {
            best.largestVariance = spread.variance;
            best.weights.setZero();
            best.weights(active) = shares;
        }
        const ArrayXd squares = spread.offsets.square();
        const double largest = squares.maxCoeff();
        if (largest == 0)
        {
            break;
        }
        const ArrayXd reduced = weights(active).array() * (1 - squares / largest);
        weights(active) = (reduced < NEGLIGIBLE).select(0, reduced).matrix();
        ++best.steps;
    }
    return best;
}

} // namespace ns3::dlearn

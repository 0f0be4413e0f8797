/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-weight-rules.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace ns3::dlearn
{

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace
{

/**
 * How the sum of distances pulls at one of the points, by Vardi and Zhang.
 *
 * @param points the points
 * @param distances from the point to all
 * @param at weights that make the point
 * @param near distances up to these count as 0
 * @param target result: weights of the mean of the other points, weighted by 1 / distance
 * @return how much of the way to the target to go; 0 at the optimum, 1 away from all points
 */
double
GetPull(const GramGeometry& points,
        const VectorXd& distances,
        const VectorXd& at,
        const VectorXd& near,
        VectorXd& target)
{
    const auto away = distances.array() > near.array();
    target = away.select(distances.array().inverse(), 0).matrix();
    const double sum = target.sum();
    const double coincident = distances.size() - away.count();
    if (sum == 0)
    {
        target = at;
        return 0;
    }
    target /= sum;
    if (coincident == 0)
    {
        return 1;
    }
    const double force = sum * std::sqrt(points.GetSquaredLength(target - at));
    return force > coincident ? 1 - coincident / force : 0;
}

/** @return the median, which no minority of far points moves far */
double
GetMedian(VectorXd values)
{
    const auto middle = values.begin() + values.size() / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace

void
RequireMinority(const char* rule, uint32_t f, Index count)
{
    Require(2 * static_cast<Index>(f) < count,
            rule,
            ": 2f < n is required, got f=",
            f,
            ", n=",
            count);
}

VectorXd
GetAverageWeights(const GramGeometry& points)
{
    return VectorXd::Constant(points.GetCount(), 1.0 / points.GetCount());
}

VectorXd
GetMultiKrumWeights(const GramGeometry& points, uint32_t f, uint32_t selected, uint32_t margin)
{
    const Index count = points.GetCount();
    RequireMinority("Krum", f, count);
    Require(selected >= 1, "Krum: at least 1 vector must be selected, got ", selected);
    Require(margin >= 1, "Krum: Margin must be at least 1, got ", margin);
    const Index most = count - 1;
    const Index neighbours = std::min(std::max<Index>(count - f - margin, 1), most);
    const MatrixXd distances = points.GetSquaredDistances();
    VectorXd scores(count);
    std::vector<double> others;
    for (Index i = 0; i < count; ++i)
    {
        others.clear();
        for (Index j = 0; j < count; ++j)
        {
            if (j != i)
            {
                others.push_back(distances(i, j));
            }
        }
        std::sort(others.begin(), others.end());
        scores(i) = std::accumulate(others.begin(), others.begin() + neighbours, 0.0);
    }
    std::vector<Index> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
        return scores(a) < scores(b);
    });
    const Index kept = std::min<Index>(selected, count);
    VectorXd weights = VectorXd::Zero(count);
    for (Index k = 0; k < kept; ++k)
    {
        weights(order[k]) = 1.0 / kept;
    }
    return weights;
}

VectorXd
GetGeometricMedianWeights(const GramGeometry& points,
                          uint32_t f,
                          double tolerance,
                          uint32_t iterations)
{
    const Index count = points.GetCount();
    RequireMinority("GeometricMedian", f, count);
    RequirePositive("GeometricMedian", "Tolerance", tolerance);
    Require(iterations >= 1, "GeometricMedian: Iterations must be at least 1, got ", iterations);
    const MatrixXd distances = points.GetSquaredDistances().cwiseSqrt();
    const VectorXd lengths = points.GetProducts().diagonal().head(count).cwiseSqrt();
    VectorXd target;
    for (Index i = 0; i < count; ++i)
    {
        // Copies of the point are as near to it as rounding leaves them.
        const VectorXd near = 1e-7 * lengths.cwiseMax(lengths(i));
        const VectorXd at = VectorXd::Unit(count, i);
        if (GetPull(points, distances.col(i), at, near, target) == 0)
        {
            return at;
        }
    }
    VectorXd weights = GetAverageWeights(points);
    for (uint32_t step = 0; step < iterations; ++step)
    {
        const VectorXd from = points.GetDistancesFrom(weights);
        const double scale = GetMedian(from);
        const VectorXd near = VectorXd::Constant(count, 1e-15 * scale);
        const double pull = GetPull(points, from, weights, near, target);
        const VectorXd change = pull * (target - weights);
        weights += change;
        if (std::sqrt(points.GetSquaredLength(change)) <= tolerance * scale)
        {
            break;
        }
    }
    return weights;
}

VectorXd
GetSmoothedWeiszfeldWeights(const GramGeometry& points, uint32_t f, double nu, uint32_t steps)
{
    RequireMinority("SmoothedWeiszfeld", f, points.GetCount());
    RequirePositive("SmoothedWeiszfeld", "Nu", nu);
    Require(steps >= 1, "SmoothedWeiszfeld: T must be at least 1, got ", steps);
    VectorXd weights = VectorXd::Zero(points.GetCount());
    for (uint32_t step = 0; step < steps; ++step)
    {
        weights = points.GetDistancesFrom(weights).cwiseMax(nu).cwiseInverse();
        weights /= weights.sum();
    }
    return weights;
}

VectorXd
GetCenteredClippingWeights(const GramGeometry& points, uint32_t f, double tau, uint32_t steps)
{
    const Index count = points.GetCount();
    RequireMinority("CenteredClipping", f, count);
    RequirePositive("CenteredClipping", "Tau", tau);
    Require(steps >= 1, "CenteredClipping: L must be at least 1, got ", steps);
    VectorXd weights = VectorXd::Zero(count);
    for (uint32_t step = 0; step < steps; ++step)
    {
        const VectorXd distances = points.GetDistancesFrom(weights);
        // tau / max(d, tau) is min(1, tau / d), also for d = 0.
        const VectorXd factors = tau * distances.cwiseMax(tau).cwiseInverse() / count;
        weights = weights * (1 - factors.sum()) + factors;
    }
    return weights;
}

} // namespace ns3::dlearn

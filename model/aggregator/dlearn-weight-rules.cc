/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-weight-rules.h"

#include "ns3/dlearn-check.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

namespace ns3::dlearn
{

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace
{

/**
 * @return share of the way to the target to go, by Vardi and Zhang; 0 at the optimum, 1 away from
 *         all points
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

double
GetMedian(VectorXd values)
{
    const auto middle = values.begin() + values.size() / 2;
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

using Subset = std::vector<Index>; //!< ascending positions

class BestSubset
{
  public:
    /** @return whether a value would be the best, apart from rounding */
    bool Beats(double value) const { return m_subset.empty() || value < m_value - 1e-12 * m_value; }

    void Offer(const Subset& subset, double value)
    {
        if (Beats(value))
        {
            m_subset = subset;
            m_value = value;
        }
    }

    /** @return weights of the mean of the best subset of n points */
    VectorXd GetWeights(Index count) const
    {
        VectorXd weights = VectorXd::Zero(count);
        for (const Index i : m_subset)
        {
            weights(i) = 1.0 / m_subset.size();
        }
        return weights;
    }

  private:
    Subset m_subset;   //!< the best; empty before the first
    double m_value{0}; //!< criterion of the best subset, to be minimised
};

void
RequireFewSubsets(const char* rule, uint32_t f, Index count)
{
    constexpr double MOST = 1e6;
    RequireMinority(rule, f, count);
    double subsets = 1;
    for (uint32_t k = 1; k <= f; ++k)
    {
        subsets *= static_cast<double>(count - f + k) / k;
    }
    Require(subsets <= MOST,
            "{}: tries all subsets, and {} vectors have {} subsets without f={} of them; at most "
            "{} are allowed",
            rule,
            count,
            subsets,
            f,
            MOST);
}

/** @return largest eigenvalue of the covariance of a subset */
double
GetLargestVariance(const MatrixXd& products, const Subset& subset)
{
    MatrixXd centred = products(subset, subset);
    centred.colwise() -= centred.rowwise().mean().eval();
    centred.rowwise() -= centred.colwise().mean().eval();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(centred, Eigen::EigenvaluesOnly);
    return std::max(solver.eigenvalues().maxCoeff(), 0.0) / subset.size();
}

/** @return whether there was another subset of 0..count-1 in lexicographic order */
bool
MoveToNext(Subset& subset, Index count)
{
    const auto size = static_cast<Index>(subset.size());
    Index k = size - 1;
    while (k >= 0 && subset[k] == count - size + k)
    {
        --k;
    }
    if (k < 0)
    {
        return false;
    }
    std::iota(subset.begin() + k, subset.end(), subset[k] + 1);
    return true;
}

/** The direction of largest variance of weighted points. */
struct Spread
{
    double variance; //!< in that direction
    ArrayXd offsets; //!< of each point from the weighted mean, in that direction
};

/**
 * Largest eigenpair of sum_i p_i (x_i - mu)(x_i - mu)^T, which shares its eigenvalues with the
 * matrix of sqrt(p_i p_j) <x_i - mu, x_j - mu>.
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

void
RequireMinority(const char* rule, uint32_t f, Index count)
{
    Require(2 * static_cast<Index>(f) < count,
            "{}: 2f < n is required, got f={}, n={}",
            rule,
            f,
            count);
}

VectorXd
GetAverageWeights(const GramGeometry& points)
{
    return VectorXd::Constant(points.GetCount(), 1.0 / points.GetCount());
}

double
GetMedianNorm(const GramGeometry& points)
{
    VectorXd norms = points.GetNorms();
    std::sort(norms.begin(), norms.end());
    const Index count = norms.size();
    return (norms((count - 1) / 2) + norms(count / 2)) / 2;
}

VectorXd
GetKrumScores(const MatrixXd& distances, uint32_t f, uint32_t margin)
{
    const Index count = distances.rows();
    const Index most = count - 1;
    const Index neighbours = std::min(std::max<Index>(count - f - margin, 1), most);
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
    return scores;
}

VectorXd
GetMultiKrumWeights(const GramGeometry& points, uint32_t f, uint32_t selected, uint32_t margin)
{
    const Index count = points.GetCount();
    RequireMinority("Krum", f, count);
    const VectorXd scores = GetKrumScores(points.GetSquaredDistances(), f, margin);
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

VectorXd
GetMdaWeights(const GramGeometry& points, uint32_t f)
{
    const Index count = points.GetCount();
    RequireFewSubsets("Mda", f, count);
    const MatrixXd distances = points.GetSquaredDistances();
    const size_t size = count - f;
    BestSubset best;
    Subset chosen; // beginning of a subset; in lexicographic order, without those that are too wide
    const std::function<void(Index, double)> extend = [&](Index next, double diameter) {
        if (chosen.size() == size)
        {
            best.Offer(chosen, diameter);
            return;
        }
        for (Index i = next; i <= count - static_cast<Index>(size - chosen.size()); ++i)
        {
            double wider = diameter;
            for (const Index j : chosen)
            {
                wider = std::max(wider, distances(i, j));
            }
            if (best.Beats(wider))
            {
                chosen.push_back(i);
                extend(i + 1, wider);
                chosen.pop_back();
            }
        }
    };
    extend(0, 0);
    return best.GetWeights(count);
}

VectorXd
GetSmeaWeights(const GramGeometry& points, uint32_t f)
{
    const Index count = points.GetCount();
    RequireFewSubsets("Smea", f, count);
    const MatrixXd& products = points.GetProducts();
    Subset subset(count - f);
    std::iota(subset.begin(), subset.end(), 0);
    BestSubset best;
    do
    {
        best.Offer(subset, GetLargestVariance(products, subset));
    } while (MoveToNext(subset, count));
    return best.GetWeights(count);
}

VectorXd
GetFlameWeights(const GramGeometry& points, uint32_t f)
{
    const Index count = points.GetCount();
    RequireMinority("Flame", f, count);
    const VectorXd norms = points.GetNorms();
    const MatrixXd& products = points.GetProducts();

    struct Pair
    {
        double distance; // of cosines
        Index one;
        Index other;
    };

    std::vector<Pair> pairs;
    for (Index i = 0; i < count; ++i)
    {
        for (Index j = 0; j < i; ++j)
        {
            const double inner =
                products(i, j) - products(i, count) - products(j, count) + products(count, count);
            const double lengths = norms(i) * norms(j);
            pairs.push_back({lengths > 0 ? 1 - inner / lengths : 1, i, j});
        }
    }
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
        return a.distance < b.distance;
    });
    Eigen::ArrayXi cluster = Eigen::ArrayXi::LinSpaced(count, 0, count - 1);
    int largest = 0; // number of the cluster with a majority, once there is one
    double reached = std::numeric_limits<double>::infinity();
    for (size_t k = 0; k < pairs.size() && pairs[k].distance <= reached; ++k)
    {
        const int joined = cluster(pairs[k].one);
        cluster = (cluster == cluster(pairs[k].other)).select(joined, cluster).eval();
        if (2 * (cluster == joined).count() > count)
        {
            largest = joined;
            reached = std::min(reached, pairs[k].distance + 1e-12); // but for rounding as close
        }
    }
    const double bound = GetMedianNorm(points);
    const auto members = cluster == largest;
    const auto factors = (norms.array() > bound).select(bound / norms.array(), 1);
    return members.select(factors / members.count(), 0).matrix();
}

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

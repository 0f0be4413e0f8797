/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-mixing-rules.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace ns3::dlearn
{

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace
{

/** @return a diagonal matrix that scales norms down to a threshold */
MatrixXd
ClipTo(const VectorXd& norms, double threshold)
{
    VectorXd factors = VectorXd::Ones(norms.size());
    for (Index i = 0; i < norms.size(); ++i)
    {
        if (norms(i) > threshold)
        {
            factors(i) = threshold / norms(i);
        }
    }
    return factors.asDiagonal();
}

} // namespace

MatrixXd
GetNnmMixing(const GramGeometry& points, uint32_t f)
{
    const Index count = points.GetCount();
    Require(f < count, "Nnm: f must be less than n, got f=", f, ", n=", count);
    const Index kept = count - f;
    const MatrixXd distances = points.GetSquaredDistances();
    MatrixXd mixing = MatrixXd::Zero(count, count);
    std::vector<Index> order(count);
    for (Index i = 0; i < count; ++i)
    {
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
            return distances(i, a) < distances(i, b);
        });
        for (Index k = 0; k < kept; ++k)
        {
            mixing(i, order[k]) = 1.0 / kept;
        }
    }
    return mixing;
}

MatrixXd
GetBucketingMixing(Index count, uint32_t size, const std::vector<uint32_t>& permutation)
{
    Require(size >= 1, "Bucketing: S must be at least 1, got ", size);
    std::vector<Index> order;
    std::vector<bool> seen(count, false);
    for (const uint32_t k : permutation)
    {
        if (k < count && !seen[k])
        {
            seen[k] = true;
            order.push_back(k);
        }
    }
    Require(static_cast<Index>(order.size()) == count,
            "Bucketing: the permutation must have all numbers from 0 to ",
            count - 1,
            ", but only ",
            order.size(),
            " of them are there");
    const Index buckets = (count + size - 1) / size;
    MatrixXd mixing = MatrixXd::Zero(buckets, count);
    for (Index k = 0; k < count; ++k)
    {
        const Index bucket = k / size;
        const Index members = std::min<Index>(size, count - bucket * size);
        mixing(bucket, order[k]) = 1.0 / members;
    }
    return mixing;
}

MatrixXd
GetClippingMixing(const GramGeometry& points, double threshold)
{
    RequirePositive("Clipping", "C", threshold);
    return ClipTo(points.GetNorms(), threshold);
}

MatrixXd
GetArcMixing(const GramGeometry& points, uint32_t f)
{
    const Index count = points.GetCount();
    Require(2 * static_cast<Index>(f) <= count,
            "Arc: 2f <= n is required, got f=",
            f,
            ", n=",
            count);
    const VectorXd norms = points.GetNorms();
    const auto clipped = static_cast<Index>((2.0 * f / count) * (count - f));
    VectorXd sorted = norms;
    std::sort(sorted.begin(), sorted.end());
    return ClipTo(norms, sorted(count - clipped - 1));
}

} // namespace ns3::dlearn

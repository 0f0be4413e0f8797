/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-pre-aggregator.h"

#include "dlearn-weight-rules.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

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
    const VectorXd factors = norms.unaryExpr(
        [threshold](double norm) { return norm > threshold ? threshold / norm : 1; });
    return factors.asDiagonal();
}

/**
 * @return the numbers
 * @throw std::invalid_argument when they are not those from 0 on, each once
 */
std::vector<uint32_t>
ParsePermutation(const std::string& text)
{
    const auto numbers = ParseWholeNumbers(text, '-');
    bool good = numbers.has_value();
    const std::vector<uint32_t> order = good ? *numbers : std::vector<uint32_t>();
    std::vector<bool> seen(order.size(), false);
    for (const uint32_t k : order)
    {
        good = good && k < order.size() && !seen[k];
        seen[good ? k : 0] = true;
    }
    Require(
        good,
        "Bucketing: Permutation must be the numbers from 0 on, each once, such as 2-0-1, got '{}'",
        text);
    return order;
}

} // namespace

MatrixXd
GetNnmMixing(const GramGeometry& points, uint32_t f)
{
    const Index count = points.GetCount();
    Require(f < count, "Nnm: f must be less than n, got f={}, n={}", f, count);
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
            "Bucketing: the permutation must have all numbers from 0 to {}, but only {} of them "
            "are there",
            count - 1,
            order.size());
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
GetMedianClippingMixing(const GramGeometry& points, uint32_t /* f */)
{
    return ClipTo(points.GetNorms(), GetMedianNorm(points));
}

MatrixXd
SelectByKrum(const GramGeometry& points, uint32_t f)
{
    const Index count = points.GetCount();
    RequireMinority("Bulyan", f, count);
    const MatrixXd distances = points.GetSquaredDistances();
    std::vector<Index> left(count);
    std::iota(left.begin(), left.end(), 0);
    MatrixXd mixing = MatrixXd::Zero(count - 2 * Index{f}, count);
    for (Index k = 0; k < mixing.rows(); ++k)
    {
        const VectorXd scores = GetKrumScores(distances(left, left), f, 2);
        Index best = 0;
        scores.minCoeff(&best); // of equal scores the first
        mixing(k, left[best]) = 1;
        left.erase(left.begin() + best);
    }
    return mixing;
}

MatrixXd
GetArcMixing(const GramGeometry& points, uint32_t f)
{
    const Index count = points.GetCount();
    Require(2 * static_cast<Index>(f) <= count,
            "Arc: 2f <= n is required, got f={}, n={}",
            f,
            count);
    const VectorXd norms = points.GetNorms();
    const auto clipped = static_cast<Index>((2.0 * f / count) * (count - f));
    VectorXd sorted = norms;
    std::sort(sorted.begin(), sorted.end());
    return ClipTo(norms, sorted(count - clipped - 1));
}

DLEARN_TYPE_WITHOUT_ATTRIBUTES(PreAggregator, Object);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(NnmPreAggregator, PreAggregator);
NS_OBJECT_ENSURE_REGISTERED(BucketingPreAggregator);
NS_OBJECT_ENSURE_REGISTERED(ClippingPreAggregator);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(MedianClippingPreAggregator, PreAggregator);
DLEARN_TYPE_WITHOUT_ATTRIBUTES(ArcPreAggregator, PreAggregator);

TypeId
BucketingPreAggregator::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<BucketingPreAggregator, PreAggregator>("ns3::dlearn::BucketingPreAggregator")
            .AddAttribute("S",
                          "Vectors in a bucket.",
                          UintegerValue(2),
                          MakeUintegerAccessor(&BucketingPreAggregator::m_size),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("Permutation",
                          "Order in which vectors fill the buckets, such as 2-0-1; empty for a "
                          "new random order each time. With fewer usable vectors, larger "
                          "numbers are skipped.",
                          StringValue(""),
                          MakeStringAccessor(&BucketingPreAggregator::m_permutation),
                          MakeStringChecker());
    return tid;
}

std::vector<uint32_t>
BucketingPreAggregator::GetOrder(uint32_t count)
{
    if (!m_permutation.empty())
    {
        return ParsePermutation(m_permutation);
    }
    std::vector<uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    ShuffleFirst(order, std::max(count, 1U) - 1, *m_random);
    return order;
}

PreAggregationRule
BucketingPreAggregator::GetRule()
{
    return [this](const GramGeometry& points, uint32_t /* f */) {
        return GetBucketingMixing(points.GetCount(), m_size, GetOrder(points.GetCount()));
    };
}

TypeId
ClippingPreAggregator::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<ClippingPreAggregator, PreAggregator>("ns3::dlearn::ClippingPreAggregator")
            .AddAttribute("C",
                          "Norm to which longer vectors are scaled.",
                          DoubleValue(2),
                          MakeDoubleAccessor(&ClippingPreAggregator::m_threshold),
                          MakeDoubleChecker<double>(0.0));
    return tid;
}

PreAggregationRule
ClippingPreAggregator::GetRule()
{
    return [threshold = m_threshold](const GramGeometry& points, uint32_t /* f */) {
        return GetClippingMixing(points, threshold);
    };
}

} // namespace ns3::dlearn

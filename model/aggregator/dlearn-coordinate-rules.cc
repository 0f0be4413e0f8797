/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-coordinate-rules.h"

#include "dlearn-weight-rules.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-wide-vectors.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

std::vector<Comparator>
MakeFullNetwork(uint32_t count)
{
    std::vector<Comparator> network;
    for (uint64_t p = 1; p < count; p *= 2)
    {
        for (uint64_t k = p; k >= 1; k /= 2)
        {
            for (uint64_t j = k % p; j + k < count; j += 2 * k)
            {
                for (uint64_t i = j; i < std::min<uint64_t>(j + k, count - k); ++i)
                {
                    if (i / (2 * p) == (i + k) / (2 * p))
                    {
                        network.push_back({static_cast<uint32_t>(i), static_cast<uint32_t>(i + k)});
                    }
                }
            }
        }
    }
    return network;
}

template <typename Scalar>
using Tile = CoordinateRule::Tile<Scalar>;
template <typename Scalar>
using Line = CoordinateRule::Line<Scalar>;

template <typename Scalar>
Line<Scalar>
GetMedian(const Tile<Scalar>& sorted)
{
    const Eigen::Index upper = sorted.rows() / 2;
    if (sorted.rows() % 2 == 1)
    {
        return sorted.row(upper);
    }
    return (sorted.row(upper - 1) + sorted.row(upper)) / Scalar(2);
}

/** @return the sum of all but the f first and the f last rows */
template <typename Scalar>
Line<Scalar>
SumMiddle(const Tile<Scalar>& sorted, uint32_t f)
{
    Line<Scalar> sum = Line<Scalar>::Zero();
    for (Eigen::Index i = f; i < sorted.rows() - f; ++i)
    {
        sum += sorted.row(i);
    }
    return sum;
}

/**
 * The nearest m of n sorted numbers follow each other, so that each k < m has one of those k, k +
 * m, k + 2m, ... places from the smallest: the one nearest to the median. Where that is the only
 * one of them, it is in the middle.
 *
 * @param dropped n - m
 */
template <typename Scalar>
void
ReduceMeamed(const Tile<Scalar>& sorted, uint32_t dropped, Line<Scalar>& result)
{
    const Line<Scalar> median = GetMedian(sorted);
    const Eigen::Index kept = sorted.rows() - dropped;
    Line<Scalar> sum = SumMiddle(sorted, dropped);
    for (Eigen::Index k = 0; k < std::min<Eigen::Index>(dropped, kept); ++k)
    {
        Line<Scalar> nearest = sorted.row(k);
        for (Eigen::Index i = k + kept; i < sorted.rows(); i += kept)
        {
            const auto high = sorted.row(i);
            nearest = (median - nearest <= high - median).select(nearest, high).eval();
        }
        sum += nearest;
    }
    result = sum / static_cast<Scalar>(kept);
}

template <typename Scalar>
void
ReduceTrimmedMean(const Tile<Scalar>& sorted, uint32_t f, Line<Scalar>& result)
{
    result = SumMiddle(sorted, f) / static_cast<Scalar>(sorted.rows() - 2 * Eigen::Index{f});
}

/** Sort all columns; called with CallWide(). */
template <typename Scalar>
[[gnu::always_inline]] inline void
Sort(const Comparator* network, size_t comparators, Scalar* tile)
{
    constexpr Eigen::Index WIDTH = CoordinateRule::WIDTH;
    for (size_t step = 0; step < comparators; ++step)
    {
        Scalar* __restrict low = tile + network[step].low * WIDTH;
        Scalar* __restrict high = tile + network[step].high * WIDTH;
        for (Eigen::Index k = 0; k < WIDTH; ++k)
        {
            const Scalar a = low[k];
            const Scalar b = high[k];
            low[k] = b < a ? b : a;
            high[k] = a < b ? b : a;
        }
    }
}

} // namespace

std::vector<Comparator>
MakeSortingNetwork(uint32_t count, uint32_t first, uint32_t last)
{
    const std::vector<Comparator> full = MakeFullNetwork(count);
    std::vector<bool> wanted(count, false);
    std::fill(wanted.begin() + first, wanted.begin() + last + 1, true);
    std::vector<Comparator> needed;
    for (auto comparator = full.rbegin(); comparator != full.rend(); ++comparator)
    {
        if (wanted[comparator->low] || wanted[comparator->high])
        {
            wanted[comparator->low] = true;
            wanted[comparator->high] = true;
            needed.push_back(*comparator);
        }
    }
    std::reverse(needed.begin(), needed.end());
    return needed;
}

CoordinateRule::Range
CoordinateMedian::GetWanted(uint32_t count, uint32_t f) const
{
    RequireMinority("Median", f, count);
    return {(count - 1) / 2, count / 2};
}

void
CoordinateMedian::Reduce(const Tile<float>& sorted, uint32_t /* f */, Line<float>& result) const
{
    result = GetMedian(sorted);
}

void
CoordinateMedian::Reduce(const Tile<double>& sorted, uint32_t /* f */, Line<double>& result) const
{
    result = GetMedian(sorted);
}

CoordinateRule::Range
CoordinateTrimmedMean::GetWanted(uint32_t count, uint32_t f) const
{
    RequireMinority("TrimmedMean", f, count);
    return {f, count - f - 1};
}

void
CoordinateTrimmedMean::Reduce(const Tile<float>& sorted, uint32_t f, Line<float>& result) const
{
    ReduceTrimmedMean(sorted, f, result);
}

void
CoordinateTrimmedMean::Reduce(const Tile<double>& sorted, uint32_t f, Line<double>& result) const
{
    ReduceTrimmedMean(sorted, f, result);
}

CoordinateRule::Range
CoordinateMeamed::GetWanted(uint32_t count, uint32_t f) const
{
    RequireMinority("Meamed", f, count);
    return {0, count - 1};
}

void
CoordinateMeamed::Reduce(const Tile<float>& sorted, uint32_t f, Line<float>& result) const
{
    ReduceMeamed(sorted, m_factor * f, result);
}

void
CoordinateMeamed::Reduce(const Tile<double>& sorted, uint32_t f, Line<double>& result) const
{
    ReduceMeamed(sorted, m_factor * f, result);
}

template <typename Scalar>
ColumnVector<Scalar>
ReduceCoordinates(RowMatrixRef<Scalar> rows,
                  const std::vector<Eigen::Index>& indices,
                  const Eigen::MatrixXd& mixing,
                  uint32_t f,
                  const CoordinateRule& rule)
{
    constexpr Eigen::Index WIDTH = CoordinateRule::WIDTH;
    const bool mixed = mixing.size() > 0;
    const auto given = static_cast<Eigen::Index>(indices.size());
    const Eigen::Index count = mixed ? mixing.rows() : given;
    const CoordinateRule::Range wanted = rule.GetWanted(count, f);
    Require(wanted.first <= wanted.last && wanted.last < count,
            "aggregation: GetWanted() must be rows from 0 to {}, got {} to {}",
            count - 1,
            wanted.first,
            wanted.last);
    const auto network = MakeSortingNetwork(count, wanted.first, wanted.last);
    const RowMatrix<Scalar> weights = mixing.cast<Scalar>();
    ColumnVector<Scalar> result(rows.cols());
    Tile<Scalar> gathered = Tile<Scalar>::Zero(given, WIDTH);
    Tile<Scalar> points(count, WIDTH);
    Line<Scalar> line;
    for (Eigen::Index begin = 0; begin < rows.cols(); begin += WIDTH)
    {
        const Eigen::Index width = std::min(WIDTH, rows.cols() - begin);
        Tile<Scalar>& target = mixed ? gathered : points;
        for (Eigen::Index i = 0; i < given; ++i)
        {
            const auto part = rows.row(indices[i]).segment(begin, width);
            target.row(i).head(width) = part.array();
            // The next tile's, which come from memory while this one is sorted.
            Prefetch(part.data() + WIDTH, WIDTH);
        }
        if (mixed)
        {
            points.matrix().noalias() = weights * gathered.matrix();
        }
        CallWide<Sort<Scalar>>(network.data(), network.size(), points.data());
        rule.Reduce(points, f, line);
        result.segment(begin, width) = line.head(width).transpose().matrix();
    }
    return result;
}

template ColumnVector<float> ReduceCoordinates<float>(RowMatrixRef<float>,
                                                      const std::vector<Eigen::Index>&,
                                                      const Eigen::MatrixXd&,
                                                      uint32_t,
                                                      const CoordinateRule&);
template ColumnVector<double> ReduceCoordinates<double>(RowMatrixRef<double>,
                                                        const std::vector<Eigen::Index>&,
                                                        const Eigen::MatrixXd&,
                                                        uint32_t,
                                                        const CoordinateRule&);

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-coordinate-rules.h"

#include "dlearn-sorting-network.h"
#include "dlearn-weight-rules.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

template <typename Scalar>
using Tile = CoordinateRule::Tile<Scalar>;
template <typename Scalar>
using Line = CoordinateRule::Line<Scalar>;

/** @return the median of each column */
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
 * The nearest n - f of sorted numbers are consecutive, so they are the n - 2f in the middle,
 * and for each k < f either the k-th smallest or its counterpart n - f places above: that one
 * which is nearer to the median. Nothing far away is ever added.
 */
template <typename Scalar>
void
ReduceMeamed(const Tile<Scalar>& sorted, uint32_t f, Line<Scalar>& result)
{
    const Line<Scalar> median = GetMedian(sorted);
    const Eigen::Index kept = sorted.rows() - f;
    Line<Scalar> sum = SumMiddle(sorted, f);
    for (Eigen::Index k = 0; k < f; ++k)
    {
        const auto low = sorted.row(k);
        const auto high = sorted.row(k + kept);
        sum += (median - low <= high - median).select(low, high);
    }
    result = sum / static_cast<Scalar>(kept);
}

template <typename Scalar>
void
ReduceTrimmedMean(const Tile<Scalar>& sorted, uint32_t f, Line<Scalar>& result)
{
    result = SumMiddle(sorted, f) / static_cast<Scalar>(sorted.rows() - 2 * Eigen::Index{f});
}

/** Sort all columns. */
template <typename Scalar>
void
Sort(const std::vector<Comparator>& network, Tile<Scalar>& tile)
{
    using Fixed = Eigen::Map<Line<Scalar>, Eigen::AlignedMax>;
    for (const Comparator& comparator : network)
    {
        Fixed low(tile.data() + comparator.low * CoordinateRule::WIDTH);
        Fixed high(tile.data() + comparator.high * CoordinateRule::WIDTH);
        const Line<Scalar> smaller = low.min(high);
        high = low.max(high);
        low = smaller;
    }
}

} // namespace

CoordinateRule::~CoordinateRule() = default;

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
    ReduceMeamed(sorted, f, result);
}

void
CoordinateMeamed::Reduce(const Tile<double>& sorted, uint32_t f, Line<double>& result) const
{
    ReduceMeamed(sorted, f, result);
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
            target.row(i).head(width) = rows.row(indices[i]).segment(begin, width).array();
        }
        if (mixed)
        {
            points.matrix().noalias() = weights * gathered.matrix();
        }
        Sort(network, points);
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

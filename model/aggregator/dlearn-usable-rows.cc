/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-usable-rows.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

// Coordinates at a time: their sums stay in the cache, and the pieces of rows are so long that the
// processor fetches ahead.
constexpr Eigen::Index SCANNED_BLOCK = 4096;

/** @return whether all numbers are finite and not too large */
template <typename Scalar, typename Row>
bool
IsUsable(const Row& row)
{
    for (Eigen::Index begin = 0; begin < row.size(); begin += SCANNED_BLOCK)
    {
        const auto part = row.segment(begin, std::min(SCANNED_BLOCK, row.size() - begin));
        // The sum of squares is quick, and enough for all but very large numbers.
        if (!(part.squaredNorm() < 1e30) &&
            !(part.allFinite() && part.cwiseAbs().maxCoeff() <= GetLargestUsable<Scalar>()))
        {
            return false;
        }
    }
    return true;
}

} // namespace

template <typename Scalar>
UsableRows
FindUsableRows(RowMatrixRef<Scalar> rows)
{
    UsableRows result;
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
    {
        if (IsUsable<Scalar>(rows.row(i)))
        {
            result.indices.push_back(i);
        }
        else
        {
            result.excluded.push_back(static_cast<uint32_t>(i));
        }
    }
    return result;
}

std::optional<uint32_t>
GetRemainingFaults(uint32_t f, const UsableRows& rows)
{
    if (rows.indices.size() < 2 * size_t{f} + 1)
    {
        return std::nullopt;
    }
    const auto excluded = static_cast<uint32_t>(rows.excluded.size());
    return f > excluded ? f - excluded : 0;
}

template <typename Scalar>
ColumnVector<Scalar>
GetWeightedSum(RowMatrixRef<Scalar> rows,
               const std::vector<Eigen::Index>& indices,
               const Eigen::VectorXd& weights)
{
    ColumnVector<Scalar> sum = ColumnVector<Scalar>::Zero(rows.cols());
    for (Eigen::Index begin = 0; begin < rows.cols(); begin += SCANNED_BLOCK)
    {
        const Eigen::Index width = std::min(SCANNED_BLOCK, rows.cols() - begin);
        auto part = sum.segment(begin, width);
        for (size_t k = 0; k < indices.size(); ++k)
        {
            const auto weight = static_cast<Scalar>(weights(k));
            if (weight != 0)
            {
                part += weight * rows.row(indices[k]).segment(begin, width).transpose();
            }
        }
    }
    return sum;
}

template UsableRows FindUsableRows<float>(RowMatrixRef<float>);
template UsableRows FindUsableRows<double>(RowMatrixRef<double>);
template ColumnVector<float> GetWeightedSum<float>(RowMatrixRef<float>,
                                                   const std::vector<Eigen::Index>&,
                                                   const Eigen::VectorXd&);
template ColumnVector<double> GetWeightedSum<double>(RowMatrixRef<double>,
                                                     const std::vector<Eigen::Index>&,
                                                     const Eigen::VectorXd&);

} // namespace ns3::dlearn

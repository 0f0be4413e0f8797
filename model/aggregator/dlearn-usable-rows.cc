/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-usable-rows.h"

#include <algorithm>
#include <type_traits>

namespace ns3
{
namespace dlearn
{

namespace
{

constexpr Eigen::Index BLOCK = 1024; // coordinates whose squares are summed in Scalar

/** @return sum of squares, without overflow of float; not finite when an entry is not */
template <typename Scalar, typename Row>
double
GetSquaredNorm(const Row& row)
{
    double sum = 0;
    for (Eigen::Index begin = 0; begin < row.size(); begin += BLOCK)
    {
        const auto part = row.segment(begin, std::min(BLOCK, row.size() - begin));
        const double square = part.squaredNorm();
        const bool safe = square < 1e30; // not for NaN either
        sum += safe ? square : part.template cast<double>().squaredNorm();
    }
    return sum;
}

} // namespace

template <typename Scalar>
UsableRows
FindUsableRows(RowMatrixRef<Scalar> rows)
{
    constexpr double LARGEST = std::is_same_v<Scalar, float> ? 1e74 : 1e300;
    UsableRows result;
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
    {
        const double square = GetSquaredNorm<Scalar>(rows.row(i));
        if (square <= LARGEST)
        {
            result.indices.push_back(i);
            result.squaredNorms.push_back(square);
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
    for (Eigen::Index begin = 0; begin < rows.cols(); begin += BLOCK)
    {
        const Eigen::Index width = std::min(BLOCK, rows.cols() - begin);
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

} // namespace dlearn
} // namespace ns3

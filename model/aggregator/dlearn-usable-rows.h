/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_USABLE_ROWS_H
#define DLEARN_USABLE_ROWS_H

#include "ns3/dlearn-types.h"

#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

namespace ns3::dlearn
{

/** Which rows of a matrix can be aggregated. */
struct UsableRows
{
    std::vector<Eigen::Index> indices; //!< of the usable rows, ascending
    std::vector<uint32_t> excluded;    //!< of the others, ascending
};

/** @return 1e37 for float, 1e150 for double: sums or squares of larger numbers may overflow */
template <typename Scalar>
constexpr double
GetLargestUsable()
{
    return std::is_same_v<Scalar, float> ? 1e37 : 1e150;
}

/**
 * Find the rows that have no NaN, no infinity and no number above GetLargestUsable().
 *
 * @param rows n x d
 * @return which are usable
 */
template <typename Scalar>
UsableRows FindUsableRows(RowMatrixRef<Scalar> rows);

/**
 * How many Byzantine rows are left among the usable ones: each excluded row was one.
 *
 * @param f Byzantine rows among all
 * @param rows which are usable
 * @return f less the excluded ones, at least 0; nothing when fewer than 2f + 1 are usable,
 *         and no rule can promise anything
 */
std::optional<uint32_t> GetRemainingFaults(uint32_t f, const UsableRows& rows);

/**
 * sum_i weights_i rows_i over some rows, in one pass; rows of weight 0 are not read.
 *
 * @param rows n x d
 * @param indices which rows
 * @param weights as many weights
 * @return d numbers
 */
template <typename Scalar>
ColumnVector<Scalar> GetWeightedSum(RowMatrixRef<Scalar> rows,
                                    const std::vector<Eigen::Index>& indices,
                                    const Eigen::VectorXd& weights);

} // namespace ns3::dlearn

#endif // DLEARN_USABLE_ROWS_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROBUST_AGGREGATION_H
#define DLEARN_ROBUST_AGGREGATION_H

#include "dlearn-coordinate-rules.h"
#include "dlearn-gram-geometry.h"

#include "ns3/dlearn-types.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace ns3::dlearn
{

/** Points and f in; m x n weights of the points that take their place (see mixing rules). */
using PreAggregationRule = std::function<Eigen::MatrixXd(const GramGeometry&, uint32_t)>;

/** Points and f in; n weights of the sum that aggregates them (see weight rules). */
using WeightRule = std::function<Eigen::VectorXd(const GramGeometry&, uint32_t)>;

/** The mean; as a separate rule it does not need the inner products. */
struct MeanRule
{
};

/** A rule of any kind. */
using AggregationRule = std::variant<MeanRule, WeightRule, std::shared_ptr<const CoordinateRule>>;

/** Result of an aggregation. */
template <typename Scalar>
struct AggregationResult
{
    ColumnVector<Scalar> vector;    //!< the aggregate; empty when the round is to be skipped
    uint32_t used{0};               //!< rows that were usable
    std::vector<uint32_t> excluded; //!< rows that were not: see FindUsableRows()
    Eigen::VectorXd weights;        //!< of the n rows in the sum; empty for coordinate-wise rules

    /** @return whether there is an aggregate */
    bool IsUsable() const { return vector.size() > 0; }
};

/**
 * Aggregate the rows of a matrix: pre-aggregations one after the other, then a rule.
 *
 * A row that is not finite (such as a row of NaN for a missing message) is excluded, and counts as
 * one of the f Byzantine rows: f decreases for the others. There is no aggregate with fewer than 2f
 * + 1 usable rows, or if pre-aggregations leave fewer than 2f + 1 vectors, except for the mean.
 *
 * Rules that need inner products share one product of the rows with themselves, n^2 d
 * multiplications, however many rules there are; the result is a weighted sum of the rows.
 * Coordinate-wise rules go over blocks of coordinates. Besides the result, only memory for some
 * thousand coordinates of each row is needed.
 *
 * @param rows n x d
 * @param f how many rows may be Byzantine
 * @param mixing pre-aggregations in order
 * @param rule the last step
 * @return the aggregate
 * @throw std::invalid_argument when there is no row or column, when 2f >= n, or from a rule
 */
template <typename Scalar>
AggregationResult<Scalar> AggregateRows(RowMatrixRef<Scalar> rows,
                                        uint32_t f,
                                        const std::vector<PreAggregationRule>& mixing,
                                        const AggregationRule& rule);

} // namespace ns3::dlearn

#endif // DLEARN_ROBUST_AGGREGATION_H

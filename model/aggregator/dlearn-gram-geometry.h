/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRAM_GEOMETRY_H
#define DLEARN_GRAM_GEOMETRY_H

#include "ns3/dlearn-types.h"

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <optional>
#include <type_traits>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * n points of a space of any dimension, known by their inner products only.
 *
 * Most robust aggregation rules depend on the vectors through distances alone, and return a
 * weighted sum of them. Given the n x n inner products, a rule costs the same for any dimension.
 * The products are those of the points relative to some centre near most of them, so that the
 * distance of two points close together is not the small difference of two large numbers; the
 * choice of the centre does not affect the result.
 *
 * One additional point is known: the origin. With it every rule is affine: a point scaled by s is s
 * times the point plus 1 - s times the origin.
 *
 * The products are computed when they are first needed.
 */
class GramGeometry
{
  public:
    /** Gives (n+1) x (n+1) inner products relative to some centre; the origin comes last. */
    using Measure = std::function<Eigen::MatrixXd()>;

    /** The function @p measure is called at most once, @p count is n. */
    GramGeometry(Eigen::Index count, Measure measure);

    /** @return n, without the origin */
    Eigen::Index GetCount() const { return m_count; }

    /** @return (n+1) x (n+1) symmetric inner products; the origin comes last */
    const Eigen::MatrixXd& GetProducts() const;

    /** @return n x n squared distances; exactly 0 on the diagonal and nowhere negative */
    Eigen::MatrixXd GetSquaredDistances() const;

    /** @return n distances from the origin */
    Eigen::VectorXd GetNorms() const { return GetDistancesFrom(Eigen::VectorXd::Zero(m_count)); }

    /** @return n distances from the sum of points with n weights; the origin has the rest to 1 */
    Eigen::VectorXd GetDistancesFrom(const Eigen::VectorXd& weights) const;

    /** @return squared length of a sum of points with n weights; the origin has the rest to 0 */
    double GetSquaredLength(const Eigen::VectorXd& weights) const;

    /**
     * @param mixing m x n: weights of each new point; the origin has the rest to 1
     * @return m new points; valid as long as this object
     */
    GramGeometry Mix(const Eigen::MatrixXd& mixing) const;

  private:
    Eigen::Index m_count;                              //!< n
    Measure m_measure;                                 //!< gives the products
    mutable std::optional<Eigen::MatrixXd> m_products; //!< once measured
};

/** The rows of a matrix that can be aggregated. */
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

/** @return the rows without NaN, infinity and numbers above GetLargestUsable() */
template <typename Scalar>
UsableRows FindUsableRows(RowMatrixRef<Scalar> rows);

/**
 * @param f number of Byzantine rows, excluded ones among them
 * @param rows the usable rows
 * @return Byzantine rows that can be usable, at least 0; nothing when fewer than 2f + 1 rows are
 */
std::optional<uint32_t> GetRemainingFaults(uint32_t f, const UsableRows& rows);

/**
 * @param rows n x d
 * @param indices some rows
 * @param weights as many weights
 * @return sum_i weights_i rows_i, d numbers; rows of weight 0 are not read
 */
template <typename Scalar>
ColumnVector<Scalar> GetWeightedSum(RowMatrixRef<Scalar> rows,
                                    const std::vector<Eigen::Index>& indices,
                                    const Eigen::VectorXd& weights);

/** Inner products of the usable rows of a matrix. */
struct GramMatrix
{
    UsableRows usable;        //!< the m rows that are
    Eigen::MatrixXd products; //!< (m+1) x (m+1), for GramGeometry; empty without usable rows
};

/**
 * Inner products of rows relative to a centre close to most of them, for GramGeometry.
 *
 * One symmetric product of n^2 d multiplications, in blocks of coordinates that stay in the
 * cache; sums over blocks are in double. OpenBLAS multiplies where the build found it, else
 * Eigen; on one thread, so that results do not depend on the number of processors.
 *
 * The centre is one of the rows. The first choice is a row of median norm, which no Byzantine
 * minority can push farther out than some honest row. When the products then show that most rows
 * are much closer to each other than to it, they are computed again from the row that has the
 * smallest median distance to the others: half of all rows are that close to it, so at least one
 * honest row is. Thus an outlier at 1e30 does not reduce the accuracy of honest rows.
 *
 * Rows that are not finite affect only their own products, and are excluded; very long or very
 * short rows are scaled by a power of two, so that products of floats do not overflow. Both are
 * detected during the computation.
 *
 * @param rows n x d
 * @return the usable rows, as of FindUsableRows(), and their products
 */
template <typename Scalar>
GramMatrix MeasureRowProducts(RowMatrixRef<Scalar> rows);

} // namespace ns3::dlearn

#endif // DLEARN_GRAM_GEOMETRY_H

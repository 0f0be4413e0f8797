/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRAM_GEOMETRY_H
#define DLEARN_GRAM_GEOMETRY_H

#include <Eigen/Core>
#include <functional>
#include <optional>

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
 * One additional point is known: the origin, or another point from which the caller measures norms
 * and iterations. With it every rule is affine: a point scaled by s is s times the point and 1 - s
 * times the origin.
 *
 * The products are computed when they are first needed: some rules do not need them.
 */
class GramGeometry
{
  public:
    /** Gives (n+1) x (n+1) inner products relative to some centre; the origin comes last. */
    using Measure = std::function<Eigen::MatrixXd()>;

    /**
     * @param count n
     * @param measure the products; called at most once
     */
    GramGeometry(Eigen::Index count, Measure measure);

    /** @return n, without the origin */
    Eigen::Index GetCount() const { return m_count; }

    /** @return (n+1) x (n+1) symmetric inner products; the origin comes last */
    const Eigen::MatrixXd& GetProducts() const;

    /** @return n x n squared distances; exactly 0 on the diagonal and nowhere negative */
    Eigen::MatrixXd GetSquaredDistances() const;

    /** @return n distances from the origin */
    Eigen::VectorXd GetNorms() const;

    /**
     * Distances of all points from one more point.
     *
     * @param weights n weights that make the point; the origin has the rest to 1
     * @return n distances
     */
    Eigen::VectorXd GetDistancesFrom(const Eigen::VectorXd& weights) const;

    /**
     * Squared length of a difference of points.
     *
     * @param weights n weights; the origin has the rest to 0
     * @return squared length of the weighted sum
     */
    double GetSquaredLength(const Eigen::VectorXd& weights) const;

    /**
     * New points made of these.
     *
     * @param mixing m x n: weights of each new point; the origin has the rest to 1
     * @return the m new points; valid as long as this object
     */
    GramGeometry Mix(const Eigen::MatrixXd& mixing) const;

  private:
    Eigen::Index m_count;                              //!< n
    Measure m_measure;                                 //!< gives the products
    mutable std::optional<Eigen::MatrixXd> m_products; //!< once measured
};

} // namespace ns3::dlearn

#endif // DLEARN_GRAM_GEOMETRY_H

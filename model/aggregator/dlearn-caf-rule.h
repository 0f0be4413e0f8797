/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CAF_RULE_H
#define DLEARN_CAF_RULE_H

#include "dlearn-gram-geometry.h"

#include <cstdint>

namespace ns3::dlearn
{

/** What CAF found. */
struct CafOutcome
{
    Eigen::VectorXd weights;   //!< n weights; they sum to 1
    uint32_t steps{0};         //!< how often weights were reduced
    double largestVariance{0}; //!< largest eigenvalue of the covariance that the weights have
};

/**
 * Covariance-bound agnostic filter (CAF): from weights c_i = 1, as long as they sum to more than n
 * - 2f, find the direction of largest variance under the weights, and reduce each weight by the
 * distance of its point in that direction,
 *
 *   tau_i = <v, x_i - mu_c>^2,   c_i *= 1 - tau_i / max_j tau_j,
 *
 * and return the weighted mean mu_c of the step whose largest variance was the least.
 *
 * CafCor's Algorithm 2 (Allouah, Guerraoui, Stephan and others 2025, "Towards Trustworthy Federated
 * Learning with Untrusted Participants") takes the maximum over all points. That loop need not
 * terminate: a distant outlier continues to dominate the maximum after its weight is 0, and the
 * weights of the others stop moving; the steps grow as the square of its distance, and from about
 * 1e6 it never terminates in double precision. Here the maximum is over points of weight greater
 * than 0, which agrees whenever no removed point dominates. Each step then removes at least one
 * point, so there are fewer than n of them. Weights below 1e-12 count as 0.
 *
 * With f = 0 this is the mean, and the loop ends when all remaining points coincide. Eigenpairs are
 * exact, of the n x n matrix of inner products.
 *
 * @param points n points
 * @param f number of Byzantine points
 * @return the weights, and how they came about
 * @throw std::invalid_argument when 2f >= n
 */
CafOutcome FilterByCovariance(const GramGeometry& points, uint32_t f);

} // namespace ns3::dlearn

#endif // DLEARN_CAF_RULE_H

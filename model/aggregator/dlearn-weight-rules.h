/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WEIGHT_RULES_H
#define DLEARN_WEIGHT_RULES_H

/**
 * @file
 * Aggregation rules that need inner products only. Each takes n points, by their geometry,
 * and f, how many of them may be Byzantine, and returns n weights: what it aggregates to is
 * the weighted sum of the points. Weights sum to 1, except where points are pulled towards
 * the origin. All refuse 2f >= n with std::invalid_argument.
 */

#include "dlearn-gram-geometry.h"

#include <cstdint>

namespace ns3::dlearn
{

/**
 * Refuse 2f >= n.
 *
 * @param rule who refuses
 * @param f number of Byzantine points
 * @param count n
 * @throw std::invalid_argument naming both numbers
 */
void RequireMinority(const char* rule, uint32_t f, Eigen::Index count);

/** @return the mean of all points, whatever f is */
Eigen::VectorXd GetAverageWeights(const GramGeometry& points);

/**
 * Krum and Multi-Krum: the mean of the m points of lowest score. The score of a point is the
 * mean of its squared distances to its n - f - margin nearest other points; of equal scores,
 * the first wins.
 *
 * Blanchard, El Mhamdi, Guerraoui and Stainer 2017, "Machine Learning with Adversaries",
 * NeurIPS, section 3, has margin 2; ByzFL and others 1.
 *
 * @param points the points
 * @param f number of Byzantine points
 * @param selected m, 1 for Krum; all points when there are fewer
 * @param margin at least 1; a point always has one neighbour, if there is another point
 * @return the weights
 */
Eigen::VectorXd GetMultiKrumWeights(const GramGeometry& points,
                                    uint32_t f,
                                    uint32_t selected,
                                    uint32_t margin);

/**
 * The point z with the least sum of distances to all points, by the iteration of Weiszfeld
 * from the mean, z' = sum_i (x_i / d_i) / sum_i (1 / d_i), in the form of Vardi and Zhang
 * 2000, "The multivariate L1-median and associated data depth", PNAS 97(4), which does not
 * stop at a point that is no optimum. When a point is the optimum, it is returned exactly.
 *
 * @param points the points
 * @param f number of Byzantine points
 * @param tolerance ends when a step is at most so long, relative to the median distance
 * @param iterations ends after so many steps at the latest
 * @return the weights
 */
Eigen::VectorXd GetGeometricMedianWeights(const GramGeometry& points,
                                          uint32_t f,
                                          double tolerance,
                                          uint32_t iterations);

/**
 * A fixed number of steps of the smoothed Weiszfeld iteration from the origin:
 * z' = sum_i beta_i x_i / sum_i beta_i, beta_i = 1 / max(nu, ||x_i - z||).
 *
 * Pillutla, Kakade and Harchaoui 2022, "Robust Aggregation for Federated Learning", IEEE
 * Transactions on Signal Processing 70, Algorithm 2. With few steps this is far from the
 * geometric median.
 *
 * @param points the points
 * @param f number of Byzantine points
 * @param nu least distance, greater than 0
 * @param steps T, at least 1
 * @return the weights
 */
Eigen::VectorXd GetSmoothedWeiszfeldWeights(const GramGeometry& points,
                                            uint32_t f,
                                            double nu,
                                            uint32_t steps);

/**
 * Centred clipping: from the origin, v' = v + mean_i (x_i - v) min(1, tau / ||x_i - v||).
 *
 * Karimireddy, He and Jaggi 2021, "Learning from History for Byzantine Robust Optimization",
 * ICML, section 4.
 *
 * @param points the points
 * @param f number of Byzantine points
 * @param tau radius, greater than 0
 * @param steps L, at least 1
 * @return the weights
 */
Eigen::VectorXd GetCenteredClippingWeights(const GramGeometry& points,
                                           uint32_t f,
                                           double tau,
                                           uint32_t steps);

} // namespace ns3::dlearn

#endif // DLEARN_WEIGHT_RULES_H

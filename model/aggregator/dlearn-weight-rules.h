/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WEIGHT_RULES_H
#define DLEARN_WEIGHT_RULES_H

/**
 * @file
 * Aggregation rules that need inner products only. Each takes n points, by their geometry, and f,
 * the number of Byzantine points at most, and returns n weights: the aggregate is the weighted sum
 * of the points. Weights sum to 1, unless points are pulled towards the origin. All refuse 2f >= n
 * with std::invalid_argument.
 *
 * MDA and SMEA return the mean of the best of all subsets of n - f points. Subsets within a
 * relative 1e-12 of the best are equally good (copies of a point differ by rounding); the first of
 * these in lexicographic order counts. Time is exponential in f: they refuse more than 10^6
 * subsets.
 */

#include "dlearn-gram-geometry.h"

#include <cstdint>

namespace ns3::dlearn
{

/** Refuse 2f >= n, in the name of a rule. */
void RequireMinority(const char* rule, uint32_t f, Eigen::Index count);

/** @return median of the n norms; the mean of the two middle ones for even n */
double GetMedianNorm(const GramGeometry& points);

/** @return the mean of all points, whatever f is */
Eigen::VectorXd GetAverageWeights(const GramGeometry& points);

/**
 * @param distances n x n squared distances
 * @param f number of Byzantine points
 * @param margin at least 1
 * @return the sum of a point's squared distances to its n - f - margin nearest other points, at
 *         least one of them, if there is one
 */
Eigen::VectorXd GetKrumScores(const Eigen::MatrixXd& distances, uint32_t f, uint32_t margin);

/**
 * Krum and Multi-Krum: the mean of the m points of lowest score. The score of a point is the
 * mean of its squared distances to its n - f - margin nearest other points; of equal scores,
 * the first wins.
 *
 * Blanchard, El Mhamdi, Guerraoui and Stainer 2017, "Machine Learning with Adversaries",
 * NeurIPS, section 3, has margin 2; ByzFL and others 1.
 *
 * @param selected m, 1 for Krum; all points when there are fewer
 * @param margin at least 1; a point always has one neighbour, if there is another point
 */
Eigen::VectorXd GetMultiKrumWeights(const GramGeometry& points,
                                    uint32_t f,
                                    uint32_t selected,
                                    uint32_t margin);

/**
 * The point z with the least sum of distances to all points, by the iteration of Weiszfeld
 * from the mean, z' = sum_i (x_i / d_i) / sum_i (1 / d_i), in the form of Vardi and Zhang
 * 2000, "The multivariate L1-median and associated data depth", PNAS 97(4), which does not
 * stop at a point that is not an optimum. When a point is the optimum, it is returned exactly.
 *
 * @param tolerance length of a step, relative to the median distance, that ends the iteration
 * @param iterations largest number of steps
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
 * @param nu least distance, greater than 0
 * @param steps T, at least 1
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
 * @param tau radius, greater than 0
 * @param steps L, at least 1
 */
Eigen::VectorXd GetCenteredClippingWeights(const GramGeometry& points,
                                           uint32_t f,
                                           double tau,
                                           uint32_t steps);

/**
 * Minimum diameter averaging: the subset with the least largest distance.
 *
 * El Mhamdi, Guerraoui and Rouault 2018, "The Hidden Vulnerability of Distributed Learning in
 * Byzantium", ICML; Rousseeuw 1985.
 */
Eigen::VectorXd GetMdaWeights(const GramGeometry& points, uint32_t f);

/**
 * Smallest maximum eigenvalue averaging: the subset whose covariance has the least largest
 * eigenvalue, all eigenvalues exact.
 *
 * Allouah, Guerraoui, Gupta, Pinot and Stephan 2023, "On the Privacy-Robustness-Utility
 * Trilemma in Distributed Learning", ICML.
 */
Eigen::VectorXd GetSmeaWeights(const GramGeometry& points, uint32_t f);

/**
 * FLAME without its noise. Points are in a cluster at a cosine distance t, 1 - cos(x_i, x_j), if
 * steps of at most t between points join them (single linkage). At the least t where a cluster has
 * more than n / 2 points, the aggregate is the mean of its points, each clipped to the median norm
 * of all n. The cosine of a zero vector is 0.
 *
 * Nguyen et al. 2022, "FLAME: Taming Backdoors in Federated Learning", USENIX Security, Algorithm
 * 1. Its HDBSCAN with clusters of at least n / 2 + 1 points has one cluster at most, and with
 * min_samples of 1 and one cluster allowed finds this one. The paper takes the angles of models;
 * here they are those of the points that are aggregated, as a rule updates. f has no effect.
 */
Eigen::VectorXd GetFlameWeights(const GramGeometry& points, uint32_t f);

/** Result of CAF. */
struct CafOutcome
{
    Eigen::VectorXd weights;   //!< n weights; they sum to 1
    uint32_t steps{0};         //!< number of reductions of the weights
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
 * @return the weights and the course of the filter
 */
CafOutcome FilterByCovariance(const GramGeometry& points, uint32_t f);

} // namespace ns3::dlearn

#endif // DLEARN_WEIGHT_RULES_H

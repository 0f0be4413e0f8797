/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SUBSET_RULES_H
#define DLEARN_SUBSET_RULES_H

/**
 * @file
 * Aggregation rules that examine all subsets of n - f points, and return the weights of the mean of
 * the best one. Subsets within a relative 1e-12 of the best count as equally good (so that copies
 * of a point, which rounding tells apart, do not decide), and of these the first in lexicographic
 * order is taken.
 *
 * Time is exponential in f: more than 10^6 subsets are refused with std::invalid_argument, as
 * is 2f >= n.
 */

#include "dlearn-gram-geometry.h"

#include <cstdint>

namespace ns3::dlearn
{

/**
 * Minimum diameter averaging: the subset with the least largest distance.
 *
 * El Mhamdi, Guerraoui and Rouault 2018, "The Hidden Vulnerability of Distributed Learning in
 * Byzantium", ICML; Rousseeuw 1985.
 *
 * @param points n points
 * @param f number of Byzantine points
 * @return n weights
 */
Eigen::VectorXd GetMdaWeights(const GramGeometry& points, uint32_t f);

/**
 * Smallest maximum eigenvalue averaging: the subset whose covariance has the least largest
 * eigenvalue, all eigenvalues exact.
 *
 * Allouah, Guerraoui, Gupta, Pinot and Stephan 2023, "On the Privacy-Robustness-Utility
 * Trilemma in Distributed Learning", ICML.
 *
 * @param points n points
 * @param f number of Byzantine points
 * @return n weights
 */
Eigen::VectorXd GetSmeaWeights(const GramGeometry& points, uint32_t f);

} // namespace ns3::dlearn

#endif // DLEARN_SUBSET_RULES_H

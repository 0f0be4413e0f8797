/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MIXING_MATRIX_H
#define DLEARN_MIXING_MATRIX_H

#include "dlearn-graph.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @file
 * Weights for the edges of a graph, which replace the present weights.
 */

/** @return an undirected graph with w_ij = weight on every edge, finite and greater than 0 */
Graph ConstantWeights(const Graph& graph, double weight);

/**
 * @param graph undirected
 * @param counts n_i > 0 of each learner; empty: all 1
 * @return it with Metropolis-Hastings weights, w_ij = min(n_i / (1 + deg i), n_j / (1 + deg j)) /
 *         n_i, so that n_i w_ij = n_j w_ji: learner i counts n_i times in averages (Hastings,
 *         1970). Without counts that is 1 / (1 + max(deg i, deg j)) (Xiao, Boyd and Lall, 2006)
 */
Graph MetropolisWeights(const Graph& graph, const std::vector<double>& counts = {});

/**
 * @return an undirected graph with maximum-degree weights, w_ij = 1 / (1 + max_k deg k) (Xiao and
 *         Boyd, 2004)
 */
Graph MaxDegreeWeights(const Graph& graph);

/** @return weights by name: "metropolis", "max-degree" or a number (the constant weight) */
Graph WeightsByName(const Graph& graph, const std::string& scheme);

/**
 * @return a directed graph with R_ij = 1 / (in-degree of i), for states of gradient tracking: each
 *         learner gives the same weight to all learners from which it receives, 1 in sum
 */
Graph InDegreeWeights(const Graph& graph);

/**
 * @return a directed graph with C_ij = 1 / (out-degree of j), for trackers of gradient tracking:
 *         the learners that receive from j give it the same weight, 1 in sum
 */
Graph OutDegreeWeights(const Graph& graph);

/** @return the graph with all weights multiplied by a factor, finite and greater than 0 */
Graph ScaledWeights(const Graph& graph, double factor);

} // namespace ns3::dlearn

#endif // DLEARN_MIXING_MATRIX_H

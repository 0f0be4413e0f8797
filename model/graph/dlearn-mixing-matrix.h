/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MIXING_MATRIX_H
#define DLEARN_MIXING_MATRIX_H

#include "dlearn-graph.h"

namespace ns3::dlearn
{

/**
 * @file
 * Weights for the edges of a graph.
 */

/**
 * Every edge the same weight.
 * @param graph undirected graph; its weights are replaced
 * @param weight w_ij of every edge, finite and greater than 0
 * @return the weighted graph
 */
Graph ConstantWeights(const Graph& graph, double weight);

/**
 * Metropolis-Hastings weights, w_ij = 1 / (1 + max(deg i, deg j)) (Xiao, Boyd and Lall, 2006).
 * @param graph undirected graph; its weights are replaced
 * @return the weighted graph
 */
Graph MetropolisWeights(const Graph& graph);

/**
 * Maximum-degree weights, w_ij = 1 / (1 + max_k deg k) (Xiao and Boyd, 2004).
 * @param graph undirected graph; its weights are replaced
 * @return the weighted graph
 */
Graph MaxDegreeWeights(const Graph& graph);

/**
 * Weights by name: "metropolis", "max-degree" or a number (the constant weight).
 * @param graph undirected graph; its weights are replaced
 * @param scheme the name
 * @return the weighted graph
 */
Graph WeightsByName(const Graph& graph, const std::string& scheme);

/**
 * Each learner gives the same weight to all learners from which it receives, 1 in sum:
 * R_ij = 1 / (in-degree of i), as gradient tracking can use for states.
 * @param graph directed graph; its weights are replaced
 * @return the weighted graph
 */
Graph InDegreeWeights(const Graph& graph);

/**
 * Each learner is given the same weight by all learners that receive from it, 1 in sum:
 * C_ij = 1 / (out-degree of j), as gradient tracking can use for trackers.
 * @param graph directed graph; its weights are replaced
 * @return the weighted graph
 */
Graph OutDegreeWeights(const Graph& graph);

/**
 * @param graph directed graph
 * @param factor finite and greater than 0
 * @return the graph with all weights multiplied
 */
Graph ScaledWeights(const Graph& graph, double factor);

} // namespace ns3::dlearn

#endif // DLEARN_MIXING_MATRIX_H

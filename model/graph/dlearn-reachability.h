/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_REACHABILITY_H
#define DLEARN_REACHABILITY_H

#include "dlearn-graph.h"

namespace ns3::dlearn
{

/**
 * @file
 * Reachability along the flow of messages, j -> i when w_ij > 0.
 */

/**
 * @param graph a directed graph
 * @return the same with every message going the other way, so with the transposed weights
 */
Graph ReverseGraph(const Graph& graph);

/**
 * Find the groups of learners that nothing from outside reaches: the sources of the condensation,
 * that is of the graph of strongly connected components (Tarjan, "Depth-first search and linear
 * graph algorithms", 1972).
 *
 * @param graph a directed graph
 * @return at least one group, in increasing order of their first learners; within a group, all
 *         reach each other and stand in increasing order
 */
std::vector<std::vector<LearnerId>> FindSourceGroups(const Graph& graph);

/**
 * @param graph a directed graph
 * @return the learners that reach all others, in increasing order: the roots of its spanning
 *         trees; none when it has no spanning tree
 */
std::vector<LearnerId> FindRoots(const Graph& graph);

/**
 * @param graph a directed graph
 * @return whether every learner reaches every other
 */
bool IsStronglyConnected(const Graph& graph);

} // namespace ns3::dlearn

#endif // DLEARN_REACHABILITY_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DIRECTED_GENERATORS_H
#define DLEARN_DIRECTED_GENERATORS_H

#include "dlearn-graph-generators.h"

namespace ns3::dlearn
{

/**
 * @file
 * The usual directed graphs, with weight 1 on every edge. The complete one is MakeComplete().
 *
 * An edge j -> i is a message from j to i, so w_ij = 1. All throw std::invalid_argument for
 * arguments outside the stated range.
 */

/**
 * Each learner to the next, and the last to the first.
 * @param learners at least 1; one alone has no edge
 * @return the graph, strongly connected
 */
Graph MakeDirectedRing(uint32_t learners);

/**
 * Learner i to learners i + 1, i + 2, i + 4, ..., modulo their number: the static exponential
 * graph (Assran et al., "Stochastic gradient push for distributed deep learning", ICML 2019;
 * Ying et al., "Exponential graph is provably efficient for decentralized deep training",
 * NeurIPS 2021). Each has ceil(log2(learners)) in- and out-neighbours.
 * @param learners at least 1
 * @return the graph, strongly connected
 */
Graph MakeExponential(uint32_t learners);

/**
 * Every ordered pair with the same probability, independently, given that the graph is strongly
 * connected: drawn anew until it is, at most 1000 times.
 * @param learners at least 1
 * @param probability in (0, 1]
 * @param stream number of the random stream
 * @return the graph, strongly connected
 */
Graph MakeRandomDigraph(uint32_t learners, double probability, int64_t stream);

/**
 * A random recursive tree that grows from learner 0 - each further learner receives from one of
 * those before it, drawn uniformly - and random edges on top, a uniform draw without replacement
 * from all other ordered pairs.
 *
 * Learner 0 reaches all others. Whether it is the only one, and whether some learner is reached
 * by all others, depends on the random edges: for trackers RequireTrackingAssumption() may
 * well refuse this graph.
 *
 * @param learners at least 1
 * @param extra number of edges on top of the tree, at most (learners - 1)^2
 * @param stream number of the random stream
 * @return the graph
 */
Graph MakeTreePlusEdges(uint32_t learners, uint32_t extra, int64_t stream);

} // namespace ns3::dlearn

#endif // DLEARN_DIRECTED_GENERATORS_H

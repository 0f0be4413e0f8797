/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRAPH_GENERATORS_H
#define DLEARN_GRAPH_GENERATORS_H

#include "dlearn-graph-reader.h"

/**
 * @file
 * The usual graphs, undirected and directed, with weight 1 on every edge; and graphs by name.
 *
 * The numbers of learners, rows and columns are at least 1; @p stream is the number of the random
 * stream. All functions throw std::invalid_argument for arguments outside the stated range. Random
 * graphs are drawn until one is connected (a directed one strongly), at most 1000 times, so they
 * have the stated distribution given that the graph is connected.
 */

namespace ns3::dlearn
{

/** Edges between each learner and the next, the last and the first; 2 learners have one edge. */
Graph MakeRing(uint32_t learners);

/** Edges between each learner and the next. */
Graph MakePath(uint32_t learners);

/** Edges between learner 0 and each other learner. */
Graph MakeStar(uint32_t learners);

/** Edges between every two learners. */
Graph MakeComplete(uint32_t learners);

/** Two halves, each with edges between every two learners, the first with one more of an odd
 * number, and an edge between the last learner of the first and the first of the second half. */
Graph MakeDumbbell(uint32_t learners);

/** A grid without wrap-around: learner r * cols + c is in row r and column c. */
Graph MakeGrid(uint32_t rows, uint32_t cols);

/** The most square grid, with at least as many columns as rows: 12 is 3 x 4, a prime is a path. */
Graph MakeGrid(uint32_t learners);

/**
 * An edge between every two learners with the same probability, independently (Gilbert, Random
 * graphs, 1959; usually named after Erdos and Renyi).
 * @param probability in (0, 1]
 * @return the graph, connected
 */
Graph MakeErdosRenyi(uint32_t learners, double probability, int64_t stream);

/**
 * Edges between learners that are near each other.
 * @param positions x and y of each learner, all finite; kept in Graph::positions
 * @param radius length of the longest edge, in the unit of the positions, above 0
 * @return the graph, connected or not
 */
Graph GraphFromPositions(const std::vector<std::pair<double, double>>& positions, double radius);

/**
 * GraphFromPositions() of independent uniform positions in a square (Gilbert, Random plane
 * networks, 1961).
 * @param radius length of the longest edge, in metres, above 0
 * @param side side of the square [0, side] x [0, side], in metres, above 0
 * @return the graph, connected, with Graph::positions
 */
Graph MakeRandomGeometric(uint32_t learners, double radius, double side, int64_t stream);

/** Messages from each learner to the next, and from the last to the first. */
Graph MakeDirectedRing(uint32_t learners);

/**
 * Messages from learner i to learners i + 1, i + 2, i + 4, ..., modulo their number: the static
 * exponential graph (Assran et al., "Stochastic gradient push for distributed deep learning", ICML
 * 2019; Ying et al., "Exponential graph is provably efficient for decentralized deep training",
 * NeurIPS 2021). Each has ceil(log2(learners)) in- and out-neighbours.
 */
Graph MakeExponential(uint32_t learners);

/**
 * Messages between every ordered pair with the same probability, independently.
 * @param probability in (0, 1]
 * @return the graph, strongly connected
 */
Graph MakeRandomDigraph(uint32_t learners, double probability, int64_t stream);

/**
 * A random recursive tree from learner 0 - each further learner receives from one of those before
 * it, drawn uniformly - and random edges, drawn uniformly without replacement from all other
 * ordered pairs.
 *
 * Learner 0 reaches all others; other properties depend on the random edges.
 * RequireTrackingAssumption() may refuse this graph for trackers.
 *
 * @param extra number of random edges, at most (learners - 1)^2
 */
Graph MakeTreePlusEdges(uint32_t learners, uint32_t extra, int64_t stream);

/** @return the names of GraphByName(), with the names of their parameters */
std::string GetGraphNames();

/**
 * Make a graph by its name. It is undirected and connected, with weight 1 on every edge.
 *
 * Names: `ring`, `path`, `complete`, `star` (centre 0), `dumbbell` (two complete halves and an edge
 * between them), `grid` (the most square one), `er:P` (each edge with probability P in (0, 1]),
 * `rgg:R` (uniform positions in a square, joined up to R > 0 metres apart) and `graphml:FILE`.
 *
 * @param spec the name
 * @param learners number of learners; for a file the number of its nodes, or 0 for any number
 * @param stream number of the random stream of `er` and `rgg`
 * @param side side in metres of the square of `rgg`
 * @throw std::invalid_argument when the name is unknown, its parameter cannot be read or is
 *        out of range, the number of learners does not fit or the graph is not connected
 */
Graph GraphByName(const std::string& spec, uint32_t learners, int64_t stream, double side);

/** @return the names of DirectedGraphByName(), with the names of their parameters */
std::string GetDirectedGraphNames();

/**
 * Make a directed graph by its name.
 *
 * Names: `ring`, `exponential`, `complete`, `tree:EXTRA` (EXTRA random edges on top of a random
 * tree), `random:P` (each ordered pair with probability P in (0, 1], strongly connected),
 * `csv:FILE` (ReadEdgeList()), `graphml:FILE` (ReadDirectedGraphml()) and `radio`, which is listed
 * in messages and refused here: the caller makes it (RadioGraph()).
 *
 * Only files can have weights; for other graphs InDegreeWeights() and OutDegreeWeights() set
 * them. RequireTrackingAssumption() checks whether the graph is sufficiently connected.
 *
 * @param spec the name
 * @param learners number of learners; for a file the number of its nodes, or 0 for any number
 * @param stream number of the random stream of `tree` and `random`
 * @return the graph, and whether its weights were read from a file
 * @throw std::runtime_error when a file cannot be read
 * @throw std::invalid_argument when the name is unknown, its parameter cannot be read or is
 *        out of range, the number of learners does not fit or a file is wrong
 */
DirectedGraph DirectedGraphByName(const std::string& spec, uint32_t learners, int64_t stream);

} // namespace ns3::dlearn

#endif // DLEARN_GRAPH_GENERATORS_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRAPH_GENERATORS_H
#define DLEARN_GRAPH_GENERATORS_H

#include "dlearn-graph.h"

namespace ns3::dlearn
{

/**
 * @file
 * The usual graphs, undirected and with weight 1 on every edge.
 *
 * All throw std::invalid_argument for arguments outside the stated range. The random ones
 * draw whole graphs until one is connected, so they sample the stated law given that the
 * graph is connected; after 1000 disconnected ones they give up and throw
 * std::invalid_argument too.
 */

/**
 * Joins each learner and the next, and the last and the first.
 * @param learners at least 1; a ring of 2 has one edge, a ring of 1 none
 * @return the graph
 */
Graph MakeRing(uint32_t learners);

/**
 * Joins each learner and the next.
 * @param learners at least 1
 * @return the graph
 */
Graph MakePath(uint32_t learners);

/**
 * Joins learner 0 and each other learner.
 * @param learners at least 1
 * @return the graph
 */
Graph MakeStar(uint32_t learners);

/**
 * Joins every two learners.
 * @param learners at least 1
 * @return the graph
 */
Graph MakeComplete(uint32_t learners);

/**
 * A rectangular grid without wrap-around: learner r * cols + c is in row r and column c and is
 * joined to the next in its row and the next in its column.
 * @param rows at least 1
 * @param cols at least 1
 * @return the graph
 */
Graph MakeGrid(uint32_t rows, uint32_t cols);

/**
 * The most square rectangle that holds exactly so many learners, with at least as many
 * columns as rows: 12 is 3 x 4, and a prime number is a path.
 * @param learners at least 1
 * @return the graph
 */
Graph MakeGrid(uint32_t learners);

/**
 * Joins every two learners with the same probability, independently (Gilbert, Random graphs, 1959;
 * usually called after Erdos and Renyi).
 * @param learners at least 1
 * @param probability in (0, 1]
 * @param stream number of the random stream
 * @return the graph, connected
 */
Graph MakeErdosRenyi(uint32_t learners, double probability, int64_t stream);

/**
 * Joins every two learners that are near each other.
 * @param positions x and y of each learner, all finite; kept in Graph::positions
 * @param radius greatest distance that is joined, in the unit of the positions, above 0
 * @return the graph, connected or not
 */
Graph GraphFromPositions(const std::vector<std::pair<double, double>>& positions, double radius);

/**
 * Learners at independent uniform positions in a square, joined when near each other
 * (Gilbert, Random plane networks, 1961).
 * @param learners at least 1
 * @param radius greatest distance that is joined, in metres, above 0
 * @param side side of the square [0, side] x [0, side], in metres, above 0
 * @param stream number of the random stream
 * @return the graph, connected, with Graph::positions
 */
Graph MakeRandomGeometric(uint32_t learners, double radius, double side, int64_t stream);

} // namespace ns3::dlearn

#endif // DLEARN_GRAPH_GENERATORS_H

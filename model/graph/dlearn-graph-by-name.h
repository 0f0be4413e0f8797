/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRAPH_BY_NAME_H
#define DLEARN_GRAPH_BY_NAME_H

#include "dlearn-graph.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @return the names that GraphByName() knows, with what their parameters are called, for messages
 */
std::string GetGraphNames();

/**
 * @ingroup dlearn
 * Make a graph by its name. It is undirected and connected, with weight 1 on every edge.
 *
 * Names: `ring`, `path`, `complete`, `star` (centre 0), `grid` (the most square one),
 * `er:P` (each edge with probability P in (0, 1]), `rgg:R` (uniform positions in a square,
 * joined up to R > 0 metres apart) and `graphml:FILE`.
 *
 * @param spec the name
 * @param learners number of learners; for a graphml file the number of its nodes, or 0 for any
 * number
 * @param stream number of the random stream of `er` and `rgg`
 * @param side side in metres of the square of `rgg`
 * @return the graph
 * @throw std::invalid_argument when the name is unknown, its parameter cannot be read or is
 *        out of range, the number of learners does not fit or the graph is not connected
 */
Graph GraphByName(const std::string& spec, uint32_t learners, int64_t stream, double side);

} // namespace ns3::dlearn

#endif // DLEARN_GRAPH_BY_NAME_H

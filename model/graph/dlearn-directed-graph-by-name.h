/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DIRECTED_GRAPH_BY_NAME_H
#define DLEARN_DIRECTED_GRAPH_BY_NAME_H

#include "dlearn-edge-list-reader.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @return the names of directed graphs, with what their parameters are called, for messages
 */
std::string GetDirectedGraphNames();

/**
 * @ingroup dlearn
 * Make the directed graph that a user named.
 *
 * Names: `ring`, `exponential`, `complete`, `tree:EXTRA` (that many random edges on top of a
 * random tree), `random:P` (each ordered pair with probability P in (0, 1], strongly connected),
 * `csv:FILE` (ReadEdgeList()), `graphml:FILE` (ReadDirectedGraphml()) and `radio`. The last is
 * for the caller, who knows the radio network, to make (RadioGraph()); it is listed in messages
 * and refused here.
 *
 * Only files can have weights; for other graphs InDegreeWeights() and OutDegreeWeights() set
 * them. RequireTrackingAssumption() checks whether the graph is sufficiently connected.
 *
 * @param spec the name
 * @param learners number of learners; of a file the number of its nodes or, when the user does
 *        not care, 0
 * @param stream number of the random stream of `tree` and `random`
 * @return the graph, and whether its weights were read from a file
 * @throw std::runtime_error when a file cannot be read
 * @throw std::invalid_argument when the name is unknown, its parameter cannot be read or is
 *        out of range, the number of learners does not fit or a file is wrong
 */
DirectedGraph DirectedGraphByName(const std::string& spec, uint32_t learners, int64_t stream);

} // namespace ns3::dlearn

#endif // DLEARN_DIRECTED_GRAPH_BY_NAME_H

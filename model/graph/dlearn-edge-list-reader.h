/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EDGE_LIST_READER_H
#define DLEARN_EDGE_LIST_READER_H

#include "dlearn-graph.h"

namespace ns3::dlearn
{

/** A directed graph, and whether its weights mean something. */
struct DirectedGraph
{
    Graph graph;          //!< directed
    bool weighted{false}; //!< whether its weights are the user's; else all are 1
};

/**
 * @ingroup dlearn
 * Read a directed graph from a text file of edges, one per line: `sender,receiver` or
 * `sender,receiver,weight`, all lines alike.
 *
 * The weight is w_ij of receiver i and sender j, kept as it is. Spaces around fields are allowed,
 * a # begins a comment, empty lines do not count, and the first other line may be a header of
 * exactly those words.
 *
 * @param path the file
 * @param learners number of learners, of which some may have no edge; or 0 for as many as have
 *        one, which then must be numbered from 0 on without a gap
 * @return the graph, connected or not
 * @throw std::runtime_error naming the file when it cannot be read
 * @throw std::invalid_argument naming the file, line and column of what is not a learner or not a
 *        weight greater than 0, of an edge from a learner to itself or one that is there already,
 *        and of a line with more or fewer fields than the first; also for a file without edges and
 *        for one with gaps between its learners
 */
DirectedGraph ReadEdgeList(const std::string& path, uint32_t learners);

} // namespace ns3::dlearn

#endif // DLEARN_EDGE_LIST_READER_H

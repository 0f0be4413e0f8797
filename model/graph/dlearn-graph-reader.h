/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRAPH_READER_H
#define DLEARN_GRAPH_READER_H

#include "dlearn-graph.h"

#include <optional>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/** A directed graph, and whether its weights are the user's. */
struct DirectedGraph
{
    Graph graph;          //!< directed
    bool weighted{false}; //!< whether its weights are the user's; else all are 1
};

/**
 * Read a directed graph from a text file of edges, one per line: `sender,receiver` or
 * `sender,receiver,weight`, all lines alike.
 *
 * The weight is w_ij of receiver i and sender j, kept as it is. Spaces around fields are allowed,
 * a # begins a comment, empty lines do not count, and the first other line may be a header of
 * exactly those words.
 *
 * @param path the file
 * @param learners number of learners, with or without edges; or 0 for the learners with edges,
 * whose numbers must begin at 0 without a gap
 * @return the graph, connected or not
 * @throw std::runtime_error naming the file when it cannot be read
 * @throw std::invalid_argument naming the file, line and column of a field that is not a learner or
 *        not a weight greater than 0, of an edge from a learner to itself or a repeated edge, and
 * of a line with another number of fields than the first; also for a file without edges and for one
 * with gaps between its learners
 */
DirectedGraph ReadEdgeList(const std::string& path, uint32_t learners);

/** An edge of the file. */
struct GraphmlEdge
{
    LearnerId source;            //!< one end
    LearnerId target;            //!< the other end, never the same
    std::optional<double> speed; //!< edge attribute LinkSpeedRaw in bit/s, more than 0
};

/** The content of a GraphML file. */
struct GraphmlContent
{
    Graph graph;                      //!< connected or not
    bool weighted{false};             //!< whether its weights are those of the file; else all are 1
    std::vector<GraphmlEdge> edges{}; //!< in the order of the file, parallel ones too, no loops
    /** (Longitude, Latitude) in degrees of each node that has both. */
    std::vector<std::optional<std::pair<double, double>>> coordinates{};
};

/**
 * Read an undirected graph, with weight 1 on every edge, from a GraphML file, such as those of the
 * Internet Topology Zoo (Knight et al., IEEE JSAC 29(9), 2011).
 *
 * Learners are the nodes in the order of the file. Graph::names holds the node attribute `label`,
 * or the node's id where it has none. Graph::positions holds (`Longitude`, `Latitude`) in degrees,
 * but only if every node has both. The edge attribute `LinkSpeedRaw` is the speed of a link in
 * bit/s. All other attributes are ignored, whatever their type. The caller checks whether the graph
 * is connected (RequireConnected()).
 *
 * @param path the file
 * @return the content
 * @throw std::runtime_error when the file cannot be read
 * @throw std::invalid_argument with file name and line when it is not well-formed XML, or does not
 *        have exactly one graph; for no node, a nested graph, a hyperedge, a directed edge, an edge
 *        to an unknown node, a repeated node id, a coordinate that is not a number, a speed that is
 *        not a number greater than 0, and data that no key declares for its element
 */
GraphmlContent ReadGraphml(const std::string& path);

/**
 * Read a directed graph from a GraphML file.
 *
 * As ReadGraphml(), except that directed edges (`directed` of the edge, else `edgedefault` of the
 * graph) are messages from `source` to `target` and others go both ways; and that the edge
 * attribute `weight`, a number greater than 0, is kept as w_ij of the target i and the source j.
 * Edges from a node to itself are omitted, because they cancel in gradient tracking; a repeated
 * edge is merged with the first, if it has the same weight.
 *
 * @param path the file
 * @return the content
 * @throw std::runtime_error when the file cannot be read
 * @throw std::invalid_argument with file name and line as ReadGraphml(), and for a weight that is
 *        not a number greater than 0, for a repeated edge with another weight, and
 *        when some edges have a weight and others do not
 */
GraphmlContent ReadDirectedGraphml(const std::string& path);

} // namespace ns3::dlearn

#endif // DLEARN_GRAPH_READER_H

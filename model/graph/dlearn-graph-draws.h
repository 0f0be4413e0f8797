/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRAPH_DRAWS_H
#define DLEARN_GRAPH_DRAWS_H

#include "dlearn-graph.h"

#include "ns3/dlearn-check.h"

#include <sstream>
#include <stdexcept>

/**
 * @file
 * Functions that the random generators of undirected and of directed graphs share. Private to this
 * folder.
 */

namespace ns3::dlearn
{

/** How many edges generated graphs have at most: those of a complete graph of 4,472 learners. */
constexpr double MOST_EDGES = 1e7;

/**
 * Refuse a graph before it fills the memory.
 *
 * @param where the generator
 * @param learners number of learners
 * @param edges of the graph, or how many are expected
 */
inline void
RequireEdges(const char* where, uint32_t learners, double edges)
{
    Require(edges <= MOST_EDGES,
            where,
            ": a graph must have at most ",
            MOST_EDGES,
            " edges, ",
            learners,
            " learners would have ",
            edges);
}

/** How many graphs a random generator draws before it gives up. */
constexpr uint32_t GRAPH_DRAWS = 1000;

/**
 * Draw graphs until one is acceptable.
 *
 * @param draw draws one graph
 * @param accept whether a graph is acceptable
 * @param fault the property of other graphs, for the message
 * @param parts pieces that describe the generator and its parameters, for the message
 * @return the first acceptable graph
 * @throw std::invalid_argument after GRAPH_DRAWS other graphs
 */
template <typename Draw, typename Accept, typename... Parts>
Graph
DrawUntil(Draw draw, Accept accept, const char* fault, const Parts&... parts)
{
    for (uint32_t k = 0; k < GRAPH_DRAWS; ++k)
    {
        Graph graph = draw();
        if (accept(graph))
        {
            return graph;
        }
    }
    std::ostringstream message;
    (message << ... << parts);
    message << ": the graph stayed " << fault << " in " << GRAPH_DRAWS << " draws";
    throw std::invalid_argument(message.str());
}

} // namespace ns3::dlearn

#endif // DLEARN_GRAPH_DRAWS_H

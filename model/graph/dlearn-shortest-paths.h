/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SHORTEST_PATHS_H
#define DLEARN_SHORTEST_PATHS_H

#include <cstdint>
#include <vector>

namespace ns3::dlearn
{

/** A link between two nodes, usable both ways. */
struct CostedLink
{
    uint32_t a;   //!< one end
    uint32_t b;   //!< the other end
    int64_t cost; //!< at least 0, a whole number, so that sums are exact
};

/** Next nodes of the paths from every node to every target. */
struct ShortestPaths
{
    /** next[k][v]: the neighbour of node v on the path to target k, or the target itself. */
    std::vector<std::vector<uint32_t>> next;
    uint32_t mostLinks{0}; //!< links of the path with most links
};

/**
 * Find the cheapest paths (Dijkstra, "A note on two problems in connexion with graphs", 1959).
 *
 * Among paths of the same cost those with the fewest links count, among these the one whose next
 * node has the lowest number; so the result does not depend on the order of the links, and
 * following `next` always arrives, even over links of cost 0.
 *
 * @param nodes number of nodes
 * @param links between nodes; of parallel ones the cheapest counts
 * @param targets ends of the paths
 * @return the paths
 * @throw std::invalid_argument for a node from which a target cannot be reached
 */
ShortestPaths FindShortestPaths(uint32_t nodes,
                                const std::vector<CostedLink>& links,
                                const std::vector<uint32_t>& targets);

} // namespace ns3::dlearn

#endif // DLEARN_SHORTEST_PATHS_H

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
    int64_t cost; //!< of crossing it, at least 0; in whole numbers, so that sums are exact
};

/** Where to go next from every node, for every target. */
struct ShortestPaths
{
    /**
     * next[k][v]: the neighbour of node v on the path to target k; the target itself for v the
     * target.
     */
    std::vector<std::vector<uint32_t>> next;
    uint32_t mostLinks{0}; //!< links of the path with most links
};

/**
 * Find the cheapest paths (Dijkstra, "A note on two problems in connexion with graphs", 1959).
 *
 * Among paths of the same cost one with the fewest links is taken, among those the one whose next
 * node has the lowest number; so the result does not depend on the order of the links, and
 * following `next` always arrives, even over links that cost nothing.
 *
 * @param nodes number of nodes
 * @param links between them; of parallel ones the cheapest counts
 * @param targets where paths lead to
 * @return the paths
 * @throw std::invalid_argument for a link or target that does not exist, for a negative cost, and
 *        for a node from which a target cannot be reached
 */
ShortestPaths FindShortestPaths(uint32_t nodes,
                                const std::vector<CostedLink>& links,
                                const std::vector<uint32_t>& targets);

} // namespace ns3::dlearn

#endif // DLEARN_SHORTEST_PATHS_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RANK_PARTITION_H
#define DLEARN_RANK_PARTITION_H

#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Nodes of a network and the links between them, as far as it matters for their division among the
 * ranks of a simulation (Ranks).
 */
struct RankGraph
{
    /** A link. */
    struct Link
    {
        uint32_t a; //!< one end
        uint32_t b; //!< the other end
        Time delay; //!< of propagation; 0: both ends must be on the same rank
    };

    uint32_t learners{0}; //!< the first nodes, in the order of their numbers
    uint32_t nodes{0};    //!< all: after the learners come the routers
    /** Work of each learner: with how many others it exchanges vectors. */
    std::vector<uint32_t> work;
    std::vector<Link> links; //!< between them
    /** Links that are not cut unless a file says so, such as those from learners to routers. */
    std::vector<Link> access;
    /** Rank of each node, where a script has made the nodes on their ranks; else empty. */
    std::vector<uint32_t> given;
};

/**
 * @ingroup dlearn
 * Divide the nodes of a network among ranks, so that each has about as much work, few links are
 * cut, and those that are have long delays: ranks need not wait for each other for as long as the
 * shortest of these delays. Scotch (F. Pellegrini, "Scotch and PT-Scotch Graph Partitioning
 * Software") divides the graph.
 *
 * @param graph of the network
 * @param ranks how many there are, at least 1
 * @param together learners that must be on one rank; may be empty
 * @return the rank of each node; learner 0 is on rank 0
 * @throw std::invalid_argument when some rank would have no node, or dlearn was built without
 *        Scotch
 */
std::vector<uint32_t> DivideAmongRanks(const RankGraph& graph,
                                       uint32_t ranks,
                                       const std::set<LearnerId>& together);

/**
 * @ingroup dlearn
 * Read from a file which node is on which rank: CSV with the header `node,rank`, and one line for
 * each learner, by its number, and for each router, as `router K`.
 *
 * @param path of the file
 * @param graph of the network
 * @param ranks how many there are
 * @param together learners that must be on one rank; may be empty
 * @return the rank of each node
 * @throw std::invalid_argument naming file and line, and for a division that is not possible
 */
std::vector<uint32_t> ReadRanks(const std::string& path,
                                const RankGraph& graph,
                                uint32_t ranks,
                                const std::set<LearnerId>& together);

/**
 * @ingroup dlearn
 * Leave the nodes on the ranks where a script has made them (RankGraph::given).
 *
 * @param graph of the network
 * @param ranks how many there are
 * @param together learners that must be on one rank; may be empty
 * @return the rank of each node
 * @throw std::invalid_argument naming the node, for a division that is not possible
 */
std::vector<uint32_t> KeepRanks(const RankGraph& graph,
                                uint32_t ranks,
                                const std::set<LearnerId>& together);

/**
 * @ingroup dlearn
 * @param graph of the network
 * @param rankOf the rank of each node
 * @return the shortest delay of a link between two ranks; Time::Max() when there is none
 */
Time FindLookAhead(const RankGraph& graph, const std::vector<uint32_t>& rankOf);

} // namespace ns3::dlearn

#endif // DLEARN_RANK_PARTITION_H

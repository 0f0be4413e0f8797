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
 * Nodes and links of a network, for the partition of the nodes among the ranks of a simulation
 * (Ranks).
 */
struct RankGraph
{
    struct Link
    {
        uint32_t a; //!< one end
        uint32_t b; //!< the other end
        Time delay; //!< propagation delay; 0: both ends must be on the same rank
    };

    uint32_t learners{0}; //!< number of learners, which are the first nodes
    uint32_t nodes{0};    //!< number of all nodes: learners, then routers
    /** Work of each learner: the number of others with which it exchanges vectors. */
    std::vector<uint32_t> work;
    std::vector<Link> links;
    /** Links that only a file may cut, such as those from learners to routers. */
    std::vector<Link> access;
    /** Rank of each node if a script has created the nodes on their ranks, otherwise empty. */
    std::vector<uint32_t> given;
};

/**
 * @ingroup dlearn
 * Partition the nodes of a network among ranks with Scotch (F. Pellegrini, "Scotch and PT-Scotch
 * Graph Partitioning Software"): balanced work, few cut links, and long delays on these, because
 * the shortest of these delays is the look-ahead of the simulation.
 *
 * @param graph graph of the network
 * @param ranks number of ranks, at least 1
 * @param together learners that must be on one rank; may be empty
 * @return the rank of each node; learner 0 is on rank 0
 * @throw std::invalid_argument when a rank would have no node, or dlearn was built without Scotch
 */
std::vector<uint32_t> DivideAmongRanks(const RankGraph& graph,
                                       uint32_t ranks,
                                       const std::set<LearnerId>& together);

/**
 * @ingroup dlearn
 * Read the rank of each node from a CSV file with the header `node,rank` and a line for each node:
 * learners are `K`, routers `router K`.
 *
 * @param path path of the file
 * @param graph graph of the network
 * @param ranks number of ranks
 * @param together learners that must be on one rank; may be empty
 * @return the rank of each node
 * @throw std::invalid_argument naming file and line, and for a partition that is not possible
 */
std::vector<uint32_t> ReadRanks(const std::string& path,
                                const RankGraph& graph,
                                uint32_t ranks,
                                const std::set<LearnerId>& together);

/**
 * @ingroup dlearn
 * Leave the nodes on the ranks on which a script has created them (RankGraph::given).
 *
 * @param graph graph of the network
 * @param ranks number of ranks
 * @param together learners that must be on one rank; may be empty
 * @return the rank of each node
 * @throw std::invalid_argument naming the node, for a partition that is not possible
 */
std::vector<uint32_t> KeepRanks(const RankGraph& graph,
                                uint32_t ranks,
                                const std::set<LearnerId>& together);

/**
 * @ingroup dlearn
 * @param graph graph of the network
 * @param rankOf the rank of each node
 * @return the shortest delay of a link between two ranks; Time::Max() if no link is cut
 */
Time FindLookAhead(const RankGraph& graph, const std::vector<uint32_t>& rankOf);

} // namespace ns3::dlearn

#endif // DLEARN_RANK_PARTITION_H

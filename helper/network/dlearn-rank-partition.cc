/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-rank-partition.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <cstdio>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#ifdef DLEARN_WITH_SCOTCH
#include <scotch.h>
#endif

namespace ns3::dlearn
{

namespace
{

/** Groups of nodes that stay together, and the links between them. */
struct Groups
{
    std::vector<uint32_t> groupOf;                           //!< one per node
    std::vector<uint32_t> weights;                           //!< work of each group plus one
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> links; //!< weights, in both directions
};

std::string
NameNode(const RankGraph& graph, uint32_t node)
{
    return node < graph.learners ? "learner " + std::to_string(node)
                                 : "router " + std::to_string(node - graph.learners);
}

/** @return the longest delay of a link in time steps, at least 1 */
int64_t
FindLongestDelay(const RankGraph& graph)
{
    int64_t longest = 1;
    for (const RankGraph::Link& link : graph.links)
    {
        longest = std::max(longest, link.delay.GetTimeStep());
    }
    return longest;
}

/** @return the groups between which links can be cut */
Groups
FindGroups(const RankGraph& graph, const std::set<LearnerId>& together)
{
    constexpr int64_t HEAVIEST = 1000; // weight of a link with a short delay; the longest has 1
    boost::disjoint_sets_with_storage<> sets(graph.nodes);
    const auto join = [&sets](uint32_t a, uint32_t b) { sets.union_set(a, b); };
    for (const RankGraph::Link& link : graph.access)
    {
        join(link.a, link.b);
    }
    for (const RankGraph::Link& link : graph.links)
    {
        if (link.delay.IsZero())
        {
            join(link.a, link.b);
        }
    }
    for (const LearnerId learner : together)
    {
        join(learner, *together.begin());
    }
    Groups groups;
    std::map<size_t, uint32_t> numbers;
    for (uint32_t node = 0; node < graph.nodes; ++node)
    {
        const uint32_t group =
            numbers.try_emplace(sets.find_set(node), numbers.size()).first->second;
        groups.groupOf.push_back(group);
        groups.weights.resize(numbers.size(), 1);
        groups.weights[group] += node < graph.learners ? graph.work[node] : 0;
    }
    const int64_t longest = FindLongestDelay(graph);
    for (const RankGraph::Link& link : graph.links)
    {
        const uint32_t a = groups.groupOf[link.a];
        const uint32_t b = groups.groupOf[link.b];
        if (a != b)
        {
            const int64_t weight = std::min(HEAVIEST, longest / link.delay.GetTimeStep());
            groups.links[{a, b}] += weight;
            groups.links[{b, a}] += weight;
        }
    }
    return groups;
}

#ifdef DLEARN_WITH_SCOTCH

/**
 * Scotch bisects: with a group that is heavier than the share of a rank, such as that of a server,
 * it would leave ranks without nodes.
 *
 * @return the weights, limited to the share of a rank
 */
std::vector<uint32_t>
LimitToShare(std::vector<uint32_t> weights, uint32_t ranks)
{
    std::vector<uint32_t> sorted = weights;
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    uint64_t rest = std::accumulate(weights.begin(), weights.end(), uint64_t{0});
    uint32_t shares = ranks;
    for (const uint32_t weight : sorted)
    {
        if (shares == 1 || uint64_t{weight} * shares <= rest)
        {
            break;
        }
        rest -= weight; // alone on a rank
        --shares;
    }
    const auto share = static_cast<uint32_t>(std::max<uint64_t>(rest / shares, 1));
    for (uint32_t& weight : weights)
    {
        weight = std::min(weight, std::max(share, sorted[ranks - shares]));
    }
    return weights;
}

/** @return the part of each group, by Scotch, which is deterministic */
std::vector<uint32_t>
Divide(const Groups& groups, uint32_t ranks)
{
    const auto size = static_cast<SCOTCH_Num>(groups.weights.size());
    const std::vector<uint32_t> limited = LimitToShare(groups.weights, ranks);
    std::vector<SCOTCH_Num> weights(limited.begin(), limited.end());
    std::vector<SCOTCH_Num> begins(groups.weights.size() + 1, 0);
    std::vector<SCOTCH_Num> ends;
    std::vector<SCOTCH_Num> costs;
    for (const auto& [pair, cost] : groups.links) // sorted by the first end
    {
        ++begins[pair.first + 1];
        ends.push_back(static_cast<SCOTCH_Num>(pair.second));
        costs.push_back(static_cast<SCOTCH_Num>(cost));
    }
    for (size_t k = 1; k < begins.size(); ++k)
    {
        begins[k] += begins[k - 1];
    }
    std::vector<SCOTCH_Num> parts(groups.weights.size(), 0);
    SCOTCH_Graph graph;
    SCOTCH_Strat strategy;
    SCOTCH_randomReset();
    SCOTCH_graphInit(&graph);
    SCOTCH_stratInit(&strategy);
    const bool built = SCOTCH_graphBuild(&graph,
                                         0,
                                         size,
                                         begins.data(),
                                         nullptr,
                                         weights.data(),
                                         nullptr,
                                         static_cast<SCOTCH_Num>(ends.size()),
                                         ends.data(),
                                         costs.data()) == 0;
    const bool divided =
        built &&
        SCOTCH_graphPart(&graph, static_cast<SCOTCH_Num>(ranks), &strategy, parts.data()) == 0;
    SCOTCH_stratExit(&strategy);
    SCOTCH_graphExit(&graph);
    Require(divided, "partition-of-ranks: Scotch cannot divide the network");
    return {parts.begin(), parts.end()};
}

#else

std::vector<uint32_t>
Divide(const Groups& /* groups */, uint32_t /* ranks */)
{
    Require(false,
            "partition-of-ranks: auto needs Scotch (Debian: libscotch-dev), without which dlearn "
            "was built; name a file instead");
    return {};
}

#endif

/**
 * @throw std::invalid_argument for ranks without a node, and for separated learners of @p together
 */
void
CheckRanks(const std::vector<uint32_t>& rankOf,
           uint32_t ranks,
           const std::set<LearnerId>& together,
           const std::string& where)
{
    std::vector<bool> used(ranks);
    for (const uint32_t rank : rankOf)
    {
        used[rank] = true;
    }
    const auto idle = std::find(used.begin(), used.end(), false);
    Require(idle == used.end(),
            where + "there must be a node for each of " + std::to_string(ranks) + " ranks, rank " +
                std::to_string(idle - used.begin()) + " has none: start fewer ranks");
    Require(rankOf.front() == 0, where, "learner 0 must be on rank 0, got rank ", rankOf.front());
    for (const LearnerId learner : together)
    {
        Require(rankOf[learner] == rankOf[*together.begin()],
                where + "learners " + std::to_string(*together.begin()) + " and " +
                    std::to_string(learner) +
                    " must be on one rank, as they know each other's vectors; got ranks " +
                    std::to_string(rankOf[*together.begin()]) + " and " +
                    std::to_string(rankOf[learner]));
    }
}

/** @return the number of the node with a name in a file, if it is valid */
std::optional<uint32_t>
ParseNode(const std::string& text, const RankGraph& graph)
{
    const std::string router = "router ";
    const bool isRouter = text.rfind(router, 0) == 0;
    const auto number = ParseWholeNumber(isRouter ? text.substr(router.size()) : text);
    const uint32_t first = isRouter ? graph.learners : 0;
    const uint32_t size = isRouter ? graph.nodes - graph.learners : graph.learners;
    return number && *number < size ? std::optional<uint32_t>(first + *number) : std::nullopt;
}

/** @throw std::invalid_argument for a cut link without delay */
void
CheckDelays(const RankGraph& graph, const std::vector<uint32_t>& rankOf, const std::string& where)
{
    for (const auto* links : {&graph.links, &graph.access})
    {
        for (const RankGraph::Link& link : *links)
        {
            Require(
                rankOf[link.a] == rankOf[link.b] || link.delay.IsStrictlyPositive(),
                where + NameNode(graph, link.a) + " and " + NameNode(graph, link.b) +
                    " must be on one rank, as what joins them is not a point-to-point link with a "
                    "delay");
        }
    }
}

} // namespace

std::vector<uint32_t>
DivideAmongRanks(const RankGraph& graph, uint32_t ranks, const std::set<LearnerId>& together)
{
    std::vector<uint32_t> rankOf(graph.nodes, 0);
    if (ranks == 1)
    {
        return rankOf;
    }
    const Groups groups = FindGroups(graph, together);
    Require(groups.weights.size() >= ranks,
            "partition-of-ranks: the network has " + std::to_string(groups.weights.size()) +
                " parts between which there are links with a delay, fewer than " +
                std::to_string(ranks) + " ranks: start fewer");
    const auto parts = Divide(groups, ranks);
    const uint32_t first = parts[groups.groupOf[0]];
    for (uint32_t node = 0; node < graph.nodes; ++node)
    {
        const uint32_t part = parts[groups.groupOf[node]];
        rankOf[node] = part == first ? 0 : part == 0 ? first : part;
    }
    CheckRanks(rankOf, ranks, together, "partition-of-ranks: ");
    return rankOf;
}

std::vector<uint32_t>
ReadRanks(const std::string& path,
          const RankGraph& graph,
          uint32_t ranks,
          const std::set<LearnerId>& together)
{
    LineReader reader(path);
    std::string line;
    Require(reader.Next(line) && line == "node,rank", path, ":1: the header must be node,rank");
    std::vector<std::optional<uint32_t>> read(graph.nodes);
    while (reader.Next(line))
    {
        const auto fields = SplitCsvFields(line);
        const auto node = ParseNode(fields.front().text, graph);
        Require(fields.size() == 2 && node,
                reader.GetPlace() + ": must be a learner below " + std::to_string(graph.learners) +
                    ", or router K with K below " + std::to_string(graph.nodes - graph.learners) +
                    ", and a rank; got '" + line + "'");
        const auto rank = ParseWholeNumber(fields.back().text);
        Require(rank && *rank < ranks,
                reader.GetPlace() + ": rank must be a whole number below " + std::to_string(ranks) +
                    ", the number of ranks; got '" + fields.back().text + "'");
        Require(!read[*node], reader.GetPlace(), ": ", NameNode(graph, *node), " is there twice");
        read[*node] = static_cast<uint32_t>(*rank);
    }
    std::vector<uint32_t> rankOf;
    for (uint32_t node = 0; node < graph.nodes; ++node)
    {
        Require(read[node].has_value(), path, ": there is no line for ", NameNode(graph, node));
        rankOf.push_back(*read[node]);
    }
    CheckRanks(rankOf, ranks, together, path + ": ");
    CheckDelays(graph, rankOf, path + ": ");
    return rankOf;
}

std::vector<uint32_t>
KeepRanks(const RankGraph& graph, uint32_t ranks, const std::set<LearnerId>& together)
{
    for (uint32_t node = 0; node < graph.nodes; ++node)
    {
        Require(graph.given[node] < ranks,
                NameNode(graph, node) + ": the system id of its node must be less than " +
                    std::to_string(ranks) + ", the number of ranks, got " +
                    std::to_string(graph.given[node]));
    }
    CheckRanks(graph.given, ranks, together, "system ids of nodes: ");
    CheckDelays(graph, graph.given, "system ids of nodes: ");
    return graph.given;
}

Time
FindLookAhead(const RankGraph& graph, const std::vector<uint32_t>& rankOf)
{
    Time least = Time::Max();
    for (const auto* links : {&graph.links, &graph.access})
    {
        for (const RankGraph::Link& link : *links)
        {
            if (rankOf[link.a] != rankOf[link.b])
            {
                least = Min(least, link.delay);
            }
        }
    }
    return least;
}

} // namespace ns3::dlearn

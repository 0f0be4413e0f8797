/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-shortest-paths.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>
#include <functional>
#include <limits>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/** Cost, then number of links. */
using Distance = std::pair<int64_t, uint32_t>;

/** The distance of a node that cannot be reached. */
const Distance UNREACHED{std::numeric_limits<int64_t>::max(), std::numeric_limits<uint32_t>::max()};

using Links = boost::adjacency_list<boost::vecS,
                                    boost::vecS,
                                    boost::undirectedS,
                                    boost::no_property,
                                    boost::property<boost::edge_weight_t, Distance>>;

/**
 * @param path length of a path
 * @param link length of what is added to it
 * @return length of both
 */
Distance
Add(const Distance& path, const Distance& link)
{
    return path == UNREACHED ? UNREACHED
                             : Distance{path.first + link.first, path.second + link.second};
}

/**
 * @param graph nodes and links
 * @param target where to
 * @return the distance of each node
 */
std::vector<Distance>
FindDistances(const Links& graph, uint32_t target)
{
    std::vector<Distance> distances(boost::num_vertices(graph));
    const auto index = boost::get(boost::vertex_index, graph);
    boost::dijkstra_shortest_paths(
        graph,
        target,
        boost::distance_map(boost::make_iterator_property_map(distances.begin(), index))
            .distance_compare(std::less<Distance>())
            .distance_combine(&Add)
            .distance_inf(UNREACHED)
            .distance_zero(Distance{0, 0}));
    return distances;
}

/**
 * @param links between the nodes
 * @param distances to the target
 * @param target where to
 * @return the next node of each node
 */
std::vector<uint32_t>
FindNext(const std::vector<CostedLink>& links,
         const std::vector<Distance>& distances,
         uint32_t target)
{
    std::vector<uint32_t> next(distances.size(), std::numeric_limits<uint32_t>::max());
    next[target] = target;
    const auto offer = [&](uint32_t from, uint32_t to, int64_t cost) {
        if (from != target && Add(distances[to], {cost, 1}) == distances[from])
        {
            next[from] = std::min(next[from], to);
        }
    };
    for (const CostedLink& link : links)
    {
        offer(link.a, link.b, link.cost);
        offer(link.b, link.a, link.cost);
    }
    return next;
}

} // namespace

ShortestPaths
FindShortestPaths(uint32_t nodes,
                  const std::vector<CostedLink>& links,
                  const std::vector<uint32_t>& targets)
{
    const auto check = [nodes](uint32_t node) {
        Require(node < nodes, "FindShortestPaths: node must be less than ", nodes, ", got ", node);
    };
    Links graph(nodes);
    int64_t all = 0;
    for (const CostedLink& link : links)
    {
        check(link.a);
        check(link.b);
        Require(link.cost >= 0, "FindShortestPaths: cost must be at least 0, got ", link.cost);
        Require(link.cost < UNREACHED.first - all,
                "FindShortestPaths: the sum of all costs must be less than 2^63 - 1");
        all += link.cost;
        boost::add_edge(link.a, link.b, Distance{link.cost, 1}, graph);
    }
    ShortestPaths paths;
    for (const uint32_t target : targets)
    {
        check(target);
        const auto distances = FindDistances(graph, target);
        const auto farthest = std::find(distances.begin(), distances.end(), UNREACHED);
        Require(farthest == distances.end(),
                "FindShortestPaths: node ",
                farthest - distances.begin(),
                " cannot reach node ",
                target);
        for (const Distance& distance : distances)
        {
            paths.mostLinks = std::max(paths.mostLinks, distance.second);
        }
        paths.next.push_back(FindNext(links, distances, target));
    }
    return paths;
}

} // namespace ns3::dlearn

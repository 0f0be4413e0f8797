/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-shortest-paths.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/** Cost, then number of links. */
using Distance = std::pair<int64_t, uint32_t>;

const Distance UNREACHED{std::numeric_limits<int64_t>::max(), std::numeric_limits<uint32_t>::max()};

/** The neighbours of each node, and the costs of the links to these. */
using Neighbors = std::vector<std::vector<std::pair<uint32_t, int64_t>>>;

std::vector<Distance>
FindDistances(const Neighbors& neighbors, uint32_t target)
{
    std::vector<Distance> distances(neighbors.size(), UNREACHED);
    distances[target] = {0, 0};
    std::set<std::pair<Distance, uint32_t>> open{{distances[target], target}};
    while (!open.empty())
    {
        const auto [distance, node] = *open.begin();
        open.erase(open.begin());
        for (const auto& [neighbor, cost] : neighbors[node])
        {
            const Distance offer{distance.first + cost, distance.second + 1};
            if (offer < distances[neighbor])
            {
                open.erase({distances[neighbor], neighbor});
                distances[neighbor] = offer;
                open.insert({offer, neighbor});
            }
        }
    }
    return distances;
}

} // namespace

ShortestPaths
FindShortestPaths(uint32_t nodes,
                  const std::vector<CostedLink>& links,
                  const std::vector<uint32_t>& targets)
{
    Neighbors neighbors(nodes);
    for (const CostedLink& link : links)
    {
        neighbors[link.a].emplace_back(link.b, link.cost);
        neighbors[link.b].emplace_back(link.a, link.cost);
    }
    ShortestPaths paths;
    for (const uint32_t target : targets)
    {
        const auto distances = FindDistances(neighbors, target);
        const auto farthest = std::find(distances.begin(), distances.end(), UNREACHED);
        Require(farthest == distances.end(),
                "FindShortestPaths: node {} cannot reach node {}",
                farthest - distances.begin(),
                target);
        std::vector<uint32_t> next(nodes, target);
        for (uint32_t node = 0; node < nodes; ++node)
        {
            paths.mostLinks = std::max(paths.mostLinks, distances[node].second);
            uint32_t best = std::numeric_limits<uint32_t>::max();
            for (const auto& [neighbor, cost] : neighbors[node])
            {
                const auto& [rest, count] = distances[neighbor];
                if (Distance{rest + cost, count + 1} == distances[node])
                {
                    best = std::min(best, neighbor);
                }
            }
            next[node] = node == target ? target : best;
        }
        paths.next.push_back(next);
    }
    return paths;
}

} // namespace ns3::dlearn

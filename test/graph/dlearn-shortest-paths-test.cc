/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-shortest-paths.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace
{

using namespace ns3::dlearn;

using Length = std::pair<int64_t, int64_t>; // cost, links

/** Lengths of the best paths between all pairs (Floyd, 1962). */
std::vector<std::vector<Length>>
FloydWarshall(uint32_t nodes, const std::vector<CostedLink>& links)
{
    const Length far{std::numeric_limits<int64_t>::max() / 4, 1};
    std::vector<std::vector<Length>> best(nodes, std::vector<Length>(nodes, far));
    for (uint32_t v = 0; v < nodes; ++v)
    {
        best[v][v] = {0, 0};
    }
    for (const auto& [a, b, cost] : links)
    {
        best[a][b] = best[b][a] = std::min(best[a][b], Length{cost, 1});
    }
    for (uint32_t k = 0; k < nodes; ++k)
    {
        for (uint32_t i = 0; i < nodes; ++i)
        {
            for (uint32_t j = 0; j < nodes; ++j)
            {
                best[i][j] = std::min(
                    best[i][j],
                    {best[i][k].first + best[k][j].first, best[i][k].second + best[k][j].second});
            }
        }
    }
    return best;
}

/** A connected graph with few different costs, zero among them, so that many paths tie. */
std::vector<CostedLink>
RandomLinks(uint32_t nodes, uint32_t extra, std::mt19937& random)
{
    std::vector<CostedLink> links;
    const auto cost = [&]() { return static_cast<int64_t>(random() % 4); };
    for (uint32_t v = 1; v < nodes; ++v)
    {
        links.push_back({static_cast<uint32_t>(random() % v), v, cost()});
    }
    for (uint32_t k = 0; k < extra; ++k)
    {
        const auto a = static_cast<uint32_t>(random() % nodes);
        const auto b = static_cast<uint32_t>(random() % nodes);
        links.push_back({a, b, cost()}); // parallel ones and loops as they come
    }
    return links;
}

std::vector<uint32_t>
AllNodes(uint32_t nodes)
{
    std::vector<uint32_t> all(nodes);
    std::iota(all.begin(), all.end(), 0);
    return all;
}

} // namespace

// Following `next` gives paths as long as those of Floyd and Warshall, and each step goes to the
// lowest-numbered neighbour from which the rest is best.
TEST(ShortestPaths, AgreeWithFloydWarshallAndBreakTiesByNumber)
{
    std::mt19937 random(7); // std::mt19937 gives the same numbers everywhere
    for (uint32_t nodes = 1; nodes <= 20; ++nodes)
    {
        auto links = RandomLinks(nodes, 2 * nodes, random);
        const auto best = FloydWarshall(nodes, links);
        const auto paths = FindShortestPaths(nodes, links, AllNodes(nodes));
        int64_t mostLinks = 0;
        for (uint32_t target = 0; target < nodes; ++target)
        {
            EXPECT_EQ(paths.next[target][target], target);
            for (uint32_t from = 0; from < nodes; ++from)
            {
                mostLinks = std::max(mostLinks, best[from][target].second);
                uint32_t lowest = from == target ? target : nodes;
                for (const auto& [a, b, cost] : links)
                {
                    for (const auto& [v, w] : {std::make_pair(a, b), std::make_pair(b, a)})
                    {
                        const Length onward = best[w][target];
                        if (v == from && from != target &&
                            Length(onward.first + cost, onward.second + 1) == best[from][target])
                        {
                            lowest = std::min(lowest, w);
                        }
                    }
                }
                EXPECT_EQ(paths.next[target][from], lowest) << from << " to " << target;
            }
        }
        EXPECT_EQ(paths.mostLinks, mostLinks);

        std::shuffle(links.begin(), links.end(), random);
        EXPECT_EQ(FindShortestPaths(nodes, links, AllNodes(nodes)).next, paths.next);
    }
}

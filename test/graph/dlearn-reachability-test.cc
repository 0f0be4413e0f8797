/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-graph.h"
#include "ns3/random-variable-stream.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

using Groups = std::vector<std::vector<LearnerId>>;

/** Whether j reaches i, for all of them, by Warshall's algorithm. */
std::vector<std::vector<bool>>
FindReached(const Graph& graph)
{
    const uint32_t n = graph.GetSize();
    std::vector<std::vector<bool>> reached(n, std::vector<bool>(n, false));
    for (LearnerId i = 0; i < n; ++i)
    {
        for (LearnerId j = 0; j < n; ++j)
        {
            reached[i][j] = i == j || graph.GetWeight(i, j) > 0;
        }
    }
    for (LearnerId k = 0; k < n; ++k)
    {
        for (LearnerId i = 0; i < n; ++i)
        {
            for (LearnerId j = 0; j < n; ++j)
            {
                reached[i][j] = reached[i][j] || (reached[i][k] && reached[k][j]);
            }
        }
    }
    return reached;
}

/** The groups, by their definition: what reaches a learner of one is all of that group. */
Groups
FindGroupsByBruteForce(const Graph& graph)
{
    const auto reached = FindReached(graph);
    Groups groups;
    for (LearnerId i = 0; i < graph.GetSize(); ++i)
    {
        std::vector<LearnerId> group; // those who reach i
        bool isSource = true;
        for (LearnerId j = 0; j < graph.GetSize(); ++j)
        {
            if (reached[i][j])
            {
                group.push_back(j);
                isSource = isSource && reached[j][i];
            }
        }
        if (isSource && group.front() == i)
        {
            groups.push_back(group);
        }
    }
    return groups;
}

TEST(Reachability, EqualsBruteForceOnRandomDigraphs)
{
    // From hardly any edges to strongly connected.
    auto uniform = CreateObject<UniformRandomVariable>();
    uniform->SetStream(11);
    uint32_t withRoots = 0;
    uint32_t strong = 0;
    uint32_t torn = 0;
    for (uint32_t k = 0; k < 400; ++k)
    {
        const uint32_t n = uniform->GetInteger(1, 14);
        const double probability = uniform->GetValue(0, 0.4);
        Graph graph(n);
        for (LearnerId i = 0; i < n; ++i)
        {
            for (LearnerId j = 0; j < n; ++j)
            {
                if (i != j && uniform->GetValue(0, 1) < probability)
                {
                    graph.SetWeight(i, j, 1);
                }
            }
        }
        const Groups expected = FindGroupsByBruteForce(graph);
        EXPECT_EQ(FindSourceGroups(graph), expected);

        const auto reached = FindReached(graph);
        std::vector<LearnerId> roots;
        for (LearnerId j = 0; j < n; ++j)
        {
            if (std::all_of(reached.begin(), reached.end(), [j](const auto& row) {
                    return row[j];
                }))
            {
                roots.push_back(j);
            }
        }
        EXPECT_EQ(FindRoots(graph), roots);
        EXPECT_EQ(IsStronglyConnected(graph), roots.size() == n);
        withRoots += !roots.empty() && roots.size() < n;
        strong += roots.size() == n;
        torn += roots.empty();
    }
    EXPECT_GE(std::min({withRoots, strong, torn}), 40) << "all cases are met";
}

TEST(Reachability, FollowsTheMessages)
{
    Graph graph(3); // 2 -> 0 -> 1
    graph.SetWeight(0, 2, 0.5);
    graph.SetWeight(1, 0, 2);
    graph.names = {"a", "b", "c"};
    EXPECT_EQ(FindRoots(graph), std::vector<LearnerId>{2});
    const Graph reversed = ReverseGraph(graph);
    EXPECT_EQ(FindRoots(reversed), std::vector<LearnerId>{1});
    EXPECT_EQ(reversed.GetWeight(2, 0), 0.5);
    EXPECT_EQ(reversed.GetWeight(0, 1), 2);
    EXPECT_EQ(reversed.GetWeight(0, 2), 0);
    EXPECT_EQ(reversed.names, graph.names);
    EXPECT_EQ(FindSourceGroups(Graph(2)), (Groups{{0}, {1}}));
    EXPECT_TRUE(IsStronglyConnected(Graph(1)));
}

TEST(Reachability, LongPathsDoNotOverflowTheStack)
{
    EXPECT_TRUE(IsStronglyConnected(MakeDirectedRing(200000)));
}

} // namespace

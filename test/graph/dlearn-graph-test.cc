/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-shortest-paths.h"
#include "ns3/random-variable-stream.h"

#include <Eigen/LU>
#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

TEST(Graph, WeightsFlowFromSenderToReceiver)
{
    Graph graph(4);
    graph.SetWeight(1, 3, 0.5);
    graph.SetWeight(1, 0, 0.25);
    graph.SetWeight(2, 1, 2);
    graph.SetWeight(1, 3, 0.75); // replaces

    EXPECT_EQ(graph.GetSize(), 4);
    EXPECT_EQ(graph.GetWeight(1, 3), 0.75);
    EXPECT_EQ(graph.GetWeight(3, 1), 0);
    EXPECT_EQ(graph.GetInNeighbors(1), (Graph::Row{{0, 0.25}, {3, 0.75}}));
    EXPECT_EQ(graph.GetOutNeighbors(1), (Graph::Row{{2, 2.0}}));
    EXPECT_EQ(graph.GetOutNeighbors(3), (Graph::Row{{1, 0.75}}));
    EXPECT_TRUE(graph.GetInNeighbors(0).empty());
    EXPECT_EQ(graph.GetInWeight(1), 1.0);
    EXPECT_EQ(graph.GetInWeight(0), 0.0);
    EXPECT_FALSE(graph.IsSymmetric());
    EXPECT_TRUE(graph.IsConnected()) << "directions are ignored";

    Eigen::MatrixXd expected(4, 4);
    expected << 0, 0, 0, 0, //
        0.25, -1, 0, 0.75,  //
        0, 2, -2, 0,        //
        0, 0, 0, 0;
    EXPECT_EQ(graph.GetCouplingMatrix(), expected);
}

TEST(Graph, PairsAreListedOnceInOrder)
{
    Graph graph(5);
    graph.AddEdge(4, 0);
    graph.SetWeight(3, 1, 1);
    graph.SetWeight(1, 2, 1);
    graph.SetWeight(2, 1, 1);
    const std::vector<std::pair<LearnerId, LearnerId>> expected{{0, 4}, {1, 2}, {1, 3}};
    EXPECT_EQ(graph.GetPairs(), expected);
}

TEST(Graph, IsSymmetricComparesWeightsNotOnlyNeighbors)
{
    Graph graph(3);
    EXPECT_TRUE(graph.IsSymmetric());
    graph.AddEdge(0, 1, 0.3);
    EXPECT_TRUE(graph.IsSymmetric());
    graph.SetWeight(0, 1, 0.4);
    EXPECT_FALSE(graph.IsSymmetric());
}

TEST(Graph, ConnectivityEqualsMatrixPowers)
{
    // Learner j is reachable from i exactly when (I + A)^(n-1) has a path there, A the
    // adjacency without directions. Sparse random graphs hit both answers often.
    std::mt19937 random(1);
    uint32_t connected = 0;
    for (uint32_t trial = 0; trial < 400; ++trial)
    {
        const uint32_t n = 1 + random() % 12;
        const uint32_t arcs = random() % (2 * n);
        Graph graph(n);
        Eigen::MatrixXd adjacency = Eigen::MatrixXd::Identity(n, n);
        for (uint32_t k = 0; k < arcs; ++k)
        {
            const LearnerId to = random() % n;
            const LearnerId from = random() % n;
            if (to != from)
            {
                graph.SetWeight(to, from, 1);
                adjacency(to, from) = adjacency(from, to) = 1;
            }
        }
        Eigen::MatrixXd paths = Eigen::MatrixXd::Identity(n, n);
        for (uint32_t step = 1; step < n; ++step)
        {
            paths = (paths * adjacency).cwiseMin(1.0).eval();
        }
        std::vector<LearnerId> unreachable;
        for (LearnerId id = 0; id < n; ++id)
        {
            if (paths(0, id) == 0)
            {
                unreachable.push_back(id);
            }
        }
        EXPECT_EQ(graph.GetUnreachable(), unreachable);
        EXPECT_EQ(graph.IsConnected(), unreachable.empty());
        connected += unreachable.empty();
    }
    EXPECT_GT(connected, 50);
    EXPECT_LT(connected, 350);
}

TEST(Graph, RequireConnectedNamesAtMostTenLearners)
{
    Graph graph(4);
    graph.AddEdge(0, 2);
    ExpectRefused([&] { RequireConnected(graph); },
                  "Graph: must be connected, but 2 of 4 learners cannot be reached from "
                  "learner 0: 1, 3");
    graph.names = {"a", "b", "c", "d"};
    ExpectRefused([&] { RequireConnected(graph, "mine"); },
                  "mine: must be connected, but 2 of 4 learners cannot be reached from "
                  "learner 0: 1 (b), 3 (d)");
    graph.AddEdge(1, 3);
    graph.AddEdge(0, 1);
    EXPECT_NO_THROW(RequireConnected(graph));
    ExpectRefused([] { RequireConnected(Graph(13)); },
                  "12 of 13 learners cannot be reached from learner 0: 1, 2, 3, 4, 5, 6, 7, 8, "
                  "9, 10 and 2 more");
}

TEST(Graph, UnionHasTheEdgesOfBoth)
{
    Graph first(3);
    first.SetWeight(0, 1, 0.5);
    first.names = {"a", "b", "c"};
    Graph second(3);
    second.SetWeight(0, 1, 0.9);
    second.SetWeight(1, 0, 0.7);
    const Graph both = UniteGraphs(first, second);
    EXPECT_EQ(both.GetWeight(0, 1), 0.5);
    EXPECT_EQ(both.GetWeight(1, 0), 0.7);
    EXPECT_EQ(both.GetWeight(2, 0), 0);
    EXPECT_EQ(both.names, first.names);
    ExpectRefused([&] { UniteGraphs(first, Graph(4)); },
                  "the second graph must have 3 entries, got 4");
}

using Groups = std::vector<std::vector<LearnerId>>;

/** Whether j reaches i, for all of them, by Warshall's algorithm. */
std::vector<std::vector<bool>>
ReachByWarshall(const Graph& graph)
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
    const auto reached = ReachByWarshall(graph);
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

        // With all messages the other way.
        Graph reversed(n);
        for (LearnerId i = 0; i < n; ++i)
        {
            for (const auto& entry : graph.GetInNeighbors(i))
            {
                reversed.SetWeight(entry.first, i, 1);
            }
        }
        EXPECT_EQ(FindSourceGroups(graph, true), FindGroupsByBruteForce(reversed));
        withRoots += expected.size() == 1 && expected[0].size() < n;
        strong += expected[0].size() == n;
        torn += expected.size() > 1;
    }
    EXPECT_GE(std::min({withRoots, strong, torn}), 40) << "all cases are met";
}

using Learners = std::vector<LearnerId>;

/** A graph of messages (sender, receiver). */
Graph
MakeGraph(uint32_t learners, const std::vector<std::pair<LearnerId, LearnerId>>& messages)
{
    Graph graph(learners);
    for (const auto& [sender, receiver] : messages)
    {
        graph.SetWeight(receiver, sender, 1);
    }
    return graph;
}

TEST(TrackingAssumption, NamesTheCommonRoots)
{
    const Graph out = MakeGraph(4, {{0, 1}, {1, 0}, {1, 2}, {2, 3}});
    const Graph in = MakeGraph(4, {{3, 2}, {2, 1}, {1, 0}});
    EXPECT_EQ(RequireTrackingAssumption(out, in), Learners{0});
    EXPECT_EQ(RequireTrackingAssumption(out, MakeDirectedRing(4)), (Learners{0, 1}));
    EXPECT_EQ(RequireTrackingAssumption(MakeDirectedRing(4), MakeExponential(4)),
              (Learners{0, 1, 2, 3}));
    EXPECT_EQ(RequireTrackingAssumption(Graph(1), Graph(1)), Learners{0});
}

TEST(TrackingAssumption, NamesThePartThatFails)
{
    const Graph ring = MakeDirectedRing(4);
    const Graph twoSources = MakeGraph(4, {{0, 3}, {3, 0}, {0, 2}, {1, 2}});
    const Graph twoSinks = MakeGraph(4, {{0, 3}, {3, 0}, {2, 0}, {2, 1}});
    const std::string states = "the graph of R (states) has no spanning tree, as no message from "
                               "outside reaches any of the groups of learners {0, 3}, {1}";
    const std::string trackers =
        "the graph of C^T (trackers, messages taken backwards) has no spanning tree, as no "
        "message leaves any of the groups of learners {0, 3}, {1}";
    ExpectRefused([&] { RequireTrackingAssumption(twoSources, ring); }, "Assumption 1: " + states);
    ExpectRefused([&] { RequireTrackingAssumption(ring, twoSinks); }, "Assumption 1: " + trackers);
    ExpectRefused([&] { RequireTrackingAssumption(twoSources, twoSinks); },
                  "Assumption 1: " + states + "; " + trackers);
    // The other way round each is fine: one sink, one source.
    EXPECT_EQ(RequireTrackingAssumption(ring, twoSources), Learners{2});
    EXPECT_EQ(RequireTrackingAssumption(twoSinks, ring), Learners{2});

    Graph path = MakeGraph(3, {{0, 1}, {1, 2}});
    path.names = {"a", "b", "c"};
    ExpectRefused([&] { RequireTrackingAssumption(path, path); },
                  "Assumption 1: no learner is a root in both graphs: roots of the graph of R "
                  "(states) are 0 (a); roots of the graph of C^T (trackers, messages taken "
                  "backwards) are 2 (c)");
    ExpectRefused([&] { RequireTrackingAssumption(path, ring); },
                  "Assumption 1: graph of C (trackers) must have 3 entries, got 4");
}

TEST(TrackingAssumption, EqualsWhatTheLaplaciansSay)
{
    // Lemma 1 of the paper: L1 v = 0 has one solution up to scale if the graph of R has a
    // spanning tree, and its roots are where the left null vector is positive; L2 with C^T
    // likewise. Ranks of 0/1 matrices of this size are safe in double precision.
    uint32_t good = 0;
    for (int64_t stream = 0; stream < 200; ++stream)
    {
        const Graph states = MakeTreePlusEdges(6, stream % 6, stream);
        const Graph trackers = MakeTreePlusEdges(6, 4 + stream % 8, 1000 + stream);
        const Eigen::MatrixXd r = -states.GetCouplingMatrix(); // L1 = diag(R 1) - R
        Eigen::MatrixXd c = trackers.GetCouplingMatrix();
        c.diagonal().setZero();
        const Eigen::MatrixXd l2 = Eigen::MatrixXd(c.colwise().sum().asDiagonal()) - c;
        Eigen::FullPivLU<Eigen::MatrixXd> left(r.transpose());
        Eigen::FullPivLU<Eigen::MatrixXd> right(l2);
        left.setThreshold(1e-9);
        right.setThreshold(1e-9);
        ASSERT_EQ(left.dimensionOfKernel(), 1) << "a tree from learner 0";

        Learners common;
        if (right.dimensionOfKernel() == 1)
        {
            const Eigen::VectorXd v1 = left.kernel().cwiseAbs();
            const Eigen::VectorXd v2 = right.kernel().cwiseAbs();
            for (LearnerId id = 0; id < 6; ++id)
            {
                if (v1(id) > 1e-9 * v1.maxCoeff() && v2(id) > 1e-9 * v2.maxCoeff())
                {
                    common.push_back(id);
                }
            }
        }
        if (common.empty())
        {
            EXPECT_THROW(RequireTrackingAssumption(states, trackers), std::invalid_argument);
        }
        else
        {
            EXPECT_EQ(RequireTrackingAssumption(states, trackers), common);
            ++good;
        }
    }
    EXPECT_GE(good, 20) << "both cases are met";
    EXPECT_LE(good, 180) << "both cases are met";
}

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

} // namespace

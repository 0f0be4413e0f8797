/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-graph.h"

#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace
{

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

TEST(Graph, RefusesWhatIsNoGraph)
{
    ExpectRefused([] { Graph(0); }, "Graph: number of learners must be at least 1, got 0");

    Graph graph(3);
    ExpectRefused([&] { graph.AddEdge(1, 1); },
                  "Graph: an edge must join two different learners, got 1 twice");
    ExpectRefused([&] { graph.SetWeight(3, 0, 1); },
                  "Graph: receiver must be a learner from 0 to 2, got 3");
    ExpectRefused([&] { graph.SetWeight(0, 7, 1); },
                  "Graph: sender must be a learner from 0 to 2, got 7");
    ExpectRefused([&] { graph.GetWeight(3, 0); }, "receiver must be a learner from 0 to 2");
    ExpectRefused([&] { graph.GetWeight(0, 3); }, "sender must be a learner from 0 to 2");
    ExpectRefused([&] { graph.GetInNeighbors(3); }, "receiver must be a learner from 0 to 2");
    ExpectRefused([&] { graph.GetOutNeighbors(3); }, "sender must be a learner from 0 to 2");
    ExpectRefused([&] { graph.GetInWeight(3); }, "receiver must be a learner from 0 to 2");

    for (const double weight : {0.0,
                                -1.0,
                                std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity()})
    {
        ExpectRefused([&] { graph.SetWeight(2, 1, weight); },
                      "Graph: weight that learner 2 gives to learner 1 must be finite and "
                      "greater than 0, got ");
    }
    EXPECT_TRUE(graph.GetPairs().empty()) << "a refused edge leaves no trace";
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

} // namespace

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-graph.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace
{

using namespace ns3::dlearn;

/** Expect weight 1 from j to i exactly where a rule of j and i says so. */
void
ExpectMessages(const Graph& graph, const std::function<bool(uint32_t, uint32_t)>& rule)
{
    for (LearnerId i = 0; i < graph.GetSize(); ++i)
    {
        for (LearnerId j = 0; j < graph.GetSize(); ++j)
        {
            EXPECT_EQ(graph.GetWeight(i, j), i != j && rule(j, i) ? 1 : 0) << j << " -> " << i;
        }
    }
}

/** Number of directed edges. */
size_t
CountMessages(const Graph& graph)
{
    size_t count = 0;
    for (LearnerId i = 0; i < graph.GetSize(); ++i)
    {
        count += graph.GetInNeighbors(i).size();
    }
    return count;
}

TEST(DirectedGenerators, FixedGraphsHaveTheirEdges)
{
    for (const uint32_t n : {1, 2, 3, 4, 5, 8, 9, 16})
    {
        const Graph ring = MakeDirectedRing(n);
        ASSERT_EQ(ring.GetSize(), n);
        ExpectMessages(ring, [n](uint32_t j, uint32_t i) { return i == (j + 1) % n; });
        EXPECT_TRUE(IsStronglyConnected(ring));

        const Graph exponential = MakeExponential(n);
        ASSERT_EQ(exponential.GetSize(), n);
        ExpectMessages(exponential, [n](uint32_t j, uint32_t i) {
            const uint32_t distance = (i + n - j) % n;
            return (distance & (distance - 1)) == 0; // a power of two
        });
        EXPECT_TRUE(IsStronglyConnected(exponential));
        for (LearnerId i = 0; i < n; ++i)
        {
            EXPECT_EQ(exponential.GetInNeighbors(i).size(), std::ceil(std::log2(n)));
            EXPECT_EQ(exponential.GetOutNeighbors(i).size(), std::ceil(std::log2(n)));
        }
    }
}

TEST(DirectedGenerators, RandomDigraphDrawsEachOrderedPairIndependently)
{
    // 400 graphs of 16 learners with p = 1/2. A learner without in- or out-neighbours, the usual
    // reason not to be strongly connected, has probability 32 * 2^-15 = 1e-3, which moves
    // no count below by more than 0.5. A count of one ordered pair is binomial(400, 1/2), of a
    // pair in both directions binomial(400, 1/4): standard deviations 10 and 8.66. At 6 of them,
    // 2e-9 each, the 240 + 120 checks fail with probability below 1e-6.
    const uint32_t n = 16;
    Eigen::MatrixXd count = Eigen::MatrixXd::Zero(n, n);
    Eigen::MatrixXd both = Eigen::MatrixXd::Zero(n, n);
    for (uint32_t k = 0; k < 400; ++k)
    {
        const Graph graph = MakeRandomDigraph(n, 0.5, 1000 + k);
        for (LearnerId i = 0; i < n; ++i)
        {
            for (const auto& entry : graph.GetInNeighbors(i))
            {
                count(i, entry.first) += 1;
                both(i, entry.first) += graph.GetWeight(entry.first, i);
            }
        }
    }
    for (LearnerId i = 0; i < n; ++i)
    {
        for (LearnerId j = 0; j < n; ++j)
        {
            EXPECT_NEAR(count(i, j), i == j ? 0 : 200, 60.5) << j << " -> " << i;
            EXPECT_NEAR(both(i, j), i == j ? 0 : 100, 52.5) << j << " <-> " << i;
        }
    }
}

TEST(DirectedGenerators, RandomDigraphIsStronglyConnectedAndFollowsItsStream)
{
    // So few edges that most draws are thrown away.
    uint32_t sameAsFirst = 0;
    uint32_t symmetric = 0;
    for (int64_t stream = 0; stream < 20; ++stream)
    {
        const Graph graph = MakeRandomDigraph(8, 0.25, stream);
        EXPECT_TRUE(IsStronglyConnected(graph));
        const auto matrix = graph.GetCouplingMatrix();
        EXPECT_EQ(matrix, MakeRandomDigraph(8, 0.25, stream).GetCouplingMatrix());
        sameAsFirst += matrix == MakeRandomDigraph(8, 0.25, 0).GetCouplingMatrix();
        symmetric += graph.IsSymmetric();
    }
    EXPECT_EQ(sameAsFirst, 1) << "streams differ";
    EXPECT_EQ(symmetric, 0);
    EXPECT_EQ(MakeRandomDigraph(1, 0.1, 0).GetSize(), 1);
    EXPECT_EQ(MakeRandomDigraph(5, 1, 0).GetCouplingMatrix(), MakeComplete(5).GetCouplingMatrix());
}

TEST(DirectedGenerators, TreeGrowsFromLearnerZero)
{
    for (int64_t stream = 0; stream < 20; ++stream)
    {
        const Graph tree = MakeTreePlusEdges(9, 0, stream);
        EXPECT_EQ(FindRoots(tree), std::vector<LearnerId>{0});
        EXPECT_EQ(CountMessages(tree), 8);
        EXPECT_TRUE(tree.GetInNeighbors(0).empty());
        for (LearnerId i = 1; i < 9; ++i)
        {
            ASSERT_EQ(tree.GetInNeighbors(i).size(), 1);
            EXPECT_LT(tree.GetInNeighbors(i).begin()->first, i);
        }
        const Graph more = MakeTreePlusEdges(9, 30, stream);
        EXPECT_EQ(CountMessages(more), 38);
        ExpectMessages(more, [&more](uint32_t j, uint32_t i) { return more.GetWeight(i, j) > 0; });
        for (LearnerId i = 1; i < 9; ++i)
        {
            EXPECT_GT(more.GetWeight(i, tree.GetInNeighbors(i).begin()->first), 0);
        }
        EXPECT_EQ(more.GetCouplingMatrix(), MakeTreePlusEdges(9, 30, stream).GetCouplingMatrix());
    }
    EXPECT_EQ(MakeTreePlusEdges(9, 64, 3).GetCouplingMatrix(), MakeComplete(9).GetCouplingMatrix());
    EXPECT_EQ(MakeTreePlusEdges(1, 0, 0).GetSize(), 1);
}

TEST(DirectedGenerators, ExtraEdgesAreUniform)
{
    // Four learners, one of the nine pairs that are not in the tree: of them 1 -> 0, 2 -> 0,
    // 3 -> 0, 2 -> 1, 3 -> 1 and 3 -> 2 are in no tree and are drawn with probability 1/9 each;
    // 0 -> 1 is in every tree. 0 -> 2 is, from the tree or the draw, with 1/2 + 1/2 * 1/9.
    // 3600 graphs: standard deviations 18.9 and 29.8; 7 checks at six of them fail with
    // probability below 2e-8.
    Eigen::MatrixXd count = Eigen::MatrixXd::Zero(4, 4);
    for (int64_t stream = 0; stream < 3600; ++stream)
    {
        const Graph graph = MakeTreePlusEdges(4, 1, stream);
        for (LearnerId i = 0; i < 4; ++i)
        {
            for (const auto& entry : graph.GetInNeighbors(i))
            {
                count(i, entry.first) += 1;
            }
        }
    }
    for (LearnerId i = 0; i < 4; ++i)
    {
        for (LearnerId j = i + 1; j < 4; ++j)
        {
            EXPECT_NEAR(count(i, j), 400, 6 * 18.9) << j << " -> " << i;
        }
    }
    EXPECT_EQ(count(1, 0), 3600);
    EXPECT_NEAR(count(2, 0), 2000, 6 * 29.8);
}

TEST(DirectedGenerators, RefusesWrongParameters)
{
    const std::string none = "number of learners must be at least 1, got 0";
    ExpectRefused([] { MakeDirectedRing(0); }, none);
    ExpectRefused([] { MakeExponential(0); }, none);
    ExpectRefused([] { MakeRandomDigraph(0, 0.5, 0); }, none);
    ExpectRefused([] { MakeTreePlusEdges(0, 0, 0); }, none);
    for (const double probability : {0.0, -0.1, 1.01, std::nan("")})
    {
        ExpectRefused([&] { MakeRandomDigraph(3, probability, 0); },
                      "MakeRandomDigraph: probability must be greater than 0 and at most 1, got ");
    }
    ExpectRefused([] { MakeTreePlusEdges(4, 10, 0); },
                  "MakeTreePlusEdges: extra edges of 4 learners must be at most 9, got 10");
    ExpectRefused([] { MakeRandomDigraph(100000, 0.01, 0); },
                  "MakeRandomDigraph: a graph must have at most 1e+07 edges, 100000 learners would "
                  "have 9.9999e+07");
    ExpectRefused([] { MakeTreePlusEdges(100000, 20000000, 0); },
                  "MakeTreePlusEdges: a graph must have at most 1e+07 edges");
    ExpectRefused([] { MakeRandomDigraph(30, 0.01, 0); },
                  "MakeRandomDigraph with 30 learners and probability 0.01: the graph stayed not "
                  "strongly connected in 1000 draws");
}

} // namespace

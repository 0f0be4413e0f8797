/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-graph-generators.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace
{

using namespace ns3::dlearn;

using Pairs = std::vector<std::pair<LearnerId, LearnerId>>;

/** All pairs a < b for which a rule holds. */
Pairs
PairsWhere(uint32_t learners, const std::function<bool(uint32_t, uint32_t)>& rule)
{
    Pairs pairs;
    for (uint32_t a = 0; a < learners; ++a)
    {
        for (uint32_t b = a + 1; b < learners; ++b)
        {
            if (rule(a, b))
            {
                pairs.emplace_back(a, b);
            }
        }
    }
    return pairs;
}

/** Expect an undirected graph with unit weights and exactly the pairs of a rule. */
void
ExpectGraph(const Graph& graph,
            uint32_t learners,
            const std::function<bool(uint32_t, uint32_t)>& rule)
{
    EXPECT_EQ(graph.GetSize(), learners);
    EXPECT_TRUE(graph.IsSymmetric());
    EXPECT_EQ(graph.GetPairs(), PairsWhere(learners, rule));
    for (const auto& [a, b] : graph.GetPairs())
    {
        EXPECT_EQ(graph.GetWeight(a, b), 1);
    }
}

TEST(GraphGenerators, FixedGraphsHaveTheirEdges)
{
    for (const uint32_t n : {1, 2, 3, 4, 9})
    {
        ExpectGraph(MakeRing(n), n, [n](uint32_t a, uint32_t b) {
            return (a + 1) % n == b || (b + 1) % n == a;
        });
        ExpectGraph(MakePath(n), n, [](uint32_t a, uint32_t b) { return b - a == 1; });
        ExpectGraph(MakeStar(n), n, [](uint32_t a, uint32_t) { return a == 0; });
        ExpectGraph(MakeComplete(n), n, [](uint32_t, uint32_t) { return true; });
    }
    EXPECT_EQ(MakeRing(1).GetPairs(), Pairs{});
    EXPECT_EQ(MakeRing(2).GetPairs(), (Pairs{{0, 1}}));
    EXPECT_EQ(MakeRing(4).GetPairs(), (Pairs{{0, 1}, {0, 3}, {1, 2}, {2, 3}}));
}

TEST(GraphGenerators, GridJoinsAtManhattanDistanceOne)
{
    const auto expectGrid = [](const Graph& graph, uint32_t rows, uint32_t cols) {
        ExpectGraph(graph, rows * cols, [cols](uint32_t a, uint32_t b) {
            const auto apart = [](uint32_t x, uint32_t y) { return x > y ? x - y : y - x; };
            return apart(a / cols, b / cols) + apart(a % cols, b % cols) == 1;
        });
    };
    expectGrid(MakeGrid(1, 1), 1, 1);
    expectGrid(MakeGrid(3, 5), 3, 5);
    expectGrid(MakeGrid(5, 3), 5, 3);
    expectGrid(MakeGrid(1), 1, 1);
    expectGrid(MakeGrid(7), 1, 7);
    expectGrid(MakeGrid(12), 3, 4);
    expectGrid(MakeGrid(16), 4, 4);
    expectGrid(MakeGrid(30), 5, 6);
}

TEST(GraphGenerators, ErdosRenyiDrawsEachPairIndependently)
{
    // 400 graphs of 20 learners with p = 1/2. Given connectedness the law differs from the
    // binomial by less than the probability of a disconnected graph, about 20 * 2^-19 = 4e-5.
    // A count of one pair is binomial(400, 1/2), of two disjoint or adjacent pairs together
    // binomial(400, 1/4): standard deviations 10 and 8.66. By the normal tail at 6 of them,
    // 2e-9 each, the 190 + 189 checks fail with probability below 1e-6.
    const uint32_t n = 20;
    const uint32_t graphs = 400;
    Eigen::MatrixXd count = Eigen::MatrixXd::Zero(n, n);
    std::vector<uint32_t> both(n * (n - 1) / 2 - 1, 0);
    const Pairs all = PairsWhere(n, [](uint32_t, uint32_t) { return true; });
    for (uint32_t k = 0; k < graphs; ++k)
    {
        const Graph graph = MakeErdosRenyi(n, 0.5, 1000 + k);
        for (size_t i = 0; i < all.size(); ++i)
        {
            const bool joined = graph.GetWeight(all[i].first, all[i].second) > 0;
            count(all[i].first, all[i].second) += joined;
            if (i + 1 < all.size())
            {
                both[i] += joined && graph.GetWeight(all[i + 1].first, all[i + 1].second) > 0;
            }
        }
    }
    for (const auto& [a, b] : all)
    {
        EXPECT_NEAR(count(a, b), 200, 60) << a << "-" << b;
    }
    for (const uint32_t together : both)
    {
        EXPECT_NEAR(together, 100, 52);
    }
}

TEST(GraphGenerators, ErdosRenyiHasTheRightNumberOfEdges)
{
    // 10 graphs of 200 learners, p = 0.1: binomial(199000, 0.1) edges, standard deviation
    // 133.8. Six of them fail with probability 2e-9; a disconnected draw, which would bias
    // the count, has probability below 10 * 200 * 0.9^199 = 2e-6.
    double edges = 0;
    for (int64_t stream = 0; stream < 10; ++stream)
    {
        edges += MakeErdosRenyi(200, 0.1, stream).GetPairs().size();
    }
    EXPECT_NEAR(edges, 19900, 6 * 133.8);
}

TEST(GraphGenerators, RandomGraphsAreConnectedAndFollowTheirStream)
{
    // Near the connectivity threshold, so that many draws are thrown away.
    uint32_t sameAsFirst = 0;
    for (int64_t stream = 0; stream < 20; ++stream)
    {
        const Graph er = MakeErdosRenyi(10, 0.2, stream);
        const Graph rgg = MakeRandomGeometric(10, 30, 100, stream);
        EXPECT_TRUE(er.IsConnected());
        EXPECT_TRUE(rgg.IsConnected());
        EXPECT_TRUE(er.IsSymmetric());
        EXPECT_EQ(er.GetPairs(), MakeErdosRenyi(10, 0.2, stream).GetPairs());
        EXPECT_EQ(rgg.positions, MakeRandomGeometric(10, 30, 100, stream).positions);
        sameAsFirst += er.GetPairs() == MakeErdosRenyi(10, 0.2, 0).GetPairs();
    }
    EXPECT_EQ(sameAsFirst, 1) << "streams differ";
    EXPECT_EQ(MakeErdosRenyi(1, 0.2, 0).GetSize(), 1);
    EXPECT_EQ(MakeErdosRenyi(6, 1, 0).GetPairs(), MakeComplete(6).GetPairs());
    EXPECT_EQ(MakeRandomGeometric(1, 1, 1, 0).GetSize(), 1);
}

TEST(GraphGenerators, RandomGeometricEqualsBruteForce)
{
    for (int64_t stream = 0; stream < 5; ++stream)
    {
        const Graph graph = MakeRandomGeometric(80, 25, 100, stream);
        ASSERT_EQ(graph.positions.size(), 80);
        const auto& at = graph.positions;
        // In long double, so that the rounding under test is not repeated.
        ExpectGraph(graph, 80, [&at](uint32_t a, uint32_t b) {
            const long double dx = static_cast<long double>(at[a].first) - at[b].first;
            const long double dy = static_cast<long double>(at[a].second) - at[b].second;
            return dx * dx + dy * dy <= 625;
        });
        for (const auto& [x, y] : at)
        {
            EXPECT_GE(std::min(x, y), 0);
            EXPECT_LE(std::max(x, y), 100);
        }
    }
}

TEST(GraphGenerators, RandomGeometricPositionsAreUniform)
{
    // 2000 positions, radius so large that every draw is connected. Means of 2000 uniform
    // numbers on [0, 60]: standard deviation 60 / sqrt(12 * 2000) = 0.387; mean of x * y: from
    // var(xy) = 60^4 (1/9 - 1/16), 17.75. Six of them: 3 checks fail with probability 6e-9.
    double x = 0;
    double y = 0;
    double xy = 0;
    for (int64_t stream = 0; stream < 20; ++stream)
    {
        for (const auto& position : MakeRandomGeometric(100, 85, 60, stream).positions)
        {
            x += position.first / 2000;
            y += position.second / 2000;
            xy += position.first * position.second / 2000;
        }
    }
    EXPECT_NEAR(x, 30, 6 * 0.387);
    EXPECT_NEAR(y, 30, 6 * 0.387);
    EXPECT_NEAR(xy, 900, 6 * 17.75);
}

TEST(GraphGenerators, PositionsAtTheRadiusAreJoined)
{
    const std::vector<std::pair<double, double>> positions{{0, 0}, {3, 4}, {-3, 4}, {0, 0}};
    const Graph graph = GraphFromPositions(positions, 5);
    EXPECT_EQ(graph.GetPairs(), (Pairs{{0, 1}, {0, 2}, {0, 3}, {1, 3}, {2, 3}}));
    EXPECT_EQ(graph.positions, positions);
    EXPECT_EQ(GraphFromPositions(positions, std::nextafter(5, 0)).GetPairs(), (Pairs{{0, 3}}));
}

TEST(GraphGenerators, RefusesWrongParameters)
{
    const std::string none = "number of learners must be at least 1, got 0";
    ExpectRefused([] { MakeRing(0); }, none);
    ExpectRefused([] { MakePath(0); }, none);
    ExpectRefused([] { MakeStar(0); }, none);
    ExpectRefused([] { MakeComplete(0); }, none);
    ExpectRefused([] { MakeGrid(0); }, none);
    ExpectRefused([] { MakeGrid(0, 3); }, none);
    ExpectRefused([] { MakeGrid(3, 0); }, none);
    ExpectRefused([] { MakeErdosRenyi(0, 0.5, 0); }, none);
    ExpectRefused([] { MakeRandomGeometric(0, 1, 1, 0); }, none);
    ExpectRefused([] { GraphFromPositions({}, 1); }, none);
    // 100,000 learners have 4,999,950,000 pairs; none of these is drawn or kept.
    ExpectRefused([] { MakeComplete(100000); },
                  "MakeComplete: a graph must have at most 1e+07 edges, 100000 learners would have "
                  "4.99995e+09");
    ExpectRefused([] { MakeErdosRenyi(100000, 0.01, 0); },
                  "MakeErdosRenyi: a graph must have at most 1e+07 edges, 100000 learners would "
                  "have 4.99995e+07");
    ExpectRefused([] { MakeGrid(1 << 16, 1 << 16); }, "65536 x 65536 is too many learners");

    for (const double probability : {0.0, -0.1, 1.01, std::nan("")})
    {
        ExpectRefused([&] { MakeErdosRenyi(3, probability, 0); },
                      "MakeErdosRenyi: probability must be greater than 0 and at most 1, got ");
    }
    for (const double length : {0.0, -1.0, std::nan(""), HUGE_VAL})
    {
        ExpectRefused(
            [&] {
                GraphFromPositions({{0, 0}}, length);
            },
            "GraphFromPositions: radius must be finite and greater than 0, got ");
        ExpectRefused([&] { MakeRandomGeometric(3, length, 1, 0); },
                      "radius must be finite and greater than 0, got ");
        ExpectRefused([&] { MakeRandomGeometric(3, 1, length, 0); },
                      "MakeRandomGeometric: side must be finite and greater than 0, got ");
    }
    ExpectRefused(
        [] {
            GraphFromPositions({{0, 0}, {std::nan(""), 2}}, 1);
        },
        "position of learner 1 must be finite, got (nan, 2)");
}

TEST(GraphGenerators, GivesUpOnConnectednessWithTheParameters)
{
    ExpectRefused([] { MakeErdosRenyi(50, 0.001, 0); },
                  "MakeErdosRenyi with 50 learners and probability 0.001: the graph stayed "
                  "disconnected in 1000 draws");
    ExpectRefused([] { MakeRandomGeometric(20, 1, 1000, 0); },
                  "MakeRandomGeometric with 20 learners, radius 1 m and side 1000 m: the graph "
                  "stayed disconnected in 1000 draws");
}

} // namespace

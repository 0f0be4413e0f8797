/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-graph.h"

#include <cmath>
#include <fstream>
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
        const uint32_t last = (n - 1) / 2; // of the first half
        ExpectGraph(MakeDumbbell(n), n, [last](uint32_t a, uint32_t b) {
            return b <= last || a > last || (a == last && b == last + 1);
        });
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

TEST(GraphGenerators, GivesUpOnConnectednessWithTheParameters)
{
    ExpectRefused([] { MakeErdosRenyi(50, 0.001, 0); },
                  "MakeErdosRenyi with 50 learners and probability 0.001: the graph stayed "
                  "disconnected in 1000 draws");
    ExpectRefused([] { MakeRandomGeometric(20, 1, 1000, 0); },
                  "MakeRandomGeometric with 20 learners, radius 1 m and side 1000 m: the graph "
                  "stayed disconnected in 1000 draws");
}

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

void
ExpectStrong(const Graph& graph)
{
    EXPECT_EQ(FindSourceGroups(graph).front().size(), graph.GetSize());
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
        ExpectStrong(ring);

        const Graph exponential = MakeExponential(n);
        ASSERT_EQ(exponential.GetSize(), n);
        ExpectMessages(exponential, [n](uint32_t j, uint32_t i) {
            const uint32_t distance = (i + n - j) % n;
            return (distance & (distance - 1)) == 0; // a power of two
        });
        ExpectStrong(exponential);
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
        ExpectStrong(graph);
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
        EXPECT_EQ(FindSourceGroups(tree), (std::vector<std::vector<LearnerId>>{{0}}));
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

/** Expect that a name gives a graph. */
void
ExpectSame(const std::string& spec, const Graph& expected)
{
    const Graph graph = GraphByName(spec, expected.GetSize(), 7, 50);
    EXPECT_EQ(graph.GetCouplingMatrix(), expected.GetCouplingMatrix()) << spec;
    EXPECT_EQ(graph.positions, expected.positions) << spec;
}

TEST(GraphByName, FindsEveryKind)
{
    ExpectSame("ring", MakeRing(6));
    ExpectSame("path", MakePath(6));
    ExpectSame("complete", MakeComplete(6));
    ExpectSame("star", MakeStar(6));
    ExpectSame("dumbbell", MakeDumbbell(6));
    ExpectSame("grid", MakeGrid(2, 3));
    ExpectSame("er:0.4", MakeErdosRenyi(6, 0.4, 7));
    ExpectSame("er:1", MakeComplete(6));
    ExpectSame("rgg:25.5", MakeRandomGeometric(6, 25.5, 50, 7));
    ExpectSame("ring", MakeRing(1));
}

TEST(GraphByName, ReadsFiles)
{
    // A colon in the file name is part of it.
    const std::string path = ::testing::TempDir() + "dlearn-graph:by-name.graphml";
    const std::string spec = "graphml:" + path;
    std::ofstream(path) << "<graphml><graph><node id='a'/><node id='b'/><node id='c'/>"
                           "<edge source='a' target='c'/><edge source='b' target='c'/>"
                           "</graph></graphml>";
    EXPECT_EQ(GraphByName(spec, 0, 0, 1).GetSize(), 3);
    EXPECT_EQ(GraphByName(spec, 3, 0, 1).names, (std::vector<std::string>{"a", "b", "c"}));
    ExpectRefused([&] { GraphByName(spec, 4, 0, 1); },
                  "graph '" + spec + "': the file has 3 nodes, but 4 learners were asked for");

    std::ofstream(path) << "<graphml><graph><node id='a'/><node id='b'/></graph></graphml>";
    ExpectRefused([&] { GraphByName(spec, 0, 0, 1); },
                  "graph '" + spec +
                      "': must be connected, but 1 of 2 learners cannot be reached from learner "
                      "0: 1 (b)");
    std::remove(path.c_str());
    ExpectRefused<std::runtime_error>([&] { GraphByName(spec, 0, 0, 1); },
                                      path + ": cannot be read: No such file");
}

TEST(GraphByName, RefusesWrongParameters)
{
    const auto expectRefused = [](const std::string& spec, const std::string& message) {
        ExpectRefused([&] { GraphByName(spec, 5, 0, 10); }, message);
    };
    expectRefused("ring:3", "graph 'ring:3': ring takes no parameter");
    expectRefused("grid:", "graph 'grid:': grid takes no parameter");
    expectRefused("er", "graph 'er': er needs a parameter, er:P");
    expectRefused("rgg:", "graph 'rgg:': rgg needs a parameter, rgg:R");
    expectRefused("graphml", "graph 'graphml': graphml needs a parameter, graphml:FILE");
    expectRefused("er:0.5x", "graph 'er:0.5x': '0.5x' is not a number");
    expectRefused("er: 0.5", "graph 'er: 0.5': ' 0.5' is not a number");
    expectRefused("rgg:1,5", "graph 'rgg:1,5': '1,5' is not a number");
    expectRefused("er:nan", "graph 'er:nan': 'nan' is not a number");
    expectRefused("er:0", "probability must be greater than 0 and at most 1, got 0");
    expectRefused("er:1.5", "probability must be greater than 0 and at most 1, got 1.5");
    expectRefused("rgg:0", "radius must be finite and greater than 0, got 0");
    expectRefused("rgg:-3", "radius must be finite and greater than 0, got -3");
    expectRefused("er:1e-9", "the graph stayed disconnected in 1000 draws");
    ExpectRefused([] { GraphByName("rgg:5", 5, 0, 0); },
                  "side must be finite and greater than 0, got 0");
    for (const std::string spec :
         {"ring", "path", "complete", "star", "dumbbell", "grid", "er:1", "rgg:1"})
    {
        ExpectRefused([&] { GraphByName(spec, 0, 0, 1); },
                      "graph '" + spec + "': number of learners must be at least 1, got 0");
    }
}

TEST(DirectedGraphByName, FindsEveryKind)
{
    const auto expectSame = [](const std::string& spec, const Graph& expected) {
        const DirectedGraph made = DirectedGraphByName(spec, 6, 7);
        EXPECT_EQ(made.graph.GetCouplingMatrix(), expected.GetCouplingMatrix()) << spec;
        EXPECT_FALSE(made.weighted);
    };
    expectSame("ring", MakeDirectedRing(6));
    expectSame("exponential", MakeExponential(6));
    expectSame("complete", MakeComplete(6));
    expectSame("tree:5", MakeTreePlusEdges(6, 5, 7));
    expectSame("tree:0", MakeTreePlusEdges(6, 0, 7));
    expectSame("random:0.4", MakeRandomDigraph(6, 0.4, 7));
}

TEST(DirectedGraphByName, ReadsFiles)
{
    const std::string csv = ::testing::TempDir() + "dlearn-directed-graph-by-name.csv";
    std::ofstream(csv) << "0,1,0.5\n1,0,2\n";
    EXPECT_TRUE(DirectedGraphByName("csv:" + csv, 0, 0).weighted);
    EXPECT_EQ(DirectedGraphByName("csv:" + csv, 2, 0).graph.GetWeight(0, 1), 2);
    EXPECT_EQ(DirectedGraphByName("csv:" + csv, 3, 0).graph.GetSize(), 3);
    ExpectRefused([&] { DirectedGraphByName("csv:" + csv, 1, 0); },
                  csv + ":1:3: receiver must be a learner from 0 to 0, got 1");
    std::remove(csv.c_str());

    const std::string graphml = ::testing::TempDir() + "dlearn-directed-graph-by-name.graphml";
    std::ofstream(graphml) << "<graphml><key id='w' for='edge' attr.name='weight'/>"
                              "<graph edgedefault='directed'><node id='a'/><node id='b'/>"
                              "<edge source='a' target='b'><data key='w'>0.75</data></edge>"
                              "</graph></graphml>";
    const DirectedGraph read = DirectedGraphByName("graphml:" + graphml, 0, 0);
    EXPECT_TRUE(read.weighted);
    EXPECT_EQ(read.graph.GetWeight(1, 0), 0.75);
    EXPECT_EQ(read.graph.GetWeight(0, 1), 0);
    ExpectRefused([&] { DirectedGraphByName("graphml:" + graphml, 3, 0); },
                  "the file has 2 nodes, but 3 learners were asked for");
    std::remove(graphml.c_str());
}

TEST(DirectedGraphByName, RefusesWhatItCanNotMake)
{
    const auto expectRefused = [](const std::string& spec, const std::string& message) {
        ExpectRefused([&] { DirectedGraphByName(spec, 5, 0); }, "graph '" + spec + "'" + message);
    };
    expectRefused("star",
                  " is unknown; choose one of ring, exponential, complete, tree:EXTRA, random:P, "
                  "radio, csv:FILE, graphml:FILE");
    expectRefused("radio", ": needs a radio network");
    expectRefused("ring:3", ": ring takes no parameter");
    expectRefused("tree", ": tree needs a parameter, tree:EXTRA");
    expectRefused("random:", ": random needs a parameter, random:P");
    expectRefused("csv", ": csv needs a parameter, csv:FILE");
    expectRefused("tree:1.5", ": '1.5' is not a number of edges");
    expectRefused("tree:-1", ": '-1' is not a number of edges");
    expectRefused("random:x", ": 'x' is not a number");
    for (const std::string spec : {"ring", "exponential", "complete", "tree:1", "random:1"})
    {
        ExpectRefused([&] { DirectedGraphByName(spec, 0, 0); },
                      "graph '" + spec + "': number of learners must be at least 1, got 0");
    }
}

} // namespace

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-graph-generators.h"

#include <fstream>
#include <gtest/gtest.h>

namespace
{

using namespace ns3::dlearn;

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

TEST(GraphByName, RefusesUnknownNames)
{
    for (const std::string spec : {"", "Ring", "ring ", "torus", ":0.5", "torus:3"})
    {
        ExpectRefused([&] { GraphByName(spec, 5, 0, 1); },
                      "graph '" + spec +
                          "' is unknown; choose one of ring, path, complete, star, grid, er:P, "
                          "rgg:R, graphml:FILE");
    }
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
    for (const std::string spec : {"ring", "path", "complete", "star", "grid", "er:1", "rgg:1"})
    {
        ExpectRefused([&] { GraphByName(spec, 0, 0, 1); },
                      "graph '" + spec + "': number of learners must be at least 1, got 0");
    }
}

} // namespace

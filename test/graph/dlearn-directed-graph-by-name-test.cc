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

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-graph-reader.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>

namespace
{

using namespace ns3::dlearn;

/** One file that each test writes and that goes away with it. */
class EdgeListReader : public ::testing::Test
{
  protected:
    void TearDown() override { std::remove(m_path.c_str()); }

    /** Write all of the file and read it as a graph. */
    DirectedGraph Read(const std::string& text, uint32_t learners = 0) const
    {
        std::ofstream(m_path, std::ios::binary) << text;
        return ReadEdgeList(m_path, learners);
    }

    /** Expect that a file is refused. */
    void ExpectBad(const std::string& text, const std::string& message, uint32_t learners = 0)
    {
        ExpectRefused([&] { Read(text, learners); }, m_path + ":" + message);
    }

    std::string m_path{::testing::TempDir() + "dlearn-edge-list-reader-test.csv"}; //!< the file
};

TEST_F(EdgeListReader, ReadsEdges)
{
    const DirectedGraph plain = Read("0,1\n1,2\n\n# all of it\n2,0\n");
    EXPECT_FALSE(plain.weighted);
    EXPECT_EQ(plain.graph.GetSize(), 3);
    Eigen::MatrixXd wanted(3, 3); // row: receiver, column: sender
    wanted << -1, 0, 1, 1, -1, 0, 0, 1, -1;
    EXPECT_EQ(plain.graph.GetCouplingMatrix(), wanted);
    EXPECT_EQ(Read("sender,receiver\r\n1,0 # back\r\n0,1").graph.GetWeight(0, 1), 1);
}

TEST_F(EdgeListReader, KeepsWeights)
{
    const DirectedGraph read =
        Read("# of states\n sender , receiver, weight\n 0,1 ,0.25\n1, 0,\t3e-2 #!\n2,0,1e300\n", 5);
    EXPECT_TRUE(read.weighted);
    EXPECT_EQ(read.graph.GetSize(), 5);
    EXPECT_EQ(read.graph.GetWeight(1, 0), 0.25);
    EXPECT_EQ(read.graph.GetWeight(0, 1), 0.03);
    EXPECT_EQ(read.graph.GetWeight(0, 2), 1e300);
    EXPECT_EQ(read.graph.GetWeight(2, 0), 0);
    EXPECT_TRUE(read.graph.GetOutNeighbors(4).empty());
}

TEST_F(EdgeListReader, RefusesFilesThatAreNoEdgeList)
{
    ExpectRefused<std::runtime_error>([&] { ReadEdgeList(m_path, 0); },
                                      m_path + ": cannot be read: No such file");
    ExpectBad("", " is empty");
    ExpectBad("# nothing\n\n", " contains no edge");
    ExpectBad("sender,receiver\n", " contains no edge");
    ExpectBad("0\n", "1:1: a line must be sender,receiver or sender,receiver,weight, got 1 field");
    ExpectBad("\n0,1, 2,3,4",
              "2:8: a line must be sender,receiver or sender,receiver,weight, got 5");
    ExpectBad("0,1\n1,0,2\n", "2:5: all lines must have as many fields as the first, 2, got 3");
    ExpectBad("sender,receiver,weight\n0,1\n",
              "2:3: all lines must have as many fields as the first, 3, got 2");
    ExpectBad("1,2\n2,1\n",
              "1: learners must be numbered from 0 on without a gap, but there is 1 and no 0");
    ExpectBad("0,1\n1,4000000000\n",
              "2: learners must be numbered from 0 on without a gap, but "
              "there is 4000000000 and no 2");
}

TEST_F(EdgeListReader, SaysWhereItIsWrong)
{
    ExpectBad("0,1\nx,1\n", "2:1: sender must be the number of a learner, got 'x'");
    ExpectBad("0, 1.5\n", "1:4: receiver must be the number of a learner, got '1.5'");
    ExpectBad("0,-1\n", "1:3: receiver must be the number of a learner, got '-1'");
    ExpectBad("0,\n", "1:3: receiver must be the number of a learner, got ''");
    ExpectBad("0,4294967296\n", "1:3: receiver must be the number of a learner, got '4294967296'");
    ExpectBad("0,1\nsender,receiver\n", "2:1: sender must be the number of a learner");
    ExpectBad("sender,to\n", "1:1: sender must be the number of a learner, got 'sender'");
    ExpectBad("0,1\n1,5\n", "2:3: receiver must be a learner from 0 to 4, got 5", 5);
    ExpectBad("0,1\n 5,1\n", "2:2: sender must be a learner from 0 to 4, got 5", 5);
    ExpectBad("0,1\n1,1\n", "2:3: an edge must join two different learners, got 1 twice");
    ExpectBad("0,1,1\n1,0,1\n\n0,1,1\n", "4:1: edge from 0 to 1 is there already, in line 1");
    for (const std::string weight : {"0", "-1", "nan", "inf", "", "1x", "1e999"})
    {
        ExpectBad("0,1," + weight + "\n",
                  "1:5: weight must be a number greater than 0, got '" + weight + "'");
    }
}

using Pairs = std::vector<std::pair<LearnerId, LearnerId>>;

/** One file that each test writes and that goes away with it. */
class GraphmlReader : public ::testing::Test
{
  protected:
    void SetUp() override
    {
        const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
        m_path = ::testing::TempDir() + "dlearn-" + test->name() + ".graphml";
    }

    void TearDown() override { std::remove(m_path.c_str()); }

    /** Write all of the file and read it as a graph. */
    GraphmlContent ReadText(const std::string& text) const
    {
        std::ofstream(m_path) << text;
        return ReadGraphml(m_path);
    }

    /** Read what stands inside <graphml>, from line 2 of the file. */
    GraphmlContent ReadInside(const std::string& inside) const
    {
        return ReadText("<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n" + inside +
                        "</graphml>\n");
    }

    /** Read what stands inside <graphml> as a directed graph. */
    GraphmlContent ReadDirectedInside(const std::string& inside) const
    {
        std::ofstream(m_path) << "<graphml>\n" + inside + "</graphml>\n";
        return ReadDirectedGraphml(m_path);
    }

    /** Expect that the file is refused at a line. */
    void ExpectRefusedInside(const std::string& inside, const std::string& message) const
    {
        ExpectRefused([&] { ReadInside(inside); }, m_path + message);
    }

    std::string m_path; //!< the file
};

TEST_F(GraphmlReader, ReadsNodesEdgesNamesAndPositions)
{
    const auto content = ReadInside(R"(
        <key id="a" for="node" attr.name="label" attr.type="string"/>
        <key id="b" for="node" attr.name="Latitude" attr.type="double"/>
        <key id="c" for="node" attr.name="Longitude" attr.type="double"/>
        <key id="d" for="edge" attr.name="label" attr.type="string"/>
        <key id="e" for="node" attr.name="founded" attr.type="date"/>
        <key id="z" for="all" attr.name="note"/>
        <graph edgedefault="undirected">
            <node id="n9"><data key="a"> M&#252;nchen </data><data key="b">48.1</data>
                <data key="c">11.6</data><data key="e">1158-06-14</data></node>
            <edge source="x" target="n9"><data key="d">first</data></edge>
            <node id="x"><data key="c"> -70.5 </data><data key="b">-33</data></node>
            <node id="y"><data key="a">Oslo</data><data key="b">0</data><data key="c">0</data></node>
            <edge source="n9" target="x"/>
            <edge source="y" target="y"/>
            <edge source="x" target="y" directed="false"/>
            <edge source="x" target="n9"/>
        </graph>
    )");
    EXPECT_EQ(content.graph.GetSize(), 3);
    EXPECT_EQ(content.graph.GetPairs(), (Pairs{{0, 1}, {1, 2}}));
    EXPECT_TRUE(content.graph.IsSymmetric());
    EXPECT_EQ(content.graph.GetWeight(0, 1), 1) << "merged edges do not add up";
    EXPECT_EQ(content.graph.names, (std::vector<std::string>{"M\xc3\xbcnchen", "x", "Oslo"}));
    EXPECT_EQ(content.graph.positions,
              (std::vector<std::pair<double, double>>{{11.6, 48.1}, {-70.5, -33}, {0, 0}}));
}

TEST_F(GraphmlReader, LeavesPositionsOutUnlessAllNodesHaveBoth)
{
    const std::string keys = "<key id='a' for='node' attr.name='Latitude'/>"
                             "<key id='o' for='node' attr.name='Longitude'>";
    const std::string nodes = "<graph><node id='1'><data key='a'>1</data><data key='o'>2</data>"
                              "</node><node id='2'><data key='a'>3</data></node></graph>";
    EXPECT_TRUE(ReadInside(keys + "</key>" + nodes).graph.positions.empty());
    // A default counts for nodes that do not say.
    EXPECT_EQ(ReadInside(keys + "<default>7</default></key>" + nodes).graph.positions,
              (std::vector<std::pair<double, double>>{{2, 1}, {7, 3}}));
}

TEST_F(GraphmlReader, ReadsCoordinatesOfSomeNodesAndSpeedsOfEveryEdge)
{
    const auto content = ReadInside(R"(
        <key id="a" for="node" attr.name="Latitude"/>
        <key id="b" for="node" attr.name="Longitude"/>
        <key id="c" for="edge" attr.name="LinkSpeedRaw"/>
        <key id="d" for="node" attr.name="LinkSpeedRaw"/>
        <graph>
            <node id="x"><data key="a">48.5</data><data key="b">-11</data></node>
            <node id="y"><data key="a">7</data><data key="d">no matter</data></node>
            <edge source="x" target="y"><data key="c">155000000.0</data></edge>
            <edge source="x" target="x"><data key="c">1</data></edge>
            <edge source="y" target="x"><data key="c"> 1e10 </data></edge>
            <edge source="x" target="y"/>
        </graph>
    )");
    ASSERT_EQ(content.coordinates.size(), 2);
    EXPECT_EQ(content.coordinates[0], std::make_pair(-11.0, 48.5));
    EXPECT_FALSE(content.coordinates[1]);
    ASSERT_EQ(content.edges.size(), 3);
    EXPECT_EQ(content.edges[0].speed, 155e6);
    EXPECT_EQ(content.edges[1].source, 1);
    EXPECT_EQ(content.edges[1].target, 0);
    EXPECT_EQ(content.edges[1].speed, 10e9);
    EXPECT_FALSE(content.edges[2].speed);
}

TEST_F(GraphmlReader, DefaultSpeedIsThatOfEdgesThatDoNotSay)
{
    const auto content = ReadInside("<key id='s' for='edge' attr.name='LinkSpeedRaw'><default>5"
                                    "</default></key><graph><node id='a'/><node id='b'/>"
                                    "<edge source='a' target='b'/>"
                                    "<edge source='a' target='b'><data key='s'>7</data></edge>"
                                    "</graph>");
    EXPECT_EQ(content.edges.at(0).speed, 5);
    EXPECT_EQ(content.edges.at(1).speed, 7);
}

TEST_F(GraphmlReader, KeepsDirectionsAndWeights)
{
    const auto content = ReadDirectedInside(R"(
        <key id="w" for="edge" attr.name="weight" attr.type="double"/>
        <key id="v" for="node" attr.name="weight"/>
        <graph edgedefault="directed">
            <node id="a"><data key="v">heavy</data></node><node id="b"/><node id="c"/>
            <edge source="a" target="b"><data key="w">0.25</data></edge>
            <edge source="b" target="a"><data key="w"> 3e-2 </data></edge>
            <edge source="b" target="c" directed="false"><data key="w">2</data></edge>
            <edge source="c" target="c"/>
            <edge source="a" target="b"><data key="w">0.25</data></edge>
        </graph>
    )");
    EXPECT_TRUE(content.weighted);
    Eigen::MatrixXd wanted(3, 3); // row: target, column: source
    wanted << -0.03, 0.03, 0, 0.25, -2.25, 2, 0, 2, -2;
    EXPECT_EQ(content.graph.GetCouplingMatrix(), wanted);

    const auto plain = ReadDirectedInside("<graph><node id='a'/><node id='b'/><node id='c'/>"
                                          "<edge source='c' target='a' directed='true'/>"
                                          "<edge source='a' target='b'/>"
                                          "<edge source='c' target='b' directed='1'/></graph>");
    EXPECT_FALSE(plain.weighted);
    wanted << -2, 1, 1, 1, -2, 1, 0, 0, 0;
    EXPECT_EQ(plain.graph.GetCouplingMatrix(), wanted);
}

TEST_F(GraphmlReader, DefaultWeightIsThatOfEdgesThatDoNotSay)
{
    const std::string inside = "<key id='w' for='edge' attr.name='weight'><default>5</default>"
                               "</key><graph><node id='a'/><node id='b'/><node id='c'/>"
                               "<edge source='a' target='b'/>"
                               "<edge source='b' target='c'><data key='w'>7</data></edge></graph>";
    EXPECT_EQ(ReadDirectedInside(inside).graph.GetWeight(0, 1), 5);
    EXPECT_EQ(ReadDirectedInside(inside).graph.GetWeight(2, 1), 7);
    EXPECT_EQ(ReadInside(inside).graph.GetWeight(2, 1), 1) << "an undirected graph has no weights";
    EXPECT_FALSE(ReadInside(inside).weighted);
}

TEST_F(GraphmlReader, RefusesWrongWeights)
{
    const auto expectRefused = [this](const std::string& edges, const std::string& message) {
        ExpectRefused(
            [&] {
                ReadDirectedInside("<key id='w' for='edge' attr.name='weight'/>"
                                   "<graph><node id='a'/><node id='b'/><node id='c'/>\n" +
                                   edges + "</graph>");
            },
            m_path + message);
    };
    const std::string edge = "<edge source='a' target='b'><data key='w'>";
    expectRefused(edge + "heavy</data></edge>", ":3: weight must be a number, got 'heavy'");
    expectRefused(edge + "-1</data></edge>", ":3: weight must be greater than 0, got -1");
    expectRefused(edge + "1</data></edge>\n<edge source='b' target='c'/>",
                  ":4: either all edges must have a weight or none");
    expectRefused(edge + "1</data></edge>\n" + edge + "2</data></edge>",
                  ":4: an edge from 'a' to 'b' is there already, with weight 1");
}

TEST_F(GraphmlReader, AcceptsDisconnectedGraphs)
{
    const auto content = ReadInside("<graph><node id='a'/><node id='b'/></graph>");
    EXPECT_EQ(content.graph.GetUnreachable(), std::vector<LearnerId>{1});
}

TEST_F(GraphmlReader, RefusesFilesThatAreNoGraph)
{
    ExpectRefused<std::runtime_error>([&] { ReadGraphml(m_path); },
                                      m_path + ": cannot be read: No such file");
    ExpectRefused<std::runtime_error>([&] { ReadGraphml(::testing::TempDir()); },
                                      ::testing::TempDir() + ": cannot read: is a directory");
    ExpectRefused([&] { ReadText(""); }, m_path + ": is empty");
    ExpectRefused([&] { ReadText("a,b\n1,2\n"); }, m_path + ":1:1: is not XML: ");
    ExpectRefused([&] { ReadText("<graphml>\n<graph>\n"); }, m_path + ":3:1: is not XML: ");
    ExpectRefused([&] { ReadText("<graphml>\n  <graph></grap>"); },
                  m_path + ":2:17: is not XML: Opening and ending tag mismatch");
    ExpectRefused([&] { ReadText("\n<svg/>"); }, m_path + ":2: is not GraphML");
    ExpectRefusedInside("", ":1: must hold one graph, got 0");
    ExpectRefusedInside("<graph/><graph/>", ":1: must hold one graph, got 2");
    ExpectRefusedInside("<graph edgedefault='undirected'/>", ":2: graph has no nodes");
}

TEST_F(GraphmlReader, RefusesDataThatNoKeyDeclares)
{
    const std::string two = "<graph><node id='a'/><node id='b'/>\n";
    const std::string edge = "<edge source='a' target='b'><data key='d5'>1e9</data></edge></graph>";
    ExpectRefusedInside("<key id='d4' for='edge' attr.name='LinkSpeedRaw'/>" + two + edge,
                        ":3: no key for edge has the id 'd5' of data");
    ExpectRefusedInside("<key id='d5' for='node' attr.name='LinkSpeedRaw'/>" + two + edge,
                        ":3: no key for edge has the id 'd5' of data");
    EXPECT_EQ(ReadInside("<key id='d5' attr.name='LinkSpeedRaw'/>" + two + edge).edges.at(0).speed,
              1e9);
    ExpectRefusedInside("<graph><node id='a'>\n<data key='k'>1</data></node></graph>",
                        ":3: no key for node has the id 'k' of data");
}

TEST_F(GraphmlReader, RefusesDirectionsThatAreNone)
{
    ExpectRefusedInside("\n<graph edgedefault='undirectd'><node id='a'/></graph>",
                        ":3: edgedefault must be directed or undirected, got 'undirectd'");
    ExpectRefusedInside("<graph><node id='a'/><node id='b'/>\n"
                        "<edge source='a' target='b' directed='yes'/></graph>",
                        ":3: directed must be true or false, got 'yes'");
}

TEST_F(GraphmlReader, TellsWhatIsWrongInOneLine)
{
    try
    {
        ReadText("<graphml>\n<graph><node id='M\xfcnchen'/></graph></graphml>");
        ADD_FAILURE() << "not refused";
    }
    catch (const std::invalid_argument& error)
    {
        EXPECT_EQ(std::string(error.what()).rfind(m_path + ":", 0), 0U) << error.what();
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
}

TEST_F(GraphmlReader, RefusesWhatItDoesNotUnderstand)
{
    const std::string two = "<graph><node id='a'/><node id='b'/>\n";
    ExpectRefusedInside(two + "<edge source='a' target='z'/></graph>",
                        ":3: edge to unknown node 'z'");
    ExpectRefusedInside(two + "<edge source='a'/></graph>", ":3: edge has no attribute target");
    ExpectRefusedInside(two + "<edge source='a' target='b' directed='true'/></graph>",
                        ":3: directed edges are not supported");
    ExpectRefusedInside("<graph edgedefault='directed'><node id='a'/><node id='b'/>\n\n"
                        "<edge source='a' target='b'/></graph>",
                        ":4: directed edges are not supported");
    ExpectRefusedInside(two + "<hyperedge/></graph>", ":3: hyperedges are not supported");
    ExpectRefusedInside(two + "<node id='c'><graph/></node></graph>",
                        ":3: nested graphs are not supported");
    ExpectRefusedInside(two + "<node id='a'/></graph>", ":3: node 'a' is there twice");
    ExpectRefusedInside(two + "<node/></graph>", ":3: node has no attribute id");
    ExpectRefusedInside(two + "<node id='c'><data>1</data></node></graph>",
                        ":3: data has no attribute key");
    ExpectRefusedInside("<key for='node'/>", ":2: key has no attribute id");
    const std::string speed = "<key id='k' for='edge' attr.name='LinkSpeedRaw'/>" + two +
                              "<edge source='a' target='b'><data key='k'>";
    ExpectRefusedInside(speed + "fast</data></edge></graph>",
                        ":3: LinkSpeedRaw must be a number, got 'fast'");
    ExpectRefusedInside(speed + "0</data></edge></graph>",
                        ":3: LinkSpeedRaw must be greater than 0, got 0");
    for (const std::string text : {"north", "", "1.5x", "nan"})
    {
        ExpectRefusedInside("<key id='k' for='node' attr.name='Latitude'/><graph><node id='a'>\n"
                            "<data key='k'>" +
                                text + "</data></node></graph>",
                            ":3: Latitude must be a number, got '" + text + "'");
    }
}

/** What a backbone of the Internet Topology Zoo holds, as counted by another XML library. */
struct Backbone
{
    std::string name;   //!< of the file
    uint32_t nodes;     //!< nodes
    size_t pairs;       //!< pairs of different nodes with an edge
    uint32_t parallel;  //!< further edges between them
    size_t unreachable; //!< nodes not connected to the first
    bool placed;        //!< whether every node has a position
    int speeds;         //!< edges that say their speed
    std::string first;  //!< label of the first node
};

TEST(GraphmlBackbones, AllLoad)
{
    const char* data = std::getenv("DLEARN_DATA");
    if (!data)
    {
        GTEST_SKIP() << "DLEARN_DATA does not name a folder with topology-zoo/*.graphml";
    }
    for (const Backbone& backbone :
         {Backbone{"Abilene", 11, 14, 0, 0, true, 0, "New York"},
          Backbone{"AttMpls", 25, 56, 1, 0, true, 0, "NY54"},
          Backbone{"BtNorthAmerica", 36, 76, 0, 0, false, 0, "Cheyenne"},
          Backbone{"Cogentco", 197, 243, 2, 0, false, 0, "Timisoara"},
          Backbone{"DeutscheTelekom", 39, 62, 0, 9, true, 0, "Zurich"},
          Backbone{"Geant2012", 40, 61, 0, 0, false, 39, "NL"},
          Backbone{"Kdl", 754, 895, 4, 0, false, 0, "Rolla"},
          Backbone{"Nsfnet", 13, 15, 0, 0, true, 0, "SEQSUINET, Rice University, Houston"},
          Backbone{"Sprint", 11, 18, 0, 0, true, 0, "Cheyenne"},
          Backbone{"Surfnet", 50, 68, 5, 0, true, 0, "Westerbork"}})
    {
        SCOPED_TRACE(backbone.name);
        const auto content =
            ReadGraphml(std::string(data) + "/topology-zoo/" + backbone.name + ".graphml");
        EXPECT_EQ(content.graph.GetSize(), backbone.nodes);
        EXPECT_EQ(content.graph.GetPairs().size(), backbone.pairs);
        EXPECT_EQ(content.graph.GetUnreachable().size(), backbone.unreachable);
        EXPECT_EQ(content.graph.positions.size(), backbone.placed ? backbone.nodes : 0);
        EXPECT_EQ(content.edges.size(), backbone.pairs + backbone.parallel);
        EXPECT_EQ(std::count_if(content.edges.begin(),
                                content.edges.end(),
                                [](const GraphmlEdge& edge) { return edge.speed.has_value(); }),
                  backbone.speeds);
        ASSERT_EQ(content.graph.names.size(), backbone.nodes);
        EXPECT_EQ(content.graph.names.front(), backbone.first);
    }
}

} // namespace

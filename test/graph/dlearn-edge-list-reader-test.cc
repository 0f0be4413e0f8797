/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-graph-reader.h"

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

} // namespace

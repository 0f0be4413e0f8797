/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-rank-partition.h"
#include "ns3/simulator.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

namespace ns3::dlearn
{
namespace
{

/** Four learners behind two routers that are joined: 0 and 1 at the first, 2 and 3 at the other. */
RankGraph
MakeDumbbell()
{
    RankGraph graph;
    graph.learners = 4;
    graph.nodes = 6;
    graph.work = {1, 1, 1, 1};
    graph.links = {{4, 5, MilliSeconds(3)}};
    graph.access = {{0, 4, MilliSeconds(1)},
                    {1, 4, MilliSeconds(2)},
                    {2, 5, MilliSeconds(1)},
                    {3, 5, Time(0)}};
    return graph;
}

/** A file that is there as long as this object. */
class RankFile
{
  public:
    /** @param text what it holds */
    explicit RankFile(const std::string& text)
        : m_path(testing::TempDir() + "dlearn-rank-partition-test.csv")
    {
        std::ofstream(m_path) << text;
    }

    ~RankFile() { std::filesystem::remove(m_path); }

    /** @return the ranks that it gives two ranks of the dumbbell */
    std::vector<uint32_t> Read(const std::set<LearnerId>& together = {}) const
    {
        return ReadRanks(m_path, MakeDumbbell(), 2, together);
    }

  private:
    std::string m_path; //!< where it is
};

const char* const ROUTERS = "router 0,0\nrouter 1,1\n"; //!< of the dumbbell

/** @return a file with the ranks of the learners, and those of the routers */
std::string
MakeFile(const std::string& learners)
{
    return "node,rank\n" + learners + ROUTERS;
}

TEST(RankPartition, ReadsWhereNodesAre)
{
    const RankFile file("node,rank\n3,1\n0,0\nrouter 1,1\n2, 1\n1,1\nrouter 0,0\n");
    const auto ranks = file.Read();
    EXPECT_EQ(ranks, (std::vector<uint32_t>{0, 1, 1, 1, 0, 1}));
    EXPECT_EQ(FindLookAhead(MakeDumbbell(), ranks), MilliSeconds(2)); // to learner 1
    EXPECT_EQ(FindLookAhead(MakeDumbbell(), {0, 0, 1, 1, 0, 1}), MilliSeconds(3));
    EXPECT_EQ(FindLookAhead(MakeDumbbell(), {0, 0, 0, 0, 0, 0}), Time::Max());
}

TEST(RankPartition, RefusesFilesThatDoNotFit)
{
    const std::map<std::string, std::string> wrong{
        {"", "csv:1: the header must be node,rank"},
        {MakeFile("4,0\n"), "csv:2: must be a learner below 4, or router K with K below 2"},
        {MakeFile("0,2\n"), "csv:2: rank must be a whole number below 2, the number of ranks"},
        {MakeFile("0,0\n0,0\n"), "csv:3: learner 0 is there twice"},
        {MakeFile("0,0\n1,0\n2,1\n"), "csv: there is no line for learner 3"},
        {MakeFile("0,1\n1,0\n2,1\n3,1\n"), "csv: learner 0 must be on rank 0, got rank 1"},
        {MakeFile("0,0\n1,0\n2,1\n3,0\n"),
         "csv: learner 3 and router 1 must be on one rank, as what joins them is not a "
         "point-to-point link with a delay"},
        {"node,rank\n0,0\n1,0\n2,0\n3,0\nrouter 0,0\nrouter 1,0\n",
         "csv: there must be a node for each of 2 ranks, rank 1 has none"}};
    for (const auto& [text, message] : wrong)
    {
        const RankFile file(text);
        ExpectRefused([&file] { file.Read(); }, message);
    }
    const RankFile apart(MakeFile("0,0\n1,0\n2,1\n3,1\n"));
    ExpectRefused(
        [&apart] {
            apart.Read({1, 3});
        },
        "learners 1 and 3 must be on one rank, as they know each other's vectors; got "
        "ranks 0 and 1");
    EXPECT_EQ(apart.Read({2, 3}).size(), 6U);
}

/** @return whether dlearn was built with Scotch */
bool
HasScotch()
{
    try
    {
        DivideAmongRanks(MakeDumbbell(), 2, {});
        return true;
    }
    catch (const std::invalid_argument& error)
    {
        return std::string(error.what()).find("auto needs Scotch") == std::string::npos;
    }
}

TEST(RankPartition, OneRankHasAllNodes)
{
    EXPECT_EQ(DivideAmongRanks(MakeDumbbell(), 1, {}), std::vector<uint32_t>(6, 0));
}

TEST(RankPartition, CutsTheLongLink)
{
    if (!HasScotch())
    {
        GTEST_SKIP() << "dlearn was built without Scotch";
    }
    EXPECT_EQ(DivideAmongRanks(MakeDumbbell(), 2, {}), (std::vector<uint32_t>{0, 0, 1, 1, 0, 1}));
    ExpectRefused([] { DivideAmongRanks(MakeDumbbell(), 3, {}); },
                  "the network has 2 parts between which there are links with a delay");
    ExpectRefused(
        [] {
            DivideAmongRanks(MakeDumbbell(), 2, {0, 3});
        },
        "the network has 1 parts between which there are links with a delay");
}

// The server has as much work as all clients together.
TEST(RankPartition, EachOfManyRanksHasItsShare)
{
    if (!HasScotch())
    {
        GTEST_SKIP() << "dlearn was built without Scotch";
    }
    NetworkSetup setup;
    setup.server = 0;
    const Graph star = GraphByName("star", 201, 0, 60);
    const RankGraph tree = CreateNetwork("tree:16")->GetRankGraph(star, setup);
    for (uint32_t ranks = 2; ranks <= 14; ++ranks)
    {
        const auto rankOf = DivideAmongRanks(tree, ranks, {});
        std::vector<uint32_t> clients(ranks, 0);
        for (LearnerId client = 1; client <= 200; ++client)
        {
            ++clients[rankOf[client]];
        }
        EXPECT_EQ(rankOf[0], 0U);
        EXPECT_LE(clients[0], 16U) << ranks;
        // Thirteen routers with 16 clients each, and the last with 8, are given out as a whole.
        const uint32_t routers = (13 + ranks - 2) / (ranks - 1);
        for (uint32_t rank = 1; rank < ranks; ++rank)
        {
            EXPECT_GT(clients[rank], 0U) << rank << " of " << ranks;
            EXPECT_LE(clients[rank], 16 * (routers + 1)) << rank << " of " << ranks;
        }
    }
}

TEST(RankPartition, KeepsNodesWhereAScriptHasMadeThem)
{
    RankGraph graph = MakeDumbbell();
    graph.given = {0, 0, 1, 1, 0, 1};
    EXPECT_EQ(KeepRanks(graph, 2, {2, 3}), graph.given);
    ExpectRefused([&graph] { KeepRanks(graph, 3, {}); }, "rank 2 has none: start fewer ranks");
    ExpectRefused([&graph] { KeepRanks(graph, 1, {}); },
                  "learner 2: the system id of its node must be less than 1, the number of ranks, "
                  "got 1");
    ExpectRefused(
        [&graph] {
            KeepRanks(graph, 2, {0, 2});
        },
        "system ids of nodes: learners 0 and 2 must be on one rank");
    graph.given = {0, 0, 1, 1, 0, 0};
    ExpectRefused([&graph] { KeepRanks(graph, 2, {}); },
                  "system ids of nodes: learner 3 and router 1 must be on one rank");
}

TEST(RankPartition, NetworksSayWhatCanBeDivided)
{
    NetworkSetup setup;
    setup.server = 0;
    const Graph star = GraphByName("star", 6, 0, 60);
    const RankGraph tree = CreateNetwork("tree:2")->GetRankGraph(star, setup);
    EXPECT_EQ(tree.learners, 6U);
    EXPECT_EQ(tree.nodes, 6U + 3U + 2U + 1U); // five clients behind 3 routers, behind 2, behind 1
    EXPECT_EQ(tree.links.size(), 5U);
    EXPECT_EQ(tree.access.size(), 6U);
    EXPECT_EQ(tree.access.front().b, 6U); // the server is at the root
    EXPECT_EQ(tree.work, (std::vector<uint32_t>{5, 1, 1, 1, 1, 1}));

    setup.links.resize(6);
    setup.links[3].delay = MilliSeconds(7);
    const RankGraph p2p = CreateNetwork("p2p")->GetRankGraph(star, setup);
    EXPECT_EQ(p2p.nodes, 6U);
    ASSERT_EQ(p2p.links.size(), 5U);
    for (const RankGraph::Link& link : p2p.links)
    {
        EXPECT_EQ(link.delay, link.a + link.b == 3 ? MilliSeconds(7) : MilliSeconds(1));
    }
    for (const char* name : {"ideal", "csma", "wifi-adhoc", "wifi-infra"})
    {
        ExpectRefused([&] { CreateNetwork(name)->GetRankGraph(star, setup); },
                      std::string("network ") + name + " cannot be divided among ranks");
    }
}

} // namespace
} // namespace ns3::dlearn

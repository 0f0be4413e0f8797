/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "helper/report/dlearn-results-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-directed-learners.h"
#include "ns3/dlearn-run-spec.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** Options for dp-gt with the given graphs. */
RunSpec
MakeOptions(const std::string& states, const std::string& trackers, uint32_t learners)
{
    RunSpec options = GradientTrackingPreset("test");
    options.stateGraph = states;
    options.trackerGraph = trackers;
    options.learners = learners;
    return options;
}

/** @return a file of edges sender,receiver[,weight] */
std::string
WriteEdges(const test::TemporaryDirectory& directory, const std::string& lines)
{
    const std::string path = directory.GetPath("edges.csv");
    std::ofstream(path) << lines;
    return "csv:" + path;
}

// A ring 0 -> 1 -> 2 -> 3 -> 0 with the short cut 0 -> 2, by hand.
TEST(TrackingGraphs, GiveGeneratedGraphsTheirWeights)
{
    const test::TemporaryDirectory directory;
    const std::string file = WriteEdges(directory, "0,1\n1,2\n2,3\n3,0\n0,2\n");
    const TrackingGraphs graphs = MakeTrackingGraphs(MakeOptions(file, "same", 0), 1);
    EXPECT_EQ(graphs.states.GetSize(), 4U) << "as many as the file has";
    EXPECT_EQ(graphs.states.GetInNeighbors(2), (Graph::Row{{0, 0.5}, {1, 0.5}}));
    EXPECT_EQ(graphs.states.GetInNeighbors(1), (Graph::Row{{0, 1}}));
    EXPECT_EQ(graphs.trackers.GetInNeighbors(2), (Graph::Row{{0, 0.5}, {1, 1}}));
    EXPECT_EQ(graphs.trackers.GetInNeighbors(1), (Graph::Row{{0, 0.5}}));
    EXPECT_TRUE(graphs.powers.empty());
    EXPECT_TRUE(graphs.positions.empty());
}

TEST(TrackingGraphs, KeepTheWeightsOfFiles)
{
    const test::TemporaryDirectory directory;
    const std::string file = WriteEdges(directory, "0,1,0.3\n1,2,0.7\n2,0,2\n");
    for (const std::string& trackers : {std::string("same"), file})
    {
        const auto graphs = MakeTrackingGraphs(MakeOptions(file, trackers, 3), 1);
        for (const Graph* graph : {&graphs.states, &graphs.trackers})
        {
            EXPECT_EQ(graph->GetWeight(1, 0), 0.3);
            EXPECT_EQ(graph->GetWeight(2, 1), 0.7);
            EXPECT_EQ(graph->GetWeight(0, 2), 2);
        }
    }
    const auto mixed = MakeTrackingGraphs(MakeOptions(file, "complete", 3), 1);
    EXPECT_EQ(mixed.trackers.GetWeight(0, 1), 0.5);
}

TEST(TrackingGraphs, DrawStatesAndTrackersApartUnlessTheyAreTheSame)
{
    const auto getEdges = [](const Graph& graph) {
        std::vector<std::pair<LearnerId, LearnerId>> edges;
        for (LearnerId i = 0; i < graph.GetSize(); ++i)
        {
            for (const auto& [j, weight] : graph.GetInNeighbors(i))
            {
                edges.emplace_back(i, j);
            }
        }
        return edges;
    };
    const auto apart = MakeTrackingGraphs(MakeOptions("random:0.4", "random:0.4", 10), 1);
    EXPECT_NE(getEdges(apart.states), getEdges(apart.trackers));
    const auto same = MakeTrackingGraphs(MakeOptions("random:0.4", "same", 10), 1);
    EXPECT_EQ(getEdges(same.states), getEdges(apart.states));
    EXPECT_EQ(getEdges(same.states), getEdges(same.trackers));
}

// With a path loss of 46.6777 dB + 30 log10(d) and -82 dBm a power of P dBm reaches
// 10^((P + 82 - 46.6777) / 30) metres.
TEST(TrackingGraphs, RadiosHearSendersInReach)
{
    RunSpec options = MakeOptions("radio", "same", 30);
    options.side = 100;
    options.powers = "18:23";
    const auto graphs = MakeTrackingGraphs(options, 1);
    ASSERT_EQ(graphs.positions.size(), 30U);
    ASSERT_EQ(graphs.powers.size(), 30U);
    uint32_t oneWay = 0;
    for (LearnerId i = 0; i < 30; ++i)
    {
        for (LearnerId j = 0; j < 30; ++j)
        {
            const double distance =
                std::hypot(graphs.positions[i].first - graphs.positions[j].first,
                           graphs.positions[i].second - graphs.positions[j].second);
            const double range = std::pow(10, (graphs.powers[j] + 82 - 46.6777) / 30);
            EXPECT_EQ(graphs.states.GetWeight(i, j) > 0, i != j && distance <= range);
            EXPECT_EQ(graphs.trackers.GetWeight(i, j) > 0, i != j && distance <= range);
            oneWay += graphs.states.GetWeight(i, j) > 0 && graphs.states.GetWeight(j, i) == 0;
        }
    }
    EXPECT_GT(oneWay, 10U);
}

TEST(TrackingGraphs, OthersMixWithAlphaTimesTheWeights)
{
    RunSpec options = MakeOptions("ring", "complete", 4);
    options.algorithm = "dsgd";
    options.scheme = "s2";
    options.alpha = 0.3;
    const auto graphs = MakeTrackingGraphs(options, 1);
    EXPECT_EQ(graphs.states.GetInWeight(0), 0.3);
    EXPECT_TRUE(graphs.trackers.GetPairs().empty());
}

TEST(TrackingGraphs, RefuseWhatCanNotAgree)
{
    const test::TemporaryDirectory directory;
    const std::string file = WriteEdges(directory, "0,1\n1,0\n2,3\n3,2\n");
    ExpectRefused([&] { MakeTrackingGraphs(MakeOptions(file, "same", 4), 1); }, "Assumption 1");
    RunSpec others = MakeOptions(file, "same", 4);
    others.algorithm = "dsgd";
    ExpectRefused([&] { MakeTrackingGraphs(others, 1); }, "must be connected");
    RunSpec radio = MakeOptions("radio", "same", 4);
    radio.side = 0;
    ExpectRefused([&] { MakeTrackingGraphs(radio, 1); }, "radio: side must be finite");
    ExpectRefused([&] { MakeTrackingGraphs(MakeOptions(file, "radio", 0), 1); },
                  "learners must be given with a graph radio");
    ExpectRefused([&] { MakeTrackingGraphs(MakeOptions("nope", "same", 4), 1); },
                  "graph 'nope' is unknown");
}

} // namespace
} // namespace ns3::dlearn

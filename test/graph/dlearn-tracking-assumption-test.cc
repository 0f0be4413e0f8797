/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-graph.h"

#include <Eigen/LU>
#include <gtest/gtest.h>

namespace
{

using namespace ns3::dlearn;

using Learners = std::vector<LearnerId>;

/** A graph of messages (sender, receiver). */
Graph
MakeGraph(uint32_t learners, const std::vector<std::pair<LearnerId, LearnerId>>& messages)
{
    Graph graph(learners);
    for (const auto& [sender, receiver] : messages)
    {
        graph.SetWeight(receiver, sender, 1);
    }
    return graph;
}

TEST(TrackingAssumption, NamesTheCommonRoots)
{
    const Graph out = MakeGraph(4, {{0, 1}, {1, 0}, {1, 2}, {2, 3}});
    const Graph in = MakeGraph(4, {{3, 2}, {2, 1}, {1, 0}});
    EXPECT_EQ(RequireTrackingAssumption(out, in), Learners{0});
    EXPECT_EQ(RequireTrackingAssumption(out, MakeDirectedRing(4)), (Learners{0, 1}));
    EXPECT_EQ(RequireTrackingAssumption(MakeDirectedRing(4), MakeExponential(4)),
              (Learners{0, 1, 2, 3}));
    EXPECT_EQ(RequireTrackingAssumption(Graph(1), Graph(1)), Learners{0});
}

TEST(TrackingAssumption, NamesThePartThatFails)
{
    const Graph ring = MakeDirectedRing(4);
    const Graph twoSources = MakeGraph(4, {{0, 3}, {3, 0}, {0, 2}, {1, 2}});
    const Graph twoSinks = MakeGraph(4, {{0, 3}, {3, 0}, {2, 0}, {2, 1}});
    const std::string states = "the graph of R (states) has no spanning tree, as no message from "
                               "outside reaches any of the groups of learners {0, 3}, {1}";
    const std::string trackers =
        "the graph of C^T (trackers, messages taken backwards) has no spanning tree, as no "
        "message leaves any of the groups of learners {0, 3}, {1}";
    ExpectRefused([&] { RequireTrackingAssumption(twoSources, ring); }, "Assumption 1: " + states);
    ExpectRefused([&] { RequireTrackingAssumption(ring, twoSinks); }, "Assumption 1: " + trackers);
    ExpectRefused([&] { RequireTrackingAssumption(twoSources, twoSinks); },
                  "Assumption 1: " + states + "; " + trackers);
    // The other way round each is fine: one sink, one source.
    EXPECT_EQ(RequireTrackingAssumption(ring, twoSources), Learners{2});
    EXPECT_EQ(RequireTrackingAssumption(twoSinks, ring), Learners{2});

    Graph path = MakeGraph(3, {{0, 1}, {1, 2}});
    path.names = {"a", "b", "c"};
    ExpectRefused([&] { RequireTrackingAssumption(path, path); },
                  "Assumption 1: no learner is a root in both graphs: roots of the graph of R "
                  "(states) are 0 (a); roots of the graph of C^T (trackers, messages taken "
                  "backwards) are 2 (c)");
    ExpectRefused([&] { RequireTrackingAssumption(path, ring); },
                  "Assumption 1: graph of C (trackers) must have 3 entries, got 4");
}

TEST(TrackingAssumption, LongListsAreCutShort)
{
    ExpectRefused([] { RequireTrackingAssumption(Graph(9), MakeDirectedRing(9)); },
                  "the groups of learners {0}, {1}, {2} and 6 more");
    Graph cycleAndPoint(14);
    for (LearnerId id = 0; id < 13; ++id)
    {
        cycleAndPoint.SetWeight((id + 1) % 13, id, 1);
    }
    ExpectRefused([&] { RequireTrackingAssumption(cycleAndPoint, MakeDirectedRing(14)); },
                  "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 3 more}, {13}");
}

TEST(TrackingAssumption, EqualsWhatTheLaplaciansSay)
{
    // Lemma 1 of the paper: L1 v = 0 has one solution up to scale if the graph of R has a
    // spanning tree, and its roots are where the left null vector is positive; L2 with C^T
    // likewise. Ranks of 0/1 matrices of this size are safe in double precision.
    uint32_t good = 0;
    for (int64_t stream = 0; stream < 200; ++stream)
    {
        const Graph states = MakeTreePlusEdges(6, stream % 6, stream);
        const Graph trackers = MakeTreePlusEdges(6, 4 + stream % 8, 1000 + stream);
        const Eigen::MatrixXd r = -states.GetCouplingMatrix(); // L1 = diag(R 1) - R
        Eigen::MatrixXd c = trackers.GetCouplingMatrix();
        c.diagonal().setZero();
        const Eigen::MatrixXd l2 = Eigen::MatrixXd(c.colwise().sum().asDiagonal()) - c;
        Eigen::FullPivLU<Eigen::MatrixXd> left(r.transpose());
        Eigen::FullPivLU<Eigen::MatrixXd> right(l2);
        left.setThreshold(1e-9);
        right.setThreshold(1e-9);
        ASSERT_EQ(left.dimensionOfKernel(), 1) << "a tree from learner 0";

        Learners common;
        if (right.dimensionOfKernel() == 1)
        {
            const Eigen::VectorXd v1 = left.kernel().cwiseAbs();
            const Eigen::VectorXd v2 = right.kernel().cwiseAbs();
            for (LearnerId id = 0; id < 6; ++id)
            {
                if (v1(id) > 1e-9 * v1.maxCoeff() && v2(id) > 1e-9 * v2.maxCoeff())
                {
                    common.push_back(id);
                }
            }
        }
        if (common.empty())
        {
            EXPECT_THROW(RequireTrackingAssumption(states, trackers), std::invalid_argument);
        }
        else
        {
            EXPECT_EQ(RequireTrackingAssumption(states, trackers), common);
            ++good;
        }
    }
    EXPECT_GE(good, 20) << "both cases are met";
    EXPECT_LE(good, 180) << "both cases are met";
}

} // namespace

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-mixing-matrix.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <limits>

namespace
{

using namespace ns3::dlearn;

/** Backward error of a symmetric eigensolver: a few n * machine epsilon * norm, norm <= 2 n w. */
constexpr double EIGENVALUE_TOLERANCE = 1e-11;

/** Eigenvalues k = 0..n-1 of the coupling matrix from their closed form, largest first. */
ModelVector
Sorted(uint32_t n, const std::function<double(uint32_t)>& closedForm)
{
    ModelVector eigenvalues(n);
    for (uint32_t k = 0; k < n; ++k)
    {
        eigenvalues(k) = closedForm(k);
    }
    std::sort(eigenvalues.begin(), eigenvalues.end(), std::greater<>());
    return eigenvalues;
}

/** Expect that the coupling matrix has the eigenvalues of a closed form. */
void
ExpectEigenvalues(const Graph& graph, const std::function<double(uint32_t)>& closedForm)
{
    const ModelVector expected = Sorted(graph.GetSize(), closedForm);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(graph.GetCouplingMatrix());
    const ModelVector got = solver.eigenvalues().reverse();
    ASSERT_EQ(got.size(), expected.size());
    EXPECT_LT((got - expected).lpNorm<Eigen::Infinity>(), EIGENVALUE_TOLERANCE)
        << graph.GetSize() << " learners";
}

TEST(MixingMatrix, EigenvaluesEqualClosedForms)
{
    // Brouwer and Haemers, Spectra of Graphs, section 1.4.
    const double w = 0.23;
    for (const uint32_t n : {3, 4, 7, 10, 51})
    {
        ExpectEigenvalues(ConstantWeights(MakeRing(n), w),
                          [=](uint32_t k) { return -2 * w * (1 - std::cos(2 * M_PI * k / n)); });
        ExpectEigenvalues(ConstantWeights(MakePath(n), w),
                          [=](uint32_t k) { return -2 * w * (1 - std::cos(M_PI * k / n)); });
        ExpectEigenvalues(ConstantWeights(MakeStar(n), w), [=](uint32_t k) {
            return k == 0 ? 0 : k == 1 ? -w * n : -w;
        });
        ExpectEigenvalues(ConstantWeights(MakeComplete(n), w),
                          [=](uint32_t k) { return k == 0 ? 0 : -w * n; });
    }
    // A grid is a product of two paths: its eigenvalues are all the sums of theirs.
    ExpectEigenvalues(ConstantWeights(MakeGrid(3, 5), w), [=](uint32_t k) {
        return -2 * w * (2 - std::cos(M_PI * (k / 5) / 3) - std::cos(M_PI * (k % 5) / 5));
    });
    ExpectEigenvalues(Graph(1), [](uint32_t) { return 0; });
}

TEST(MixingMatrix, SchemesAreDoublyStochasticOnRandomGraphs)
{
    for (int64_t stream = 0; stream < 20; ++stream)
    {
        const uint32_t n = 5 + static_cast<uint32_t>(stream);
        const Graph graph = MakeErdosRenyi(n, 0.35, stream);
        for (const Graph& weighted : {MetropolisWeights(graph), MaxDegreeWeights(graph)})
        {
            EXPECT_EQ(weighted.GetPairs(), graph.GetPairs());
            const Eigen::MatrixXd mixing =
                Eigen::MatrixXd::Identity(n, n) + weighted.GetCouplingMatrix();
            // Sums of at most n numbers in [0, 1].
            const double tolerance = n * std::numeric_limits<double>::epsilon();
            EXPECT_EQ(mixing, mixing.transpose());
            EXPECT_GE(mixing.minCoeff(), 0);
            EXPECT_GT(mixing.diagonal().minCoeff(), 0) << "every learner keeps some of its own";
            EXPECT_LT((mixing.rowwise().sum().array() - 1).abs().maxCoeff(), tolerance);
            EXPECT_LT((mixing.colwise().sum().array() - 1).abs().maxCoeff(), tolerance);
        }
    }
}

TEST(MixingMatrix, WeightsEqualAHandComputedExample)
{
    // Triangle 0-1-2 with a tail 2-3: degrees 2, 2, 3, 1.
    Graph graph(4);
    graph.AddEdge(0, 1);
    graph.AddEdge(0, 2);
    graph.AddEdge(1, 2);
    graph.AddEdge(2, 3, 9);
    graph.names = {"a", "b", "c", "d"};
    graph.positions.resize(4, {1, 2});

    const Graph metropolis = MetropolisWeights(graph);
    EXPECT_EQ(metropolis.GetWeight(0, 1), 1.0 / 3);
    EXPECT_EQ(metropolis.GetWeight(1, 0), 1.0 / 3);
    EXPECT_EQ(metropolis.GetWeight(0, 2), 1.0 / 4);
    EXPECT_EQ(metropolis.GetWeight(3, 2), 1.0 / 4);
    EXPECT_EQ(metropolis.GetWeight(0, 3), 0);
    EXPECT_EQ(metropolis.names, graph.names);
    EXPECT_EQ(metropolis.positions, graph.positions);

    const Graph counted = MetropolisWeights(graph, {1, 2, 4, 3});
    EXPECT_DOUBLE_EQ(counted.GetWeight(0, 1), 1.0 / 3);
    EXPECT_DOUBLE_EQ(counted.GetWeight(1, 0), 1.0 / 6);
    EXPECT_DOUBLE_EQ(counted.GetWeight(2, 3), 1.0 / 4);
    EXPECT_DOUBLE_EQ(counted.GetWeight(3, 2), 1.0 / 3);

    for (const auto& [a, b] : graph.GetPairs())
    {
        EXPECT_EQ(MaxDegreeWeights(graph).GetWeight(a, b), 1.0 / 4);
        EXPECT_EQ(ConstantWeights(graph, 0.125).GetWeight(b, a), 0.125);
    }
}

TEST(MixingMatrix, SchemesAreFoundByName)
{
    const Graph graph = MakeStar(5);
    const auto coupling = [](const Graph& g) { return g.GetCouplingMatrix(); };
    EXPECT_EQ(coupling(WeightsByName(graph, "metropolis")), coupling(MetropolisWeights(graph)));
    EXPECT_EQ(coupling(WeightsByName(graph, "max-degree")), coupling(MaxDegreeWeights(graph)));
    EXPECT_EQ(coupling(WeightsByName(graph, "0.15")), coupling(ConstantWeights(graph, 0.15)));
    EXPECT_EQ(coupling(WeightsByName(graph, "2e-3")), coupling(ConstantWeights(graph, 0.002)));

    for (const std::string scheme :
         {"", "Metropolis", "0", "-1", "0.1x", " 0.1", "0.1 ", "nan", "inf", "1e999", "1,5"})
    {
        ExpectRefused([&] { WeightsByName(graph, scheme); },
                      "the edge weight must be metropolis, max-degree or a number greater "
                      "than 0, got '" +
                          scheme + "'");
    }
}

TEST(MixingMatrix, DegreeWeightsSumToOne)
{
    Graph graph = MakeRandomDigraph(12, 0.3, 5);
    graph.names.assign(12, "x");
    const Graph in = InDegreeWeights(graph);
    const Graph out = OutDegreeWeights(graph);
    EXPECT_EQ(in.names, graph.names);
    for (LearnerId i = 0; i < 12; ++i)
    {
        double sent = 0;
        double received = 0;
        for (LearnerId j = 0; j < 12; ++j)
        {
            EXPECT_EQ(in.GetWeight(i, j) > 0, graph.GetWeight(i, j) > 0);
            EXPECT_EQ(out.GetWeight(i, j) > 0, graph.GetWeight(i, j) > 0);
            received += in.GetWeight(i, j);
            sent += out.GetWeight(j, i);
        }
        // A dozen roundings of numbers up to 1.
        EXPECT_NEAR(received, 1, 1e-14);
        EXPECT_NEAR(sent, 1, 1e-14);
    }
    Graph hand(3); // 0 -> 1, 0 -> 2, 1 -> 2
    hand.SetWeight(1, 0, 7);
    hand.SetWeight(2, 0, 7);
    hand.SetWeight(2, 1, 7);
    Eigen::MatrixXd wanted(3, 3);
    wanted << 0, 0, 0, 1, -1, 0, 0.5, 0.5, -1;
    EXPECT_EQ(InDegreeWeights(hand).GetCouplingMatrix(), wanted);
    wanted << 0, 0, 0, 0.5, -0.5, 0, 0.5, 1, -1.5;
    EXPECT_EQ(OutDegreeWeights(hand).GetCouplingMatrix(), wanted);
}

} // namespace

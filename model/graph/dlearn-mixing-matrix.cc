/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-mixing-matrix.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-number-parser.h"

#include <Eigen/Eigenvalues>
#include <algorithm>

namespace ns3::dlearn
{

namespace
{

/**
 * Give every directed edge a new weight; keep names and positions.
 * @param graph a graph
 * @param weigh weight w_ij as a function of i, the receiver, and j, the sender
 * @return the weighted graph
 */
template <typename Weigh>
Graph
ReweightDirected(const Graph& graph, Weigh weigh)
{
    Graph weighted = graph;
    for (LearnerId receiver = 0; receiver < graph.GetSize(); ++receiver)
    {
        for (const auto& entry : graph.GetInNeighbors(receiver))
        {
            weighted.SetWeight(receiver, entry.first, weigh(receiver, entry.first));
        }
    }
    return weighted;
}

/**
 * Give every edge a new weight; keep names and positions.
 * @param where the function that was called, for messages
 * @param graph undirected graph
 * @param weigh weight of the edge a-b as a symmetric function of a and b
 * @return the weighted graph
 */
template <typename Weigh>
Graph
Reweight(const char* where, const Graph& graph, Weigh weigh)
{
    Require(graph.IsSymmetric(), where, ": graph must be undirected (w_ij = w_ji)");
    return ReweightDirected(graph, weigh);
}

/**
 * @param graph undirected graph
 * @param id a learner
 * @return its number of neighbours
 */
size_t
GetDegree(const Graph& graph, LearnerId id)
{
    return graph.GetInNeighbors(id).size();
}

} // namespace

Graph
ConstantWeights(const Graph& graph, double weight)
{
    // Checked here as well, because a graph without edges would let it pass.
    RequirePositive("ConstantWeights", "weight", weight);
    return Reweight("ConstantWeights", graph, [weight](LearnerId, LearnerId) { return weight; });
}

Graph
MetropolisWeights(const Graph& graph)
{
    return Reweight("MetropolisWeights", graph, [&graph](LearnerId a, LearnerId b) {
        return 1.0 / (1.0 + std::max(GetDegree(graph, a), GetDegree(graph, b)));
    });
}

Graph
MaxDegreeWeights(const Graph& graph)
{
    size_t maxDegree = 0;
    for (LearnerId id = 0; id < graph.GetSize(); ++id)
    {
        maxDegree = std::max(maxDegree, GetDegree(graph, id));
    }
    const double weight = 1.0 / (1.0 + maxDegree);
    return Reweight("MaxDegreeWeights", graph, [weight](LearnerId, LearnerId) { return weight; });
}

Graph
WeightsByName(const Graph& graph, const std::string& scheme)
{
    if (scheme == "metropolis")
    {
        return MetropolisWeights(graph);
    }
    if (scheme == "max-degree")
    {
        return MaxDegreeWeights(graph);
    }
    const std::optional<double> weight = ParseNumber(scheme);
    Require(weight && *weight > 0,
            "the edge weight must be metropolis, max-degree or a number greater than 0, got '",
            scheme,
            "'");
    return ConstantWeights(graph, *weight);
}

Graph
InDegreeWeights(const Graph& graph)
{
    return ReweightDirected(graph, [&graph](LearnerId receiver, LearnerId) {
        return 1.0 / static_cast<double>(graph.GetInNeighbors(receiver).size());
    });
}

Graph
OutDegreeWeights(const Graph& graph)
{
    return ReweightDirected(graph, [&graph](LearnerId, LearnerId sender) {
        return 1.0 / static_cast<double>(graph.GetOutNeighbors(sender).size());
    });
}

Graph
ScaledWeights(const Graph& graph, double factor)
{
    RequirePositive("ScaledWeights", "factor", factor);
    return ReweightDirected(graph, [&](LearnerId receiver, LearnerId sender) {
        return factor * graph.GetWeight(receiver, sender);
    });
}

ModelVector
CouplingEigenvalues(const Graph& graph)
{
    Require(graph.IsSymmetric(), "CouplingEigenvalues: graph must be undirected (w_ij = w_ji)");
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(graph.GetCouplingMatrix(),
                                                                Eigen::EigenvaluesOnly);
    return solver.eigenvalues().reverse();
}

double
SpectralGap(const Graph& graph)
{
    if (graph.GetSize() == 1)
    {
        return 1; // a single learner has nothing to disagree with
    }
    const ModelVector eigenvalues = CouplingEigenvalues(graph);
    const double second = std::abs(1 + eigenvalues(1));
    const double last = std::abs(1 + eigenvalues(eigenvalues.size() - 1));
    return 1 - std::max(second, last);
}

} // namespace ns3::dlearn

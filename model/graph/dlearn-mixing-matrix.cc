/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-mixing-matrix.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

/** Give every directed edge weight w_ij, a function of i, the receiver, and j, the sender. */
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

/** ReweightDirected() for an undirected graph and a symmetric function. */
template <typename Weigh>
Graph
Reweight(const char* where, const Graph& graph, Weigh weigh)
{
    Require(graph.IsSymmetric(), where, ": graph must be undirected (w_ij = w_ji)");
    return ReweightDirected(graph, weigh);
}

size_t
GetDegree(const Graph& graph, LearnerId id)
{
    return graph.GetInNeighbors(id).size();
}

} // namespace

Graph
ConstantWeights(const Graph& graph, double weight)
{
    // Also for a graph without edges.
    RequirePositive("ConstantWeights", "weight", weight);
    return Reweight("ConstantWeights", graph, [weight](LearnerId, LearnerId) { return weight; });
}

Graph
MetropolisWeights(const Graph& graph, const std::vector<double>& counts)
{
    Require(graph.IsSymmetric(), "MetropolisWeights: graph must be undirected (w_ij = w_ji)");
    const auto count = [&](LearnerId id) { return counts.empty() ? 1 : counts.at(id); };
    const auto share = [&](LearnerId id) { return count(id) / (1.0 + GetDegree(graph, id)); };
    return ReweightDirected(graph, [&](LearnerId receiver, LearnerId sender) {
        return std::min(share(receiver), share(sender)) / count(receiver);
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
            "the edge weight must be metropolis, max-degree or a number greater than 0, got '{}'",
            scheme);
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

} // namespace ns3::dlearn

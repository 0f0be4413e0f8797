/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-directed-generators.h"

#include "dlearn-graph-draws.h"
#include "dlearn-reachability.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"

namespace ns3::dlearn
{

namespace
{

/**
 * Let every learner send to the one that many places further.
 * @param graph gets the edges
 * @param distance from 1 to size - 1
 */
void
AddHop(Graph& graph, uint64_t distance)
{
    for (LearnerId sender = 0; sender < graph.GetSize(); ++sender)
    {
        graph.SetWeight(static_cast<LearnerId>((sender + distance) % graph.GetSize()), sender, 1);
    }
}

} // namespace

Graph
MakeDirectedRing(uint32_t learners)
{
    Graph graph(learners);
    if (learners > 1)
    {
        AddHop(graph, 1);
    }
    return graph;
}

Graph
MakeExponential(uint32_t learners)
{
    Graph graph(learners);
    for (uint64_t distance = 1; distance < learners; distance *= 2)
    {
        AddHop(graph, distance);
    }
    return graph;
}

Graph
MakeRandomDigraph(uint32_t learners, double probability, int64_t stream)
{
    Require(probability > 0 && probability <= 1,
            "MakeRandomDigraph: probability must be greater than 0 and at most 1, got ",
            probability);
    RequireEdges("MakeRandomDigraph", learners, probability * learners * (learners - 1.0));
    const auto uniform = CreateSeeded<UniformRandomVariable>(stream, 0);
    const auto draw = [learners, probability, uniform]() {
        Graph graph(learners);
        for (LearnerId receiver = 0; receiver < learners; ++receiver)
        {
            for (LearnerId sender = 0; sender < learners; ++sender)
            {
                if (sender != receiver && uniform->GetValue(0, 1) < probability)
                {
                    graph.SetWeight(receiver, sender, 1);
                }
            }
        }
        return graph;
    };
    return DrawUntil(draw,
                     IsStronglyConnected,
                     "not strongly connected",
                     "MakeRandomDigraph with ",
                     learners,
                     " learners and probability ",
                     probability);
}

Graph
MakeTreePlusEdges(uint32_t learners, uint32_t extra, int64_t stream)
{
    Graph graph(learners);
    uint64_t left = static_cast<uint64_t>(learners - 1) * (learners - 1); // pairs not in the tree
    Require(extra <= left,
            "MakeTreePlusEdges: extra edges of ",
            learners,
            " learners must be at most ",
            left,
            ", got ",
            extra);
    RequireEdges("MakeTreePlusEdges", learners, learners - 1.0 + extra);
    const auto uniform = CreateSeeded<UniformRandomVariable>(stream, 0);
    for (LearnerId receiver = 1; receiver < learners; ++receiver)
    {
        graph.SetWeight(receiver, uniform->GetInteger(0, receiver - 1), 1);
    }
    // Selection sampling (Knuth, The art of computer programming, vol. 2, 3.4.2, algorithm S):
    // no list of all pairs, and as many random numbers as pairs at most.
    uint64_t wanted = extra;
    for (LearnerId receiver = 0; receiver < learners && wanted > 0; ++receiver)
    {
        for (LearnerId sender = 0; sender < learners && wanted > 0; ++sender)
        {
            if (sender == receiver || graph.GetWeight(receiver, sender) > 0)
            {
                continue;
            }
            if (uniform->GetValue(0, 1) * static_cast<double>(left) < static_cast<double>(wanted))
            {
                graph.SetWeight(receiver, sender, 1);
                --wanted;
            }
            --left;
        }
    }
    return graph;
}

} // namespace ns3::dlearn

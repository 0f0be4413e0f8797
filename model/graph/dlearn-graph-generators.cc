/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-graph-generators.h"

#include "dlearn-graph-draws.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"

#include <functional>

namespace ns3::dlearn
{

namespace
{

/** @return how many pairs of learners there are */
double
CountPairs(uint32_t learners)
{
    return learners * (learners - 1.0) / 2;
}

} // namespace

Graph
MakeRing(uint32_t learners)
{
    Graph graph = MakePath(learners);
    if (learners > 2)
    {
        graph.AddEdge(learners - 1, 0);
    }
    return graph;
}

Graph
MakePath(uint32_t learners)
{
    return MakeGrid(1, learners);
}

Graph
MakeStar(uint32_t learners)
{
    Graph graph(learners);
    for (LearnerId leaf = 1; leaf < learners; ++leaf)
    {
        graph.AddEdge(0, leaf);
    }
    return graph;
}

Graph
MakeComplete(uint32_t learners)
{
    RequireEdges("MakeComplete", learners, CountPairs(learners));
    Graph graph(learners);
    for (LearnerId a = 0; a < learners; ++a)
    {
        for (LearnerId b = a + 1; b < learners; ++b)
        {
            graph.AddEdge(a, b);
        }
    }
    return graph;
}

Graph
MakeGrid(uint32_t rows, uint32_t cols)
{
    const uint64_t learners = static_cast<uint64_t>(rows) * cols;
    Require(learners <= UINT32_MAX, "MakeGrid: ", rows, " x ", cols, " is too many learners");
    Graph graph(static_cast<uint32_t>(learners));
    for (uint32_t row = 0; row < rows; ++row)
    {
        for (uint32_t col = 0; col < cols; ++col)
        {
            const LearnerId id = row * cols + col;
            if (col + 1 < cols)
            {
                graph.AddEdge(id, id + 1);
            }
            if (row + 1 < rows)
            {
                graph.AddEdge(id, id + cols);
            }
        }
    }
    return graph;
}

Graph
MakeGrid(uint32_t learners)
{
    uint32_t rows = 1;
    for (uint64_t divisor = 1; divisor * divisor <= learners; ++divisor)
    {
        if (learners % divisor == 0)
        {
            rows = static_cast<uint32_t>(divisor);
        }
    }
    return MakeGrid(rows, learners / rows);
}

Graph
MakeErdosRenyi(uint32_t learners, double probability, int64_t stream)
{
    Require(probability > 0 && probability <= 1,
            "MakeErdosRenyi: probability must be greater than 0 and at most 1, got ",
            probability);
    RequireEdges("MakeErdosRenyi", learners, probability * CountPairs(learners));
    const auto uniform = CreateSeeded<UniformRandomVariable>(stream, 0);
    const auto draw = [learners, probability, uniform]() {
        Graph graph(learners);
        for (LearnerId a = 0; a < learners; ++a)
        {
            for (LearnerId b = a + 1; b < learners; ++b)
            {
                if (uniform->GetValue(0, 1) < probability)
                {
                    graph.AddEdge(a, b);
                }
            }
        }
        return graph;
    };
    return DrawUntil(draw,
                     std::mem_fn(&Graph::IsConnected),
                     "disconnected",
                     "MakeErdosRenyi with ",
                     learners,
                     " learners and probability ",
                     probability);
}

Graph
GraphFromPositions(const std::vector<std::pair<double, double>>& positions, double radius)
{
    RequirePositive("GraphFromPositions", "radius", radius);
    Require(positions.size() <= UINT32_MAX, "GraphFromPositions: too many positions");
    Graph graph(static_cast<uint32_t>(positions.size()));
    uint64_t edges = 0;
    for (LearnerId a = 0; a < graph.GetSize(); ++a)
    {
        const auto& [x, y] = positions[a];
        Require(std::isfinite(x) && std::isfinite(y),
                "GraphFromPositions: position of learner ",
                a,
                " must be finite, got (",
                x,
                ", ",
                y,
                ")");
        for (LearnerId b = 0; b < a; ++b)
        {
            if (std::hypot(x - positions[b].first, y - positions[b].second) <= radius)
            {
                graph.AddEdge(a, b);
                ++edges;
            }
        }
        RequireEdges("GraphFromPositions", graph.GetSize(), static_cast<double>(edges));
    }
    graph.positions = positions;
    return graph;
}

Graph
MakeRandomGeometric(uint32_t learners, double radius, double side, int64_t stream)
{
    RequirePositive("MakeRandomGeometric", "side", side);
    const auto uniform = CreateSeeded<UniformRandomVariable>(stream, 0);
    const auto draw = [learners, radius, side, uniform]() {
        std::vector<std::pair<double, double>> positions(learners);
        for (auto& [x, y] : positions)
        {
            x = uniform->GetValue(0, side);
            y = uniform->GetValue(0, side);
        }
        return GraphFromPositions(positions, radius);
    };
    return DrawUntil(draw,
                     std::mem_fn(&Graph::IsConnected),
                     "disconnected",
                     "MakeRandomGeometric with ",
                     learners,
                     " learners, radius ",
                     radius,
                     " m and side ",
                     side,
                     " m");
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-graph-generators.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <functional>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t GRAPH_DRAWS = 1000;

/** @return the first graph that is strongly connected; the other parameters are for the message */
template <typename Draw, typename... Parts>
Graph
DrawUntilConnected(Draw draw, const char* fault, const Parts&... description)
{
    for (uint32_t k = 0; k < GRAPH_DRAWS; ++k)
    {
        Graph graph = draw();
        if (FindSourceGroups(graph).front().size() == graph.GetSize())
        {
            return graph;
        }
    }
    throw std::invalid_argument(FormatText("{}: the graph stayed {} in {} draws",
                                           FormatText(description...),
                                           fault,
                                           GRAPH_DRAWS));
}

void
RequireProbability(const char* where, double probability)
{
    Require(probability > 0 && probability <= 1,
            "{}: probability must be greater than 0 and at most 1, got {}",
            where,
            probability);
}

/** Let every learner send to the one @p distance further, modulo their number. */
void
AddHop(Graph& graph, uint64_t distance)
{
    for (LearnerId sender = 0; sender < graph.GetSize(); ++sender)
    {
        graph.SetWeight(static_cast<LearnerId>((sender + distance) % graph.GetSize()), sender, 1);
    }
}

struct GraphRequest
{
    std::string spec;      //!< the whole text, for messages
    std::string parameter; //!< behind the colon
    uint32_t learners;     //!< number of learners
    int64_t stream;        //!< random stream
    double side;           //!< side of the square of positions, in metres
};

struct GraphKind
{
    std::string name;      //!< before the colon
    std::string parameter; //!< name of its parameter; or empty
    bool needsLearners;    //!< whether their number must be given
    std::function<DirectedGraph(const GraphRequest&)> create; //!< makes the graph
};

using GraphKinds = std::vector<GraphKind>; //!< in the order in which messages list them

double
ReadParameter(const GraphRequest& request)
{
    const std::optional<double> number = ParseNumber(request.parameter);
    Require(number.has_value(),
            "graph '{}': '{}' is not a number",
            request.spec,
            request.parameter);
    return *number;
}

DirectedGraph
CreateTree(const GraphRequest& request)
{
    const auto extra = ParseWholeNumber(request.parameter);
    Require(extra.has_value(),
            "graph '{}': '{}' is not a number of edges",
            request.spec,
            request.parameter);
    return {MakeTreePlusEdges(request.learners, *extra, request.stream)};
}

/** @return the graph of a file; refuses another number of nodes than asked for */
DirectedGraph
CreateFromGraphml(const GraphRequest& request, const GraphmlContent& content)
{
    Require(request.learners == 0 || request.learners == content.graph.GetSize(),
            "graph '{}': the file has {} nodes, but {} learners were asked for",
            request.spec,
            content.graph.GetSize(),
            request.learners);
    return {content.graph, content.weighted};
}

std::function<DirectedGraph(const GraphRequest&)>
Plain(Graph (*make)(uint32_t))
{
    return [make](const GraphRequest& request) { return DirectedGraph{make(request.learners)}; };
}

const GraphKinds&
GetUndirectedKinds()
{
    using Request = GraphRequest;
    static const GraphKinds kinds{
        {"ring", "", true, Plain(&MakeRing)},
        {"path", "", true, Plain(&MakePath)},
        {"complete", "", true, Plain(&MakeComplete)},
        {"star", "", true, Plain(&MakeStar)},
        {"dumbbell", "", true, Plain(&MakeDumbbell)},
        {"grid", "", true, Plain(&MakeGrid)},
        {"er",
         "P",
         true,
         [](const Request& r) {
             return DirectedGraph{MakeErdosRenyi(r.learners, ReadParameter(r), r.stream)};
         }},
        {"rgg",
         "R",
         true,
         [](const Request& r) {
             return DirectedGraph{
                 MakeRandomGeometric(r.learners, ReadParameter(r), r.side, r.stream)};
         }},
        {"graphml",
         "FILE",
         false,
         [](const Request& r) { return CreateFromGraphml(r, ReadGraphml(r.parameter)); }},
    };
    return kinds;
}

const GraphKinds&
GetDirectedKinds()
{
    using Request = GraphRequest;
    static const GraphKinds kinds{
        {"ring", "", true, Plain(&MakeDirectedRing)},
        {"exponential", "", true, Plain(&MakeExponential)},
        {"complete", "", true, Plain(&MakeComplete)},
        {"tree", "EXTRA", true, CreateTree},
        {"random",
         "P",
         true,
         [](const Request& r) {
             return DirectedGraph{MakeRandomDigraph(r.learners, ReadParameter(r), r.stream)};
         }},
        {"radio",
         "",
         false,
         [](const Request& r) -> DirectedGraph {
             throw std::invalid_argument("graph '" + r.spec + "': needs a radio network");
         }},
        {"csv",
         "FILE",
         false,
         [](const Request& r) { return ReadEdgeList(r.parameter, r.learners); }},
        {"graphml",
         "FILE",
         false,
         [](const Request& r) { return CreateFromGraphml(r, ReadDirectedGraphml(r.parameter)); }},
    };
    return kinds;
}

std::string
ListGraphKinds(const GraphKinds& kinds)
{
    std::vector<std::string> names;
    for (const GraphKind& kind : kinds)
    {
        names.push_back(kind.parameter.empty() ? kind.name : kind.name + ":" + kind.parameter);
    }
    return JoinNames(names);
}

DirectedGraph
CreateGraph(const GraphKinds& kinds, GraphRequest request)
{
    const size_t colon = request.spec.find(':');
    const std::string name = request.spec.substr(0, colon);
    request.parameter = colon == std::string::npos ? "" : request.spec.substr(colon + 1);
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const GraphKind& known) {
        return known.name == name;
    });
    Require(kind != kinds.end(),
            "graph '{}' is unknown; choose one of {}",
            request.spec,
            ListGraphKinds(kinds));
    Require(!kind->parameter.empty() || colon == std::string::npos,
            "graph '{}': {} takes no parameter",
            request.spec,
            name);
    Require(kind->parameter.empty() || !request.parameter.empty(),
            "graph '{}': {} needs a parameter, {}:{}",
            request.spec,
            name,
            name,
            kind->parameter);
    Require(!kind->needsLearners || request.learners >= 1,
            "graph '{}': number of learners must be at least 1, got 0",
            request.spec);
    return kind->create(request);
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
MakeDumbbell(uint32_t learners)
{
    Graph graph(learners);
    const uint32_t half = (learners + 1) / 2;
    for (LearnerId a = 0; a < learners; ++a)
    {
        for (LearnerId b = a + 1; b < learners; ++b)
        {
            if ((a < half) == (b < half) || (a + 1 == half && b == half))
            {
                graph.AddEdge(a, b);
            }
        }
    }
    return graph;
}

Graph
MakeGrid(uint32_t rows, uint32_t cols)
{
    Graph graph(rows * cols);
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
    RequireProbability("MakeErdosRenyi", probability);
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
    return DrawUntilConnected(draw,
                              "disconnected",
                              "MakeErdosRenyi with {} learners and probability {}",
                              learners,
                              probability);
}

Graph
GraphFromPositions(const std::vector<std::pair<double, double>>& positions, double radius)
{
    RequirePositive("GraphFromPositions", "radius", radius);
    Graph graph(static_cast<uint32_t>(positions.size()));
    for (LearnerId a = 0; a < graph.GetSize(); ++a)
    {
        const auto& [x, y] = positions[a];
        Require(std::isfinite(x) && std::isfinite(y),
                "GraphFromPositions: position of learner {} must be finite, got ({}, {})",
                a,
                x,
                y);
        for (LearnerId b = 0; b < a; ++b)
        {
            if (std::hypot(x - positions[b].first, y - positions[b].second) <= radius)
            {
                graph.AddEdge(a, b);
            }
        }
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
    return DrawUntilConnected(draw,
                              "disconnected",
                              "MakeRandomGeometric with {} learners, radius {} m and side {} m",
                              learners,
                              radius,
                              side);
}

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
    RequireProbability("MakeRandomDigraph", probability);
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
    return DrawUntilConnected(draw,
                              "not strongly connected",
                              "MakeRandomDigraph with {} learners and probability {}",
                              learners,
                              probability);
}

Graph
MakeTreePlusEdges(uint32_t learners, uint32_t extra, int64_t stream)
{
    Graph graph(learners);
    uint64_t left = static_cast<uint64_t>(learners - 1) * (learners - 1); // pairs not in the tree
    Require(extra <= left,
            "MakeTreePlusEdges: extra edges of {} learners must be at most {}, got {}",
            learners,
            left,
            extra);
    const auto uniform = CreateSeeded<UniformRandomVariable>(stream, 0);
    for (LearnerId receiver = 1; receiver < learners; ++receiver)
    {
        graph.SetWeight(receiver, uniform->GetInteger(0, receiver - 1), 1);
    }
    // Selection sampling (Knuth, The art of computer programming, vol. 2, 3.4.2, algorithm S).
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

std::string
GetGraphNames()
{
    return ListGraphKinds(GetUndirectedKinds());
}

Graph
GraphByName(const std::string& spec, uint32_t learners, int64_t stream, double side)
{
    Graph graph = CreateGraph(GetUndirectedKinds(), {spec, "", learners, stream, side}).graph;
    RequireConnected(graph, "graph '" + spec + "'");
    return graph;
}

std::string
GetDirectedGraphNames()
{
    return ListGraphKinds(GetDirectedKinds());
}

DirectedGraph
DirectedGraphByName(const std::string& spec, uint32_t learners, int64_t stream)
{
    return CreateGraph(GetDirectedKinds(), {spec, "", learners, stream, 0});
}

} // namespace ns3::dlearn

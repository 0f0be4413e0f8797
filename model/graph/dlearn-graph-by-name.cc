/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-graph-by-name.h"

#include "dlearn-graph-generators.h"
#include "dlearn-graph-kinds.h"
#include "dlearn-graphml-reader.h"

namespace ns3::dlearn
{

namespace
{

/**
 * @param request what the user asked for
 * @return the graph of the file
 */
Graph
CreateFromFile(const GraphRequest& request)
{
    Graph graph = ReadGraphml(request.parameter).graph;
    RequireLearners(request, graph);
    return graph;
}

/** @return all kinds of graph, in the order in which messages list them */
const std::vector<GraphKind<Graph>>&
GetKinds()
{
    using Request = GraphRequest;
    static const std::vector<GraphKind<Graph>> kinds{
        {"ring", "", true, [](const Request& r) { return MakeRing(r.learners); }},
        {"path", "", true, [](const Request& r) { return MakePath(r.learners); }},
        {"complete", "", true, [](const Request& r) { return MakeComplete(r.learners); }},
        {"star", "", true, [](const Request& r) { return MakeStar(r.learners); }},
        {"grid", "", true, [](const Request& r) { return MakeGrid(r.learners); }},
        {"er",
         "P",
         true,
         [](const Request& r) { return MakeErdosRenyi(r.learners, ReadParameter(r), r.stream); }},
        {"rgg",
         "R",
         true,
         [](const Request& r) {
             return MakeRandomGeometric(r.learners, ReadParameter(r), r.side, r.stream);
         }},
        {"graphml", "FILE", false, CreateFromFile},
    };
    return kinds;
}

} // namespace

std::string
GetGraphNames()
{
    return ListGraphKinds(GetKinds());
}

Graph
GraphByName(const std::string& spec, uint32_t learners, int64_t stream, double side)
{
    Graph graph = CreateGraph(GetKinds(), {spec, "", learners, stream, side});
    RequireConnected(graph, "graph '" + spec + "'");
    return graph;
}

} // namespace ns3::dlearn

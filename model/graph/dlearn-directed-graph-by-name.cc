/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-directed-graph-by-name.h"

#include "dlearn-directed-generators.h"
#include "dlearn-graph-kinds.h"
#include "dlearn-graphml-reader.h"

namespace ns3::dlearn
{

namespace
{

/**
 * @param request what the user asked for
 * @return a random tree with random edges
 */
DirectedGraph
CreateTree(const GraphRequest& request)
{
    const auto extra = ParseWholeNumber(request.parameter);
    Require(extra.has_value(),
            "graph '",
            request.spec,
            "': '",
            request.parameter,
            "' is not a number of edges");
    return {MakeTreePlusEdges(request.learners, *extra, request.stream)};
}

/**
 * @param request what the user asked for
 * @return the graph of a GraphML file
 */
DirectedGraph
CreateFromGraphml(const GraphRequest& request)
{
    const GraphmlContent content = ReadDirectedGraphml(request.parameter);
    RequireLearners(request, content.graph);
    return {content.graph, content.weighted};
}

/**
 * @param request what the user asked for
 * @return never
 */
DirectedGraph
RefuseRadio(const GraphRequest& request)
{
    throw std::invalid_argument("graph '" + request.spec + "': needs a radio network");
}

/** @return all kinds of graph, in the order in which messages list them */
const std::vector<GraphKind<DirectedGraph>>&
GetDirectedKinds()
{
    using Request = GraphRequest;
    static const std::vector<GraphKind<DirectedGraph>> kinds{
        {"ring",
         "",
         true,
         [](const Request& r) { return DirectedGraph{MakeDirectedRing(r.learners)}; }},
        {"exponential",
         "",
         true,
         [](const Request& r) { return DirectedGraph{MakeExponential(r.learners)}; }},
        {"complete",
         "",
         true,
         [](const Request& r) { return DirectedGraph{MakeComplete(r.learners)}; }},
        {"tree", "EXTRA", true, CreateTree},
        {"random",
         "P",
         true,
         [](const Request& r) {
             return DirectedGraph{MakeRandomDigraph(r.learners, ReadParameter(r), r.stream)};
         }},
        {"radio", "", false, RefuseRadio},
        {"csv",
         "FILE",
         false,
         [](const Request& r) { return ReadEdgeList(r.parameter, r.learners); }},
        {"graphml", "FILE", false, CreateFromGraphml},
    };
    return kinds;
}

} // namespace

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

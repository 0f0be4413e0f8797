/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-graph-by-name.h"

#include "dlearn-graph-generators.h"
#include "dlearn-graphml-reader.h"
#include "dlearn-number-parser.h"

#include "ns3/dlearn-check.h"

#include <functional>

namespace ns3
{
namespace dlearn
{

namespace
{

/** What the user asked for. */
struct Request
{
    std::string spec;      //!< all of it, for messages
    std::string parameter; //!< what follows the colon
    uint32_t learners;     //!< number of learners
    int64_t stream;        //!< random stream
    double side;           //!< side of the square of positions, in metres
};

/** One kind of graph. */
struct Kind
{
    std::string name;                            //!< before the colon
    std::string parameter;                       //!< what its parameter is called; or empty
    bool needsLearners;                          //!< whether the user must give their number
    std::function<Graph(const Request&)> create; //!< makes the graph
};

/**
 * @param request what the user asked for
 * @return its parameter as a number
 */
double
ReadParameter(const Request& request)
{
    const auto number = ParseNumber(request.parameter);
    Require(number.has_value(),
            "graph '",
            request.spec,
            "': '",
            request.parameter,
            "' is not a number");
    return *number;
}

/**
 * @param request what the user asked for
 * @return the graph of the file
 */
Graph
CreateFromFile(const Request& request)
{
    Graph graph = ReadGraphml(request.parameter).graph;
    Require(request.learners == 0 || request.learners == graph.GetSize(),
            "graph '",
            request.spec,
            "': the file has ",
            graph.GetSize(),
            " nodes, but ",
            request.learners,
            " learners were asked for");
    return graph;
}

/** @return all kinds of graph, in the order in which messages list them */
const std::vector<Kind>&
GetKinds()
{
    static const std::vector<Kind> kinds{
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

/**
 * @param spec the whole name that the user gave
 * @param name its part before the colon
 * @return the kind of that name
 */
const Kind&
FindKind(const std::string& spec, const std::string& name)
{
    std::string names;
    for (const auto& kind : GetKinds())
    {
        if (kind.name == name)
        {
            return kind;
        }
        names += names.empty() ? "" : ", ";
        names += kind.parameter.empty() ? kind.name : kind.name + ":" + kind.parameter;
    }
    throw std::invalid_argument("graph '" + spec + "' is unknown; choose one of " + names);
}

} // namespace

Graph
GraphByName(const std::string& spec, uint32_t learners, int64_t stream, double side)
{
    const size_t colon = spec.find(':');
    const std::string name = spec.substr(0, colon);
    const std::string parameter = colon == std::string::npos ? "" : spec.substr(colon + 1);

    const Kind& kind = FindKind(spec, name);
    Require(!kind.parameter.empty() || colon == std::string::npos,
            "graph '",
            spec,
            "': ",
            name,
            " takes no parameter");
    Require(kind.parameter.empty() || !parameter.empty(),
            "graph '",
            spec,
            "': ",
            name,
            " needs a parameter, ",
            name,
            ":",
            kind.parameter);
    Require(!kind.needsLearners || learners >= 1,
            "graph '",
            spec,
            "': number of learners must be at least 1, got 0");

    Graph graph = kind.create({spec, parameter, learners, stream, side});
    RequireConnected(graph, "graph '" + spec + "'");
    return graph;
}

} // namespace dlearn
} // namespace ns3

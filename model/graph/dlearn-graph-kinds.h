/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRAPH_KINDS_H
#define DLEARN_GRAPH_KINDS_H

#include "dlearn-graph.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/dlearn-text-format.h"

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/**
 * @file
 * Makes a graph from a name such as "er:0.3", for undirected and for directed graphs. Private to
 * this folder.
 */

namespace ns3::dlearn
{

/** What the user asked for. */
struct GraphRequest
{
    std::string spec;      //!< all of it, for messages
    std::string parameter; //!< what follows the colon
    uint32_t learners;     //!< number of learners
    int64_t stream;        //!< random stream
    double side;           //!< side of the square of positions, in metres
};

/**
 * One kind of graph.
 *
 * @tparam Result what is made
 */
template <typename Result>
struct GraphKind
{
    std::string name;                                  //!< before the colon
    std::string parameter;                             //!< what its parameter is called; or empty
    bool needsLearners;                                //!< whether the user must give their number
    std::function<Result(const GraphRequest&)> create; //!< makes the graph
};

/**
 * @param request what the user asked for
 * @return its parameter as a number
 */
inline double
ReadParameter(const GraphRequest& request)
{
    const std::optional<double> number = ParseNumber(request.parameter);
    Require(number.has_value(),
            "graph '",
            request.spec,
            "': '",
            request.parameter,
            "' is not a number");
    return *number;
}

/**
 * Refuse a file of another size than asked for.
 *
 * @param request what the user asked for
 * @param graph what the file holds
 */
inline void
RequireLearners(const GraphRequest& request, const Graph& graph)
{
    Require(request.learners == 0 || request.learners == graph.GetSize(),
            "graph '",
            request.spec,
            "': the file has ",
            graph.GetSize(),
            " nodes, but ",
            request.learners,
            " learners were asked for");
}

/**
 * @param kinds all kinds
 * @return their names, with what their parameters are called, in the same order
 */
template <typename Result>
std::string
ListGraphKinds(const std::vector<GraphKind<Result>>& kinds)
{
    std::vector<std::string> names;
    for (const auto& kind : kinds)
    {
        names.push_back(kind.parameter.empty() ? kind.name : kind.name + ":" + kind.parameter);
    }
    return JoinNames(names);
}

/**
 * @param kinds all kinds, in the order in which messages list them
 * @param spec the whole name that the user gave
 * @param name its part before the colon
 * @return the kind of that name
 * @throw std::invalid_argument listing the kinds when there is none
 */
template <typename Result>
const GraphKind<Result>&
FindGraphKind(const std::vector<GraphKind<Result>>& kinds,
              const std::string& spec,
              const std::string& name)
{
    for (const auto& kind : kinds)
    {
        if (kind.name == name)
        {
            return kind;
        }
    }
    throw std::invalid_argument("graph '" + spec + "' is unknown; choose one of " +
                                ListGraphKinds(kinds));
}

/**
 * @param kinds all kinds, in the order in which messages list them
 * @param request what the user asked for, its parameter still to be found
 * @return the graph
 * @throw std::invalid_argument when the name is unknown, its parameter is missing or is too
 *        much, the number of learners is missing, or making the graph fails
 */
template <typename Result>
Result
CreateGraph(const std::vector<GraphKind<Result>>& kinds, GraphRequest request)
{
    const size_t colon = request.spec.find(':');
    const std::string name = request.spec.substr(0, colon);
    request.parameter = colon == std::string::npos ? "" : request.spec.substr(colon + 1);

    const auto& kind = FindGraphKind(kinds, request.spec, name);
    const std::string graph = "graph '" + request.spec + "': ";
    Require(!kind.parameter.empty() || colon == std::string::npos,
            graph,
            name,
            " takes no parameter");
    Require(kind.parameter.empty() || !request.parameter.empty(),
            graph,
            name,
            " needs a parameter, ",
            name,
            ":",
            kind.parameter);
    Require(!kind.needsLearners || request.learners >= 1,
            graph,
            "number of learners must be at least 1, got 0");
    return kind.create(request);
}

} // namespace ns3::dlearn

#endif // DLEARN_GRAPH_KINDS_H

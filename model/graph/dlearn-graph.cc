/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-graph.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/connected_components.hpp>

namespace ns3::dlearn
{

Graph::Graph(uint32_t learners)
    : m_in(learners),
      m_out(learners)
{
    Require(learners >= 1, "Graph: number of learners must be at least 1, got 0");
}

void
Graph::SetWeight(LearnerId receiver, LearnerId sender, double weight)
{
    CheckLearner(receiver, "receiver");
    CheckLearner(sender, "sender");
    Require(receiver != sender,
            "Graph: an edge must join two different learners, got ",
            receiver,
            " twice");
    RequirePositive("Graph",
                    "weight that learner " + std::to_string(receiver) + " gives to learner " +
                        std::to_string(sender),
                    weight);
    m_in[receiver][sender] = weight;
    m_out[sender][receiver] = weight;
}

void
Graph::AddEdge(LearnerId a, LearnerId b, double weight)
{
    SetWeight(a, b, weight);
    SetWeight(b, a, weight);
}

double
Graph::GetWeight(LearnerId receiver, LearnerId sender) const
{
    CheckLearner(receiver, "receiver");
    CheckLearner(sender, "sender");
    const auto entry = m_in[receiver].find(sender);
    return entry == m_in[receiver].end() ? 0.0 : entry->second;
}

const Graph::Row&
Graph::GetInNeighbors(LearnerId receiver) const
{
    CheckLearner(receiver, "receiver");
    return m_in[receiver];
}

const Graph::Row&
Graph::GetOutNeighbors(LearnerId sender) const
{
    CheckLearner(sender, "sender");
    return m_out[sender];
}

double
Graph::GetInWeight(LearnerId receiver) const
{
    double sum = 0;
    for (const auto& [sender, weight] : GetInNeighbors(receiver))
    {
        sum += weight;
    }
    return sum;
}

std::vector<std::pair<LearnerId, LearnerId>>
Graph::GetPairs() const
{
    std::vector<std::pair<LearnerId, LearnerId>> pairs;
    for (LearnerId receiver = 0; receiver < GetSize(); ++receiver)
    {
        for (const auto& [sender, weight] : m_in[receiver])
        {
            pairs.emplace_back(std::minmax(receiver, sender));
        }
    }
    // An edge in both directions was met twice.
    std::sort(pairs.begin(), pairs.end());
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    return pairs;
}

bool
Graph::IsConnected() const
{
    return GetUnreachable().empty();
}

std::vector<LearnerId>
Graph::GetUnreachable() const
{
    boost::adjacency_list<boost::vecS, boost::vecS, boost::undirectedS> links(GetSize());
    for (const auto& [a, b] : GetPairs())
    {
        boost::add_edge(a, b, links);
    }
    std::vector<uint32_t> component(GetSize());
    boost::connected_components(links, component.data());

    std::vector<LearnerId> unreachable;
    for (LearnerId id = 0; id < GetSize(); ++id)
    {
        if (component[id] != component[0])
        {
            unreachable.push_back(id);
        }
    }
    return unreachable;
}

Eigen::MatrixXd
Graph::GetCouplingMatrix() const
{
    Eigen::MatrixXd coupling = Eigen::MatrixXd::Zero(GetSize(), GetSize());
    for (LearnerId receiver = 0; receiver < GetSize(); ++receiver)
    {
        for (const auto& [sender, weight] : m_in[receiver])
        {
            coupling(receiver, sender) = weight;
        }
        coupling(receiver, receiver) = -GetInWeight(receiver);
    }
    return coupling;
}

void
Graph::CheckLearner(LearnerId id, const char* what) const
{
    Require(id < GetSize(),
            "Graph: ",
            what,
            " must be a learner from 0 to ",
            GetSize() - 1,
            ", got ",
            id);
}

std::string
ListLearners(const Graph& graph, const std::vector<LearnerId>& learners)
{
    constexpr size_t LISTED = 10; // a message, not a dump
    std::ostringstream list;
    for (size_t k = 0; k < std::min(LISTED, learners.size()); ++k)
    {
        list << (k == 0 ? "" : ", ") << learners[k];
        if (!graph.names.empty())
        {
            list << " (" << graph.names.at(learners[k]) << ")";
        }
    }
    if (learners.size() > LISTED)
    {
        list << " and " << learners.size() - LISTED << " more";
    }
    return list.str();
}

Graph
UniteGraphs(const Graph& first, const Graph& second)
{
    RequireSize("UniteGraphs", "the second graph", second.GetSize(), first.GetSize());
    Graph both = first;
    for (LearnerId receiver = 0; receiver < second.GetSize(); ++receiver)
    {
        for (const auto& [sender, weight] : second.GetInNeighbors(receiver))
        {
            if (both.GetWeight(receiver, sender) == 0)
            {
                both.SetWeight(receiver, sender, weight);
            }
        }
    }
    return both;
}

void
RequireConnected(const Graph& graph, const std::string& what)
{
    const std::vector<LearnerId> unreachable = graph.GetUnreachable();
    Require(unreachable.empty(),
            what,
            ": must be connected, but ",
            unreachable.size(),
            " of ",
            graph.GetSize(),
            " learners cannot be reached from learner 0: ",
            ListLearners(graph, unreachable));
}

} // namespace ns3::dlearn

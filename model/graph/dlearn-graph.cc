/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-graph.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <iterator>

namespace ns3::dlearn
{

namespace
{

/** GetInNeighbors() or GetOutNeighbors(). */
using NeighborsOf = const Graph::Row& (Graph::*)(LearnerId) const;

/** @return whether each learner is reached from one by steps to neighbours of these kinds */
std::vector<bool>
FindReached(const Graph& graph, LearnerId from, const std::vector<NeighborsOf>& kinds)
{
    std::vector<bool> reached(graph.GetSize());
    std::vector<LearnerId> open{from};
    reached[from] = true;
    while (!open.empty())
    {
        const LearnerId learner = open.back();
        open.pop_back();
        for (const auto kind : kinds)
        {
            for (const auto& entry : (graph.*kind)(learner))
            {
                if (!reached[entry.first])
                {
                    reached[entry.first] = true;
                    open.push_back(entry.first);
                }
            }
        }
    }
    return reached;
}

/** @return groups of learners (at most three) for a message: "{0, 1}, {4} and 2 more" */
std::string
ListGroups(const Graph& graph, const std::vector<std::vector<LearnerId>>& groups)
{
    const size_t listed = std::min<size_t>(3, groups.size());
    std::string list;
    for (size_t k = 0; k < listed; ++k)
    {
        list += (k == 0 ? "{" : ", {") + ListLearners(graph, groups[k]) + "}";
    }
    const size_t more = groups.size() - listed;
    return more == 0 ? list : list + " and " + std::to_string(more) + " more";
}

} // namespace

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
            "Graph: an edge must join two different learners, got {} twice",
            receiver);
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

std::vector<LearnerId>
Graph::GetUnreachable() const
{
    const std::vector<bool> reached =
        FindReached(*this, 0, {&Graph::GetInNeighbors, &Graph::GetOutNeighbors});
    std::vector<LearnerId> unreachable;
    for (LearnerId id = 0; id < GetSize(); ++id)
    {
        if (!reached[id])
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
            "Graph: {} must be a learner from 0 to {}, got {}",
            what,
            GetSize() - 1,
            id);
}

std::string
ListLearners(const Graph& graph, const std::vector<LearnerId>& learners)
{
    constexpr size_t LISTED = 10;
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
            "{}: must be connected, but {} of {} learners cannot be reached from learner 0: {}",
            what,
            unreachable.size(),
            graph.GetSize(),
            ListLearners(graph, unreachable));
}

std::vector<std::vector<LearnerId>>
FindSourceGroups(const Graph& graph, bool backwards)
{
    const auto senders = backwards ? &Graph::GetOutNeighbors : &Graph::GetInNeighbors;
    const auto receivers = backwards ? &Graph::GetInNeighbors : &Graph::GetOutNeighbors;
    std::vector<std::vector<LearnerId>> groups;
    std::vector<bool> met(graph.GetSize());
    for (LearnerId first = 0; first < graph.GetSize(); ++first)
    {
        if (met[first])
        {
            continue; // reached by another, so not in a further group
        }
        const std::vector<bool> before = FindReached(graph, first, {senders});
        const std::vector<bool> after = FindReached(graph, first, {receivers});
        std::vector<LearnerId> group;
        bool isSource = true; // if it reaches all learners that reach it
        for (LearnerId id = 0; id < graph.GetSize(); ++id)
        {
            met[id] = met[id] || after[id];
            isSource = isSource && (!before[id] || after[id]);
            if (before[id])
            {
                group.push_back(id);
            }
        }
        if (isSource)
        {
            groups.push_back(group);
        }
    }
    return groups;
}

std::vector<LearnerId>
RequireTrackingAssumption(const Graph& states, const Graph& trackers)
{
    RequireSize("Assumption 1", "graph of C (trackers)", trackers.GetSize(), states.GetSize());
    const auto statesGroups = FindSourceGroups(states);
    const auto trackersGroups = FindSourceGroups(trackers, true);

    std::string problem;
    if (statesGroups.size() > 1)
    {
        problem = "the graph of R (states) has no spanning tree, as no message from outside "
                  "reaches any of the groups of learners " +
                  ListGroups(states, statesGroups);
    }
    if (trackersGroups.size() > 1)
    {
        problem += problem.empty() ? "" : "; ";
        problem += "the graph of C^T (trackers, messages taken backwards) has no spanning tree, "
                   "as no message leaves any of the groups of learners " +
                   ListGroups(trackers, trackersGroups);
    }
    Require(problem.empty(), "Assumption 1: ", problem);

    const auto& statesRoots = statesGroups.front();
    const auto& trackersRoots = trackersGroups.front();
    std::vector<LearnerId> common;
    std::set_intersection(statesRoots.begin(),
                          statesRoots.end(),
                          trackersRoots.begin(),
                          trackersRoots.end(),
                          std::back_inserter(common));
    Require(!common.empty(),
            "Assumption 1: no learner is a root in both graphs: roots of the graph of R (states) "
            "are {}; roots of the graph of C^T (trackers, messages taken backwards) are {}",
            ListLearners(states, statesRoots),
            ListLearners(trackers, trackersRoots));
    return common;
}

} // namespace ns3::dlearn

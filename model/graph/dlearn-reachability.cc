/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-reachability.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

namespace ns3::dlearn
{

Graph
ReverseGraph(const Graph& graph)
{
    Graph reversed(graph.GetSize());
    reversed.names = graph.names;
    reversed.positions = graph.positions;
    for (LearnerId receiver = 0; receiver < graph.GetSize(); ++receiver)
    {
        for (const auto& [sender, weight] : graph.GetInNeighbors(receiver))
        {
            reversed.SetWeight(sender, receiver, weight);
        }
    }
    return reversed;
}

std::vector<std::vector<LearnerId>>
FindSourceGroups(const Graph& graph)
{
    const uint32_t size = graph.GetSize();
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> links(size);
    for (LearnerId receiver = 0; receiver < size; ++receiver)
    {
        for (const auto& entry : graph.GetInNeighbors(receiver))
        {
            boost::add_edge(entry.first, receiver, links);
        }
    }
    std::vector<uint32_t> component(size);
    const uint32_t components = boost::strong_components(links, component.data());

    std::vector<bool> isSource(components, true);
    for (LearnerId receiver = 0; receiver < size; ++receiver)
    {
        for (const auto& entry : graph.GetInNeighbors(receiver))
        {
            if (component[entry.first] != component[receiver])
            {
                isSource[component[receiver]] = false;
            }
        }
    }

    std::map<uint32_t, size_t> place; // of the group of each source component
    std::vector<std::vector<LearnerId>> groups;
    for (LearnerId id = 0; id < size; ++id)
    {
        if (isSource[component[id]])
        {
            const auto [entry, isNew] = place.emplace(component[id], groups.size());
            if (isNew)
            {
                groups.emplace_back();
            }
            groups[entry->second].push_back(id);
        }
    }
    return groups;
}

std::vector<LearnerId>
FindRoots(const Graph& graph)
{
    // Of two sources none reaches the other; a single one reaches every component.
    const auto groups = FindSourceGroups(graph);
    return groups.size() == 1 ? groups.front() : std::vector<LearnerId>{};
}

bool
IsStronglyConnected(const Graph& graph)
{
    return FindRoots(graph).size() == graph.GetSize();
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tracking-assumption.h"

#include "dlearn-reachability.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <iterator>

namespace ns3::dlearn
{

namespace
{

/**
 * @param graph a graph
 * @param groups its source groups
 * @return the groups (at most three) for a message: "{0, 1}, {4} and 2 more"
 */
std::string
ListGroups(const Graph& graph, const std::vector<std::vector<LearnerId>>& groups)
{
    constexpr size_t LISTED = 3; // two prove the point
    std::string list;
    for (size_t k = 0; k < std::min(LISTED, groups.size()); ++k)
    {
        list += (k == 0 ? "{" : ", {") + ListLearners(graph, groups[k]) + "}";
    }
    const size_t more = groups.size() - std::min(LISTED, groups.size());
    return more == 0 ? list : list + " and " + std::to_string(more) + " more";
}

} // namespace

std::vector<LearnerId>
RequireTrackingAssumption(const Graph& states, const Graph& trackers)
{
    RequireSize("Assumption 1", "graph of C (trackers)", trackers.GetSize(), states.GetSize());
    const auto statesGroups = FindSourceGroups(states);
    const auto trackersGroups = FindSourceGroups(ReverseGraph(trackers));

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
            "are ",
            ListLearners(states, statesRoots),
            "; roots of the graph of C^T (trackers, messages taken backwards) are ",
            ListLearners(trackers, trackersRoots));
    return common;
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-page-map.h"

#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

namespace
{

using Positions = std::vector<std::pair<double, double>>;

constexpr size_t EDGE_LIMIT = 4000; //!< links to draw at most

/** @return whether every learner has a position that can be drawn */
bool
IsComplete(const Positions& positions, size_t count)
{
    return positions.size() == count &&
           std::all_of(positions.begin(), positions.end(), [](const auto& at) {
               return std::abs(at.first) < 1e12 && std::abs(at.second) < 1e12;
           });
}

/** @return for each link to be drawn its ends, and which of them it points to: 0 both, 1, 2 */
PageJson
MakeEdges(const Graph& graph)
{
    const auto pairs = graph.GetPairs();
    const size_t drawn = std::min(pairs.size(), EDGE_LIMIT);
    PageJson edges = PageJson::array();
    for (size_t k = 0; k < drawn; ++k)
    {
        const auto& [a, b] = pairs[k * pairs.size() / drawn];
        const bool toA = graph.GetWeight(a, b) != 0;
        const bool toB = graph.GetWeight(b, a) != 0;
        edges.push_back({a, b, toA == toB ? 0 : toA ? 1 : 2});
    }
    return edges;
}

/** Most points of the track of a learner. */
constexpr size_t MOST_POINTS = 200;

/** @return the places where each learner changed course, in order */
std::map<LearnerId, std::vector<Vector>>
SortByLearner(const std::vector<PositionRecord>& motion)
{
    std::map<LearnerId, std::vector<Vector>> places;
    for (const PositionRecord& record : motion)
    {
        places[record.node].push_back(record.position);
    }
    return places;
}

/** @return places of a learner, thinned */
PageJson
MakeTrack(const std::vector<Vector>& places)
{
    const size_t step = places.size() / MOST_POINTS + 1;
    PageJson track = PageJson::array();
    for (size_t k = 0; k < places.size(); ++k)
    {
        if (k % step == 0 || k + 1 == places.size())
        {
            track.push_back({MakePlotNumber(places[k].x), MakePlotNumber(places[k].y)});
        }
    }
    return track;
}

/** @return what to draw at each learner */
PageJson
MakeNodes(const RunResults& results, const ResultsSummary& summary, const Positions& positions)
{
    uint32_t lastRound = 0;
    for (const auto& [node, row] : summary.lastRows)
    {
        lastRound = std::max(lastRound, row.record.round);
    }
    auto places = SortByLearner(results.motion);
    PageJson nodes = PageJson::array();
    for (LearnerId id = 0; id < results.graph.GetSize(); ++id)
    {
        const auto row = summary.lastRows.find(id);
        const bool closed = row != summary.lastRows.end();
        const std::string role = id < results.roles.size() ? results.roles[id]
                                 : closed                  ? row->second.role
                                                           : "peer";
        std::string tip = "learner " + std::to_string(id);
        tip += id < results.graph.names.size() ? " " + results.graph.names[id] : "";
        tip += ", " + (role == "byzantine" ? "attacker" : role);
        tip += closed ? ", last round " + std::to_string(row->second.record.round)
                      : ", closed no round";
        if (closed && !std::isnan(row->second.record.epsilon))
        {
            tip += ", epsilon " + FormatRounded(row->second.record.epsilon);
        }
        const bool stopped =
            !summary.lastRows.empty() && (!closed || row->second.record.round < lastRound);
        PageJson node{{"role", role}, {"stopped", stopped}, {"tip", tip}};
        if (!positions.empty())
        {
            node["x"] = MakePlotNumber(positions[id].first);
            node["y"] = MakePlotNumber(positions[id].second);
            if (places[id].size() > 1)
            {
                node["track"] = MakeTrack(places[id]);
            }
        }
        nodes.push_back(node);
    }
    return nodes;
}

} // namespace

PageJson
MakeMapPart(const RunResults& results, const ResultsSummary& summary)
{
    const size_t size = results.graph.GetSize();
    const bool placed = IsComplete(results.positions, size);
    const bool known = placed || IsComplete(results.graph.positions, size);
    const Positions positions = placed  ? results.positions
                                : known ? results.graph.positions
                                        : Positions();
    const PageJson edges = MakeEdges(results.graph);
    const size_t links = results.graph.GetPairs().size();
    std::string title = std::to_string(size) + " learners, " + std::to_string(links) + " links";
    title += edges.size() < links ? " (" + std::to_string(edges.size()) + " drawn)" : "";
    title += known ? "" : ", drawn on a circle";
    return {{"type", "map"},
            {"title", title},
            {"unit", placed ? "m" : ""},
            {"nodes", MakeNodes(results, summary, positions)},
            {"edges", edges}};
}

} // namespace ns3::dlearn

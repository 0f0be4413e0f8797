/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-page-map.h"

#include "dlearn-page-outcome.h"

#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
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

/**
 * @param map of a network
 * @return the place of each site: where it is or, when that is not known, in the middle of those
 *         that it is joined to; empty when too little is known
 */
Positions
PlaceSites(const SiteMap& map)
{
    std::vector<std::optional<std::pair<double, double>>> places;
    for (const Site& site : map.sites)
    {
        places.push_back(site.place);
    }
    for (size_t pass = 0; pass < places.size(); ++pass)
    {
        auto next = places;
        for (size_t k = 0; k < places.size(); ++k)
        {
            std::pair<double, double> sum;
            double count = 0;
            for (const auto& [a, b] : map.trunks)
            {
                if ((a == k || b == k) && places[a == k ? b : a])
                {
                    const auto& other = *places[a == k ? b : a];
                    sum = {sum.first + other.first, sum.second + other.second};
                    ++count;
                }
            }
            if (!places[k] && count > 0)
            {
                next[k] = {sum.first / count, sum.second / count};
            }
        }
        if (next == places)
        {
            break;
        }
        places = next;
    }
    const bool all = std::all_of(places.begin(), places.end(), [](const auto& p) { return p; });
    Positions known;
    for (size_t k = 0; all && k < places.size(); ++k)
    {
        known.push_back(*places[k]);
    }
    return known;
}

/**
 * @param degrees (longitude, latitude) of places
 * @return the places on a flat map that has true proportions at its middle latitude
 */
Positions
Flatten(Positions degrees)
{
    const auto [south, north] =
        std::minmax_element(degrees.begin(), degrees.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        });
    const double middle = (south->second + north->second) / 2;
    const double narrow = std::cos(middle * std::acos(-1.0) / 180);
    for (auto& place : degrees)
    {
        place.first *= narrow;
    }
    return degrees;
}

/** @return what links.csv has of the link from a node to another; null for nothing */
const LinkRecord*
FindLink(const std::vector<LinkRecord>& links, uint32_t from, uint32_t to)
{
    const auto found = std::find_if(links.begin(), links.end(), [from, to](const LinkRecord& link) {
        return link.from == "node " + std::to_string(from) &&
               link.to == "node " + std::to_string(to);
    });
    return found == links.end() ? nullptr : &*found;
}

/** @return the trunks with the share of time in which they sent, and what they dropped */
PageJson
MakeTrunks(const SiteMap& map, const std::vector<LinkRecord>& links)
{
    PageJson trunks = PageJson::array();
    for (const auto& [a, b] : map.trunks)
    {
        double busy = 0;
        uint64_t drops = 0;
        std::string tip = map.sites[a].name + " - " + map.sites[b].name;
        for (const auto& [from, to] : {std::make_pair(a, b), std::make_pair(b, a)})
        {
            const auto link = FindLink(links, map.sites[from].node, map.sites[to].node);
            if (link)
            {
                busy = std::max(busy, link->busy);
                drops += link->queueDrops + link->loss.value_or(0);
                tip += ", to " + map.sites[to].name + " busy " + FormatRounded(100 * link->busy) +
                       " % of the time, " + std::to_string(link->txBytes) + " bytes";
            }
        }
        tip += ", " + std::to_string(drops) + " packets dropped";
        trunks.push_back(
            {{"ends", {a, b}}, {"busy", MakePlotNumber(busy)}, {"drops", drops}, {"tip", tip}});
    }
    return trunks;
}

/**
 * Put the learners of a map to the towns of the network.
 *
 * @param results of a run over a network with sites
 * @param part the map; nothing is added when the places are not known
 */
void
AddSites(const RunResults& results, PageJson& part)
{
    const SiteMap& map = results.sites;
    const Positions degrees = PlaceSites(map);
    if (degrees.empty())
    {
        return;
    }
    const Positions places = Flatten(degrees);
    PageJson sites = PageJson::array();
    for (size_t k = 0; k < places.size(); ++k)
    {
        sites.push_back({{"name", map.sites[k].name},
                         {"router", k},
                         {"x", MakePlotNumber(places[k].first)},
                         {"y", MakePlotNumber(places[k].second)},
                         {"known", map.sites[k].place.has_value()}});
    }
    for (LearnerId id = 0; id < part["nodes"].size(); ++id)
    {
        const uint32_t site = map.siteOf.at(id);
        PageJson& node = part["nodes"][id];
        node["site"] = site;
        node["x"] = sites[site]["x"];
        node["y"] = sites[site]["y"];
        node["tip"] = node["tip"].get<std::string>() + ", at " + map.sites[site].name;
    }
    part["sites"] = sites;
    part["trunks"] = MakeTrunks(map, results.links);
    part["unit"] = "";
}

/** @return what to draw at each learner */
PageJson
MakeNodes(const RunResults& results, const ResultsSummary& summary, const Positions& positions)
{
    const std::set<LearnerId> ended = FindEnded(results.timeline);
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
        tip += ", " + NameRole(role);
        tip += closed ? ", last round " + std::to_string(row->second.record.round)
                      : ", closed no round";
        if (closed && !std::isnan(row->second.record.epsilon))
        {
            tip += ", epsilon " + FormatRounded(row->second.record.epsilon);
        }
        const bool stopped = !summary.lastRows.empty() && (!closed || ended.count(id) > 0);
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
    std::string title = DescribeLearners(results) + ", " + std::to_string(links) +
                        (links == 1 ? " link" : " links");
    title += edges.size() < links ? " (" + std::to_string(edges.size()) + " drawn)" : "";
    PageJson part{{"type", "map"},
                  {"unit", placed ? "m" : ""},
                  {"nodes", MakeNodes(results, summary, positions)},
                  {"edges", edges}};
    AddSites(results, part);
    const bool mapped = part.contains("sites");
    title += mapped ? ", at " + std::to_string(results.sites.sites.size()) + " towns joined by " +
                          std::to_string(results.sites.trunks.size()) + " trunks"
             : known ? ""
                     : ", drawn on a circle";
    part["title"] = title;
    return part;
}

} // namespace ns3::dlearn

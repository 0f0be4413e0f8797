/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-page.h"

#include "dlearn-results-json.h"
#include "dlearn-rounds-csv.h"

#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace ns3::dlearn
{

/** The template of all pages, which the build embeds, see cmake/dlearn-page.cmake. */
extern const std::string_view g_pageTemplate;

namespace
{

using Json = ResultsJson;

constexpr uint32_t CHART_BINS = 300;  //!< rounds, or groups of rounds, of a chart
constexpr uint32_t MAP_BINS = 100;    //!< rounds, or groups of rounds, of a heat map
constexpr size_t MOST_LEARNERS = 50;  //!< of a heat map or a Gantt chart
constexpr size_t MOST_EVENTS = 300;   //!< of the table, and of the charts
constexpr size_t MOST_LABELLED = 200; //!< learners of the table of labels
constexpr size_t MOST_EDGES = 4000;   //!< links of the map
constexpr size_t MOST_POINTS = 200;   //!< of the track of a learner

/** @return six significant digits, which is enough for a drawing; null unless it is finite */
Json
MakePlotNumber(double value)
{
    const auto rounded = ParseNumber(FormatRounded(value, 6));
    return rounded && std::isfinite(value) ? Json(*rounded) : Json();
}

/** @return whether the name of a member is that of an end of a band */
bool
IsBand(const std::string& name)
{
    const size_t at = name.rfind('_');
    return at != std::string::npos && (name.substr(at) == "_low" || name.substr(at) == "_high");
}

/** @return a list for each member of lines; null where a line does not have it */
Json
MakeColumns(const std::vector<Json>& lines)
{
    Json columns = Json::object();
    for (size_t k = 0; k < lines.size(); ++k)
    {
        for (const auto& [name, value] : lines[k].items())
        {
            const auto [column, isNew] = columns.emplace(name, Json::array());
            column->get_ref<Json::array_t&>().resize(k);
            column->push_back(IsBand(name) && value.is_number() ? MakePlotNumber(value) : value);
        }
    }
    for (auto& [name, column] : columns.items())
    {
        column.get_ref<Json::array_t&>().resize(lines.size());
    }
    return columns;
}

/** Sums over rows: what rounds of a role took, and their messages. */
struct RowSums
{
    double count{0};                //!< rows
    double compute{0};              //!< seconds
    RoundPhases phases{0, 0, 0, 0}; //!< NaN when those of a row are not known
    double rest{0};                 //!< seconds in which it did not compute
    uint64_t lost{0};               //!< messages, as the next three
    uint64_t late{0};               //!< too late
    uint64_t rejected{0};           //!< not usable
    uint64_t used{0};               //!< usable

    /**
     * @param row of a round
     * @param span since the node closed a round before
     */
    void Add(const ResultRow& row, Time span)
    {
        const RoundPhases& p = row.phases;
        const RoundRecord& record = row.record;
        ++count;
        compute += record.compute.GetSeconds();
        phases.queue += p.queue;
        phases.air += p.air;
        phases.again += p.again;
        phases.wait += p.wait;
        rest +=
            p.IsKnown() ? p.queue + p.air + p.again + p.wait : (span - record.compute).GetSeconds();
        lost += record.lost;
        late += record.late;
        rejected += record.rejected;
        used += record.used;
    }

    /** @return mean seconds: computing, in queues, sending, again, waiting, and all but computing
     */
    Json MakeTimes() const
    {
        Json times = Json::array();
        for (const double sum :
             {compute, phases.queue, phases.air, phases.again, phases.wait, rest})
        {
            times.push_back(MakeJsonNumber(sum / count));
        }
        return times;
    }
};

/** Rows of closed rounds. */
struct ClosedRounds
{
    std::vector<ResultRow> rows; //!< in any order
    std::vector<Time> spans;     //!< since the node of a row closed a round before

    /** @param results of a run */
    explicit ClosedRounds(const RunResults& results)
    {
        std::copy_if(results.rows.begin(),
                     results.rows.end(),
                     std::back_inserter(rows),
                     IsClosedRound);
        spans = FindSpans(rows);
    }

    /** @return number of the last round */
    uint32_t GetLast() const
    {
        uint32_t last = 0;
        for (const ResultRow& row : rows)
        {
            last = std::max(last, row.record.round);
        }
        return last;
    }
};

/** @return the part of a run in a comparison */
Json
MakeRun(const NamedRun& run, const ResultsSummary& summary, const ClosedRounds& closed)
{
    std::map<std::string, RowSums> sums;
    for (size_t k = 0; k < closed.rows.size(); ++k)
    {
        sums[closed.rows[k].role].Add(closed.rows[k], closed.spans[k]);
    }
    Json times = Json::object();
    for (const auto& [role, sum] : sums)
    {
        times[role] = sum.MakeTimes();
    }
    Json whole = MakeSummary(run.results, summary);
    for (const char* name : {"seed", "run"})
    {
        whole[name] = whole[name].dump(); // JavaScript has no whole numbers of 64 bits
    }
    return {{"name", run.name},
            {"summary", whole},
            {"rounds", MakeColumns(MakeResultsLines(run.results))},
            {"times", times}};
}

/** @return when the round of a row opened */
Time
GetOpening(const ResultRow& row)
{
    return row.record.closed - row.record.duration;
}

/**
 * Clients count the models that they get. Where these are not the rounds of the server, as when it
 * does not wait for them, a client's round belongs to that of the server in which it ends, or
 * without a server above edge servers to that of the first of these.
 *
 * @param rows get the numbers of the server's rounds
 */
void
NumberByServer(std::vector<ResultRow>& rows)
{
    const bool tiers = std::any_of(rows.begin(), rows.end(), [](const ResultRow& row) {
        return row.role == "edge-server";
    });
    const auto follows = [](const ResultRow& row) {
        return row.role != "server" && row.role != "peer";
    };
    std::map<uint32_t, Time> opened;
    std::map<Time, uint32_t> closed;
    for (const ResultRow& row : rows)
    {
        if (row.role == "server" || (tiers && row.role == "peer" && row.record.node == 0))
        {
            opened[row.record.round] = GetOpening(row);
            closed[row.record.closed] = row.record.round;
        }
    }
    const bool same = std::all_of(rows.begin(), rows.end(), [&](const ResultRow& row) {
        const auto server = opened.find(row.record.round);
        // A round that the server had not closed when the run was interrupted comes last.
        return !follows(row) ||
               (server != opened.end() ? server->second <= GetOpening(row)
                                       : opened.upper_bound(row.record.round) == opened.end());
    });
    for (ResultRow& row : rows)
    {
        if (!same && !closed.empty() && follows(row))
        {
            const auto in = closed.lower_bound(row.record.closed);
            row.record.round = in == closed.end() ? closed.rbegin()->second + 1 : in->second;
        }
    }
}

/** @return times of rounds and the fate of their messages, by role and bin of rounds */
Json
MakeBins(const ClosedRounds& closed)
{
    const uint32_t size = closed.GetLast() / CHART_BINS + 1;
    std::map<std::string, std::map<uint32_t, RowSums>> bins;
    for (size_t k = 0; k < closed.rows.size(); ++k)
    {
        const ResultRow& row = closed.rows[k];
        bins[row.role][row.record.round / size * size].Add(row, closed.spans[k]);
    }
    Json roles = Json::object();
    for (const auto& [role, ofRole] : bins)
    {
        for (const auto& [first, sums] : ofRole)
        {
            Json times = Json::array();
            for (const Json& mean : sums.MakeTimes())
            {
                times.push_back(mean.is_number() ? MakePlotNumber(mean) : Json());
            }
            roles[role].push_back({first, times, {sums.lost, sums.late, sums.rejected, sums.used}});
        }
    }
    return {{"size", size}, {"last", closed.GetLast()}, {"roles", roles}};
}

/** @return the learners with the most of something, by number, at most MOST_LEARNERS */
std::vector<LearnerId>
ChooseLearners(const std::map<LearnerId, double>& amounts)
{
    std::vector<LearnerId> chosen;
    for (const auto& [learner, amount] : amounts)
    {
        chosen.push_back(learner);
    }
    std::stable_sort(chosen.begin(), chosen.end(), [&amounts](LearnerId a, LearnerId b) {
        return amounts.at(a) > amounts.at(b);
    });
    chosen.resize(std::min(chosen.size(), MOST_LEARNERS));
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

/** @return messages by learner and bin of rounds: expected, received, late, lost */
Json
MakeHeat(const ClosedRounds& closed)
{
    using Messages = std::array<uint64_t, 4>;
    const uint32_t lastRound = closed.GetLast();
    const uint32_t size = lastRound / MAP_BINS + 1;
    std::map<LearnerId, std::map<uint32_t, Messages>> cells;
    std::map<LearnerId, Messages> all;
    for (const ResultRow& row : closed.rows)
    {
        const RoundRecord& r = row.record;
        for (Messages* sum : {&cells[r.node][r.round / size], &all[r.node]})
        {
            const Messages counts{r.expected, r.received, r.late, r.lost};
            std::transform(sum->begin(), sum->end(), counts.begin(), sum->begin(), std::plus<>());
        }
    }
    std::map<LearnerId, double> missing;
    for (const auto& [node, sum] : all)
    {
        missing[node] = sum[0] == 0 ? 0 : 1 - static_cast<double>(sum[1]) / sum[0];
    }
    Json lines = Json::array();
    for (const LearnerId node : ChooseLearners(missing))
    {
        Json line = Json::array();
        for (uint32_t bin = 0; bin <= lastRound / size; ++bin)
        {
            const auto cell = cells[node].find(bin);
            line.push_back(cell == cells[node].end() ? Json() : Json(cell->second));
        }
        lines.push_back({{"node", node}, {"cells", line}});
    }
    return {{"size", size}, {"all", all.size()}, {"lines", lines}};
}

/** @return messages by receiver and sender: expected, received, late, lost, mean latency in ms */
Json
MakeLinks(const std::vector<PairRecord>& pairs)
{
    std::map<LearnerId, double> missing;
    std::map<std::pair<LearnerId, LearnerId>, const PairRecord*> records; // receiver first
    for (const PairRecord& pair : pairs)
    {
        missing[pair.from] += pair.late + pair.lost;
        missing[pair.to] += pair.late + pair.lost;
        records[{pair.to, pair.from}] = &pair;
    }
    const auto learners = ChooseLearners(missing);
    Json lines = Json::array();
    for (const LearnerId to : learners)
    {
        Json cells = Json::array();
        for (const LearnerId from : learners)
        {
            const auto found = records.find({to, from});
            if (found == records.end())
            {
                cells.push_back(nullptr);
                continue;
            }
            const PairRecord& pair = *found->second;
            const Json latency = MakePlotNumber(pair.GetMeanLatency());
            cells.push_back({pair.expected, pair.received, pair.late, pair.lost, latency});
        }
        lines.push_back({{"node", to}, {"cells", cells}});
    }
    return {{"columns", learners}, {"all", missing.size()}, {"lines", lines}};
}

/**
 * @return the rows of the round that took longest: that of a server, or of peers from the first
 *         opening to the last closing
 */
std::vector<const ResultRow*>
FindSlowestRound(const std::vector<ResultRow>& rows)
{
    const bool served = std::any_of(rows.begin(), rows.end(), [](const ResultRow& row) {
        return row.role == "server";
    });
    std::map<uint32_t, std::pair<Time, Time>> spans;
    for (const ResultRow& row : rows)
    {
        if (!served || row.role == "server")
        {
            const Time opened = GetOpening(row);
            auto& span = spans.try_emplace(row.record.round, opened, opened).first->second;
            span = {Min(span.first, opened), Max(span.second, row.record.closed)};
        }
    }
    const auto slowest = std::max_element(spans.begin(), spans.end(), [](auto& a, auto& b) {
        return a.second.second - a.second.first < b.second.second - b.second.first;
    });
    std::vector<const ResultRow*> found;
    for (const ResultRow& row : rows)
    {
        if (row.record.round == slowest->first)
        {
            found.push_back(&row);
        }
    }
    return found;
}

/** @return bars of the slowest round, of the learners that closed it last; null without rounds */
Json
MakeGantt(const std::vector<ResultRow>& rows)
{
    if (rows.empty())
    {
        return nullptr;
    }
    auto bars = FindSlowestRound(rows);
    const size_t all = bars.size();
    std::stable_sort(bars.begin(), bars.end(), [](const ResultRow* a, const ResultRow* b) {
        return a->record.closed > b->record.closed;
    });
    bars.resize(std::min(bars.size(), MOST_LEARNERS));
    std::stable_sort(bars.begin(), bars.end(), [](const ResultRow* a, const ResultRow* b) {
        return a->record.node < b->record.node;
    });
    Json list = Json::array();
    for (const ResultRow* bar : bars)
    {
        const auto& record = bar->record;
        const Time opened = GetOpening(*bar);
        // A server computes after it has waited; others compute first.
        const Time begin = bar->role == "server" ? record.closed - record.compute : opened;
        list.push_back({{"node", record.node},
                        {"role", bar->role},
                        {"opened", opened.GetSeconds()},
                        {"closed", record.closed.GetSeconds()},
                        {"begin", begin.GetSeconds()},
                        {"end", (begin + record.compute).GetSeconds()}});
        if (const RoundPhases& p = bar->phases; p.IsKnown())
        {
            list.back()["phases"] = {p.queue, p.air, p.again, p.wait};
        }
    }
    return {{"round", bars.front()->record.round}, {"all", all}, {"bars", list}};
}

/** The achievement of a learner. */
struct LearnerScore
{
    std::string role;     //!< as in rounds.csv
    uint64_t rounds{0};   //!< closed
    Evaluation last;      //!< of its last evaluated round
    double epsilon{NAN};  //!< spent
    uint64_t expected{0}; //!< of a client of a server: messages that it sent; else that it awaited
    uint64_t received{0}; //!< messages in time
    bool client{false};   //!< of a server
};

/** @return the achievement of each learner, also of one that closed no round */
Json
MakeLearners(const RunResults& results)
{
    std::map<LearnerId, LearnerScore> learners;
    const auto server = std::find(results.roles.begin(), results.roles.end(), "server");
    const auto center = static_cast<LearnerId>(server - results.roles.begin());
    for (LearnerId node = 0; node < results.roles.size(); ++node)
    {
        learners[node].role = results.roles[node];
        learners[node].client = server != results.roles.end() && node != center;
    }
    for (const ResultRow* row : SortRows(results.rows))
    {
        const RoundRecord& record = row->record;
        LearnerScore& learner = learners[record.node];
        learner.role = row->role;
        learner.rounds += IsClosedRound(*row) ? 1 : 0;
        if (!learner.client)
        {
            learner.expected += record.expected;
            learner.received += record.received;
        }
        learner.epsilon = record.epsilon;
        learner.last = row->evaluation.value_or(learner.last);
    }
    for (const PairRecord& pair : results.pairs)
    {
        const auto client = learners.find(pair.from);
        if (client != learners.end() && client->second.client && pair.to == center)
        {
            client->second.expected = pair.expected;
            client->second.received = pair.received;
        }
    }
    Json list = Json::array();
    for (const auto& [node, learner] : learners)
    {
        const auto spent = results.epsilon.find(node);
        const bool known = spent != results.epsilon.end();
        list.push_back({{"node", node},
                        {"role", learner.role},
                        {"rounds", learner.rounds},
                        {"accuracy", MakeJsonNumber(learner.last.accuracy)},
                        {"loss", MakeJsonNumber(learner.last.loss)},
                        {"epsilon", MakeJsonNumber(known ? spent->second : learner.epsilon)},
                        {"expected", learner.expected},
                        {"received", learner.received},
                        {"client", learner.client}});
    }
    return list;
}

/** @return events by kind; the first ones of all, and of those that charts have */
Json
MakeEvents(const std::vector<RunEvent>& timeline)
{
    std::map<std::string, size_t> counts;
    Json list = Json::array();
    size_t drawn = 0;
    size_t seen = 0;
    for (const RunEvent& event : timeline)
    {
        ++counts[event.event];
        const bool shown = event.event != "associated" && ++drawn <= MOST_EVENTS;
        if (++seen <= MOST_EVENTS || shown)
        {
            list.push_back({FormatSeconds(event.time),
                            event.node ? Json(*event.node) : Json(),
                            event.round ? Json(*event.round) : Json(),
                            event.event,
                            event.detail});
        }
    }
    return {{"counts", counts}, {"all", timeline.size()}, {"most", MOST_EVENTS}, {"list", list}};
}

/** @return samples by learner and label, of the first learners */
Json
MakeLabels(const RunResults& results)
{
    Json rows = Json::array();
    for (const auto& [node, counts] : results.samples)
    {
        if (rows.size() < MOST_LABELLED)
        {
            rows.push_back({node, counts});
        }
    }
    return {{"names", results.labels}, {"all", results.samples.size()}, {"rows", rows}};
}

/** @return for each link to be drawn its ends, and which of them it points to: 0 both, 1, 2 */
Json
MakeEdges(const Graph& graph)
{
    const auto pairs = graph.GetPairs();
    const size_t drawn = std::min(pairs.size(), MOST_EDGES);
    Json edges = Json::array();
    for (size_t k = 0; k < drawn; ++k)
    {
        const auto& [a, b] = pairs[k * pairs.size() / drawn];
        const bool toA = graph.GetWeight(a, b) != 0;
        const bool toB = graph.GetWeight(b, a) != 0;
        edges.push_back({a, b, toA == toB ? 0 : toA ? 1 : 2});
    }
    return {{"all", pairs.size()}, {"list", edges}};
}

/** @return x, y and time where each learner changed course, thinned; of those that moved */
Json
MakeTracks(const std::vector<PositionRecord>& motion)
{
    std::map<LearnerId, std::vector<PositionRecord>> places;
    for (const PositionRecord& record : motion)
    {
        places[record.node].push_back(record);
    }
    Json tracks = Json::object();
    for (const auto& [node, track] : places)
    {
        const size_t step = track.size() / MOST_POINTS + 1;
        for (size_t k = 0; track.size() > 1 && k < track.size(); ++k)
        {
            if (k % step == 0 || k + 1 == track.size())
            {
                tracks[std::to_string(node)].push_back({MakePlotNumber(track[k].position.x),
                                                        MakePlotNumber(track[k].position.y),
                                                        track[k].time.GetSeconds()});
            }
        }
    }
    return tracks;
}

/** @return places of all learners; null unless all are known and can be drawn */
Json
MakePlaces(const std::vector<std::pair<double, double>>& positions, size_t count)
{
    Json places = Json::array();
    for (const auto& [x, y] : positions)
    {
        if (!(std::abs(x) < 1e12 && std::abs(y) < 1e12))
        {
            return nullptr;
        }
        places.push_back({MakePlotNumber(x), MakePlotNumber(y)});
    }
    return places.size() == count ? places : Json();
}

/** @return the towns of a network with degrees where they are known, and what joins them */
Json
MakeSites(const RunResults& results)
{
    const SiteMap& map = results.sites;
    Json sites = Json::array();
    for (const Site& site : map.sites)
    {
        sites.push_back(
            {{"name", site.name},
             {"place", site.place ? Json({site.place->first, site.place->second}) : Json()}});
    }
    std::map<std::pair<std::string, std::string>, const LinkRecord*> links;
    for (const LinkRecord& link : results.links)
    {
        links.try_emplace({link.from, link.to}, &link);
    }
    const auto describe = [&](size_t from, size_t to) {
        const auto found = links.find({"node " + std::to_string(map.sites[from].node),
                                       "node " + std::to_string(map.sites[to].node)});
        if (found == links.end())
        {
            return Json();
        }
        const LinkRecord& link = *found->second;
        return Json{link.busy, link.txBytes, link.queueDrops + link.loss.value_or(0)};
    };
    Json trunks = Json::array();
    for (const auto& [a, b] : map.trunks)
    {
        trunks.push_back({{"ends", {a, b}}, {"links", {describe(a, b), describe(b, a)}}});
    }
    return {{"sites", sites}, {"trunks", trunks}, {"site_of", map.siteOf}};
}

/** @return the content of the map */
Json
MakeMap(const RunResults& results, const ResultsSummary& summary)
{
    const size_t size = results.graph.GetSize();
    const std::set<LearnerId> ended = FindEnded(results.timeline);
    Json nodes = Json::array();
    for (LearnerId id = 0; id < size; ++id)
    {
        const auto row = summary.lastRows.find(id);
        const bool closed = row != summary.lastRows.end();
        nodes.push_back(
            {{"role",
              id < results.roles.size() ? results.roles[id]
              : closed                  ? row->second.role
                                        : "peer"},
             {"name", id < results.graph.names.size() ? results.graph.names[id] : ""},
             {"last", closed ? Json(row->second.record.round) : Json()},
             {"epsilon", closed ? MakeJsonNumber(row->second.record.epsilon) : Json()},
             {"stopped", !summary.lastRows.empty() && (!closed || ended.count(id) > 0)}});
    }
    return {{"nodes", nodes},
            {"edges", MakeEdges(results.graph)},
            {"positions", MakePlaces(results.positions, size)}, // in metres
            {"places", MakePlaces(results.graph.positions, size)},
            {"tracks", MakeTracks(results.motion)},
            {"towns", MakeSites(results)}};
}

/** @return what limits rounds: how many waited for each learner longest, and devices of Wi-Fi */
Json
MakeLimits(const ClosedRounds& closed, const std::vector<LinkRecord>& links)
{
    std::map<LearnerId, uint64_t> counts;
    for (const ResultRow& row : closed.rows)
    {
        if (row.record.last >= 0)
        {
            ++counts[row.record.last];
        }
    }
    Json radios = Json::array();
    for (const LinkRecord& link : links)
    {
        if (!std::isnan(link.rate) || !std::isnan(link.snr))
        {
            radios.push_back({link.from,
                              link.busy,
                              MakeJsonNumber(link.rate),
                              MakeJsonNumber(link.snr),
                              link.again.value_or(0),
                              link.loss.value_or(0)});
        }
    }
    return {{"last", counts}, {"radios", radios}};
}

/** @return the data that a page has only of its first run */
Json
MakeDetail(const RunResults& results, const ResultsSummary& summary, ClosedRounds closed)
{
    NumberByServer(closed.rows);
    return {{"given", results.given},
            {"end_s", summary.end.GetSeconds()},
            {"epsilon_nominal_max", MakeJsonNumber(summary.epsilonNominalMax)},
            {"servers", std::count(results.roles.begin(), results.roles.end(), "server")},
            {"bins", MakeBins(closed)},
            {"heat", MakeHeat(closed)},
            {"gantt", MakeGantt(closed.rows)},
            {"limits", MakeLimits(closed, results.links)},
            {"links", MakeLinks(results.pairs)},
            {"learners", MakeLearners(results)},
            {"events", MakeEvents(results.timeline)},
            {"labels", MakeLabels(results)},
            {"map", MakeMap(results, summary)}};
}

} // namespace

std::string
MakePage(const std::vector<NamedRun>& runs)
{
    Json data{{"runs", Json::array()}};
    for (const NamedRun& run : runs)
    {
        const ResultsSummary summary = Summarize(run.results);
        const ClosedRounds closed(run.results);
        data["runs"].push_back(MakeRun(run, summary, closed));
        if (!data.contains("detail"))
        {
            data["detail"] = MakeDetail(run.results, summary, closed);
        }
    }
    std::string text;
    for (const char c : DumpJson(data))
    {
        text += c == '<' ? "\\u003c" : std::string(1, c); // nothing may look like an end tag
    }
    const std::string_view mark = "<!--DATA-->";
    std::string page(g_pageTemplate);
    return page.replace(page.find(mark), mark.size(), text);
}

} // namespace ns3::dlearn

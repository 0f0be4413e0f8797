/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-page-rounds.h"

#include "dlearn-rounds-csv.h"

#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t CHART_BINS = 300; //!< rounds, or groups of rounds, of a chart
constexpr uint32_t MAP_BINS = 100;   //!< likewise, of a heat map
constexpr size_t MAP_LEARNERS = 50;  //!< learners of a heat map or a Gantt chart

/** Computing, and the figures of RoundPhases, for users. */
constexpr std::array<const char*, 5> PHASES{"computing",
                                            "in queues",
                                            "sending",
                                            "sending again",
                                            "waiting"};

/** @return number of the last round */
uint32_t
FindLastRound(const std::vector<ResultRow>& rows)
{
    uint32_t last = 0;
    for (const ResultRow& row : rows)
    {
        last = std::max(last, row.record.round);
    }
    return last;
}

/** @return rounds of a bin, so that at most so many bins are needed */
uint32_t
GetBinSize(const std::vector<ResultRow>& rows, uint32_t bins)
{
    return FindLastRound(rows) / bins + 1;
}

/** @return a sentence about bins of rounds; empty for bins of one */
std::string
DescribeBins(uint32_t size)
{
    return size == 1 ? "" : " Numbers are means over " + std::to_string(size) + " rounds in a row.";
}

/**
 * @param title of the chart
 * @param names of the layers
 * @param bins values of the layers by first round of the bin
 * @param label of the ordinate
 * @return a part of type stack
 */
template <size_t N>
PageJson
MakeStack(const std::string& title,
          const std::array<const char*, N>& names,
          const std::map<uint32_t, std::array<double, N>>& bins,
          const std::string& label)
{
    PageJson rows = PageJson::array();
    for (const auto& [round, values] : bins)
    {
        PageJson row = PageJson::array({round});
        for (const double value : values)
        {
            row.push_back(MakePlotNumber(value));
        }
        rows.push_back(row);
    }
    return {{"type", "stack"},
            {"title", title},
            {"names", names},
            {"rows", rows},
            {"label", label}};
}

/** @return mean seconds of parts of a round of a role, which @p split gives of a row */
template <size_t N, typename Split>
PageJson
MakeTimeStack(const std::vector<ResultRow>& rows,
              const std::string& role,
              uint32_t size,
              const std::array<const char*, N>& names,
              const Split& split)
{
    std::map<uint32_t, std::array<double, N>> bins;
    std::map<uint32_t, uint32_t> counts;
    for (const ResultRow& row : rows)
    {
        if (row.role == role)
        {
            const std::array<double, N> parts = split(row);
            const uint32_t first = row.record.round / size * size;
            ++counts[first];
            auto& bin = bins[first];
            for (size_t k = 0; k < N; ++k)
            {
                bin[k] += parts[k];
            }
        }
    }
    for (auto& [round, bin] : bins)
    {
        for (double& part : bin)
        {
            part /= counts[round];
        }
    }
    return MakeStack<N>("A round of a " + role, names, bins, "mean simulated time (s)");
}

/** @return where the time of a round of a role goes: by phases where they are known */
PageJson
MakeTimeStack(const std::vector<ResultRow>& rows, const std::string& role, uint32_t size)
{
    const bool known = std::all_of(rows.begin(), rows.end(), [&role](const ResultRow& row) {
        return row.role != role || row.phases.IsKnown();
    });
    if (!known)
    {
        const std::vector<Time> spans = FindSpans(rows);
        return MakeTimeStack<2>(
            rows,
            role,
            size,
            {"computing", "sending and waiting"},
            [&](const ResultRow& row) -> std::array<double, 2> {
                const double computing = row.record.compute.GetSeconds();
                return {computing, spans[&row - rows.data()].GetSeconds() - computing};
            });
    }
    return MakeTimeStack<5>(rows,
                            role,
                            size,
                            PHASES,
                            [](const ResultRow& row) -> std::array<double, 5> {
                                const RoundPhases& p = row.phases;
                                const double computing = row.record.compute.GetSeconds();
                                return {computing, p.queue, p.air, p.again, p.wait};
                            });
}

/** @return when the round of a row opened */
Time
GetOpening(const ResultRow& row)
{
    return row.record.closed - row.record.duration;
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
        if (served && row.role != "server")
        {
            continue;
        }
        const Time opened = GetOpening(row);
        const auto [span, isNew] = spans.try_emplace(row.record.round, opened, row.record.closed);
        span->second = {Min(span->second.first, opened),
                        Max(span->second.second, row.record.closed)};
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

/** @return the slowest round as a Gantt chart: a bar for each learner */
PageJson
MakeGantt(const std::vector<ResultRow>& rows)
{
    auto bars = FindSlowestRound(rows);
    const size_t all = bars.size();
    const auto last = [](const ResultRow* a, const ResultRow* b) {
        return a->record.closed > b->record.closed;
    };
    std::stable_sort(bars.begin(), bars.end(), last);
    bars.resize(std::min(bars.size(), MAP_LEARNERS));
    std::stable_sort(bars.begin(), bars.end(), [](const ResultRow* a, const ResultRow* b) {
        return a->record.node < b->record.node;
    });
    PageJson list = PageJson::array();
    for (const ResultRow* bar : bars)
    {
        const auto& record = bar->record;
        const Time opened = GetOpening(*bar);
        // A server computes when it has what it waited for; others compute first.
        const Time begin = bar->role == "server" ? record.closed - record.compute : opened;
        list.push_back({{"node", record.node},
                        {"role", bar->role},
                        {"opened", opened.GetSeconds()},
                        {"closed", record.closed.GetSeconds()},
                        {"begin", begin.GetSeconds()},
                        {"end", (begin + record.compute).GetSeconds()}});
        if (bar->phases.IsKnown())
        {
            const RoundPhases& p = bar->phases;
            list.back()["phases"] = {p.queue, p.air, p.again, p.wait};
        }
    }
    std::string title = "The slowest round: " + std::to_string(bars.front()->record.round);
    title += all > bars.size()
                 ? ", the " + std::to_string(bars.size()) + " learners that closed it last"
                 : "";
    const std::vector<std::string> phases(PHASES.begin() + 1, PHASES.end());
    return {{"type", "gantt"}, {"title", title}, {"bars", list}, {"phases", phases}};
}

/** What became of messages. */
struct Messages
{
    uint64_t expected{0}; //!< all
    uint64_t received{0}; //!< in time
    uint64_t late{0};     //!< too late
    uint64_t lost{0};     //!< never

    /** @param record more of them */
    void Add(const RoundRecord& record)
    {
        expected += record.expected;
        received += record.received;
        late += record.late;
        lost += record.lost;
    }

    /** @return share that did not arrive in time */
    double GetMissingShare() const
    {
        return expected == 0 ? 0 : 1 - static_cast<double>(received) / expected;
    }
};

/** @return the learners of a heat map, by number: all, or those that miss the most messages */
std::vector<LearnerId>
ChooseLearners(const std::vector<ResultRow>& rows, size_t& all)
{
    std::map<LearnerId, Messages> sums;
    for (const ResultRow& row : rows)
    {
        sums[row.record.node].Add(row.record);
    }
    std::vector<LearnerId> chosen;
    for (const auto& [node, messages] : sums)
    {
        chosen.push_back(node);
    }
    all = chosen.size();
    std::stable_sort(chosen.begin(), chosen.end(), [&sums](LearnerId a, LearnerId b) {
        return sums[a].GetMissingShare() > sums[b].GetMissingShare();
    });
    chosen.resize(std::min(chosen.size(), MAP_LEARNERS));
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

/** @return messages by learner and round */
PageJson
MakeHeatMap(const std::vector<ResultRow>& rows)
{
    const uint32_t size = GetBinSize(rows, MAP_BINS);
    size_t all = 0;
    const auto learners = ChooseLearners(rows, all);
    std::map<LearnerId, std::map<uint32_t, Messages>> cells;
    uint32_t bins = 0;
    for (const ResultRow& row : rows)
    {
        const uint32_t bin = row.record.round / size;
        cells[row.record.node][bin].Add(row.record);
        bins = std::max(bins, bin + 1);
    }
    PageJson list = PageJson::array();
    for (const LearnerId learner : learners)
    {
        PageJson line = PageJson::array();
        for (uint32_t bin = 0; bin < bins; ++bin)
        {
            const auto cell = cells[learner].find(bin);
            const bool there = cell != cells[learner].end();
            const Messages m = there ? cell->second : Messages();
            line.push_back(there ? PageJson{m.expected, m.received, m.late, m.lost} : PageJson());
        }
        list.push_back({{"node", learner}, {"cells", line}});
    }
    std::string title = "Messages to each learner";
    title += all > learners.size() ? ": the " + std::to_string(learners.size()) + " of " +
                                         std::to_string(all) + " that miss most"
                                   : "";
    return {{"type", "heat"}, {"title", title}, {"size", size}, {"lines", list}};
}

} // namespace

std::vector<ResultRow>
NumberByServer(std::vector<ResultRow> rows)
{
    std::map<uint32_t, Time> opened;
    std::map<Time, uint32_t> closed;
    for (const ResultRow& row : rows)
    {
        if (row.role == "server")
        {
            opened[row.record.round] = GetOpening(row);
            closed[row.record.closed] = row.record.round;
        }
    }
    const bool same = std::all_of(rows.begin(), rows.end(), [&opened](const ResultRow& row) {
        const auto server = opened.find(row.record.round);
        // A round that the server had not closed when the run was interrupted comes last.
        return row.role == "server" ||
               (server != opened.end() ? server->second <= GetOpening(row)
                                       : opened.upper_bound(row.record.round) == opened.end());
    });
    if (same || closed.empty())
    {
        return rows;
    }
    for (ResultRow& row : rows)
    {
        if (row.role != "server")
        {
            const auto in = closed.lower_bound(row.record.closed);
            row.record.round = in == closed.end() ? closed.rbegin()->second + 1 : in->second;
        }
    }
    return rows;
}

PageJson
MakeTimeSection(const std::vector<ResultRow>& rows)
{
    const uint32_t size = GetBinSize(rows, CHART_BINS);
    PageJson section = MakePageSection(
        "Where the time goes",
        "Computing is the simulated time of gradients, training or averaging. While a learner does "
        "not compute, its devices send, for the first time or again, or packets wait in them or "
        "for the medium, or it waits for others; this is measured from round to round. The round "
        "of a "
        "client ends when it has trained: what it then sends is in the rounds of the server." +
            DescribeBins(size));
    if (rows.empty())
    {
        section["note"] = "No round was closed.";
        return section;
    }
    for (const char* role : {"server", "client", "peer"})
    {
        if (std::any_of(rows.begin(), rows.end(), [role](const auto& row) {
                return row.role == role;
            }))
        {
            AddPart(section, MakeTimeStack(rows, role, size));
        }
    }
    AddPart(section, MakeGantt(rows));
    return section;
}

PageJson
MakeMessagesSection(const std::vector<ResultRow>& rows)
{
    const uint32_t size = GetBinSize(rows, CHART_BINS);
    PageJson section = MakePageSection(
        "Messages",
        "Expected = received + late + lost, and received = used + rejected." + DescribeBins(size));
    std::map<uint32_t, std::array<double, 4>> bins;
    const uint32_t last = FindLastRound(rows);
    for (const ResultRow& row : rows)
    {
        const auto& record = row.record;
        const uint32_t begin = record.round / size * size;
        const double share = 1.0 / (std::min(begin + size - 1, last) - begin + 1);
        auto& bin = bins[begin];
        bin[0] += share * static_cast<double>(record.lost);
        bin[1] += share * static_cast<double>(record.late);
        bin[2] += share * static_cast<double>(record.rejected);
        bin[3] += share * static_cast<double>(record.used);
    }
    if (rows.empty())
    {
        section["note"] = "No round was closed.";
        return section;
    }
    AddPart(section,
            MakeStack<4>("Messages of a round, all learners",
                         {"lost", "late", "rejected", "used"},
                         bins,
                         "messages"));
    AddPart(section, MakeHeatMap(rows));
    return section;
}

} // namespace ns3::dlearn

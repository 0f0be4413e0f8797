/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-page-comparison.h"

#include "dlearn-paired-test.h"
#include "dlearn-rounds-csv.h"

#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace ns3::dlearn
{

namespace
{

using Cells = std::vector<std::vector<std::string>>;

/** @return spread of the numbers that there are */
MetricSpread
MakeSpread(const std::vector<double>& values)
{
    MetricSpread spread;
    for (const double value : values)
    {
        spread.Add(value);
    }
    return spread;
}

/** @return a number for people */
std::string
FormatNumber(double value)
{
    return FormatRounded(value);
}

/** A figure of some rows of a table. */
struct Figure
{
    std::string name;                            //!< for people
    std::vector<MetricSpread> spreads;           //!< by row
    std::string (*format)(double){FormatNumber}; //!< what people read of a number
};

/**
 * @param title of the table
 * @param heads titles of the columns that tell the rows apart
 * @param rows their cells
 * @param figures of these rows
 * @param parts whether those of a row add up, so that they stand together
 * @return a table with a column for each figure, if none is of several runs; else a row for each
 *         figure and row, with its mean and how it spreads
 */
PageJson
MakeFiguresTable(const std::string& title,
                 std::vector<std::string> heads,
                 const Cells& rows,
                 const std::vector<Figure>& figures,
                 bool parts = false)
{
    const bool several = std::any_of(figures.begin(), figures.end(), [](const Figure& figure) {
        return std::any_of(figure.spreads.begin(), figure.spreads.end(), [](const auto& spread) {
            return spread.count > 1;
        });
    });
    Cells cells = several ? Cells() : rows;
    std::map<size_t, Cells> blocks; // of a table of several runs
    for (const Figure& figure : figures)
    {
        const auto format = [&figure](double value) {
            return std::isnan(value) ? "" : figure.format(value);
        };
        for (size_t k = 0; k < rows.size(); ++k)
        {
            const MetricSpread& spread = figure.spreads[k];
            if (!several)
            {
                cells[k].push_back(format(spread.GetMean()));
            }
            else if (spread.count > 0)
            {
                std::vector<std::string> row = rows[k];
                row.insert(parts ? row.end() : row.begin(), figure.name);
                const auto [low, high] = spread.GetBand(Band::INTERVAL);
                row.insert(row.end(),
                           {format(spread.GetMean()),
                            format(spread.GetDeviation()),
                            std::isnan(low) ? "" : format(low) + " to " + format(high),
                            format(spread.low),
                            format(spread.high)});
                blocks[parts ? k : 0].push_back(row);
            }
        }
        heads.insert(heads.end(), several ? 0 : 1, figure.name);
    }
    if (several)
    {
        heads.insert(parts ? heads.end() : heads.begin(), parts ? "part" : "figure");
        heads.insert(
            heads.end(),
            {"mean", "standard deviation", "95 % interval of the mean", "lowest", "highest"});
    }
    for (const auto& [k, block] : blocks)
    {
        cells.insert(cells.end(), block.begin(), block.end());
    }
    return MakePageTable(title, heads, cells);
}

/**
 * @param groups some
 * @param get a number of a run; NaN for none
 * @return its spread over the complete runs of each group
 */
template <typename Get>
std::vector<MetricSpread>
CollectSpreads(const std::vector<RunGroup>& groups, const Get& get)
{
    std::vector<MetricSpread> spreads;
    for (const RunGroup& group : groups)
    {
        spreads.emplace_back();
        for (const auto& member : group.members)
        {
            spreads.back().Add(member.IsComplete() ? get(member) : Evaluation::NONE);
        }
    }
    return spreads;
}

/** @return how many runs of a group count, and how many do not as they are not complete */
std::string
FormatCount(const RunGroup& group)
{
    const size_t complete = CountComplete(group);
    const size_t left = group.members.size() - complete;
    return std::to_string(complete) + (left == 0 ? "" : " (" + std::to_string(left) + " left out)");
}

/** @return what the runs of each group had reached and spent in the end */
PageJson
MakeGroupsTable(const std::vector<RunGroup>& groups)
{
    Cells rows;
    for (const RunGroup& group : groups)
    {
        rows.push_back({group.name, FormatCount(group)});
    }
    std::vector<Figure> figures;
    for (const Metric& metric : GetMetrics())
    {
        if (metric.name != "consensus")
        {
            figures.push_back({metric.name, {}});
            for (const RunGroup& group : groups)
            {
                figures.back().spreads.push_back(MakeSpread(GetFinals(group, metric.name)));
            }
        }
    }
    const auto add = [&](const char* name, auto get, std::string (*format)(double)) {
        const auto spreads = CollectSpreads(groups, [&get](const RunGroup::Member& member) {
            return member.rounds.empty() ? Evaluation::NONE : get(GetEnd(member.rounds));
        });
        figures.push_back({name, spreads, format});
    };
    add(
        "time (s)",
        [](const EvaluatedRound& end) { return end.time.GetSeconds(); },
        FormatNumber);
    add(
        "sent",
        [](const EvaluatedRound& end) { return double(end.txBytes); },
        FormatBytes);
    add(
        "energy (J)",
        [](const EvaluatedRound& end) { return end.energy; },
        FormatNumber);
    figures.push_back({"epsilon of the whole run",
                       CollectSpreads(groups, [](const auto& member) { return member.epsilon; })});
    return MakeFiguresTable("At the last evaluated round", {"runs of", "seeds"}, rows, figures);
}

/** @return the settings that differ, a column for each group */
PageJson
MakeDifferencesTable(const std::vector<RunGroup>& groups)
{
    std::vector<std::string> columns{"setting"};
    Cells rows;
    for (const std::string& name : FindDifferences(groups))
    {
        rows.push_back({name});
    }
    for (const RunGroup& group : groups)
    {
        columns.push_back(group.name);
        const std::map<std::string, std::string> settings(group.settings.begin(),
                                                          group.settings.end());
        for (auto& row : rows)
        {
            const auto value = settings.find(row.front());
            row.push_back(value == settings.end() ? "-" : value->second);
        }
    }
    return MakePageTable("Settings that differ", columns, rows);
}

/** @return where the time of rounds went, by group and role */
PageJson
MakeTimesTable(const std::vector<RunGroup>& groups)
{
    using Times = RoundTimes;
    const std::vector<std::pair<const char*, double (*)(const Times&)>> parts{
        {"computing", [](const Times& t) { return t.compute; }},
        {"in queues", [](const Times& t) { return t.phases.queue; }},
        {"sending", [](const Times& t) { return t.phases.air; }},
        {"sending again", [](const Times& t) { return t.phases.again; }},
        {"waiting", [](const Times& t) { return t.phases.wait; }},
        {"sending and waiting",
         [](const Times& t) { return t.phases.IsKnown() ? Evaluation::NONE : t.rest; }},
        {"in all", [](const Times& t) { return t.compute + t.rest; }}};
    std::vector<Figure> figures;
    for (const auto& [name, get] : parts)
    {
        figures.push_back({name, {}});
    }
    Cells rows;
    for (const RunGroup& group : groups)
    {
        std::map<std::string, std::vector<MetricSpread>> spreads;
        for (const RunGroup::Member& member : group.members)
        {
            for (const auto& [role, times] : member.times)
            {
                auto& ofRole = spreads[role];
                ofRole.resize(parts.size());
                for (size_t k = 0; member.IsComplete() && k < parts.size(); ++k)
                {
                    ofRole[k].Add(parts[k].second(times));
                }
            }
        }
        for (const auto& [role, ofRole] : spreads)
        {
            rows.push_back({group.name, role});
            for (size_t k = 0; k < parts.size(); ++k)
            {
                figures[k].spreads.push_back(ofRole[k]);
            }
        }
    }
    return MakeFiguresTable("Where the time of a round goes, in seconds: mean over rounds and "
                            "learners",
                            {"runs of", "learners"},
                            rows,
                            figures,
                            true);
}

/** @return what each group needed to reach a target */
PageJson
MakeCostTable(const std::vector<RunGroup>& groups, const Target& target)
{
    Cells rows;
    std::vector<Figure> figures{{"time (s)", {}},
                                {"round", {}},
                                {"sent", {}, FormatBytes},
                                {"energy (J)", {}},
                                {"epsilon until then", {}}};
    for (const RunGroup& group : groups)
    {
        const TargetCost cost = FindCost(group, target);
        rows.push_back({group.name, std::to_string(cost.reached) + " of " + FormatCount(group)});
        size_t k = 0;
        for (const auto& spread :
             {cost.seconds, cost.rounds, cost.bytes, cost.joules, cost.epsilon})
        {
            figures[k++].spreads.push_back(spread);
        }
    }
    return MakeFiguresTable("Cost of " + target.metric + " " + FormatRounded(target.value) +
                                ", over the runs that reach it",
                            {"runs of", "reached by"},
                            rows,
                            figures);
}

/** @return names of settings in which two groups differ, but for those of privacy */
std::vector<std::string>
FindOtherDifferences(const RunGroup& a, const RunGroup& b)
{
    auto names = FindDifferences({a, b});
    names.erase(std::remove_if(names.begin(), names.end(), IsPrivacySetting), names.end());
    return names;
}

/** @return what each private group lost beside the one of less privacy that differs least from it
 */
PageJson
MakePrivacyTable(const std::vector<RunGroup>& groups)
{
    const std::string metric = ChooseMetric(groups);
    const auto spent = CollectSpreads(groups, [](const auto& m) { return m.epsilon; });
    const auto getEpsilon = [&spent](size_t k) {
        return spent[k].count == 0 ? INFINITY : spent[k].GetMean();
    };
    const auto getFinal = [&](size_t k) {
        const double mean = MakeSpread(GetFinals(groups[k], metric)).GetMean();
        return std::isnan(mean) ? "" : FormatRounded(mean);
    };
    Cells rows;
    for (size_t k = 0; k < groups.size(); ++k)
    {
        size_t beside = k;
        std::vector<std::string> others;
        for (size_t l = 0; l < groups.size(); ++l)
        {
            const auto differences = FindOtherDifferences(groups[k], groups[l]);
            const bool nearer =
                beside == k || differences.size() < others.size() ||
                (differences.size() == others.size() && getEpsilon(l) > getEpsilon(beside));
            if (getEpsilon(l) > getEpsilon(k) && nearer)
            {
                beside = l;
                others = differences;
            }
        }
        if (beside != k)
        {
            rows.push_back({groups[k].name,
                            groups[beside].name,
                            others.empty() ? "nothing else" : JoinNames(others),
                            FormatRounded(getEpsilon(k)),
                            getFinal(k),
                            getFinal(beside)});
        }
    }
    return MakePageTable("What privacy costs",
                         {"runs of",
                          "compared with",
                          "what else differs",
                          "epsilon",
                          "last " + metric,
                          "of the other"},
                         rows);
}

/** @return why there is no test of some differences */
std::string
ExplainNoTest(const std::vector<double>& differences)
{
    return differences.size() < 2 ? "no test: " + std::to_string(differences.size()) +
                                        (differences.size() == 1 ? " pair of the same seed"
                                                                 : " pairs of the same seed")
                                  : "no test: the same difference in all pairs";
}

/** @return whether the others differ from the first group */
PageJson
MakeTestTable(const std::vector<RunGroup>& groups, const std::string& metric)
{
    Cells rows;
    for (size_t k = 1; k < groups.size(); ++k)
    {
        const auto differences = PairFinals(groups.front(), groups[k], metric);
        const auto test = TestPairs(differences);
        const std::string n = std::to_string(differences.size());
        if (test)
        {
            rows.push_back({groups[k].name,
                            n,
                            FormatRounded(test->difference),
                            FormatRounded(test->low) + " to " + FormatRounded(test->high),
                            FormatRounded(test->p, 3)});
        }
        else
        {
            const MetricSpread spread = MakeSpread(differences);
            rows.push_back({groups[k].name,
                            n,
                            spread.count == 0 ? "" : FormatRounded(spread.GetMean()),
                            "",
                            ExplainNoTest(differences)});
        }
    }
    return MakePageTable("Difference in the last " + metric + " from " + groups.front().name +
                             ": paired t-test over runs of the same seed",
                         {"runs of", "pairs n", "mean difference", "95 % interval", "p, two-sided"},
                         rows);
}

} // namespace

std::string
ChooseMetric(const std::vector<RunGroup>& groups)
{
    for (const char* metric : {"accuracy", "loss"})
    {
        for (const RunGroup& group : groups)
        {
            if (MakeSpread(GetFinals(group, metric)).count > 0)
            {
                return metric;
            }
        }
    }
    return "error";
}

PageJson
MakeComparisonSection(const std::vector<RunGroup>& groups, const std::optional<Target>& target)
{
    PageJson section = MakePageSection("Comparison");
    AddPart(section, MakeGroupsTable(groups));
    AddPart(section, MakeDifferencesTable(groups));
    AddPart(section, MakePrivacyTable(groups));
    AddPart(section, MakeTimesTable(groups));
    if (target)
    {
        AddPart(section, MakeCostTable(groups, *target));
    }
    if (groups.size() > 1)
    {
        AddPart(section, MakeTestTable(groups, target ? target->metric : ChooseMetric(groups)));
        const std::string tests = std::to_string(groups.size() - 1);
        section["note"] = groups.front().members.size() < 2
                              ? "One run alone cannot tell a difference from chance."
                          : groups.size() == 2
                              ? "A difference with a p below 0.05 is unlikely to be chance."
                              : "Of these " + tests + " differences, those with a p below 0.05 / " +
                                    tests + " are unlikely to be chance (Bonferroni).";
    }
    return section;
}

} // namespace ns3::dlearn

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

/** @return "0.93" or "0.93 (0.92 to 0.94)"; empty when there is nothing */
std::string
FormatSpread(const MetricSpread& spread, std::string (*format)(double))
{
    if (spread.count == 0)
    {
        return "";
    }
    const std::string mean = format(spread.GetMean());
    return spread.low == spread.high
               ? mean
               : mean + " (" + format(spread.low) + " to " + format(spread.high) + ")";
}

/** @return a number for people */
std::string
FormatNumber(double value)
{
    return FormatRounded(value);
}

/** Add a cell to a row, or the title of a column, that only some tables have. */
void
AddIf(std::vector<std::string>& cells, bool there, const std::string& cell)
{
    if (there)
    {
        cells.push_back(cell);
    }
}

/** @return how many runs of a group count, and how many do not as they are not complete */
std::string
FormatCount(const RunGroup& group)
{
    const size_t complete = CountComplete(group);
    const size_t left = group.members.size() - complete;
    return std::to_string(complete) + (left == 0 ? "" : " (" + std::to_string(left) + " left out)");
}

/** @return last metrics of each group, and its settings that others have not */
PageJson
MakeGroupsTable(const std::vector<RunGroup>& groups)
{
    std::vector<std::string> columns{"runs of", "seeds"};
    std::vector<const Metric*> metrics;
    for (const Metric& metric : GetMetrics())
    {
        const bool there = std::any_of(groups.begin(), groups.end(), [&metric](const auto& group) {
            return MakeSpread(GetFinals(group, metric.name)).count > 0;
        });
        if (there && metric.name != "consensus")
        {
            metrics.push_back(&metric);
            columns.push_back(metric.name);
        }
    }
    const bool measured = std::any_of(groups.begin(), groups.end(), HasEnergy);
    columns.insert(columns.end(), {"time (s)", "sent"});
    AddIf(columns, measured, "energy (J)");
    columns.emplace_back("epsilon");
    Cells rows;
    for (const RunGroup& group : groups)
    {
        std::vector<std::string> row{group.name, FormatCount(group)};
        for (const Metric* metric : metrics)
        {
            row.push_back(FormatSpread(MakeSpread(GetFinals(group, metric->name)), FormatNumber));
        }
        MetricSpread seconds;
        MetricSpread bytes;
        MetricSpread joules;
        MetricSpread epsilon;
        for (const auto& member : group.members)
        {
            if (!member.IsComplete())
            {
                continue;
            }
            if (!member.rounds.empty())
            {
                const EvaluatedRound end = GetEnd(member.rounds);
                epsilon.Add(end.epsilon);
                seconds.Add(end.time.GetSeconds());
                bytes.Add(static_cast<double>(end.txBytes));
                joules.Add(end.energy);
            }
        }
        row.push_back(FormatSpread(seconds, FormatNumber));
        row.push_back(FormatSpread(bytes, FormatBytes));
        AddIf(row, measured, FormatSpread(joules, FormatNumber));
        row.push_back(FormatSpread(epsilon, FormatNumber));
        rows.push_back(row);
    }
    return MakePageTable("At the last evaluated round: mean (lowest to highest) over the seeds",
                         columns,
                         rows);
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
            row.push_back(value == settings.end() ? "not given" : value->second);
        }
    }
    return MakePageTable("Settings that differ", columns, rows);
}

/** @return where the time of rounds went, by group and role */
PageJson
MakeTimesTable(const std::vector<RunGroup>& groups)
{
    using Figure = double (*)(const RoundTimes&);
    const std::array<Figure, 6> figures{[](const RoundTimes& t) { return t.compute; },
                                        [](const RoundTimes& t) { return t.phases.queue; },
                                        [](const RoundTimes& t) { return t.phases.air; },
                                        [](const RoundTimes& t) { return t.phases.again; },
                                        [](const RoundTimes& t) { return t.phases.wait; },
                                        [](const RoundTimes& t) { return t.compute + t.rest; }};
    Cells rows;
    for (const RunGroup& group : groups)
    {
        std::map<std::string, std::array<MetricSpread, 6>> spreads;
        for (const RunGroup::Member& member : group.members)
        {
            for (const auto& [role, times] : member.times)
            {
                for (size_t k = 0; member.IsComplete() && k < figures.size(); ++k)
                {
                    spreads[role][k].Add(figures[k](times));
                }
            }
        }
        for (const auto& [role, figuresOfRole] : spreads)
        {
            std::vector<std::string> row{group.name, role};
            for (const MetricSpread& spread : figuresOfRole)
            {
                row.push_back(FormatSpread(spread, FormatNumber));
            }
            rows.push_back(row);
        }
    }
    return MakePageTable(
        "Where the time of a round goes, in seconds: mean over rounds and learners "
        "(lowest to highest) over the seeds",
        {"runs of",
         "learners",
         "computing",
         "in queues",
         "sending",
         "sending again",
         "waiting",
         "in all"},
        rows);
}

/** @return what each group needed to reach a target */
PageJson
MakeCostTable(const std::vector<RunGroup>& groups, const Target& target)
{
    const bool measured = std::any_of(groups.begin(), groups.end(), HasEnergy);
    std::vector<std::string> columns{"runs of", "reached by", "time (s)", "round", "sent"};
    AddIf(columns, measured, "energy (J)");
    columns.emplace_back("epsilon");
    Cells rows;
    for (const RunGroup& group : groups)
    {
        const TargetCost cost = FindCost(group, target);
        std::vector<std::string> row{group.name,
                                     std::to_string(cost.reached) + " of " + FormatCount(group),
                                     FormatSpread(cost.seconds, FormatNumber),
                                     FormatSpread(cost.rounds, FormatNumber),
                                     FormatSpread(cost.bytes, FormatBytes)};
        AddIf(row, measured, FormatSpread(cost.joules, FormatNumber));
        row.push_back(FormatSpread(cost.epsilon, FormatNumber));
        rows.push_back(row);
    }
    return MakePageTable("Cost of " + target.metric + " " + FormatRounded(target.value) +
                             ": mean (lowest to highest) over the runs that reach it",
                         columns,
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

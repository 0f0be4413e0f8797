/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-html-report.h"

#include "dlearn-page-comparison.h"
#include "dlearn-page-curves.h"
#include "dlearn-page-links.h"
#include "dlearn-page-map.h"
#include "dlearn-page-outcome.h"
#include "dlearn-page-rounds.h"
#include "dlearn-page.h"
#include "dlearn-results-summary.h"
#include "dlearn-rounds-csv.h"

#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-version.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <variant>

namespace ns3::dlearn
{

namespace
{

using Cells = std::vector<std::vector<std::string>>;

constexpr size_t EVENT_LIMIT = 300; //!< events of a page
constexpr size_t LABEL_ROWS = 200;  //!< learners of the table of labels

/** @return the budget of the accounts; NaN when there is none, or no limit */
double
GetBudget(const RunResults& results)
{
    const auto found = results.privacy.find("budget");
    if (found == results.privacy.end() || !std::holds_alternative<double>(found->second))
    {
        return Evaluation::NONE;
    }
    const double budget = std::get<double>(found->second);
    return std::isfinite(budget) && budget > 0 ? budget : Evaluation::NONE;
}

/**
 * @param epsilon largest of the run; NaN for none
 * @param drawn whether there is a chart
 * @param alone whether it is the only run of the page, so that the chart has what was planned
 * @return what the epsilons of the section are
 */
std::string
DescribeSpent(double epsilon, bool drawn, bool alone)
{
    if (std::isinf(epsilon))
    {
        return std::string("An epsilon is infinite where nothing bounds it: no privacy is "
                           "guaranteed there.") +
               (drawn ? " The chart leaves it out." : "");
    }
    if (!(epsilon > 0) && !drawn)
    {
        return "No privacy budget was spent, or none was accounted for.";
    }
    return std::string("The largest epsilon that an honest learner has spent by what truly left "
                       "it") +
           (alone ? ", and what it would have spent if every message had left and arrived as "
                    "planned."
                  : ".") +
           (drawn ? " Between two evaluated rounds it is drawn as high as at the second of them, "
                    "which is never too low."
                  : "");
}

/** @return what privacy was spent */
PageJson
MakePrivacySection(const RunResults& results,
                   const ResultsSummary& summary,
                   const std::vector<RunGroup>& groups)
{
    PageJson section = MakePageSection("Privacy");
    PageJson part = MakeCurvesPart(groups, "epsilon", "Epsilon spent", "largest epsilon");
    section["note"] = DescribeSpent(summary.epsilonMax, !part.is_null(), groups.size() == 1);
    if (!part.is_null())
    {
        if (groups.size() == 1)
        {
            const auto planned = MakeCurvesPart(groups, "epsilon_nominal", "", "");
            part["names"] = {"spent"};
            if (!planned.is_null())
            {
                part["names"].push_back("planned");
                part["dashed"] = {1};
                for (auto& [name, axis] : part["axes"].items())
                {
                    axis["curves"].push_back(planned["axes"][name]["curves"][0]);
                }
            }
        }
        part["limit"] = MakePlotNumber(GetBudget(results));
        part["limit_name"] = "budget";
    }
    AddPart(section, std::move(part));
    if (groups.size() > 1)
    {
        return section; // the comparison has the rest
    }
    Cells cells;
    for (const auto& [name, epsilon] : {std::pair("spent", summary.epsilonMax),
                                        std::pair("planned until then", summary.epsilonNominalMax),
                                        std::pair("budget", GetBudget(results))})
    {
        if (!std::isnan(epsilon))
        {
            cells.push_back({name, FormatRounded(epsilon)});
        }
    }
    AddPart(section, MakePageTable("Largest epsilon of an honest learner", {}, cells));
    return section;
}

/** @return events for the charts, in the order of time */
PageJson
MakeEvents(const RunResults& results)
{
    PageJson events = PageJson::array();
    for (const RunEvent& event : results.timeline)
    {
        if (event.event == "associated" || events.size() >= EVENT_LIMIT)
        {
            continue; // all stations do at the beginning
        }
        std::string text = FormatSeconds(event.time) + " s: ";
        text += event.node ? "learner " + std::to_string(*event.node) + " " : "";
        text += event.event + (event.detail.empty() ? "" : " (" + event.detail + ")");
        events.push_back(
            {{"time", event.time.GetSeconds()}, {"event", event.event}, {"text", text}});
    }
    return events;
}

/** @return events as a table, after how many there are of each kind */
PageJson
MakeEventsSection(const RunResults& results)
{
    std::map<std::string, size_t> counts;
    Cells rows;
    for (const RunEvent& event : results.timeline)
    {
        ++counts[event.event];
        if (rows.size() < EVENT_LIMIT)
        {
            rows.push_back({FormatSeconds(event.time),
                            event.node ? std::to_string(*event.node) : "",
                            event.round ? std::to_string(*event.round) : "",
                            event.event,
                            event.detail});
        }
    }
    std::string note;
    for (const auto& [event, count] : counts)
    {
        note += (note.empty() ? "" : ", ") + std::to_string(count) + " " + event;
    }
    if (rows.size() < results.timeline.size())
    {
        note += ". The first " + std::to_string(rows.size()) + " are shown; events.csv has all";
    }
    PageJson section =
        MakePageSection("Events", note.empty() ? "Nothing out of the ordinary." : note + ".");
    AddPart(
        section,
        MakePageTable("Events", {"time (s)", "learner", "round", "event", "detail"}, rows, true));
    return section;
}

/** @return how many samples of each class each learner was given */
PageJson
MakeLabelsTable(const RunResults& results)
{
    std::vector<std::string> columns{"learner"};
    columns.insert(columns.end(), results.labels.begin(), results.labels.end());
    columns.emplace_back("all");
    Cells rows;
    for (const auto& [node, counts] : results.samples)
    {
        rows.push_back({std::to_string(node)});
        uint64_t all = 0;
        for (const uint64_t count : counts)
        {
            rows.back().push_back(std::to_string(count));
            all += count;
        }
        rows.back().push_back(std::to_string(all));
        if (rows.size() == LABEL_ROWS)
        {
            break;
        }
    }
    const std::string some = rows.size() < results.samples.size()
                                 ? ", the first " + std::to_string(rows.size()) + " learners"
                                 : "";
    return MakePageTable("Samples by label" + some, columns, rows, rows.size() > 20);
}

/** @return the tables of what the run was */
PageJson
MakeSettingsSection(const RunResults& results)
{
    Cells changed;
    Cells others;
    for (const auto& [name, value] : results.parameters)
    {
        (results.given.count(name) > 0 ? changed : others).push_back({name, value});
    }
    Cells attributes;
    for (const auto* values : {&results.attributes, &results.globals})
    {
        for (const auto& [name, value] : *values)
        {
            attributes.push_back({name, value});
        }
    }
    Cells totals;
    for (const auto& [name, count] : results.totals)
    {
        totals.push_back({name, std::to_string(count)});
    }
    PageJson section = MakePageSection("Settings");
    AddPart(section, MakePageTable("Options that were given", {}, changed));
    AddPart(section, MakePageTable("Attributes and global values that were given", {}, attributes));
    AddPart(section,
            MakePageTable("Run",
                          {},
                          {{"program", results.program},
                           {"seed", std::to_string(results.seed)},
                           {"run", std::to_string(results.run)},
                           {"simulator events", std::to_string(results.events)},
                           {"dlearn", DLEARN_VERSION},
                           {"ns-3", DLEARN_NS3_VERSION}}));
    AddPart(section, MakePageTable("Other options", {}, others, true));
    AddPart(section, MakePageTable("Counters", {}, totals, true));
    return section;
}

/** @return warnings, also of counts that do not add up and of compared runs */
std::vector<std::string>
CollectWarnings(const RunResults& results,
                const ResultsSummary& summary,
                const std::vector<NamedRun>& compared,
                const std::vector<RunGroup>& groups)
{
    auto warnings = results.warnings;
    for (const NamedRun& run : compared)
    {
        run.AppendWarnings(warnings);
    }
    const std::string leftOut = DescribeLeftOut(groups);
    if (groups.size() > 1 && !leftOut.empty())
    {
        warnings.push_back(leftOut);
    }
    if (!summary.conserved)
    {
        warnings.emplace_back("Message counts do not add up in some rounds: expected = received + "
                              "late + lost and received = used + rejected must hold.");
    }
    return warnings;
}

} // namespace

std::string
MakeHtmlReport(const RunResults& results,
               const std::string& name,
               const std::vector<NamedRun>& compared)
{
    const auto summary = Summarize(results);
    const auto rounds = FindEvaluatedRounds(results);
    std::vector<NamedRun> runs{{name, results}};
    runs.insert(runs.end(), compared.begin(), compared.end());
    const auto groups = GroupRuns(runs);
    const std::string of = groups.size() > 1 ? ": " + name : "";
    PageJson page{{"title", results.program},
                  {"subtitle",
                   DescribeLearners(results) + ", seed " + std::to_string(results.seed) + ", run " +
                       std::to_string(results.run)},
                  {"sentence", (of.empty() ? "" : name + ": ") + DescribeOutcome(results, summary)},
                  {"command", results.command},
                  {"tiles", MakeTiles(summary)},
                  {"warnings", GroupWarnings(CollectWarnings(results, summary, compared, groups))},
                  {"events", MakeEvents(results)},
                  {"clock", MakeClock(rounds)}};
    PageJson learning = MakeLearningSection(groups);
    AddPart(learning, MakeLadderTable(rounds));
    AddPart(learning, MakeRoundsTable(rounds));
    const std::vector<ResultRow> rows = NumberByServer(FindClosedRounds(results.rows));
    PageJson messages = MakeMessagesSection(rows);
    AddPart(messages, MakeLinksPart(results.pairs));
    PageJson learners = MakePageSection("Learners");
    AddPart(learners, MakeMapPart(results, summary));
    AddPart(learners, MakeLearnersTable(results));
    AddPart(learners, MakeLabelsTable(results));
    PageJson sections = PageJson::array();
    sections.push_back(learning);
    if (groups.size() > 1)
    {
        sections.push_back(MakeComparisonSection(groups, FindCommonTarget(groups)));
    }
    if (std::any_of(groups.begin(), groups.end(), [](const RunGroup& group) {
            return std::any_of(group.members.begin(), group.members.end(), [](const auto& member) {
                return !std::isnan(member.epsilon);
            });
        }))
    {
        sections.push_back(MakePrivacySection(results, summary, groups));
    }
    for (PageJson& section : std::vector<PageJson>{MakeTimeSection(rows),
                                                   messages,
                                                   learners,
                                                   MakeEventsSection(results),
                                                   MakeSettingsSection(results)})
    {
        section["title"] = section["title"].get<std::string>() + of;
        sections.push_back(std::move(section));
    }
    page["sections"] = sections;
    page["footer"] =
        "Every number behind this page is in rounds.csv, results.jsonl, events.csv and "
        "summary.json beside it. dlearn " DLEARN_VERSION " on ns-3 " DLEARN_NS3_VERSION;
    return MakePage(page);
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-comparison.h"

#include "dlearn-page-comparison.h"
#include "dlearn-page-curves.h"
#include "dlearn-page-outcome.h"
#include "dlearn-page-text.h"
#include "dlearn-page.h"
#include "dlearn-paired-test.h"
#include "dlearn-results-summary.h"
#include "dlearn-rounds-csv.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-version.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

namespace
{

constexpr double SIGNIFICANCE = 0.05; //!< of all tests, from which on a difference may be chance

/** @return mean of the last values of a metric over the complete runs of a group */
double
GetMeanFinal(const RunGroup& group, const std::string& metric)
{
    MetricSpread spread;
    for (const double value : GetFinals(group, metric))
    {
        spread.Add(value);
    }
    return spread.GetMean();
}

/** @return whether the difference of the best group from others may be chance; empty if it is not
 */
std::string
DescribeChance(const std::vector<RunGroup>& groups,
               const std::string& best,
               const std::string& metric)
{
    const auto base = std::find_if(groups.begin(), groups.end(), [&best](const RunGroup& group) {
        return group.name == best;
    });
    std::vector<std::string> doubtful;
    std::vector<std::string> untested;
    const double level = SIGNIFICANCE / static_cast<double>(std::max<size_t>(groups.size(), 2) - 1);
    for (auto other = groups.begin(); other != groups.end(); ++other)
    {
        const auto differences = PairFinals(*base, *other, metric);
        const auto test = other == base ? std::nullopt : TestPairs(differences);
        if (other != base && !test)
        {
            untested.push_back(other->name);
        }
        if (test && test->p >= level)
        {
            doubtful.push_back(other->name + " (p = " + FormatRounded(test->p) + ", " +
                               std::to_string(test->pairs) + " pairs)");
        }
    }
    std::string text;
    if (!doubtful.empty())
    {
        text +=
            " By a paired t-test its difference from " + JoinNames(doubtful) + " may be chance.";
    }
    if (!untested.empty())
    {
        text += " There are too few runs of the same seeds to tell its difference from " +
                JoinNames(untested) + " from chance.";
    }
    return text;
}

/** @return in which settings of what is learned groups differ, and who has no such metric */
std::string
DescribeTasks(const std::vector<RunGroup>& groups, const std::string& metric)
{
    const auto differences = FindDifferences(groups);
    std::vector<std::string> different;
    for (const char* name : {"data", "task"})
    {
        if (std::count(differences.begin(), differences.end(), name) > 0)
        {
            different.emplace_back(name);
        }
    }
    std::vector<std::string> without;
    for (const RunGroup& group : groups)
    {
        if (CountComplete(group) > 0 && std::isnan(GetMeanFinal(group, metric)))
        {
            without.push_back(group.name);
        }
    }
    std::string text;
    if (!different.empty())
    {
        text += " The runs differ in " + JoinNames(different) + ", so that they learn different " +
                "things.";
    }
    if (!without.empty())
    {
        text += " There is no " + metric + " of " + JoinNames(without) + ".";
    }
    return text;
}

/** @return which groups did best, in a sentence */
std::string
DescribeBest(const std::vector<RunGroup>& groups)
{
    const std::string metric = ChooseMetric(groups);
    double best = Evaluation::NONE;
    for (const RunGroup& group : groups)
    {
        const double mean = GetMeanFinal(group, metric);
        best = metric == "accuracy" ? std::fmax(best, mean) : std::fmin(best, mean);
    }
    if (std::isnan(best))
    {
        return std::any_of(groups.begin(),
                           groups.end(),
                           [](const RunGroup& group) { return CountComplete(group) > 0; })
                   ? "No round was evaluated."
                   : "No run is complete.";
    }
    std::vector<std::string> names;
    for (const RunGroup& group : groups)
    {
        if (FormatRounded(GetMeanFinal(group, metric)) == FormatRounded(best))
        {
            names.push_back(group.name);
        }
    }
    const std::string who = names.size() == 1              ? ", of " + names.front()
                            : names.size() < groups.size() ? ", of each of " + JoinNames(names)
                                                           : ", of all";
    return "The best mean " + metric + " at the end is " + FormatRounded(best) +
           (groups.size() == 1 ? "." : who + ".") +
           (names.size() == 1 ? DescribeChance(groups, names.front(), metric) : "") +
           DescribeTasks(groups, metric);
}

/** @return where the runs are from */
PageJson
MakeRunsTable(const std::vector<NamedRun>& runs)
{
    std::vector<std::vector<std::string>> rows;
    for (const NamedRun& run : runs)
    {
        rows.push_back({run.name,
                        std::to_string(run.results.seed),
                        std::to_string(run.results.run),
                        run.results.status,
                        run.results.command});
    }
    return MakePageTable("All runs", {"runs of", "seed", "run", "status", "command"}, rows, true);
}

/** @return warnings of the runs, which of them are not complete, and how many are left out */
std::vector<std::string>
CollectWarnings(const std::vector<NamedRun>& runs, const std::vector<RunGroup>& groups)
{
    std::vector<std::string> warnings;
    if (const std::string leftOut = DescribeLeftOut(groups); !leftOut.empty())
    {
        warnings.push_back(leftOut);
    }
    for (const NamedRun& run : runs)
    {
        const RunResults& results = run.results;
        if (results.status != "complete")
        {
            warnings.push_back("a run of " + run.name + " (RngRun " + std::to_string(results.run) +
                               ") is not complete: " + results.status);
        }
        const ResultsSummary summary = Summarize(results);
        if (summary.last.learners < summary.evaluated)
        {
            warnings.push_back(
                "at the end of " + run.name + " (RngRun " + std::to_string(results.run) + ") " +
                std::to_string(summary.last.learners) + " of " + std::to_string(summary.evaluated) +
                " learners are left, over which its last means are");
        }
        run.AppendWarnings(warnings);
    }
    return warnings;
}

/** @return the tables of a comparison */
PageJson
MakeTables(const std::vector<RunGroup>& groups, const std::optional<Target>& target)
{
    return MakeComparisonSection(groups, target ? target : FindCommonTarget(groups));
}

} // namespace

std::string
MakeComparison(const std::vector<NamedRun>& runs, const std::optional<Target>& target, Band band)
{
    Require(!runs.empty(), "a comparison needs at least one run");
    const auto groups = GroupRuns(runs);
    const std::string title =
        "Comparison of " + std::to_string(runs.size()) + (runs.size() == 1 ? " run" : " runs");
    PageJson page{{"title", title},
                  {"subtitle",
                   std::to_string(groups.size()) +
                       (groups.size() == 1 ? " configuration" : " configurations")},
                  {"sentence", DescribeBest(groups)},
                  {"warnings", GroupWarnings(CollectWarnings(runs, groups))}};
    PageJson privacy =
        MakePageSection("Privacy",
                        "The largest epsilon that an honest learner has spent. Between two "
                        "evaluated rounds it is drawn as high as at the second of them, which is "
                        "never too low.");
    AddPart(privacy, MakeCurvesPart(groups, "epsilon", "Epsilon spent", "largest epsilon", band));
    PageJson sections = PageJson::array();
    sections.push_back(MakeTables(groups, target));
    sections.push_back(MakeLearningSection(groups, band));
    if (!privacy["parts"].empty())
    {
        sections.push_back(privacy);
    }
    PageJson sources = MakePageSection("Runs");
    AddPart(sources, MakeRunsTable(runs));
    sections.push_back(sources);
    page["sections"] = sections;
    page["footer"] =
        "Made from summary.json, rounds.csv and results.jsonl of each run by dlearn " DLEARN_VERSION
        " on ns-3 " DLEARN_NS3_VERSION ".";
    return MakePage(page);
}

std::string
MakeComparisonText(const std::vector<NamedRun>& runs, const std::optional<Target>& target)
{
    const auto groups = GroupRuns(runs);
    return DescribeBest(groups) + "\n\n" + MakeSectionText(MakeTables(groups, target));
}

} // namespace ns3::dlearn

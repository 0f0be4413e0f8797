/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-groups.h"

#include "dlearn-results-summary.h"
#include "dlearn-rounds-csv.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

namespace ns3::dlearn
{

namespace
{

using Settings = std::vector<std::pair<std::string, std::string>>;

/** @return what a setting is in each run, in the order of the runs; absent where it is not */
std::map<std::string, std::map<size_t, std::string>>
CollectValues(const std::vector<Settings>& runs)
{
    std::map<std::string, std::map<size_t, std::string>> values;
    for (size_t k = 0; k < runs.size(); ++k)
    {
        for (const auto& [name, value] : runs[k])
        {
            values[name][k] = value;
        }
    }
    return values;
}

/** @return names of settings that are not the same in all runs, in the order of the settings */
std::vector<std::string>
FindDifferences(const std::vector<Settings>& runs)
{
    const auto values = CollectValues(runs);
    std::vector<std::string> names;
    std::set<std::string> seen;
    for (const Settings& settings : runs)
    {
        for (const auto& [name, value] : settings)
        {
            const auto& all = values.at(name);
            const bool same =
                all.size() == runs.size() &&
                std::all_of(all.begin(), all.end(), [&first = all.begin()->second](const auto& v) {
                    return v.second == first;
                });
            if (seen.insert(name).second && !same)
            {
                names.push_back(name);
            }
        }
    }
    return names;
}

/** @return where the time of closed rounds goes, by role */
std::map<std::string, RoundTimes>
FindTimes(const std::vector<ResultRow>& rows)
{
    std::map<std::string, RoundTimes> times;
    std::map<std::string, double> counts;
    for (const ResultRow& row : rows)
    {
        ++counts[row.role];
        times[row.role].phases = {0, 0, 0, 0};
    }
    const std::vector<Time> spans = FindSpans(rows);
    for (const ResultRow& row : rows)
    {
        RoundTimes& mean = times[row.role];
        const double share = 1 / counts[row.role];
        const RoundPhases& phases = row.phases;
        mean.compute += share * row.record.compute.GetSeconds();
        mean.phases.queue += share * phases.queue;
        mean.phases.air += share * phases.air;
        mean.phases.again += share * phases.again;
        mean.phases.wait += share * phases.wait;
        mean.rest += share * (phases.IsKnown()
                                  ? phases.queue + phases.air + phases.again + phases.wait
                                  : (spans[&row - rows.data()] - row.record.compute).GetSeconds());
    }
    return times;
}

/** @return the name of an attribute without that of its type; of an option its name */
std::string
GetOwnName(const std::string& name)
{
    const size_t type = name.rfind("::");
    return name.substr(type == std::string::npos ? 0 : type + 2);
}

/** @return what a group needs of a run */
RunGroup::Member
MakeMember(const RunResults& results)
{
    const ResultsSummary summary = Summarize(results);
    return {results.seed,
            results.run,
            results.status,
            summary.epsilonMax,
            FindEvaluatedRounds(results),
            FindTimes(FindClosedRounds(results.rows))};
}

} // namespace

void
NamedRun::AppendWarnings(std::vector<std::string>& warnings) const
{
    for (const std::string& warning : results.warnings)
    {
        warnings.push_back(name + ": " + warning);
    }
}

std::vector<RunGroup>
GroupRuns(const std::vector<NamedRun>& runs)
{
    std::vector<RunGroup> groups;
    for (const NamedRun& run : runs)
    {
        auto group = std::find_if(groups.begin(), groups.end(), [&run](const RunGroup& other) {
            return other.name == run.name;
        });
        if (group == groups.end())
        {
            group = groups.insert(groups.end(), {run.name, GetSettings(run.results), {}});
            for (const auto& [name, value] : run.results.parameters)
            {
                if (run.results.withoutEffect.count(name) > 0)
                {
                    group->idle[name] = value;
                }
            }
        }
        group->members.push_back(MakeMember(run.results));
    }
    for (RunGroup& group : groups)
    {
        const auto key = [](const auto& member) { return std::tie(member.seed, member.run); };
        auto& members = group.members;
        std::sort(members.begin(), members.end(), [&key](const auto& a, const auto& b) {
            return key(a) < key(b);
        });
        const auto twice =
            std::adjacent_find(members.begin(),
                               members.end(),
                               [&key](const auto& a, const auto& b) { return key(a) == key(b); });
        Require(twice == members.end(),
                "a run is there twice: ",
                group.name.empty() ? "" : group.name + ", ",
                "RngSeed ",
                twice == members.end() ? 0 : twice->seed,
                ", RngRun ",
                twice == members.end() ? 0 : twice->run);
    }
    return groups;
}

std::vector<std::pair<std::string, std::string>>
GetSettings(const RunResults& results)
{
    // What is named here does not change what a run computes.
    static const std::set<std::string> neutral{"out",
                                               "threads",
                                               "transcript",
                                               "netanim",
                                               "compare",
                                               "mpi",
                                               "partition-of-ranks",
                                               "runs"};
    Settings settings{{"program", results.program}};
    for (const auto& [name, value] : results.parameters)
    {
        if (neutral.count(name) + results.withoutEffect.count(name) == 0)
        {
            settings.emplace_back(name, value);
        }
    }
    settings.insert(settings.end(), results.attributes.begin(), results.attributes.end());
    for (const auto& [name, value] : results.globals)
    {
        if (name != "RngRun" && name != "RngSeed")
        {
            settings.emplace_back(name, value);
        }
    }
    return settings;
}

bool
IsPrivacySetting(const std::string& name)
{
    static const std::set<std::string> names{"threat-model",
                                             "view",
                                             "target-epsilon",
                                             "clip",
                                             "shared-noise",
                                             "noise-recovery",
                                             "mechanism",
                                             "privacy-unit",
                                             "noise",
                                             "noise-multiplier",
                                             "noise-exponent",
                                             "noise-exponent-step",
                                             "state-noise-exponent",
                                             "tracker-noise-exponent",
                                             "smoothness",
                                             "delta",
                                             "budget"};
    return names.count(name) > 0;
}

std::vector<std::string>
FindDifferences(const std::vector<RunGroup>& groups)
{
    std::vector<Settings> settings;
    std::vector<Settings> all; // also those without effect
    for (const RunGroup& group : groups)
    {
        settings.push_back(group.settings);
        all.push_back(group.settings);
        all.back().insert(all.back().end(), group.idle.begin(), group.idle.end());
    }
    const auto different = FindDifferences(all);
    auto names = FindDifferences(settings);
    names.erase(std::remove_if(names.begin(),
                               names.end(),
                               [&different](const std::string& name) {
                                   return std::count(different.begin(), different.end(), name) == 0;
                               }),
                names.end());
    return names;
}

void
NameByDifferences(std::vector<NamedRun>& runs)
{
    std::vector<Settings> settings;
    for (const NamedRun& run : runs)
    {
        settings.push_back(GetSettings(run.results));
    }
    const size_t groups = std::set<Settings>(settings.begin(), settings.end()).size();
    const auto values = CollectValues(settings);
    std::vector<std::string> names(runs.size());
    const auto differences = FindDifferences(settings);
    std::map<std::string, size_t> namesakes;
    for (const std::string& name : differences)
    {
        ++namesakes[GetOwnName(name)];
    }
    for (const std::string& name : differences)
    {
        const size_t before = std::set<std::string>(names.begin(), names.end()).size();
        auto longer = names;
        for (const auto& [run, value] : values.at(name))
        {
            const std::string own = GetOwnName(name);
            longer[run] += (longer[run].empty() ? "" : " ") +
                           (namesakes.at(own) == 1 ? own : name) + "=" + value;
        }
        // Settings that go with others would only make names longer.
        if (before < groups && std::set<std::string>(longer.begin(), longer.end()).size() > before)
        {
            names = longer;
        }
    }
    for (size_t k = 0; k < runs.size(); ++k)
    {
        runs[k].name = !names[k].empty() ? names[k]
                       : groups > 1      ? "defaults"
                                         : runs[k].results.program;
    }
}

bool
HasEnergy(const RunGroup& group)
{
    return std::any_of(group.members.begin(), group.members.end(), [](const auto& member) {
        return !member.rounds.empty() && !std::isnan(member.rounds.back().energy);
    });
}

size_t
CountComplete(const RunGroup& group)
{
    return std::count_if(group.members.begin(), group.members.end(), [](const auto& member) {
        return member.IsComplete();
    });
}

std::string
DescribeLeftOut(const std::vector<RunGroup>& groups)
{
    size_t all = 0;
    size_t complete = 0;
    for (const RunGroup& group : groups)
    {
        all += group.members.size();
        complete += CountComplete(group);
    }
    const size_t left = all - complete;
    return left == 0 ? ""
                     : std::to_string(left) + " of " + std::to_string(all) + " runs " +
                           (left == 1 ? "is" : "are") +
                           " not complete and left out of means, costs and tests";
}

std::vector<double>
GetFinals(const RunGroup& group, const std::string& metric)
{
    std::vector<double> finals;
    for (const auto& member : group.members)
    {
        double final = Evaluation::NONE;
        if (member.IsComplete() && !member.rounds.empty())
        {
            const auto found = member.rounds.back().metrics.find(metric);
            if (found != member.rounds.back().metrics.end())
            {
                final = found->second.GetMean();
            }
        }
        finals.push_back(final);
    }
    return finals;
}

} // namespace ns3::dlearn

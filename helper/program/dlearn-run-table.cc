/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-table.h"

#include "ns3/dlearn-results-summary.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <map>
#include <sstream>
#include <string>

namespace ns3::dlearn
{

namespace
{

/**
 * @param table gets a column with the number in four significant digits, or a dash for NaN
 * @param value the number
 * @param width of the column
 */
void
PrintCell(std::ostream& table, double value, int width)
{
    table << std::setw(width) << FormatRounded(value);
}

/**
 * @param table gets a column with the number, or a dash for NaN
 * @param value the number
 * @param width of the column
 * @param decimals digits after the point
 */
void
PrintFixedCell(std::ostream& table, double value, int width, int decimals)
{
    std::ostringstream text; // leaves the format of the table as it is
    text << std::fixed << std::setprecision(decimals) << value;
    table << std::setw(width) << (std::isnan(value) ? "-" : text.str());
}

/** @return name of a run, and how it ended when it is not complete: `private (interrupted)` */
std::string
GetTitle(const NamedRun& run)
{
    const std::string& status = run.results.status;
    return run.name + (status == "complete" ? "" : " (" + status + ")");
}

} // namespace

void
PrintEnergy(std::ostream& table, const RunResults& results)
{
    if (results.energy.empty())
    {
        return;
    }
    table << "\n"
          << FormatRounded(results.GetTotalEnergy()) << " J spent by " << results.energy.size()
          << (results.energy.size() == 1 ? " learner" : " learners");
    for (const auto& [learner, joules] : results.energy)
    {
        if (results.roles.at(learner) == "server")
        {
            table << ", " << FormatRounded(joules) << " J of it by the server";
        }
    }
    const auto& battery = results.battery;
    const auto least =
        std::min_element(battery.begin(), battery.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        });
    if (least != battery.end())
    {
        table << "; learner " << least->first << " has the least left, "
              << FormatRounded(least->second) << " J";
    }
    table << std::endl;
}

void
PrintEvents(std::ostream& table, const RunResults& results)
{
    std::map<std::string, size_t> counts;
    for (const RunEvent& event : results.timeline)
    {
        ++counts[event.event];
    }
    std::string text;
    for (const auto& [event, count] : counts)
    {
        text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + event;
    }
    if (!text.empty())
    {
        table << "\nEvents: " << text << std::endl;
    }
}

void
PrintRoundTitles(std::ostream& table)
{
    table << "  time (s)  round  learners        loss  accuracy       error     epsilon  "
             "delivered\n";
}

void
PrintRound(std::ostream& table, const RoundSummary& summary)
{
    PrintFixedCell(table, summary.time.GetSeconds(), 10, 3);
    table << std::setw(7) << summary.round << std::setw(10) << summary.learners;
    PrintCell(table, summary.mean.loss, 12);
    PrintFixedCell(table, summary.mean.accuracy, 10, 4);
    PrintCell(table, summary.mean.error, 12);
    PrintCell(table, summary.epsilon, 12);
    PrintFixedCell(table, 100 * summary.delivered, 10, 1);
    table << (std::isnan(summary.delivered) ? "" : "%") << std::endl;
}

void
PrintComparison(std::ostream& table, const std::vector<NamedRun>& runs)
{
    const std::vector<std::string> metrics{"loss", "accuracy", "error"};
    const bool measured = std::any_of(runs.begin(), runs.end(), [](const NamedRun& run) {
        return !run.results.energy.empty();
    });
    size_t width = 12;
    for (const NamedRun& run : runs)
    {
        width = std::max(width, GetTitle(run).size() + 2);
    }
    table << "\n" << std::setw(static_cast<int>(width)) << "run";
    for (const char* column : {"time (s)", "rounds", "loss", "accuracy", "error", "epsilon"})
    {
        table << std::setw(10) << column;
    }
    table << (measured ? "  energy (J)" : "");
    for (const NamedRun& run : runs)
    {
        const ResultsSummary summary = Summarize(run.results);
        const EvaluatedRound& last = summary.last;
        table << "\n" << std::setw(static_cast<int>(width)) << GetTitle(run);
        PrintCell(table, last.time.GetSeconds(), 10);
        table << std::setw(10) << summary.rounds;
        for (const std::string& metric : metrics)
        {
            const auto found = last.metrics.find(metric);
            const bool there = found != last.metrics.end();
            PrintCell(table, there ? found->second.GetMean() : Evaluation::NONE, 10);
        }
        PrintCell(table, summary.epsilonMax, 10);
        if (measured)
        {
            PrintCell(table, run.results.GetTotalEnergy(), 12);
        }
    }
    table << std::endl;
}

} // namespace ns3::dlearn

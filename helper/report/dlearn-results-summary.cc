/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-results-summary.h"

#include "dlearn-rounds-csv.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace ns3::dlearn
{

namespace
{

const std::string BYZANTINE = "byzantine"; //!< role of a learner

/**
 * @param epsilons of nodes
 * @param byzantine those that do not count
 * @return the largest; NaN for none
 */
double
FindLargest(const std::map<LearnerId, double>& epsilons, const std::set<LearnerId>& byzantine)
{
    double largest = Evaluation::NONE;
    for (const auto& [node, epsilon] : epsilons)
    {
        if (byzantine.count(node) == 0)
        {
            largest = std::fmax(largest, epsilon);
        }
    }
    return largest;
}

/**
 * @param summary gets what its nodes have spent, and the largest of it; it has their last rows
 * @param results with the epsilon of nodes for which it is not that of their last row
 */
void
AddSpent(ResultsSummary& summary, const RunResults& results)
{
    std::set<LearnerId> byzantine;
    for (LearnerId node = 0; node < results.roles.size(); ++node)
    {
        if (results.roles[node] == BYZANTINE)
        {
            byzantine.insert(node);
        }
    }
    summary.epsilon = results.epsilon; // also of nodes that have closed no round
    for (const auto& [node, row] : summary.lastRows)
    {
        if (row.role == BYZANTINE)
        {
            byzantine.insert(node);
        }
        summary.epsilon.try_emplace(node, row.record.epsilon);
        summary.epsilonNominal[node] = row.record.epsilonNominal;
    }
    summary.epsilonMax = FindLargest(summary.epsilon, byzantine);
    summary.epsilonNominalMax = FindLargest(summary.epsilonNominal, byzantine);
}

/**
 * @param summary gets its last evaluated round, and what that says
 * @param rounds that were evaluated
 */
void
AddEvaluated(ResultsSummary& summary, const std::vector<EvaluatedRound>& rounds)
{
    if (rounds.empty())
    {
        return;
    }
    summary.last = GetEnd(rounds);
    for (const EvaluatedRound& round : rounds)
    {
        summary.evaluated = std::max(summary.evaluated, round.learners);
    }
    for (const Metric& metric : GetMetrics())
    {
        const auto found = summary.last.metrics.find(metric.name);
        if (found != summary.last.metrics.end())
        {
            summary.final.*(metric.figure) = found->second.GetMean();
        }
    }
}

/** @return a counter of a run; 0 where there is none of that name */
uint64_t
GetTotal(const RunResults& results, const std::string& name)
{
    const auto total = results.totals.find(name);
    return total == results.totals.end() ? 0 : total->second;
}

} // namespace

ResultsSummary
Summarize(const RunResults& results)
{
    const std::vector<ResultRow>& rows = results.rows;
    ResultsSummary summary;
    summary.rows = rows.size();
    std::map<LearnerId, uint32_t> closedRounds;
    uint64_t awaited = 0;
    uint64_t came = 0;
    const bool federation = std::any_of(rows.begin(), rows.end(), [](const ResultRow& row) {
        return row.role == "server";
    });
    for (const auto& row : rows)
    {
        const auto& record = row.record;
        summary.end = Max(summary.end, record.closed);
        if (row.role == "server" || row.role == "peer")
        {
            awaited += record.expected;
            came += record.received;
        }
        summary.expected += record.expected;
        summary.received += record.received;
        summary.used += record.used;
        summary.rejected += record.rejected;
        summary.late += record.late;
        summary.lost += record.lost;
        summary.txBytes += record.txBytes;
        summary.rxBytes += record.rxBytes;
        summary.compute += record.compute;
        summary.energy = AddJoules(summary.energy, row.energy);
        const uint64_t accounted = uint64_t{record.received} + record.late + record.lost;
        summary.conserved = summary.conserved && record.expected == accounted &&
                            record.received == uint64_t{record.used} + record.rejected;
        if (!federation || row.role == "server")
        {
            summary.rounds = std::max(summary.rounds, ++closedRounds[record.node]);
        }
        auto [last, isNew] = summary.lastRows.try_emplace(record.node, row);
        if (!isNew && record.round >= last->second.record.round)
        {
            last->second = row;
        }
    }
    summary.delivered = GetDeliveredShare(came, awaited);
    summary.txBytes += GetTotal(results, "tx_bytes_without_row");
    summary.rxBytes += GetTotal(results, "rx_bytes_without_row");
    if (!results.energy.empty())
    {
        summary.energy = results.GetTotalEnergy(); // rows do not have the last messages of clients
    }
    AddSpent(summary, results);
    summary.nodes = static_cast<uint32_t>(summary.lastRows.size());
    AddEvaluated(summary, FindEvaluatedRounds(results));
    return summary;
}

} // namespace ns3::dlearn

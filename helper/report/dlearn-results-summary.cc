/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-results-summary.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace ns3::dlearn
{

namespace
{

/**
 * Mean of one figure over the nodes where it applies.
 *
 * @param evaluations last evaluation of each node
 * @param figure which figure
 * @return the mean; NaN when it applies to no node
 */
double
MeanOf(const std::map<LearnerId, std::pair<uint32_t, Evaluation>>& evaluations,
       double Evaluation::*figure)
{
    double sum = 0;
    uint32_t count = 0;
    for (const auto& [node, last] : evaluations)
    {
        const double value = last.second.*figure;
        if (!std::isnan(value))
        {
            sum += value;
            ++count;
        }
    }
    return count == 0 ? Evaluation::NONE : sum / count;
}

} // namespace

double
ResultsSummary::GetDeliveredShare() const
{
    return expected == 0 ? Evaluation::NONE
                         : static_cast<double>(received) / static_cast<double>(expected);
}

ResultsSummary
Summarize(const std::vector<ResultRow>& rows, const std::map<LearnerId, double>& spent)
{
    ResultsSummary summary;
    summary.rows = rows.size();
    std::map<LearnerId, uint32_t> closedRounds;
    std::map<LearnerId, std::pair<uint32_t, Evaluation>> evaluations;
    for (const auto& row : rows)
    {
        const auto& record = row.record;
        summary.expected += record.expected;
        summary.received += record.received;
        summary.used += record.used;
        summary.rejected += record.rejected;
        summary.late += record.late;
        summary.lost += record.lost;
        summary.txBytes += record.txBytes;
        summary.rxBytes += record.rxBytes;
        summary.compute += record.compute;
        const uint64_t accounted = uint64_t{record.received} + record.late + record.lost;
        summary.conserved = summary.conserved && record.expected == accounted &&
                            record.received == uint64_t{record.used} + record.rejected;
        summary.rounds = std::max(summary.rounds, ++closedRounds[record.node]);
        auto [last, isNew] = summary.lastRows.try_emplace(record.node, row);
        if (!isNew && record.round >= last->second.record.round)
        {
            last->second = row;
        }
        if (row.evaluation)
        {
            auto [entry, first] =
                evaluations.try_emplace(record.node, record.round, *row.evaluation);
            if (!first && record.round >= entry->second.first)
            {
                entry->second = {record.round, *row.evaluation};
            }
        }
    }
    for (const auto& [node, row] : summary.lastRows)
    {
        const auto known = spent.find(node);
        const double epsilon = known == spent.end() ? row.record.epsilon : known->second;
        summary.epsilon[node] = epsilon;
        summary.epsilonNominal[node] = row.record.epsilonNominal;
        if (!std::isnan(epsilon) && !(epsilon <= summary.epsilonMax))
        {
            summary.epsilonMax = epsilon;
        }
    }
    summary.nodes = static_cast<uint32_t>(summary.lastRows.size());
    for (auto figure :
         {&Evaluation::loss, &Evaluation::accuracy, &Evaluation::error, &Evaluation::consensus})
    {
        summary.final.*figure = MeanOf(evaluations, figure);
    }
    return summary;
}

std::vector<const ResultRow*>
SortRows(const std::vector<ResultRow>& rows)
{
    std::vector<const ResultRow*> sorted;
    sorted.reserve(rows.size());
    for (const auto& row : rows)
    {
        sorted.push_back(&row);
    }
    auto key = [](const ResultRow* row) {
        return std::make_tuple(row->record.closed.GetTimeStep(),
                               row->record.node,
                               row->record.round);
    };
    std::stable_sort(sorted.begin(), sorted.end(), [&key](const auto* a, const auto* b) {
        return key(a) < key(b);
    });
    return sorted;
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-results-summary.h"

#include "dlearn-rounds-csv.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace ns3::dlearn
{

namespace
{

const std::string BYZANTINE = "byzantine"; //!< role of a learner

/** Add a learner that was evaluated to its round. */
void
AddLearner(const ResultRow& row, EvaluatedRound& round)
{
    const auto& record = row.record;
    round.round = record.round;
    round.time = Max(round.time, record.closed);
    ++round.learners;
    round.expected += record.expected;
    round.received += record.received;
    for (const Metric& metric : GetMetrics())
    {
        const double value = (*row.evaluation).*(metric.figure);
        if (!std::isnan(value))
        {
            round.metrics[metric.name].Add(value);
        }
    }
    for (const auto& [name, value] : row.evaluation->own)
    {
        round.own[name].Add(value);
    }
}

/**
 * Epsilon spent until the end of each round, where only rows are known. They lack the spending of a
 * client since it last closed a round, so that rounds that it closes later count, too, if
 * their numbers are not larger.
 *
 * @param rows sorted by time
 * @param rounds in the order of their numbers; get it
 */
void
AddSpentOfRows(const std::vector<const ResultRow*>& rows, std::vector<EvaluatedRound>& rounds)
{
    std::map<Time, SpentEpsilon> byTime;
    std::map<uint32_t, SpentEpsilon> byNumber; // of clients
    SpentEpsilon soFar;
    for (const ResultRow* row : rows)
    {
        const RoundRecord& record = row->record;
        const SpentEpsilon spent{record.epsilon, record.epsilonNominal};
        if (row->role != "byzantine")
        {
            soFar.Add(spent);
            byTime[record.closed] = soFar;
        }
        if (row->role == "client")
        {
            byNumber[record.round].Add(spent);
        }
    }
    SpentEpsilon byClients;
    auto client = byNumber.begin();
    for (EvaluatedRound& round : rounds)
    {
        for (; client != byNumber.end() && client->first <= round.round; ++client)
        {
            byClients.Add(client->second);
        }
        SpentEpsilon spent = byClients;
        const auto later = byTime.upper_bound(round.time);
        spent.Add(later == byTime.begin() ? SpentEpsilon() : std::prev(later)->second);
        round.epsilon = spent.realised;
        round.epsilonNominal = spent.nominal;
    }
}

/**
 * Bytes and joules add up over the rounds. Where only rows are known, the joules of a round lack
 * what clients have spent since they last closed one, and the bytes have all that clients have sent
 * of an update, also after the round.
 *
 * @param rows sorted by time
 * @param rounds in the order of their numbers; get them
 */
void
Accumulate(const std::vector<const ResultRow*>& rows, std::vector<EvaluatedRound>& rounds)
{
    std::vector<EvaluatedRound*> byTime;
    for (EvaluatedRound& round : rounds)
    {
        byTime.push_back(&round);
    }
    std::stable_sort(byTime.begin(), byTime.end(), [](const auto* a, const auto* b) {
        return a->time < b->time;
    });
    uint64_t tx = 0;
    uint64_t rx = 0;
    double energy = Evaluation::NONE;
    auto row = rows.begin();
    for (EvaluatedRound* round : byTime)
    {
        for (; row != rows.end() && (*row)->record.closed <= round->time; ++row)
        {
            tx += (*row)->record.txBytes;
            rx += (*row)->record.rxBytes;
            energy = AddJoules(energy, (*row)->energy);
        }
        round->txBytes = tx;
        round->rxBytes = rx;
        round->energy = energy;
    }
}

/** @return the largest epsilon of nodes that are not Byzantine; NaN: none */
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

/** Add the epsilon of each node, by default of its last row, and the largest. */
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

/** Add the last evaluated round, and its means. */
void
AddEvaluated(ResultsSummary& summary, const std::vector<EvaluatedRound>& rounds)
{
    if (rounds.empty())
    {
        return;
    }
    summary.last = rounds.back();
    for (const EvaluatedRound& round : rounds)
    {
        // Without a common clock an earlier one may have ended later: a slow learner dropped out.
        summary.last.time = Max(summary.last.time, round.time);
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

void
MetricSpread::Add(double value)
{
    if (!std::isnan(value))
    {
        sum += value;
        low = std::fmin(low, value);
        high = std::fmax(high, value);
        ++count;
    }
}

std::vector<EvaluatedRound>
FindEvaluatedRounds(const RunResults& results)
{
    std::map<uint32_t, EvaluatedRound> rounds;
    const auto sorted = SortRows(results.rows);
    for (const ResultRow* row : sorted)
    {
        if (row->evaluation)
        {
            AddLearner(*row, rounds[row->record.round]);
        }
    }
    std::vector<EvaluatedRound> list;
    for (auto& [number, round] : rounds)
    {
        list.push_back(std::move(round));
    }
    const bool known = std::all_of(list.begin(), list.end(), [&results](const auto& round) {
        return results.spent.count(round.round) > 0;
    });
    if (!known)
    {
        AddSpentOfRows(sorted, list);
    }
    for (EvaluatedRound& round : list)
    {
        const auto spent = results.spent.find(round.round);
        if (spent != results.spent.end())
        {
            round.epsilon = spent->second.realised;
            round.epsilonNominal = spent->second.nominal;
        }
    }
    Accumulate(sorted, list);
    for (EvaluatedRound& round : list)
    {
        const auto measured = results.resources.find(round.round);
        if (measured != results.resources.end())
        {
            round.txBytes = measured->second.txBytes;
            round.rxBytes = measured->second.rxBytes;
            round.energy = measured->second.joules;
        }
    }
    return list;
}

ResultsSummary
Summarize(const RunResults& results)
{
    const std::vector<ResultRow>& rows = results.rows;
    ResultsSummary summary;
    summary.rows = rows.size();
    std::map<LearnerId, uint32_t> closedRounds;
    uint64_t awaited = 0;
    uint64_t came = 0;
    const auto leads = [](const ResultRow& row) {
        return row.role == "server" || row.role == "peer";
    };
    const bool led = std::any_of(rows.begin(), rows.end(), leads);
    for (const auto& row : rows)
    {
        const auto& record = row.record;
        summary.end = Max(summary.end, record.closed);
        if (leads(row))
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
        const uint64_t accounted = uint64_t{record.received} + record.late + record.lost;
        summary.conserved = summary.conserved && record.expected == accounted &&
                            record.received == uint64_t{record.used} + record.rejected;
        if (!led || leads(row))
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
    AddSpent(summary, results);
    summary.nodes = static_cast<uint32_t>(summary.lastRows.size());
    AddEvaluated(summary, FindEvaluatedRounds(results));
    return summary;
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-evaluated-rounds.h"

#include "dlearn-rounds-csv.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

namespace ns3::dlearn
{

namespace
{

using Rounds = std::map<uint32_t, EvaluatedRound>;

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
}

/**
 * What was spent until the end of each round, where only rows are known. They do not tell what a
 * client has spent since it last closed a round, so that rounds that it closes later count, too, if
 * their numbers are not larger.
 *
 * @param rows sorted by time
 * @param rounds in the order of their numbers; get it
 */
void
AddSpent(const std::vector<const ResultRow*>& rows, std::vector<EvaluatedRound>& rounds)
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

} // namespace

void
MetricSpread::Add(double value)
{
    if (!std::isnan(value))
    {
        const double before = count == 0 ? value : GetMean();
        sum += value;
        low = std::fmin(low, value);
        high = std::fmax(high, value);
        ++count;
        squares += (value - before) * (value - GetMean()); // Welford (1962)
    }
}

double
MetricSpread::GetDeviation() const
{
    return count < 2 ? Evaluation::NONE : low == high ? 0 : std::sqrt(squares / (count - 1));
}

std::pair<double, double>
MetricSpread::GetBand(Band band) const
{
    if (band == Band::RANGE)
    {
        return {low, high};
    }
    double width = GetDeviation();
    if (band == Band::INTERVAL && count > 1)
    {
        const boost::math::students_t law(count - 1);
        width *= boost::math::quantile(law, 0.975) / std::sqrt(count);
    }
    return {GetMean() - width, GetMean() + width};
}

std::vector<EvaluatedRound>
FindEvaluatedRounds(const RunResults& results)
{
    Rounds rounds;
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
        AddSpent(sorted, list);
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

EvaluatedRound
GetEnd(const std::vector<EvaluatedRound>& rounds)
{
    Require(!rounds.empty(), "GetEnd: there must be rounds, got none");
    EvaluatedRound end = rounds.back();
    for (const EvaluatedRound& round : rounds)
    {
        end.time = Max(end.time, round.time);
        end.txBytes = std::max(end.txBytes, round.txBytes);
        end.rxBytes = std::max(end.rxBytes, round.rxBytes);
        end.energy = std::fmax(end.energy, round.energy);
        end.epsilon = std::fmax(end.epsilon, round.epsilon);
        end.epsilonNominal = std::fmax(end.epsilonNominal, round.epsilonNominal);
    }
    return end;
}

std::string
MakeResultsLines(const RunResults& results)
{
    using Json = nlohmann::ordered_json;
    // JSON has no infinity: a text says it, which float() and pandas.to_numeric() understand.
    const auto number = [](double value) {
        return std::isinf(value)   ? Json(FormatShortest(value))
               : std::isnan(value) ? Json()
                                   : Json(value);
    };
    std::string text;
    for (const EvaluatedRound& round : FindEvaluatedRounds(results))
    {
        Json line;
        line["round"] = round.round;
        line["time_s"] = round.time.GetSeconds();
        line["learners"] = round.learners;
        for (const Metric& metric : GetMetrics())
        {
            const auto found = round.metrics.find(metric.name);
            if (found != round.metrics.end())
            {
                line[metric.name] = number(found->second.GetMean());
                line[metric.name + "_low"] = number(found->second.low);
                line[metric.name + "_high"] = number(found->second.high);
            }
        }
        if (!std::isnan(round.epsilon))
        {
            line["epsilon"] = number(round.epsilon);
            line["epsilon_nominal"] = number(round.epsilonNominal);
        }
        if (round.expected > 0)
        {
            line["delivered"] = GetDeliveredShare(round.received, round.expected);
        }
        line["tx_bytes"] = round.txBytes;
        line["rx_bytes"] = round.rxBytes;
        if (!std::isnan(round.energy))
        {
            line["energy_j"] = round.energy;
        }
        text += line.dump() + "\n";
    }
    return text;
}

} // namespace ns3::dlearn

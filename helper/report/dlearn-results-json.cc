/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-results-json.h"

#include "dlearn-rounds-csv.h"

#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-version.h"

#include <cmath>
#include <variant>

namespace ns3::dlearn
{

namespace
{

using Json = ResultsJson;

/** @return null unless a number is finite */
Json
MakeFinite(double value)
{
    return std::isfinite(value) ? Json(value) : Json();
}

/** @return values by learner, round, neighbour or name */
template <typename Key, typename Value>
Json MakeConstant(const std::map<Key, Value>& values);

Json
MakeConstant(double value)
{
    return MakeJsonNumber(value);
}

Json
MakeConstant(const std::string& value)
{
    return value;
}

Json
MakeConstant(const std::vector<double>& values)
{
    Json list = Json::array();
    for (const double value : values)
    {
        list.push_back(MakeJsonNumber(value));
    }
    return list;
}

template <typename Key, typename Value>
Json
MakeConstant(const std::map<Key, Value>& values)
{
    Json object = Json::object();
    for (const auto& [key, value] : values)
    {
        if constexpr (std::is_same_v<Key, std::string>)
        {
            object[key] = MakeConstant(value);
        }
        else
        {
            object[std::to_string(key)] = MakeConstant(value);
        }
    }
    return object;
}

/** @return the member `totals` */
Json
MakeTotals(const ResultsSummary& summary, const RunResults& results)
{
    Json totals;
    totals["nodes"] = summary.nodes;
    totals["closed_rounds"] = summary.rows;
    totals["expected"] = summary.expected;
    totals["received"] = summary.received;
    totals["used"] = summary.used;
    totals["rejected"] = summary.rejected;
    totals["late"] = summary.late;
    totals["lost"] = summary.lost;
    totals["tx_bytes"] = summary.txBytes;
    totals["rx_bytes"] = summary.rxBytes;
    for (const auto& [name, count] : results.totals)
    {
        totals[name] = count;
    }
    if (!results.energy.empty())
    {
        totals["energy_j"] = results.GetTotalEnergy();
    }
    return totals;
}

/** @return the member `final` */
Json
MakeFinal(const ResultsSummary& summary, const RunResults& results)
{
    Json final;
    final["rounds"] = summary.rounds;
    final["time_s"] = MakeFinite(summary.last.time.GetSeconds());
    final["learners"] = summary.last.learners;
    const auto addMetrics = [&](bool measured) {
        for (const Metric& metric : GetMetrics())
        {
            const double value = summary.final.*(metric.figure);
            if (metric.measured == measured && !(measured && std::isnan(value)))
            {
                final[metric.name] = MakeJsonNumber(value);
            }
        }
    };
    addMetrics(false);
    final["delivered"] = MakeJsonNumber(summary.delivered);
    final["epsilon_max"] = MakeJsonNumber(summary.epsilonMax);
    final["epsilon"] = MakeConstant(summary.epsilon);
    if (!results.energy.empty())
    {
        final["energy_j"] = MakeConstant(results.energy);
    }
    if (!results.battery.empty())
    {
        final["battery_j"] = MakeConstant(results.battery);
    }
    addMetrics(true);
    for (const auto& [name, spread] : summary.last.own)
    {
        final[name] = MakeJsonNumber(spread.GetMean());
    }
    return final;
}

} // namespace

ResultsJson
MakeJsonNumber(double value)
{
    return std::isinf(value)   ? Json(FormatShortest(value))
           : std::isnan(value) ? Json()
                               : Json(value);
}

ResultsJson
MakeSummary(const RunResults& results, const ResultsSummary& summary)
{
    Json json;
    json["program"] = results.program;
    json["dlearn_version"] = DLEARN_VERSION;
    json["ns3_version"] = DLEARN_NS3_VERSION;
    json["command"] = results.command;
    json["status"] = results.status;
    if (!results.reason.empty())
    {
        json["reason"] = results.reason;
    }
    json["seed"] = results.seed;
    json["run"] = results.run;
    json["parameters"] = Json::object();
    for (const auto& [name, value] : results.parameters)
    {
        json["parameters"][name] = value;
    }
    json["without_effect"] = results.withoutEffect;
    json["attributes"] = MakeConstant(results.attributes);
    json["globals"] = MakeConstant(results.globals);
    json["warnings"] = results.warnings;
    json["totals"] = MakeTotals(summary, results);
    json["conserved"] = summary.conserved;
    json["final"] = MakeFinal(summary, results);
    for (const auto& [name, value] : results.figures)
    {
        json[name] = MakeFinite(value);
    }
    if (!results.privacy.empty())
    {
        Json& privacy = json["privacy"];
        for (const auto& [name, constant] : results.privacy)
        {
            privacy[name] =
                std::visit([](const auto& value) { return MakeConstant(value); }, constant);
        }
    }
    json["ready_s"] = MakeFinite(results.readySeconds);
    json["simulated_s"] = MakeFinite(results.simulatedSeconds);
    json["events"] = results.events;
    return json;
}

std::vector<ResultsJson>
MakeResultsLines(const RunResults& results)
{
    std::vector<Json> lines;
    for (const EvaluatedRound& round : FindEvaluatedRounds(results))
    {
        Json line;
        line["round"] = round.round;
        line["time_s"] = round.time.GetSeconds();
        line["learners"] = round.learners;
        const auto add = [&line](const std::string& name, const MetricSpread& spread) {
            line[name] = MakeJsonNumber(spread.GetMean());
            line[name + "_low"] = MakeJsonNumber(spread.low);
            line[name + "_high"] = MakeJsonNumber(spread.high);
        };
        for (const Metric& metric : GetMetrics())
        {
            const auto found = round.metrics.find(metric.name);
            if (found != round.metrics.end())
            {
                add(metric.name, found->second);
            }
        }
        for (const auto& [name, spread] : round.own)
        {
            add(name, spread);
        }
        if (!std::isnan(round.epsilon))
        {
            line["epsilon"] = MakeJsonNumber(round.epsilon);
            line["epsilon_nominal"] = MakeJsonNumber(round.epsilonNominal);
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
        lines.push_back(std::move(line));
    }
    return lines;
}

std::string
DumpJson(const ResultsJson& json, int indent)
{
    return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-target.h"

#include "dlearn-rounds-csv.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

/** @return the metric of a name; null when there is none */
const Metric*
FindMetric(const std::string& name)
{
    const auto& metrics = GetMetrics();
    const auto found = std::find_if(metrics.begin(), metrics.end(), [&name](const Metric& metric) {
        return metric.name == name;
    });
    return found == metrics.end() ? nullptr : &*found;
}

} // namespace

Target
Target::Parse(const std::string& text)
{
    const auto pieces = SplitText(text, ':');
    const auto value = pieces.size() == 2 ? ParseNumber(pieces[1]) : std::nullopt;
    std::vector<std::string> names;
    for (const Metric& metric : GetMetrics())
    {
        names.push_back(metric.name);
    }
    Require(value && FindMetric(pieces[0]) != nullptr,
            "target must be METRIC:VALUE with one of ",
            JoinNames(names),
            ", such as accuracy:0.9; got '",
            text,
            "'");
    Require(pieces[0] != "accuracy" || (*value >= 0 && *value <= 1),
            "target: accuracy is a fraction and must be in [0, 1], got ",
            pieces[1]);
    return {pieces[0], *value};
}

const EvaluatedRound*
Target::Find(const std::vector<EvaluatedRound>& rounds) const
{
    const bool rising = FindMetric(metric)->rising;
    const EvaluatedRound* first = nullptr;
    for (const EvaluatedRound& round : rounds)
    {
        // A slow learner may end a round after others have ended later ones.
        const auto spread = round.metrics.find(metric);
        if (spread == round.metrics.end() || (first && round.time >= first->time))
        {
            continue;
        }
        const double mean = spread->second.GetMean();
        if (rising ? mean >= value : mean <= value)
        {
            first = &round;
        }
    }
    return first;
}

TargetCost
FindCost(const RunGroup& group, const Target& target)
{
    TargetCost cost;
    for (const auto& member : group.members)
    {
        const EvaluatedRound* const round =
            member.IsComplete() ? target.Find(member.rounds) : nullptr;
        if (round != nullptr)
        {
            ++cost.reached;
            cost.seconds.Add(round->time.GetSeconds());
            cost.rounds.Add(round->round);
            cost.bytes.Add(static_cast<double>(round->txBytes));
            cost.joules.Add(round->energy);
            cost.epsilon.Add(round->epsilon);
        }
    }
    return cost;
}

std::optional<Target>
FindCommonTarget(const std::vector<RunGroup>& groups)
{
    std::optional<Target> common;
    if (std::all_of(groups.begin(), groups.end(), [](const RunGroup& group) {
            return CountComplete(group) == 0;
        }))
    {
        return common;
    }
    for (const double accuracy : GetAccuracyLadder())
    {
        const Target target{"accuracy", accuracy};
        const bool all = std::all_of(groups.begin(), groups.end(), [&target](const auto& group) {
            return FindCost(group, target).reached == CountComplete(group);
        });
        common = all ? target : common;
    }
    return common;
}

const std::vector<double>&
GetAccuracyLadder()
{
    static const std::vector<double> ladder{0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99};
    return ladder;
}

} // namespace ns3::dlearn

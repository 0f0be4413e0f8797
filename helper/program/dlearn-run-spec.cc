/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-spec.h"

#include "ns3/dlearn-baselines.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-quantity-parser.h"
#include "ns3/dlearn-robust-server.h"

namespace ns3::dlearn
{

bool
RunSpec::IsTracking() const
{
    return IsComponentOf(GetDirectedRuleFamily(), algorithm, GradientTracking::GetTypeId());
}

bool
RunSpec::HasAlpha() const
{
    return !IsComponentOf(GetDirectedRuleFamily(), algorithm, PushSumSgd::GetTypeId());
}

bool
RunSpec::IsNoiseless() const
{
    return IsComponentNamed(GetDirectedRuleFamily(), algorithm, NOISELESS_TRACKING);
}

ObjectFactory
RunSpec::GetPeerRule() const
{
    return ParseComponent(GetDirectedRuleFamily(), algorithm);
}

double
RunSpec::GetNoise() const
{
    return IsNoiseless() ? 0 : noise;
}

TrackingChoice
RunSpec::GetTrackingChoice() const
{
    return {scheme,
            alpha,
            beta,
            gamma,
            samples.value_or(0),
            stateNoiseExponent,
            trackerNoiseExponent};
}

TrackingPlan
RunSpec::GetTrackingPlan() const
{
    return GetTrackingChoice().GetPlan(rounds - 1);
}

std::optional<Time>
RunSpec::GetPeriod() const
{
    if (synchrony == "rounds")
    {
        return std::nullopt;
    }
    const std::string prefix = "async:";
    const bool timed = synchrony.rfind(prefix, 0) == 0;
    Require(synchrony == "async" || timed,
            "synchrony must be rounds, async or async:PERIOD, got '",
            synchrony,
            "'");
    if (!timed)
    {
        return Time(0);
    }
    const Time period =
        ParseTime("synchrony: period of '" + synchrony + "'", synchrony.substr(prefix.size()));
    Require(period.IsStrictlyPositive(),
            "synchrony: period must be greater than 0, got '",
            synchrony,
            "'");
    return period;
}

std::string
RunSpec::GetAggregator() const
{
    if (kind != RunKind::FEDERATION)
    {
        return aggregator;
    }
    const bool robust =
        serverRule.empty()
            ? IsCafCor() || aggregator != "none"
            : IsComponentOf(GetServerRuleFamily(), serverRule, RobustServer::GetTypeId());
    return !robust ? "none" : aggregator == "none" ? "Average" : aggregator;
}

bool
RunSpec::TakesSteps() const
{
    return clientRule.empty()
               ? !IsCafCor() && localSteps != "inf"
               : IsComponentOf(GetClientRuleFamily(), clientRule, LocalSgd::GetTypeId());
}

} // namespace ns3::dlearn

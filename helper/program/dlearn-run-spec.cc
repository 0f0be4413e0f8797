/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-spec.h"

#include "ns3/dlearn-baselines.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-gossip-rules.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-robust-server.h"
#include "ns3/dlearn-simulated-time.h"

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
    return !IsComponentOf(GetDirectedRuleFamily(), algorithm, PushSumSgd::GetTypeId()) &&
           !IsComponentOf(GetDirectedRuleFamily(), algorithm, PushDiging::GetTypeId());
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

RunSpec
LdpOnlinePreset(const std::string& program)
{
    RunSpec spec(RunKind::PEERS, program);
    spec.partition = "label";
    spec.batchSize = 20;
    spec.rounds = 2000;
    spec.evaluateEvery = 20;
    return spec;
}

RunSpec
GradientTrackingPreset(const std::string& program)
{
    RunSpec spec(RunKind::DIRECTED, program);
    spec.algorithm = "dp-gt";
    spec.rounds = 2000;
    spec.evaluateEvery = 20;
    spec.floatBits = 64;
    spec.unitNorm = false;
    return spec;
}

RunSpec
FedAvgPreset(const std::string& program)
{
    RunSpec spec(RunKind::FEDERATION, program);
    spec.algorithm = "fedavg";
    spec.learners = 3;
    spec.data = "linear-gaussian";
    spec.regularization = 1e-4; // of data sets; separable classes then have a minimizer
    spec.transport = "tcp";
    spec.rounds = 20;
    spec.delta = 1e-5;
    return spec;
}

RunSpec
CafCorPreset(const std::string& program)
{
    RunSpec spec(RunKind::FEDERATION, program);
    spec.algorithm = "cafcor";
    spec.learners = 20;
    spec.byzantine = 2;
    spec.aggregator = "Caf";
    spec.task = "softmax";
    spec.regularization = 1e-4;
    spec.transport = "tcp";
    spec.rounds = 30;
    spec.batchSize = 50;
    spec.stepSize = 0.075;
    spec.momentum = 0.85;
    spec.threatModel = "secldp";
    spec.privacyUnit = "learner";
    spec.delta = 1e-4;
    return spec;
}

} // namespace ns3::dlearn

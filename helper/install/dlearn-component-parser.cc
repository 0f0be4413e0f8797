/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-component-parser.h"

#include "dlearn-uplink-allocation.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-client-rule.h"
#include "ns3/dlearn-compressor.h"
#include "ns3/dlearn-data-drift.h"
#include "ns3/dlearn-federated-noise.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-multiple-access-channel.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-optimizer.h"
#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-schedule.h"
#include "ns3/dlearn-server-rule.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-update-rule.h"
#include "ns3/tcp-congestion-ops.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <functional>

namespace ns3::dlearn
{

const ComponentFamily&
GetPeerRuleFamily()
{
    static const ComponentFamily family{
        "algorithm",
        UpdateRule::GetTypeId(),
        {"Sgd"},
        true,
        {{"dp-sgd", "dp-sgd-growing"}, {"dp-gt", "gradient-tracking"}}};
    return family;
}

const ComponentFamily&
GetDirectedRuleFamily()
{
    static const ComponentFamily family = [] {
        ComponentFamily rules = GetPeerRuleFamily();
        rules.aliases[NOISELESS_TRACKING] = rules.aliases.at("dp-gt");
        return rules;
    }();
    return family;
}

const ComponentFamily&
GetClientRuleFamily()
{
    static const ComponentFamily family{"client-rule", ClientRule::GetTypeId(), {}};
    return family;
}

const ComponentFamily&
GetServerRuleFamily()
{
    static const ComponentFamily family{"server-rule", ServerRule::GetTypeId(), {"Server"}};
    return family;
}

const ComponentFamily&
GetScheduleFamily()
{
    static const ComponentFamily family{"server-schedule",
                                        ServerSchedule::GetTypeId(),
                                        {"Schedule"},
                                        true};
    return family;
}

const ComponentFamily&
GetOptimizerFamily()
{
    static const ComponentFamily family{"server-optimizer",
                                        Optimizer::GetTypeId(),
                                        {"Optimizer"},
                                        true};
    return family;
}

const ComponentFamily&
GetSamplingFamily()
{
    static const ComponentFamily family{"sampling",
                                        ClientSampling::GetTypeId(),
                                        {"Sampling"},
                                        true,
                                        {{"fedcs", "fed-cs"}, {"plan", "scheduled"}}};
    return family;
}

const ComponentFamily&
GetUplinkAllocationFamily()
{
    static const ComponentFamily family{"uplink-allocation",
                                        UplinkAllocation::GetTypeId(),
                                        {"Allocation"},
                                        true};
    return family;
}

const ComponentFamily&
GetDataDriftFamily()
{
    static const ComponentFamily family{"data-drift", DataDrift::GetTypeId(), {"Drift"}, true};
    return family;
}

const ComponentFamily&
GetUplinkPowerFamily()
{
    static const ComponentFamily family{"uplink-power", UplinkPower::GetTypeId(), {"Power"}, true};
    return family;
}

const ComponentFamily&
GetPowerControlFamily()
{
    static const ComponentFamily family{"air-control", PowerControl::GetTypeId(), {}, true};
    return family;
}

const ComponentFamily&
GetMissingFamily()
{
    static const ComponentFamily family{"on-missing",
                                        MissingPolicy::GetTypeId(),
                                        {"ForMissing", "Missing", "Received"},
                                        true};
    return family;
}

const ComponentFamily&
GetStalenessFamily()
{
    static const ComponentFamily family{"staleness",
                                        StalenessPolicy::GetTypeId(),
                                        {"Staleness", "Stale"},
                                        true};
    return family;
}

const ComponentFamily&
GetMechanismFamily()
{
    static const ComponentFamily family{"mechanism",
                                        NoiseMechanism::GetTypeId(),
                                        {"Mechanism", "Quantizer"},
                                        true};
    return family;
}

const ComponentFamily&
GetPrivacyUnitFamily()
{
    static const ComponentFamily family{"privacy-unit", PrivacyUnit::GetTypeId(), {"Unit"}, true};
    return family;
}

const ComponentFamily&
GetCongestionControlFamily()
{
    static const ComponentFamily family{"tcp",
                                        TcpCongestionOps::GetTypeId(),
                                        {},
                                        true,
                                        {{"newreno", "new-reno"}},
                                        {},
                                        "ns3::Tcp"};
    return family;
}

const ComponentFamily&
GetCompensationFamily()
{
    static const ComponentFamily family{"compensation",
                                        LossCompensation::GetTypeId(),
                                        {"Compensation"},
                                        true,
                                        {{"none", "no"}}};
    return family;
}

const ComponentFamily&
GetSharedNoiseFamily()
{
    static const ComponentFamily family{"shared-noise",
                                        CorrelatedNoise::GetTypeId(),
                                        {"CorrelatedNoise"},
                                        true};
    return family;
}

const ComponentFamily&
GetCompressorFamily()
{
    static const ComponentFamily family{"compress",
                                        Compressor::GetTypeId(),
                                        {"Compressor"},
                                        true,
                                        {{"randk", "random-k"}, {"topk", "top-k"}}};
    return family;
}

const ComponentFamily&
GetAggregatorFamily()
{
    static const ComponentFamily family{"aggregator",
                                        Aggregator::GetTypeId(),
                                        {"Aggregator"},
                                        false,
                                        {},
                                        {{"GeometricMedian", "SmoothedWeiszfeld"}}};
    return family;
}

const ComponentFamily&
GetPreAggregatorFamily()
{
    static const ComponentFamily family{"pre-aggregator",
                                        PreAggregator::GetTypeId(),
                                        {"PreAggregator"}};
    return family;
}

const ComponentFamily&
GetAttackFamily()
{
    static const ComponentFamily family{"attack", Attack::GetTypeId(), {"Attack"}};
    return family;
}

namespace
{

template <typename Predicate>
std::vector<std::string>
FilterNames(const ComponentFamily& family, const Predicate& keeps)
{
    std::vector<std::string> names = GetComponentNames(family);
    names.erase(std::remove_if(names.begin(), names.end(), std::not_fn(keeps)), names.end());
    return names;
}

} // namespace

Ptr<Aggregator>
ParseAggregator(const std::string& text)
{
    return ParseComponent(GetAggregatorFamily(), text).Create<Aggregator>();
}

std::vector<std::string>
GetMonotoneAggregators()
{
    return FilterNames(GetAggregatorFamily(),
                       [](const auto& name) { return ParseAggregator(name)->IsMonotone(); });
}

void
AddPreAggregators(const std::string& text, Ptr<Aggregator> aggregator)
{
    if (text.empty())
    {
        return;
    }
    for (const std::string& piece : SplitText(text, '+'))
    {
        aggregator->AddPreAggregator(
            ParseComponent(GetPreAggregatorFamily(), piece).Create<PreAggregator>());
    }
}

Ptr<Attack>
ParseAttack(const std::string& text)
{
    return ParseComponent(GetAttackFamily(), text).Create<Attack>();
}

std::set<std::string>
GetAttackNames()
{
    const std::vector<std::string> names = GetComponentNames(GetAttackFamily());
    return {names.begin(), names.end()};
}

bool
DropsEntries(const std::string& compressor)
{
    return IsComponentOf(GetCompressorFamily(), compressor, SparseCompressor::GetTypeId());
}

std::vector<std::string>
GetWholeCompressors()
{
    return FilterNames(GetCompressorFamily(), [](const auto& name) { return !DropsEntries(name); });
}

void
Compress(const std::string& option, const std::string& text, MessageExchange& exchange)
{
    if (text == "fp16")
    {
        exchange.SetAttribute("FloatBits", UintegerValue(16));
        return;
    }
    if (text == "none")
    {
        return;
    }
    ComponentFamily family = GetCompressorFamily();
    family.option = option;
    Require(IsComponent(family, text),
            "{} must be none, fp16 or one of {}; got '{}'",
            option,
            JoinNames(GetComponentNames(family)),
            text);
    const ObjectFactory compressor = ParseComponent(family, text);
    // A user's own compressor may be without a number.
    const bool own = compressor.GetTypeId().GetName().rfind(family.prefix, 0) != 0;
    Require(own || GetComponentName(text) != text,
            "{} {} needs a number: {}:NUMBER",
            option,
            text,
            text);
    exchange.SetAttribute("Compressor", ObjectFactoryValue(compressor));
    exchange.SetAttribute("ErrorFeedback", BooleanValue(DropsEntries(text)));
}

} // namespace ns3::dlearn

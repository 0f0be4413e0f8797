/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-privacy.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-gaussian-mechanism.h"
#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-privacy-unit.h"
#include "ns3/dlearn-ternary-quantizer.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/double.h"

#include <map>

namespace ns3::dlearn
{

namespace
{

/** @return what the name stands for */
TypeId
Find(const std::string& option,
     const std::string& name,
     const std::map<std::string, TypeId>& choices)
{
    std::vector<std::string> names;
    for (const auto& [known, type] : choices)
    {
        names.push_back(known);
    }
    const auto found = choices.find(name);
    Require(found != choices.end(),
            option,
            " must be one of ",
            JoinNames(names),
            "; got '",
            name,
            "'");
    return found->second;
}

} // namespace

TypeId
GetNoiseMechanism(const std::string& option, const std::string& name)
{
    return Find(option,
                name,
                {{"laplace", LaplaceMechanism::GetTypeId()},
                 {"gaussian", GaussianMechanism::GetTypeId()},
                 {"ternary", TernaryQuantizer::GetTypeId()}});
}

TypeId
GetPrivacyUnit(const std::string& option, const std::string& name)
{
    return Find(option,
                name,
                {{"sample", SampleUnit::GetTypeId()},
                 {"batch", BatchUnit::GetTypeId()},
                 {"learner", LearnerUnit::GetTypeId()}});
}

std::vector<ScenarioOption>
PeerPrivacy::List()
{
    return {
        {"mechanism",
         "noise on what is sent: laplace, gaussian or ternary; empty: the algorithm's",
         &mechanism},
        {"privacy-unit",
         "what epsilon protects: a sample, a batch or all data of a learner; empty: the "
         "algorithm's (ldp-online: batch; dp-sgd, dp-gt: sample; others: learner)",
         &unit},
        {"delta",
         "of epsilon, where the noise is not of Laplace's law; 0: attribute Delta of "
         "ns3::dlearn::PrivacyAccount",
         &delta},
    };
}

void
PeerPrivacy::Validate() const
{
    if (!mechanism.empty())
    {
        GetNoiseMechanism("mechanism", mechanism);
    }
    if (!unit.empty())
    {
        GetPrivacyUnit("privacy-unit", unit);
    }
    Require(delta >= 0 && delta < 1, "delta must be in (0, 1), or 0 for the default, got ", delta);
}

void
PeerPrivacy::RequireDeltaCounts(NoiseLaw law) const
{
    Require(delta == 0 || law != NoiseLaw::LAPLACE,
            "delta ",
            delta,
            " has no effect on laplace noise, whose epsilon is pure; use mechanism gaussian");
}

void
PeerPrivacy::Apply(UpdateRule& rule) const
{
    const auto set = [&rule](const char* option, const char* name, TypeId type) {
        Require(rule.SetAttributeFailSafe(name, TypeIdValue(type)),
                option,
                " has no effect on ",
                rule.GetInstanceTypeId().GetName());
    };
    if (!mechanism.empty())
    {
        const TypeId type = GetNoiseMechanism("mechanism", mechanism);
        if (!rule.SetAttributeFailSafe("NoiseMechanism", TypeIdValue(type)))
        {
            set("mechanism", "StateNoise", type);
            set("mechanism", "TrackerNoise", type);
        }
    }
    if (!unit.empty())
    {
        set("privacy-unit", "PrivacyUnit", GetPrivacyUnit("privacy-unit", unit));
    }
}

void
PeerPrivacy::ApplyDelta(PrivacyAccount& account) const
{
    if (delta > 0)
    {
        account.SetAttribute("Delta", DoubleValue(delta));
    }
}

} // namespace ns3::dlearn

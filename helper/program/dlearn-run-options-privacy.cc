/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-option-groups.h"
#include "dlearn-threat-model-option.h"

#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-text-format.h"

#include <map>

namespace ns3::dlearn
{

using namespace run_kinds;
using namespace run_needs;

namespace
{

const std::string THREAT_MODEL = "a threat-model other than none"; //!< what options need

/** How the scales that the programs plan grow; that of a quantizer stays as it is. */
const OptionTable::Names POWER_LAW_EXPONENTS{"LaplaceMechanism::GrowthExponent",
                                             "GaussianMechanism::GrowthExponent"};

void
AddThreatOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    table
        .Add("threat-model",
             F,
             &s.threatModel,
             GetThreatModelHelp() + "; none: no noise; fedavg: none, cdp or ldp")
        .Alias({"model"});
    const bool model = s.threatModel != "none";
    table.Add("view", F, &s.view, GetViewHelp()).Needs(model, THREAT_MODEL);
    table
        .Add("target-epsilon",
             F,
             &s.targetEpsilon,
             "what the run may cost every client; the noise follows")
        .Needs(model && s.noiseMultiplier == 0, model ? "noise-multiplier 0" : THREAT_MODEL);
    table
        .Add("noise-multiplier",
             F,
             &s.noiseMultiplier,
             "fedavg: noise in the unit of the literature, its standard deviation on the sum of "
             "the updates over clip (or of one update, with ldp); epsilon follows; 0: by "
             "target-epsilon")
        .Needs(!s.IsCafCor() && model, "algorithm fedavg and " + THREAT_MODEL);
    table
        .Add("clip",
             P | D | F,
             &s.clip,
             federation ? "largest norm C of what a client releases: fedavg: its update; cafcor: "
                          "the mean gradient of a batch, for unit sample of each sample's"
                        : "largest norm C of the gradient of a sample; 0: the attribute ClipNorm "
                          "of ns3::dlearn::Task, which clips nothing")
        .Governs(federation   ? OptionTable::Names{"CafCorWorker::ClipNorm"}
                 : s.clip > 0 ? OptionTable::Names{"Task::ClipNorm"}
                              : OptionTable::Names{})
        .Needs(!federation || model || s.IsCafCor(), THREAT_MODEL);
    table
        .Add("shared-noise",
             F,
             &s.sharedNoise,
             "how noise that workers share is drawn: " + ListTypes(GetSharedNoiseFamily()) +
                 "; none: pairwise with noise-recovery, which takes longer, else joint")
        .Describes(GetSharedNoiseFamily())
        .Needs(s.threatModel == "secldp" || s.threatModel == "byzldp",
               "noise that workers share, so threat-model secldp or byzldp");
    table
        .Add("noise-recovery",
             F,
             &s.noiseRecovery,
             "whether workers tell the noise that they share with those whose messages are "
             "missing; see the manual for its price")
        .Alias({"repair"})
        .Governs({"RobustServer::NoiseRecovery"});
}

/** @return the units that rules of peers protect by themselves, for --help */
std::string
DescribeUsualUnits()
{
    std::map<TypeId, std::vector<std::string>> rules;
    for (const std::string& name : GetComponentNames(GetPeerRuleFamily()))
    {
        TypeId::AttributeInformation unit;
        ParseComponent(GetPeerRuleFamily(), name)
            .GetTypeId()
            .LookupAttributeByName("PrivacyUnit", &unit);
        if (const auto usual =
                dynamic_cast<const TypeIdValue*>(PeekPointer(unit.originalInitialValue)))
        {
            rules[usual->Get()].push_back(name);
        }
    }
    std::string description;
    for (const std::string& unit : GetComponentNames(GetPrivacyUnitFamily()))
    {
        const TypeId type = ParseComponent(GetPrivacyUnitFamily(), unit).GetTypeId();
        if (rules.count(type) > 0)
        {
            description += (description.empty() ? "" : "; ") + unit + ": " + JoinNames(rules[type]);
        }
    }
    return description;
}

void
AddNoiseOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    table
        .Add("mechanism",
             P | D,
             &s.mechanism,
             "noise on what is sent: " + ListTypes(GetMechanismFamily()) +
                 "; empty: the algorithm's")
        .Describes(GetMechanismFamily());
    table
        .Add("privacy-unit",
             P | D | F,
             &s.privacyUnit,
             federation ? "what privacy protects: all data of a client (learner, or user) or, "
                          "cafcor, each sample (sample, or example)"
                        : "what epsilon protects: " + ListTypes(GetPrivacyUnitFamily()) +
                              "; empty: the algorithm's (" + DescribeUsualUnits() + ")")
        .Describes(GetPrivacyUnitFamily())
        .Alias({"level"})
        .Needs(!federation || s.threatModel != "none", THREAT_MODEL);
    table
        .Add("noise",
             P | D,
             &s.noise,
             s.kind == RunKind::PEERS
                 ? "multiplies the base noise; 0: no noise, epsilon infinite, whatever the other "
                   "options of noise and account are"
                 : "multiplies the noise of the scheme; 0: no noise, epsilon infinite, whatever "
                   "the other options of noise and account are")
        .Governs({"NoiseMechanism::Multiplier"})
        .Governs(s.kind == RunKind::PEERS ? OptionTable::Names{}
                                          : OptionTable::Names{"LaplaceMechanism::BaseScale",
                                                               "GaussianMechanism::BaseScale"});
    table
        .Add("noise-exponent",
             P,
             &s.noiseExponent,
             "growth of the noise scale: (t+1)^(this + step i), i from 1")
        .Governs(POWER_LAW_EXPONENTS);
    table.Add("noise-exponent-step",
              P,
              &s.noiseExponentStep,
              "see noise-exponent; with many learners choose it smaller");
    table
        .Add("state-noise-exponent",
             D,
             &s.stateNoiseExponent,
             "of the noise on states, (k+1)^this, or in scheme s2 this^K; empty: the scheme's")
        .Governs(POWER_LAW_EXPONENTS);
    table
        .Add("tracker-noise-exponent",
             D,
             &s.trackerNoiseExponent,
             "of the noise on trackers, likewise")
        .Needs(s.IsTracking(), TRACKING);
    table.AllNeed("mechanism", !s.IsNoiseless(), "an algorithm that adds noise, which gt does not");
}

void
AddAccountOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    table.Add("smoothness", D, &s.smoothness, "for the privacy account of dp-gt:")
        .Sets({"GradientTrackingLedger::Smoothness"})
        .Needs(s.IsTracking() && !s.IsNoiseless(), "algorithm dp-gt");
    table
        .Add("delta",
             P | D | F,
             &s.delta,
             federation ? "of epsilon"
                        : "of epsilon, where the noise is not of Laplace's law; 0: attribute Delta "
                          "of ns3::dlearn::PrivacyAccount")
        .Governs(federation ? OptionTable::Names{"PrivacyAccount::Delta"} : OptionTable::Names{})
        .Needs(!federation || s.threatModel != "none", THREAT_MODEL);
    table
        .Add("budget",
             P | D | F,
             &s.budget,
             std::string("epsilon after which a learner stops sending; 0: ") +
                 (federation ? "none"
                             : "attribute Budget of ns3::dlearn::PrivacyAccount, which is none"))
        .Governs(federation ? OptionTable::Names{"PrivacyAccount::Budget"} : OptionTable::Names{})
        .Needs(!federation || s.threatModel != "none", THREAT_MODEL);
}

} // namespace

void
AddPrivacyOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Privacy", TheoryEffect::VOIDS);
    AddThreatOptions(s, table);
    AddNoiseOptions(s, table);
    AddAccountOptions(s, table);
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-audited-rule.h"

#include "ns3/dlearn-aggregators.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-part.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

namespace
{

/** @return whether a type is more than the interface that stands for "as it is" */
bool
IsChosen(TypeId type)
{
    return type.HasConstructor();
}

/** @return the noise of a rule, which records that of the chosen type */
Ptr<RecordedNoise>
WrapNoise(const PeerAuditParts& parts,
          const PeerAuditPlan& plan,
          Ptr<NoiseMechanism> made,
          TypeId type)
{
    const TypeId chosen = IsChosen(parts.noise)      ? parts.noise
                          : IsChosen(plan.mechanism) ? plan.mechanism
                                                     : type;
    const auto inner =
        CreatePart<NoiseMechanism>(ObjectFactory(chosen.GetName()), "PeerAudit: noise");
    inner->SetAttribute("Multiplier", DoubleValue(plan.noise));
    const auto recorded = DynamicCast<RecordedNoise>(made);
    recorded->SetInner(inner);
    return recorded;
}

/** Give a rule the account of the plan. */
void
ConfigureLedger(const PeerAuditParts& parts, const PeerAuditPlan& plan, UpdateRule& rule)
{
    const TypeId ledger = IsChosen(parts.ledger) ? parts.ledger : plan.ledger;
    if (IsChosen(ledger))
    {
        rule.SetAttribute("PrivacyLedger", TypeIdValue(ledger));
    }
    if (IsChosen(plan.unit))
    {
        rule.SetAttribute("PrivacyUnit", TypeIdValue(plan.unit));
    }
    Ptr<PrivacyAccount> account;
    if (const auto peer = DynamicCast<PeerRule>(Ptr<UpdateRule>(&rule)))
    {
        account = peer->GetPrivacyLedger();
    }
    else if (const auto tracking = DynamicCast<GradientTracking>(Ptr<UpdateRule>(&rule)))
    {
        account = tracking->GetTrackingLedger();
    }
    account->SetAttribute("Budget", DoubleValue(plan.budget));
}

/** Give a rule the attributes of the plan. */
void
ConfigureRule(const PeerAuditParts& parts, const PeerAuditPlan& plan, UpdateRule& rule)
{
    rule.SetAttributeFailSafe("StepSize", DoubleValue(plan.step));
    rule.SetAttributeFailSafe("Gamma", DoubleValue(plan.step));
    rule.SetAttributeFailSafe("HistoryWindow", UintegerValue(plan.shortHistory ? 3 : 0));
    rule.SetAttributeFailSafe("SampleFactor", DoubleValue(0.5));
    if (DynamicCast<GradientTracking>(Ptr<UpdateRule>(&rule)))
    {
        const bool sums = plan.runningSums;
        const TypeId compensation =
            IsChosen(parts.compensation)
                ? parts.compensation
                : (sums ? RunningSum::GetTypeId() : NoCompensation::GetTypeId());
        rule.SetAttribute("LossCompensation", TypeIdValue(compensation));
        rule.SetAttribute("Samples", UintegerValue(plan.batch));
    }
    ConfigureLedger(parts, plan, rule);
    const Ptr<PeerRule> peer = DynamicCast<PeerRule>(Ptr<UpdateRule>(&rule));
    if (peer && plan.robust && !rule.NeedsCommonRounds())
    {
        peer->SetAggregator(CreateObject<MedianAggregator>());
        peer->SetAttribute("Byzantine", UintegerValue(0));
    }
}

} // namespace

AuditedRule
MakeAuditedRule(const PeerAuditParts& parts, const PeerAuditPlan& plan)
{
    AuditedRule audited;
    audited.rule = CreatePart<UpdateRule>(ObjectFactory(parts.rule.GetName()), "PeerAudit: rule");
    ConfigureRule(parts, plan, *audited.rule);
    if (const auto peer = DynamicCast<PeerRule>(audited.rule))
    {
        TypeIdValue type;
        peer->GetAttribute("NoiseMechanism", type);
        peer->SetAttribute("NoiseMechanism", TypeIdValue(RecordedNoise::GetTypeId()));
        audited.noise = {WrapNoise(parts, plan, peer->GetNoiseMechanism(), type.Get())};
    }
    else if (const auto tracking = DynamicCast<GradientTracking>(audited.rule))
    {
        TypeIdValue type;
        tracking->GetAttribute("StateNoise", type);
        tracking->SetAttribute("StateNoise", TypeIdValue(RecordedNoise::GetTypeId()));
        tracking->SetAttribute("TrackerNoise", TypeIdValue(RecordedNoise::GetTypeId()));
        audited.noise = {WrapNoise(parts, plan, tracking->GetStateNoise(), type.Get()),
                         WrapNoise(parts, plan, tracking->GetTrackerNoise(), type.Get())};
    }
    audited.base = audited.rule;
    if (parts.wrap)
    {
        audited.rule = parts.wrap(audited.rule);
    }
    return audited;
}

} // namespace ns3::dlearn

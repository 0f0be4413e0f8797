/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_AUDITED_RULE_H
#define DLEARN_AUDITED_RULE_H

#include "dlearn-peer-audit-plan.h"
#include "dlearn-recorded-noise.h"

#include "ns3/dlearn-compressor.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-update-rule.h"
#include "ns3/type-id.h"

#include <functional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What is audited. An interface given as a type stands for the default of the rule, or for what the
 * plan of a run draws.
 */
struct PeerAuditParts
{
    TypeId rule;                                          //!< the algorithm
    TypeId noise{NoiseMechanism::GetTypeId()};            //!< of all vectors
    TypeId ledger{PrivacyAccount::GetTypeId()};           //!< the account
    TypeId compressor{Compressor::GetTypeId()};           //!< of the message layer
    TypeId compensation{LossCompensation::GetTypeId()};   //!< of GradientTracking
    std::function<Ptr<UpdateRule>(Ptr<UpdateRule>)> wrap; //!< puts something around the rule
    bool faults{false}; //!< whether the run has faults, as DrawFaults() draws them
};

/**
 * @ingroup dlearn
 * A rule with its noise.
 */
struct AuditedRule
{
    Ptr<UpdateRule> rule;                  //!< what the application or a replay calls
    Ptr<UpdateRule> base;                  //!< the same, without what was put around it
    std::vector<Ptr<RecordedNoise>> noise; //!< of its states, then of its trackers
};

/**
 * @ingroup dlearn
 * @param parts what is audited
 * @param plan of the run
 * @return a rule of the type that is audited, with the attributes and the account of the plan
 */
AuditedRule MakeAuditedRule(const PeerAuditParts& parts, const PeerAuditPlan& plan);

} // namespace ns3::dlearn

#endif // DLEARN_AUDITED_RULE_H

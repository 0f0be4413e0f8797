/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-option-groups.h"

#include "ns3/dlearn-learner-attack.h"

#include <stdexcept>

namespace ns3::dlearn
{

using namespace run_kinds;

bool
IsAttack(const std::string& attack, bool (LearnerAttack::*property)() const)
{
    try
    {
        return (LearnerAttack(attack).*property)();
    }
    catch (const std::invalid_argument&)
    {
        return true; // who reads the option says what it may be
    }
}

void
AddAttackOptions(RunSpec& s, OptionTable& table)
{
    const bool attacked = s.attack != "none";
    table.Begin("Attacks", TheoryEffect::VOIDS);
    table
        .Add("byzantine",
             P | D | F,
             &s.byzantine,
             s.kind == RunKind::FEDERATION
                 ? "most clients f that may be Byzantine; the last f attack"
                 : "learners that may be Byzantine; the last so many attack, and each of the "
                   "others takes so many of its neighbours for Byzantine, but less than half of "
                   "them and itself")
        .Governs({"PeerApplication::Byzantine", "RobustServer::Byzantine"})
        .GovernsInRules("Byzantine")
        .Needs(s.byzantine == 0 || attacked || s.GetAggregator() != "none" ||
                   s.threatModel == "byzldp",
               "an attack, an aggregator, or threat-model byzldp");
    table
        .Add("attack",
             P | D | F,
             &s.attack,
             LearnerAttack::List() + "; those on vectors may have :parameter=value,...")
        .Governs({"TrainingApplication::Behavior"});
    table
        .Add("omniscient",
             P | D | F,
             &s.omniscient,
             s.kind == RunKind::FEDERATION
                 ? "whether attackers see all honest vectors or only their own updates"
                 : "whether attackers see all honest vectors or only what their neighbours "
                   "send them")
        .Needs(attacked && IsAttack(s.attack, &LearnerAttack::SeesVectors),
               "an attack on vectors, which is made from those that attackers see");
    table
        .Add("byzantine-data",
             F,
             &s.byzantineData,
             "what the last f clients learn from: own (the others share the training data; each of "
             "them draws as much again from all of it) or shards (all share the training data)")
        .Needs(s.byzantine > 0 && !s.IsLinearGaussian(), "byzantine clients and a data set");
    table
        .Add("missing-are-byzantine",
             P | D | F,
             &s.missingAreByzantine,
             "whether a message that is missing counts as one of the f Byzantine ones, so that an "
             "aggregator expects fewer among those that arrived: not when a network loses messages "
             "by chance")
        .Governs({"RobustServer::MissingAreByzantine"})
        .GovernsInRules("MissingAreByzantine");
}

} // namespace ns3::dlearn

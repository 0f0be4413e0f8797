/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cafcor-options.h"

#include "dlearn-threat-model-option.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-learner-attack.h"

namespace ns3::dlearn
{

CafCorOptions::CafCorOptions(std::string name)
    : ScenarioOptions(std::move(name))
{
    task = "softmax";
    regularization = 1e-4;
    transport = "tcp";
    rounds = 30;
}

std::vector<ScenarioOption>
CafCorOptions::List()
{
    std::vector<ScenarioOption> options{
        {"workers", "number of workers n", &workers},
        {"byzantine", "most workers f that may be Byzantine; the last f attack", &byzantine},
        {"attack",
         LearnerAttack::List() + "; those on vectors may have :parameter=value,...",
         &attack},
        {"omniscient", "whether attackers see all honest vectors or only their own", &omniscient},
        {"byzantine-data",
         "what the last f workers learn from: own (the others share the training data; each of "
         "them "
         "draws as much again from all of it) or shards (all share the training data)",
         &byzantineData},
        {"missing-are-byzantine",
         "whether a message that is missing lowers f: not when a network loses messages by chance",
         &missingAreByzantine},
        {"aggregator",
         "Average, TrimmedMean, Median, GeometricMedian, Krum, MultiKrum, Meamed, "
         "CenteredClipping, Mda, Smea or Caf",
         &aggregator},
        {"pre", "before it: Nnm, Bucketing, Clipping, Arc, several joined by +", &pre},
        {"batch", "samples of a worker in a round", &batch},
        {"step-size", "of the server", &stepSize},
        {"momentum", "of the workers, from 0 to less than 1", &momentum},
        {"clip",
         "largest norm C of the mean gradient of a batch, for unit sample of each sample's",
         &clip},
        {"threat-model", GetThreatModelHelp() + "; none: no noise", &threatModel, "model"},
        {"view", GetViewHelp(), &view},
        {"target-epsilon", "what the run may cost every worker; the noise follows", &epsilon},
        {"delta", "of epsilon", &delta},
        {"privacy-unit",
         "what privacy protects: all data of a worker (learner, or user) or each sample (sample, "
         "or "
         "example)",
         &unit,
         "level"},
        {"budget", "epsilon after which a worker stops; 0 for none", &budget},
        {"repair",
         "whether workers tell the noise that they share with those whose messages are missing; "
         "see the manual for its price",
         &repair},
        {"shared-noise", "how it is drawn: joint (fast) or pairwise (as the protocol)", &pairing},
        {"patience", "longest wait for the answer to a model", &responseTimeout},
    };
    const auto common = ScenarioOptions::List();
    options.insert(options.end(), common.begin(), common.end());
    return options;
}

bool
CafCorOptions::ProtectsSamples() const
{
    return unit == "sample" || unit == "example";
}

void
CafCorOptions::Validate() const
{
    ScenarioOptions::Validate();
    RequireCount("workers", workers, 100000);
    RequireCount("batch", batch, 1000000);
    Require(2 * uint64_t{byzantine} < workers,
            "byzantine must be less than half of the ",
            workers,
            " workers, got ",
            byzantine);
    Require(attack == "none" || byzantine > 0, "attack ", attack, " needs byzantine workers");
    Require(byzantineData == "own" || byzantineData == "shards",
            "byzantine-data must be own or shards, got '",
            byzantineData,
            "'");
    RequireAtLeastZero("step-size", stepSize);
    Require(stepSize > 0, "step-size must be greater than 0, got ", stepSize);
    Require(momentum >= 0 && momentum < 1, "momentum must be in [0, 1), got ", momentum);
    RequireAtLeastZero("clip", clip);
    if (threatModel != "none")
    {
        ParseThreatModel(threatModel, view, byzantine); // refuses what is none
    }
    Require(threatModel == "none" || clip > 0,
            "clip must be greater than 0 for privacy, got ",
            clip);
    Require(unit == "learner" || unit == "user" || ProtectsSamples(),
            "privacy-unit must be learner (user) or sample (example), got '",
            unit,
            "'");
    RequireAtLeastZero("budget", budget);
    Require(budget == 0 || threatModel != "none",
            "budget ",
            budget,
            " needs a privacy account, so a threat-model other than none");
    Require(!repair || threatModel == "secldp" || threatModel == "byzldp",
            "repair needs noise that workers share, so threat-model secldp or byzldp; got '",
            threatModel,
            "'");
    Require(pairing == "joint" || pairing == "pairwise",
            "shared-noise must be joint or pairwise, got '",
            pairing,
            "'");
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-peer-options.h"

#include "dlearn-peer-algorithms.h"
#include "dlearn-synchrony-option.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-learner-attack.h"

namespace ns3::dlearn
{

PeerOptions::PeerOptions(std::string name)
    : ScenarioOptions(std::move(name))
{
    partition = "label";
    rounds = 2000;
    evaluateEvery = 20;
}

std::vector<ScenarioOption>
PeerOptions::List()
{
    std::vector<ScenarioOption> options{
        {"algorithm", ListPeerAlgorithms(), &algorithm},
        {"learners", "number of learners; 0 with graphml: as many as its nodes", &learners},
        {"graph", "ring|path|complete|star|grid|er:P|rgg:R|graphml:FILE", &graph},
        {"weight", "metropolis, max-degree or the weight of every edge", &weight},
        {"batch", "new samples of each learner in each round", &batch},
        {"initial",
         "standard deviation of what is added to each entry of each learner's initial model, "
         "which is the same for all and zero unless the task is a neural network",
         &initial},
        {"noise", "multiplies the base noise; 0: no noise, epsilon infinite", &noise},
        {"noise-exponent",
         "growth of the noise scale: (t+1)^(this + step i), i from 1",
         &noiseExponent},
        {"noise-exponent-step",
         "see noise-exponent; with many learners choose it smaller",
         &noiseExponentStep},
        {"missing", "what a missing message means: skip, last (received) or wait", &missing},
        {"synchrony",
         "rounds: learners go through them together; async: each on its own, waiting for nobody; "
         "async:PERIOD: likewise, a round taking at least so long",
         &synchrony},
        {"byzantine",
         "learners that may be Byzantine; the last so many attack, and each of the others takes "
         "so many of its neighbours for Byzantine, but less than half of them and itself",
         &byzantine},
        {"attack",
         LearnerAttack::List() + "; those on vectors may have :parameter=value,...",
         &attack},
        {"omniscient",
         "whether attackers see all honest vectors or only what their neighbours send them",
         &omniscient},
        {"aggregator",
         "of a learner's and its neighbours' vectors: none (their weighted sum), Average, "
         "TrimmedMean, Median, GeometricMedian, Krum, MultiKrum, Meamed, CenteredClipping, Mda, "
         "Smea or Caf; only the first four keep a privacy account",
         &aggregator},
        {"pre", "before it: Nnm, Bucketing, Clipping, Arc, several joined by +", &pre},
        {"missing-are-byzantine",
         "whether a message that is missing lowers the number of lies that an aggregator fears: "
         "not when a network loses messages by chance",
         &missingAreByzantine},
    };
    for (const auto& more : {privacy.List(), ScenarioOptions::List()})
    {
        options.insert(options.end(), more.begin(), more.end());
    }
    return options;
}

void
PeerOptions::Validate() const
{
    ScenarioOptions::Validate();
    const bool fromFile = graph.rfind("graphml:", 0) == 0;
    RequireCount("learners", learners == 0 && fromFile ? 1 : learners, 100000);
    RequireCount("batch", batch, 1000000);
    Require(attack == "none" || byzantine > 0, "attack ", attack, " needs byzantine learners");
    Require(pre.empty() || aggregator != "none", "pre ", pre, " needs an aggregator after it");
    Require(!missingAreByzantine || aggregator != "none",
            "missing-are-byzantine needs an aggregator that fears lies");
    SynchronyOption(synchrony).Validate(*this, missing);
    RequireAtLeastZero("initial", initial);
    RequireAtLeastZero("noise", noise);
    privacy.Validate();
    Require(std::isfinite(noiseExponent) && std::isfinite(noiseExponentStep),
            "noise-exponent and noise-exponent-step must be finite");
}

} // namespace ns3::dlearn

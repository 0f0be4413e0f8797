/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ternary-delta.h"

#include "dlearn-run-warnings.h"

#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/dlearn-text-format.h"

#include <cmath>
#include <set>

namespace ns3::dlearn
{

namespace
{

/** @return whether a rule adds ternary noise to any of what it sends */
bool
HasTernaryNoise(const Ptr<UpdateRule>& rule)
{
    const auto isTernary = [](const Ptr<NoiseMechanism>& noise) {
        return noise && noise->GetLaw() == NoiseLaw::TERNARY;
    };
    if (const auto tracking = DynamicCast<GradientTracking>(rule))
    {
        return isTernary(tracking->GetStateNoise()) || isTernary(tracking->GetTrackerNoise());
    }
    const auto peer = DynamicCast<PeerRule>(rule);
    return peer && isTernary(peer->GetNoiseMechanism());
}

} // namespace

std::string
DescribeTernaryDelta(const std::vector<Ptr<PeerApplication>>& learners)
{
    std::set<LearnerId> spent;
    double delta = 0;
    for (const auto& learner : learners)
    {
        const auto account = learner->GetRule()->GetLedger();
        if (account && !learner->IsByzantine() && std::isinf(account->GetEpsilon()) &&
            HasTernaryNoise(learner->GetRule()))
        {
            spent.insert(learner->GetLearnerId());
            delta = account->GetDelta();
        }
    }
    return spent.empty()
               ? ""
               : "epsilon is infinite for " + NameLearners(spent) +
                     ": ternary noise costs delta alone, and all that they have released costs "
                     "more "
                     "than the " +
                     FormatShortest(delta) +
                     " of --delta; ask for fewer rounds, add noise, choose another mechanism, or "
                     "set budget to stop before";
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ternary-delta.h"

#include "dlearn-run-warnings.h"

#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-peer-application.h"
#include "ns3/dlearn-peer-rule.h"
#include "ns3/dlearn-text-format.h"

#include <cmath>
#include <set>

namespace ns3::dlearn
{

std::string
DescribeTernaryDelta(const std::vector<Ptr<PeerApplication>>& learners)
{
    std::set<LearnerId> spent;
    double delta = 0;
    for (const auto& learner : learners)
    {
        const auto rule = DynamicCast<PeerRule>(learner->GetRule());
        const auto account = learner->GetRule()->GetLedger();
        if (rule && account && !learner->IsByzantine() && std::isinf(account->GetEpsilon()) &&
            rule->GetNoiseMechanism()->GetLaw() == NoiseLaw::TERNARY)
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

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tracking-epsilon.h"

#include "ns3/dlearn-gradient-tracking-ledger.h"
#include "ns3/dlearn-types.h"
#include "ns3/double.h"

namespace ns3::dlearn
{

double
PlanTrackingEpsilon(const TrackingPlan& plan, const PlannedTracker& learner)
{
    const auto ledger = CreateObject<GradientTrackingLedger>();
    if (learner.smoothness == 0)
    {
        ledger->SetAttribute("Smoothness", DoubleValue(0));
    }
    ledger->SetAttribute("Delta", DoubleValue(learner.delta));
    TrackingConstants constants;
    constants.sensitivity = learner.sensitivity;
    constants.samples = plan.samples;
    constants.smoothness = learner.smoothness;
    constants.regularization = learner.regularization;
    constants.spread = learner.sensitivity; // as clipping makes it
    ledger->SetConstants(constants);
    TrackingRelease release;
    release.dimension = learner.dimension;
    release.stateLaw = learner.law;
    release.trackerLaw = learner.law;
    TrackingUpdate update;
    update.stepSize = plan.gamma;
    update.nominalCoupling = plan.alpha * learner.inWeight;
    update.realisedCoupling = update.nominalCoupling;
    update.nominalPush = plan.beta * learner.outWeight;
    update.realisedPush = update.nominalPush;
    for (uint64_t round = 0; round <= plan.rounds; ++round)
    {
        const auto k = static_cast<uint32_t>(round);
        release.round = k;
        release.stateScale = PowerLaw(plan.state.base, plan.state.exponent, k);
        release.trackerScale = PowerLaw(plan.tracker.base, plan.tracker.exponent, k);
        update.round = k;
        ledger->Refresh(k);
        ledger->Release(release, true);
        ledger->Update(update);
    }
    return ledger->GetNominalEpsilon();
}

} // namespace ns3::dlearn

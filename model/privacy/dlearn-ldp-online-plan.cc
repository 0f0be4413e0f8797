/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ldp-online-plan.h"

#include "dlearn-privacy-ledger.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-power-schedule.h"
#include "ns3/object-factory.h"

#include <algorithm>

namespace ns3
{
namespace dlearn
{

double
PlanEpsilon(const LdpOnlinePlan& plan, const PlannedLearner& learner)
{
    Require(plan.ledger.IsChildOf(PrivacyLedger::GetTypeId()) && plan.ledger.HasConstructor(),
            "PlanEpsilon: ledger must be a PrivacyLedger, got ",
            plan.ledger.GetName());
    RequireNonNegative("PlanEpsilon", "noiseScale", learner.noiseScale);
    ObjectFactory factory;
    factory.SetTypeId(plan.ledger);
    const Ptr<PrivacyLedger> ledger = factory.Create<PrivacyLedger>();
    ledger->SetConstants(plan.sensitivity, plan.smoothness, plan.curvature);
    for (uint32_t t = 0; t < plan.rounds; ++t)
    {
        ReleaseEvent release;
        release.round = t;
        release.dimension = plan.dimension;
        release.noiseScale = PowerSchedule(learner.noiseScale, learner.noiseExponent, t);
        ledger->Release(release, true);

        UpdateEvent update;
        update.round = t;
        update.stepSize = PowerSchedule(plan.stepSize, -plan.stepExponent, t);
        update.nominalCoupling =
            PowerSchedule(plan.coupling, -plan.couplingExponent, t) * learner.inWeight;
        update.realisedCoupling = update.nominalCoupling;
        update.batches = plan.historyWindow == 0 ? t + 1 : std::min(t + 1, plan.historyWindow);
        ledger->Update(update);
    }
    return ledger->GetEpsilon();
}

double
PlanNoiseScale(const LdpOnlinePlan& plan, const PlannedLearner& learner, double target)
{
    RequirePositive("PlanNoiseScale", "target epsilon", target);
    PlannedLearner unit = learner;
    unit.noiseScale = 1;
    const double epsilon = PlanEpsilon(plan, unit);
    Require(std::isfinite(epsilon),
            "PlanNoiseScale: no noise meets the target ",
            target,
            ": epsilon is ",
            epsilon,
            " for scale 1");
    return epsilon / target;
}

} // namespace dlearn
} // namespace ns3

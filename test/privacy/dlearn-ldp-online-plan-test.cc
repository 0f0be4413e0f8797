/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/dlearn-ldp-online-ledgers.h"
#include "ns3/dlearn-ldp-online-plan.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

LdpOnlinePlan
MakePlan(uint32_t rounds)
{
    LdpOnlinePlan plan;
    plan.ledger = LdpOnlineRefinedLedger::GetTypeId();
    plan.rounds = rounds;
    plan.dimension = 4;
    return plan;
}

// By hand, C = 2, L = 0.25, w = 0.6, d = 4: Phi_1 = 2; Phi_2 = (1 - 0.6 * 2^-0.65 +
// 0.25 * 2^-0.77) * 2 + 2^-0.77 * 2 / 2, released with scales 5 * 2^0.1 and 5 * 3^0.1.
TEST(LdpOnlinePlan, ThreeRoundsByHand)
{
    const PlannedLearner learner{0.6, 5, 0.1};
    const double phi2 =
        (1 - 0.6 * std::pow(2, -0.65) + 0.25 * std::pow(2, -0.77)) * 2 + std::pow(2, -0.77);
    const double expected = 2 * 2 / (5 * std::pow(2, 0.1)) + 2 * phi2 / (5 * std::pow(3, 0.1));
    EXPECT_NEAR(PlanEpsilon(MakePlan(3), learner), expected, 1e-14);
    EXPECT_EQ(PlanEpsilon(MakePlan(1), learner), 0) << "round 0 tells nothing";
}

TEST(LdpOnlinePlan, WindowAndLossesOfContractionCostMore)
{
    LdpOnlinePlan plan = MakePlan(200);
    const double all = PlanEpsilon(plan, {0.6, 1, 0.1});
    EXPECT_GT(PlanEpsilon(plan, {0.3, 1, 0.1}), all);
    plan.historyWindow = 10;
    EXPECT_GT(PlanEpsilon(plan, {0.6, 1, 0.1}), all);
    plan.historyWindow = 200;
    EXPECT_EQ(PlanEpsilon(plan, {0.6, 1, 0.1}), all);
}

TEST(LdpOnlinePlan, SolvedNoiseMeetsTheTarget)
{
    for (const TypeId& ledger : {LdpOnlineTheorem5Ledger::GetTypeId(),
                                 LdpOnlineRefinedLedger::GetTypeId(),
                                 LdpOnlineConvexLedger::GetTypeId()})
    {
        LdpOnlinePlan plan = MakePlan(500);
        plan.ledger = ledger;
        PlannedLearner learner{0.6, 123, 0.13};
        learner.noiseScale = PlanNoiseScale(plan, learner, 1.5);
        EXPECT_NEAR(PlanEpsilon(plan, learner), 1.5, 1e-12);
    }
    EXPECT_EQ(PlanNoiseScale(MakePlan(1), {0.6, 1, 0}, 1), 0) << "nothing to hide";
}

TEST(LdpOnlinePlan, RefusesWhatCanNotBePlanned)
{
    LdpOnlinePlan plan = MakePlan(5);
    ExpectRefused(
        [&] {
            PlanNoiseScale(plan, {0.6, 1, 0}, 0);
        },
        "PlanNoiseScale: target epsilon must be finite and greater than 0, got 0");
    ExpectRefused(
        [&] {
            PlanEpsilon(plan, {0.6, -1, 0});
        },
        "PlanEpsilon: noiseScale must be finite and at least 0, got -1");
    plan.sensitivity = std::numeric_limits<double>::infinity();
    ExpectRefused([&] { PlanEpsilon(plan, {0.6, 1, 0}); }, "set ClipNorm");
    plan.ledger = LaplaceMechanism::GetTypeId();
    ExpectRefused(
        [&] {
            PlanEpsilon(plan, {0.6, 1, 0});
        },
        "ledger must be a PrivacyLedger, got ns3::dlearn::LaplaceMechanism");
}

} // namespace

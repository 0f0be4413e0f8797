/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/boolean.h"
#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-gaussian-ledger.h"
#include "ns3/dlearn-privacy-plans.h"
#include "ns3/dlearn-types.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <gtest/gtest.h>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

Ptr<GaussianLedger>
MakeGaussianLedger(bool momentum, double budget = 0)
{
    return CreateObjectWithAttributes<GaussianLedger>("Momentum",
                                                      BooleanValue(momentum),
                                                      "Budget",
                                                      DoubleValue(budget));
}

/** The epsilon of a sum of rates, at the ledger's default delta. */
double
ToGaussianEpsilon(double rate)
{
    return GaussianEpsilon(rate, 1e-4);
}

TEST(GaussianLedger, SpendsWhatWasPlanned)
{
    CafCorPlan plan;
    plan.model = CreateObject<SecretLocalDp>();
    plan.counts = {100, 5};
    for (uint32_t batch : {0, 50})
    {
        plan.batch = batch;
        plan.samples = 1000;
        plan.noise = PlanCafCorNoise(plan, 27.8);
        const double rate = plan.model->GetRate(plan.counts, CafCorSensitivity(plan), plan.noise);
        const auto ledger = MakeGaussianLedger(true, 27.8);
        ledger->SetSampling(CafCorSampling(plan));
        EXPECT_EQ(ledger->GetEpsilon(), 0);
        uint32_t round = 0;
        while (ledger->CanAfford(round, rate))
        {
            ledger->Release(round, {rate, rate});
            ++round;
        }
        EXPECT_EQ(round, plan.rounds);
        // 1e-6: what the solver leaves at example level.
        EXPECT_NEAR(ledger->GetEpsilon() / 27.8, 1, 1e-6);
        EXPECT_EQ(ledger->GetNominalEpsilon(), ledger->GetEpsilon());
        plan.noise = {};
    }
}

TEST(GaussianLedger, WhatDidNotLeaveCostsNothingUntilMomentumTellsIt)
{
    const auto plain = MakeGaussianLedger(false);
    const auto momentum = MakeGaussianLedger(true);
    for (const auto& ledger : {plain, momentum})
    {
        ledger->Release(0, {0.1, 0.1});
        ledger->Release(1, {0.2, 0.2});
        ledger->Withdraw(1);
        EXPECT_EQ(ledger->GetEpsilon(), ToGaussianEpsilon(0.1));
        EXPECT_DOUBLE_EQ(ledger->GetNominalEpsilon(), ToGaussianEpsilon(0.3));
        ledger->Release(2, {0.4, 0.4});
    }
    EXPECT_DOUBLE_EQ(plain->GetEpsilon(), ToGaussianEpsilon(0.5));
    EXPECT_DOUBLE_EQ(momentum->GetEpsilon(), ToGaussianEpsilon(0.7));
}

TEST(GaussianLedger, WhatIsUnderWayCountsUntilItIsWithdrawn)
{
    const auto plain = MakeGaussianLedger(false);
    const auto momentum = MakeGaussianLedger(true);
    for (const auto& ledger : {plain, momentum})
    {
        ledger->Release(0, {0.1, 0.1});
        ledger->Release(1, {0.2, 0.3, true}); // dearer than planned
        EXPECT_DOUBLE_EQ(ledger->GetEpsilon(), ToGaussianEpsilon(0.4));
        EXPECT_DOUBLE_EQ(ledger->GetNominalEpsilon(), ToGaussianEpsilon(0.3));
        ledger->Withdraw(1);
        EXPECT_DOUBLE_EQ(ledger->GetEpsilon(), ToGaussianEpsilon(0.1));
        EXPECT_DOUBLE_EQ(ledger->GetNominalEpsilon(), ToGaussianEpsilon(0.3));
        ledger->Release(2, {0.4, 0.4});
        ledger->Withdraw(2);
        EXPECT_DOUBLE_EQ(ledger->GetEpsilon(), ToGaussianEpsilon(0.1));
        ledger->Release(3, {0.5, 0.5});
    }
    EXPECT_DOUBLE_EQ(plain->GetEpsilon(), ToGaussianEpsilon(0.6));
    EXPECT_DOUBLE_EQ(momentum->GetEpsilon(), ToGaussianEpsilon(1.3));
}

TEST(GaussianLedger, SamplingAmplifiesFreshSamplesOnly)
{
    // One sampled round and one whose older gradients were drawn before.
    const auto ledger = MakeGaussianLedger(false);
    ledger->SetSampling(0.05);
    ledger->Release(0, {0.02, 0.02});
    const double sampled = ledger->GetEpsilon();
    EXPECT_EQ(sampled, ComposeGaussians({{0.02, 0.05, 1}}, 1e-4));
    ledger->Release(1, {0.02, 0.5, false});
    EXPECT_EQ(ledger->GetEpsilon(), ComposeGaussians({{0.02, 0.05, 1}, {0.5, 1, 1}}, 1e-4));
    EXPECT_GT(ledger->GetEpsilon(), ToGaussianEpsilon(0.5));
    EXPECT_LT(ledger->GetEpsilon(), ToGaussianEpsilon(0.52));
}

TEST(GaussianLedger, RaisingNeverLowersAndSparesWhatWasNotTold)
{
    const auto ledger = MakeGaussianLedger(false);
    ledger->Release(0, {0.5, 0.5});
    ledger->Release(4, {0.1, 0.1});
    ledger->Withdraw(4);
    ledger->Raise(0, 0.3);
    EXPECT_EQ(ledger->GetEpsilon(), ToGaussianEpsilon(0.5));
    EXPECT_TRUE(ledger->Raise(4, 7));
    EXPECT_FALSE(ledger->Raise(2, 7));
    EXPECT_FALSE(ledger->Raise(9, 7));
    EXPECT_EQ(ledger->GetEpsilon(), ToGaussianEpsilon(0.5));
    ledger->Raise(0, INFINITE);
    EXPECT_EQ(ledger->GetEpsilon(), INFINITE);
    EXPECT_DOUBLE_EQ(ledger->GetNominalEpsilon(), ToGaussianEpsilon(0.6));
}

TEST(GaussianLedger, BudgetHoldsAlsoAfterRepairs)
{
    const double budget = 20;
    const auto careless = MakeGaussianLedger(true, budget);
    const auto careful = MakeGaussianLedger(true, budget);
    const double rate = 0.1;
    const double raised = 0.4;
    uint32_t rounds[2] = {0, 0};
    for (uint32_t t = 0; t < 1000; ++t)
    {
        if (careless->CanAfford(t, rate))
        {
            careless->Release(t, {rate, rate});
            ++rounds[0];
        }
        if (careful->CanAfford(t, rate, raised))
        {
            careful->Release(t, {rate, rate});
            ++rounds[1];
        }
    }
    EXPECT_LE(careless->GetEpsilon(), budget);
    EXPECT_GT(rounds[0], 3 * rounds[1]);
    for (uint32_t t = 0; t < rounds[1]; ++t)
    {
        careful->Raise(t, raised);
    }
    EXPECT_LE(careful->GetEpsilon(), budget);
    EXPECT_GT(careful->GetEpsilon(), 0.9 * budget);
    EXPECT_FALSE(MakeGaussianLedger(true, 1e-3)->CanAfford(0, INFINITE));
    EXPECT_TRUE(MakeGaussianLedger(true)->CanAfford(0, INFINITE));
    EXPECT_EQ(careful->GetBudget(), budget);
    EXPECT_EQ(careful->GetDelta(), 1e-4);
}

} // namespace

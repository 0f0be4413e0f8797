/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-cafcor-privacy.h"
#include "ns3/dlearn-renyi-accounting.h"
#include "ns3/dlearn-renyi-ledger.h"
#include "ns3/dlearn-sampled-gaussian.h"
#include "ns3/dlearn-types.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

Ptr<RenyiLedger>
MakeLedger(bool momentum, double budget = 0)
{
    return CreateObjectWithAttributes<RenyiLedger>("Momentum",
                                                   BooleanValue(momentum),
                                                   "Budget",
                                                   DoubleValue(budget));
}

/** The classic epsilon of a sum of rates, at the ledger's default delta. */
double
ToEpsilon(double rate)
{
    return ClassicGaussianEpsilon(rate, 1e-4).epsilon;
}

TEST(RenyiLedger, SpendsWhatWasPlanned)
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
        const auto ledger = MakeLedger(true, 27.8);
        ledger->SetSampling(CafCorSampling(plan));
        EXPECT_EQ(ledger->GetEpsilon(), 0);
        EXPECT_EQ(ledger->GetTightEpsilon(), 0);
        uint32_t round = 0;
        while (ledger->CanAfford(round, rate))
        {
            ledger->Release(round, rate, true);
            ++round;
        }
        EXPECT_EQ(round, plan.rounds);
        // 1e-9: what the solver leaves at example level.
        EXPECT_NEAR(ledger->GetEpsilon() / 27.8, 1, 1e-9);
        EXPECT_EQ(ledger->GetNominalEpsilon(), ledger->GetEpsilon());
        EXPECT_NEAR(ledger->GetTightEpsilon() / PlanCafCorEpsilon(plan).tight, 1, 1e-9);
        plan.noise = {};
    }
}

TEST(RenyiLedger, WhatDidNotLeaveCostsNothingUntilMomentumTellsIt)
{
    const auto plain = MakeLedger(false);
    const auto momentum = MakeLedger(true);
    for (const auto& ledger : {plain, momentum})
    {
        ledger->Release(0, 0.1, true);
        ledger->Release(1, 0.2, false);
        EXPECT_EQ(ledger->GetEpsilon(), ToEpsilon(0.1));
        EXPECT_DOUBLE_EQ(ledger->GetNominalEpsilon(), ToEpsilon(0.3));
        ledger->Release(2, 0.4, true);
    }
    EXPECT_DOUBLE_EQ(plain->GetEpsilon(), ToEpsilon(0.5));
    EXPECT_DOUBLE_EQ(momentum->GetEpsilon(), ToEpsilon(0.7));
}

TEST(RenyiLedger, WhatIsUnderWayCountsUntilItIsWithdrawn)
{
    const auto plain = MakeLedger(false);
    const auto momentum = MakeLedger(true);
    for (const auto& ledger : {plain, momentum})
    {
        ledger->Release(0, 0.1, true);
        ledger->Release(1, {0.2, 0.3, true}); // dearer than planned
        EXPECT_DOUBLE_EQ(ledger->GetEpsilon(), ToEpsilon(0.4));
        EXPECT_DOUBLE_EQ(ledger->GetNominalEpsilon(), ToEpsilon(0.3));
        ledger->Withdraw(1);
        EXPECT_DOUBLE_EQ(ledger->GetEpsilon(), ToEpsilon(0.1));
        EXPECT_DOUBLE_EQ(ledger->GetNominalEpsilon(), ToEpsilon(0.3));
        ledger->Release(2, 0.4, true);
        ledger->Withdraw(2);
        EXPECT_DOUBLE_EQ(ledger->GetEpsilon(), ToEpsilon(0.1));
        ledger->Release(3, 0.5, true);
    }
    EXPECT_DOUBLE_EQ(plain->GetEpsilon(), ToEpsilon(0.6));
    EXPECT_DOUBLE_EQ(momentum->GetEpsilon(), ToEpsilon(1.3));
}

TEST(RenyiLedger, SamplingAmplifiesFreshSamplesOnly)
{
    // One sampled round and one whose older gradients were drawn before: at every order the sum
    // of the sampled one's RDP and of a Gaussian one's.
    const auto ledger = MakeLedger(false);
    ledger->SetSampling(0.05);
    ledger->Release(0, 0.02, true);
    const double sampled = ledger->GetEpsilon();
    ledger->Release(1, {0.02, 0.5, false});
    std::vector<double> rdp;
    for (const double order : DefaultOrders())
    {
        rdp.push_back(SampledGaussianRdp(0.05, NoiseMultiplier(0.02), order) + 0.5 * order);
    }
    EXPECT_NEAR(ledger->GetEpsilon(), ClassicEpsilon(DefaultOrders(), rdp, 1e-4).epsilon, 1e-12);
    EXPECT_GT(ledger->GetEpsilon(), sampled + 0.5);
}

TEST(RenyiLedger, RaisingNeverLowersAndSparesWhatWasNotTold)
{
    const auto ledger = MakeLedger(false);
    ledger->Release(0, 0.5, true);
    ledger->Release(4, 0.1, false);
    ledger->Raise(0, 0.3);
    EXPECT_EQ(ledger->GetEpsilon(), ToEpsilon(0.5));
    EXPECT_TRUE(ledger->Raise(4, 7));
    EXPECT_FALSE(ledger->Raise(2, 7));
    EXPECT_FALSE(ledger->Raise(9, 7));
    EXPECT_EQ(ledger->GetEpsilon(), ToEpsilon(0.5));
    ledger->Raise(0, INFINITE);
    EXPECT_EQ(ledger->GetEpsilon(), INFINITE);
    EXPECT_EQ(ledger->GetTightEpsilon(), INFINITE);
    EXPECT_DOUBLE_EQ(ledger->GetNominalEpsilon(), ToEpsilon(0.6));
}

TEST(RenyiLedger, BudgetHoldsAlsoAfterRepairs)
{
    const double budget = 20;
    const auto careless = MakeLedger(true, budget);
    const auto careful = MakeLedger(true, budget);
    const double rate = 0.1;
    const double raised = 0.4;
    uint32_t rounds[2] = {0, 0};
    for (uint32_t t = 0; t < 1000; ++t)
    {
        if (careless->CanAfford(t, rate))
        {
            careless->Release(t, rate, true);
            ++rounds[0];
        }
        if (careful->CanAfford(t, rate, raised))
        {
            careful->Release(t, rate, true);
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
    EXPECT_FALSE(MakeLedger(true, 1e-3)->CanAfford(0, INFINITE));
    EXPECT_TRUE(MakeLedger(true)->CanAfford(0, INFINITE));
    EXPECT_EQ(careful->GetBudget(), budget);
    EXPECT_EQ(careful->GetDelta(), 1e-4);
}

TEST(RenyiLedger, RefusesWhatMakesNoSense)
{
    const auto ledger = MakeLedger(true);
    ExpectRefused([&] { ledger->SetSampling(0); }, "sampling must be in (0, 1], got 0");
    ExpectRefused([&] { ledger->SetSampling(std::nan("")); }, "sampling must be in (0, 1]");
    ExpectRefused([&] { ledger->Release(0, -1, true); }, "rate must be at least 0, got -1");
    ExpectRefused([&] { ledger->CanAfford(0, std::nan("")); }, "rate must be at least 0, got nan");
    ExpectRefused([&] { ledger->CanAfford(0, 1, -1); }, "raised rate must be at least 0, got -1");
    ledger->Release(3, 1, true); // none of them was recorded
    EXPECT_EQ(ledger->GetEpsilon(), ToEpsilon(1));
    ExpectRefused([&] { ledger->Release(3, 1, true); },
                  "RenyiLedger: a release of round 3 came after round 3; rounds must increase");
    ExpectRefused([&] { ledger->Raise(3, -1); }, "rate must be at least 0, got -1");
    ExpectRefused([&] { ledger->SetSampling(0.5); }, "SetSampling() must come before any event");
    const auto certain = CreateObjectWithAttributes<RenyiLedger>("Delta", DoubleValue(1.0));
    ExpectRefused([&] { certain->Release(0, 1, true); }, "Delta must be in (0, 1), got 1");
}

} // namespace

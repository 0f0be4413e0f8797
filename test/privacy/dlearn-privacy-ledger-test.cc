/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-ldp-online-ledgers.h"
#include "ns3/dlearn-types.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <cmath>
#include <gtest/gtest.h>
#include <tuple>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

Ptr<LdpOnlineRefinedLedger>
MakeLedger(double budget = 0)
{
    auto ledger = CreateObjectWithAttributes<LdpOnlineRefinedLedger>("Budget", DoubleValue(budget));
    ledger->SetConstants(2, 0.5, 0);
    return ledger;
}

ReleaseEvent
MakeRelease(uint32_t round, double scale = 1)
{
    return {round, 4, scale, 0, NoiseLaw::LAPLACE};
}

UpdateEvent
MakeUpdate(uint32_t round, double realised = 0.5)
{
    return {round, 1, 0.5, realised, 1, 0};
}

TEST(PrivacyLedger, FirstReleaseIsFreeEvenWithoutNoise)
{
    const auto ledger = MakeLedger(1e-9);
    EXPECT_TRUE(ledger->CanAfford(MakeRelease(0, 0)));
    ledger->Release(MakeRelease(0, 0), true);
    EXPECT_EQ(ledger->GetEpsilon(), 0);
    EXPECT_EQ(ledger->GetNominalEpsilon(), 0);
}

TEST(PrivacyLedger, PricesByHand)
{
    // Phi_1 = 1 * 2 / 1; sqrt(4) * 2 / 8 = 0.5.
    // Phi_2 = (0.5 + 0.5) * 2 + 2 = 4; sqrt(4) * 4 / 4 = 2.
    const auto ledger = MakeLedger();
    ledger->Update(MakeUpdate(0));
    ledger->Release(MakeRelease(1, 8), true);
    EXPECT_EQ(ledger->GetEpsilon(), 0.5);
    ledger->Update(MakeUpdate(1));
    ledger->Release(MakeRelease(2, 4), true);
    EXPECT_EQ(ledger->GetEpsilon(), 2.5);
    EXPECT_EQ(ledger->GetNominalEpsilon(), 2.5);
}

TEST(PrivacyLedger, NoNoiseIsInfinite)
{
    const auto ledger = MakeLedger(5);
    ledger->Update(MakeUpdate(0));
    EXPECT_FALSE(ledger->CanAfford(MakeRelease(1, 0)));
    ledger->Release(MakeRelease(1, 0), true);
    EXPECT_EQ(ledger->GetEpsilon(), INFINITE);
}

TEST(PrivacyLedger, UntransmittedReleaseCostsNothingButIsNominal)
{
    const auto ledger = MakeLedger();
    ledger->Update(MakeUpdate(0));
    ledger->Release(MakeRelease(1), false);
    EXPECT_EQ(ledger->GetEpsilon(), 0);
    EXPECT_EQ(ledger->GetNominalEpsilon(), 4);
}

TEST(PrivacyLedger, FewerArrivalsCostMore)
{
    const auto lossless = MakeLedger();
    const auto lossy = MakeLedger();
    for (uint32_t t = 0; t < 50; ++t)
    {
        lossless->Release(MakeRelease(t), true);
        lossy->Release(MakeRelease(t), true);
        lossless->Update(MakeUpdate(t));
        lossy->Update(MakeUpdate(t, t % 3 == 0 ? 0.5 : 0.25));
        EXPECT_GE(lossy->GetEpsilon(), lossy->GetNominalEpsilon());
    }
    EXPECT_EQ(lossless->GetEpsilon(), lossless->GetNominalEpsilon());
    EXPECT_EQ(lossy->GetNominalEpsilon(), lossless->GetEpsilon());
    EXPECT_GT(lossy->GetEpsilon(), 1.5 * lossy->GetNominalEpsilon());
}

TEST(PrivacyLedger, PartialArrivalsCountForTheWorstEntry)
{
    // Couplings between 0 and 0.5: |1 - a| is at most 1. Between 0.25 and 2.5: at most 1.5.
    for (const auto& [complete, partial, factor] :
         {std::tuple{0.0, 0.5, 1.0}, std::tuple{0.25, 2.25, 1.5}})
    {
        const auto ledger = MakeLedger();
        ledger->Update(MakeUpdate(0)); // Phi_1 = 2
        ledger->Update({1, 0, 2.5, complete, 1, partial});
        ledger->Release(MakeRelease(2, 2), true);
        EXPECT_EQ(ledger->GetEpsilon(), 2 * factor);
    }
}

TEST(PrivacyLedger, BudgetIsNeverOverspent)
{
    const double budget = 7;
    const auto ledger = MakeLedger(budget);
    uint32_t sent = 0;
    for (uint32_t t = 0; t < 100; ++t)
    {
        if (ledger->CanAfford(MakeRelease(t, 10)))
        {
            ledger->Release(MakeRelease(t, 10), true);
            ++sent;
        }
        ASSERT_LE(ledger->GetEpsilon(), budget * (1 + 1e-9));
        ledger->Update({t, 0.1, 0, 0, 1, 0});
    }
    EXPECT_GT(sent, 5U);
    EXPECT_LT(sent, 100U);
    EXPECT_EQ(ledger->GetBudget(), budget);
}

TEST(PrivacyLedger, RefusesRoundsThatDoNotIncrease)
{
    const auto ledger = MakeLedger();
    ledger->Release(MakeRelease(3), true);
    ExpectRefused([&] { ledger->Release(MakeRelease(3), true); },
                  "LdpOnlineRefinedLedger: a release of round 3 came after one of round 3; rounds "
                  "must increase");
    ExpectRefused([&] { ledger->CanAfford(MakeRelease(2)); }, "release of round 2");
    ExpectRefused([&] { ledger->Update(MakeUpdate(2)); },
                  "LdpOnlineRefinedLedger: an update of round 2 came after one of round 2");
    ledger->Update(MakeUpdate(3));
    ExpectRefused([&] { ledger->Update(MakeUpdate(3)); }, "update of round 3");
    ExpectRefused([&] { ledger->Release(MakeRelease(3), true); }, "release of round 3");
    ledger->Update(MakeUpdate(7));
}

TEST(PrivacyLedger, RefusesBadReleases)
{
    const auto ledger = MakeLedger();
    ExpectRefused([&] { ledger->Release(MakeRelease(0, -1), true); },
                  "LdpOnlineRefinedLedger: noiseScale must be finite and at least 0, got -1");
    ExpectRefused([&] { ledger->Release(MakeRelease(0, std::nan("")), true); },
                  "noiseScale must be finite and at least 0, got nan");
    ExpectRefused(
        [&] {
            ledger->Release({0, 0, 1, 0, NoiseLaw::LAPLACE}, true);
        },
        "LdpOnlineRefinedLedger: dimension of a release must be at least 1, got 0");
    ExpectRefused(
        [&] {
            ledger->Release({0, 1, 1, 0.1, NoiseLaw::LAPLACE}, true);
        },
        "LdpOnlineRefinedLedger: cannot price a release that contains a gradient step");
    ledger->Release(MakeRelease(0), true); // none of them was recorded
}

TEST(PrivacyLedger, RefusesBadUpdates)
{
    const auto ledger = MakeLedger();
    ExpectRefused(
        [&] {
            ledger->Update({0, -1, 0, 0, 1, 0});
        },
        "LdpOnlineRefinedLedger: stepSize must be finite and at least 0, got -1");
    ExpectRefused(
        [&] {
            ledger->Update({0, 1, INFINITE, 0, 1, 0});
        },
        "nominalCoupling must be finite");
    ExpectRefused([&] { ledger->Update({0, 1, 1, -0.5, 1, 0}); }, "realisedCoupling must be");
    ExpectRefused([&] { ledger->Update({0, 1, 1, 0, 1, -0.5}); }, "partialCoupling must be");
    ExpectRefused(
        [&] {
            ledger->Update({0, 1, 1, 1, 0, 0});
        },
        "LdpOnlineRefinedLedger: batches must be at least 1, got 0");
    ExpectRefused(
        [&] {
            ledger->Update({0, 1, 0.5, 0.75, 1, 0});
        },
        "the realised coupling 0.75 must not exceed the nominal coupling 0.5");
    ExpectRefused(
        [&] {
            ledger->Update({0, 1, 0.5, 0.25, 1, 0.5});
        },
        "the realised coupling 0.75 must not exceed the nominal coupling 0.5");
    ledger->Update({0, 1, 0.5, 0.5 * (1 + 1e-15), 1, 0}); // rounding is forgiven
}

TEST(PrivacyLedger, RefusesBadConstants)
{
    const auto ledger = CreateObject<LdpOnlineRefinedLedger>();
    ExpectRefused([&] { ledger->CanAfford(MakeRelease(0)); },
                  "LdpOnlineRefinedLedger: SetConstants() must come before any event");
    ExpectRefused([&] { ledger->Update(MakeUpdate(0)); }, "SetConstants() must come before");
    ExpectRefused([&] { ledger->SetConstants(INFINITE, 1, 0); },
                  "sensitivity C must be finite and at least 0, got inf; set ClipNorm of the task");
    ExpectRefused([&] { ledger->SetConstants(2, std::nan(""), 0); },
                  "smoothness L must be finite and at least 0, got nan");
    ExpectRefused([&] { ledger->SetConstants(2, 1, 1.5); },
                  "curvature mu must be finite and at most the smoothness 1, got 1.5");
    ledger->SetConstants(2, 1, -1);
    ExpectRefused([&] { ledger->SetConstants(2, 1, 0); }, "set once and cannot change");
    ExpectRefused([&] { CreateObject<LdpOnlineConvexLedger>()->SetConstants(2, 1, -1); },
                  "LdpOnlineConvexLedger: needs a convex loss whose gradients are not clipped");
}

TEST(PrivacyLedger, RefusesAnotherDeltaOnceItHasSpent)
{
    const auto ledger = MakeLedger();
    ledger->Release(MakeRelease(0), true); // free
    ledger->SetAttribute("Delta", DoubleValue(0.25));
    ledger->Update(MakeUpdate(0));
    ledger->Release(MakeRelease(1), true);
    ExpectRefused([&] { ledger->SetAttribute("Delta", DoubleValue(0.5)); },
                  "LdpOnlineRefinedLedger: Delta cannot change during a run");
    EXPECT_EQ(ledger->GetDelta(), 0.25);
}

} // namespace

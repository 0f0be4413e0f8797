/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-privacy-ledger.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <tuple>

namespace ns3::dlearn
{
namespace
{

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

constexpr double C = 2;
constexpr double L = 0.3;
constexpr uint32_t D = 9;

double
Alpha(uint32_t t)
{
    return 0.4 * std::pow(0.9, t);
}

double
Rho(uint32_t t)
{
    return 0.5 * std::pow(0.95, t);
}

// While all messages leave, PDOP tells in round t what the step of round t - 1 added, and
// nothing else: a geometric sum, sqrt(d) C alpha_0 / rho_1 * (1 - (q/p)^(T-1)) / (1 - q/p).
TEST(BaselineLedgers, PdopIsAGeometricSum)
{
    const auto ledger = CreateObject<PdopLedger>();
    ledger->SetConstants(C, L, 0);
    const uint32_t rounds = 30;
    for (uint32_t t = 0; t < rounds; ++t)
    {
        ledger->Release({t, D, Rho(t), 0, NoiseLaw::LAPLACE}, true);
        ledger->Update({t, Alpha(t), 0.6, 0.3, 1, 0}); // arrivals do not matter
    }
    const double ratio = 0.9 / 0.95;
    const double sum = 3 * C * 0.4 / (0.5 * 0.95) * (1 - std::pow(ratio, rounds - 1)) / (1 - ratio);
    EXPECT_NEAR(ledger->GetEpsilon(), sum, 1e-12 * sum);
}

// A message that did not leave costs nothing, but the noise on the learner's own copy then
// hides nothing: Phi_2 = alpha_1 C + (1 + alpha_1 L) (1 - c) alpha_0 C.
TEST(BaselineLedgers, UnsentRoundsKeepTheLearnersOwnDifference)
{
    const auto pdop = CreateObject<PdopLedger>();
    const auto dola = CreateObject<DolaLedger>();
    for (const auto& ledger : {Ptr<PrivacyLedger>(pdop), Ptr<PrivacyLedger>(dola)})
    {
        ledger->SetConstants(C, L, 0);
        ledger->Release({0, D, 1, 0, NoiseLaw::LAPLACE}, true);
        ledger->Update({0, Alpha(0), 0.6, 0.6, 1, 0});
        ledger->Release({1, D, 1, 0, NoiseLaw::LAPLACE}, false);
        ledger->Update({1, Alpha(1), 0.6, 0.3, 1, 0});
        ledger->Release({2, D, 1, 0, NoiseLaw::LAPLACE}, true);
    }
    const double phi1 = Alpha(0) * C;
    const double own = 0.7 * phi1;
    EXPECT_NEAR(pdop->GetEpsilon(), 3 * (Alpha(1) * C + (1 + Alpha(1) * L) * own), 1e-14);
    EXPECT_NEAR(dola->GetEpsilon(), 3 * (Alpha(1) * (C + L * phi1) + own), 1e-14);
    EXPECT_NEAR(pdop->GetNominalEpsilon(), 3 * (phi1 + Alpha(1) * C), 1e-14);
    EXPECT_NEAR(dola->GetNominalEpsilon(), 3 * (phi1 + Alpha(1) * (C + L * phi1)), 1e-14);
}

// Unrolled: Psi_t = sum_{p<=t} alpha_p C prod_{q=p+1..t} (1 - c) (1 + alpha_q L).
TEST(BaselineLedgers, DsgdEqualsTheUnrolledSum)
{
    const auto ledger = CreateObject<DsgdLedger>();
    ledger->SetConstants(C, L, 0);
    double expected = 0;
    for (uint32_t t = 0; t < 25; ++t)
    {
        ledger->Release({t, D, Rho(t), Alpha(t), NoiseLaw::LAPLACE}, true);
        ledger->Update({t, Alpha(t), 0.6, 0.6, 1, 0});
        for (uint32_t p = 0; p <= t; ++p)
        {
            double product = Alpha(p) * C;
            for (uint32_t q = p + 1; q <= t; ++q)
            {
                product *= (1 - 0.6) * (1 + Alpha(q) * L);
            }
            expected += 3 * product / Rho(t);
        }
    }
    EXPECT_NEAR(ledger->GetEpsilon(), expected, 1e-12 * expected);
    EXPECT_GT(ledger->GetEpsilon(), 0) << "already the first release tells something";
}

/** A learner of the paper's first experiment: a ring with weights 0.3. */
struct Setting
{
    double c{2};        // C
    double l{0.3};      // L
    double mu{0.05};    // mu
    double weight{0.6}; // sum_j w_ij
    double lambda0{1};  // first step
    double v{0.77};     // its decay
    double gamma0{1};   // first coupling
    double u{0.65};     // its decay
    double noise{1};    // base scale
    double s{0.12};     // its growth
    uint32_t dimension{112};

    double Lambda(uint32_t t) const { return lambda0 / std::pow(t + 1.0, v); }

    double Gamma(uint32_t t) const { return gamma0 / std::pow(t + 1.0, u); }

    double Rho(uint32_t t) const { return noise * std::pow(t + 1.0, s); }
};

Ptr<PrivacyLedger>
MakeLedger(TypeId type, const Setting& setting)
{
    ObjectFactory factory;
    factory.SetTypeId(type);
    auto ledger = factory.Create<PrivacyLedger>();
    ledger->SetConstants(setting.c, setting.l, setting.mu);
    return ledger;
}

/** Feed one lossless round. */
void
RunRound(const Ptr<PrivacyLedger>& ledger, const Setting& s, uint32_t t)
{
    ledger->Release({t, s.dimension, s.Rho(t), 0, NoiseLaw::LAPLACE}, true);
    const double coupling = s.Gamma(t) * s.weight;
    ledger->Update({t, s.Lambda(t), coupling, coupling, t + 1, 0});
}

/**
 * Epsilon after releases 0..rounds-1 as a plain double sum: every term that a round puts in,
 * times the product of all later factors. No recursion.
 */
double
DoubleSum(const Setting& s,
          uint32_t rounds,
          const std::function<double(uint32_t)>& factor,
          const std::function<double(uint32_t)>& term)
{
    double epsilon = 0;
    for (uint32_t t = 1; t < rounds; ++t)
    {
        double phi = 0;
        for (uint32_t p = 0; p < t; ++p)
        {
            double product = 1;
            for (uint32_t q = p + 1; q < t; ++q)
            {
                product *= factor(q);
            }
            phi += term(p) * product;
        }
        epsilon += std::sqrt(s.dimension) * phi / s.Rho(t);
    }
    return epsilon;
}

double
RunEpsilon(TypeId type, const Setting& setting, uint32_t rounds)
{
    const auto ledger = MakeLedger(type, setting);
    for (uint32_t t = 0; t < rounds; ++t)
    {
        RunRound(ledger, setting, t);
    }
    EXPECT_EQ(ledger->GetEpsilon(), ledger->GetNominalEpsilon()) << "nothing was lost";
    return ledger->GetEpsilon();
}

// Sums of some 2e4 products of positive numbers: rounding stays far below 1e-11.
TEST(LdpOnlineLedgers, EqualTheUnrolledDoubleSums)
{
    Setting setting;
    Setting strong; // couplings above 1, so that 1 - a changes sign
    strong.weight = 1.7;
    strong.l = 2;
    for (const Setting& s : {setting, strong})
    {
        const uint32_t rounds = 60;
        const auto expand = [&](uint32_t q) {
            return std::abs(1 - s.weight * s.Gamma(q)) + s.Lambda(q) * s.l;
        };
        const auto convex = [&](uint32_t q) {
            const double keep = 1 - s.weight * s.Gamma(q);
            return std::max(std::abs(keep - s.Lambda(q) * s.mu),
                            std::abs(keep - s.Lambda(q) * s.l));
        };
        const auto all = [&](uint32_t p) { return s.Lambda(p) * s.c; };
        const auto one = [&](uint32_t p) { return s.Lambda(p) * s.c / (p + 1); };

        const double theorem5 = DoubleSum(s, rounds, expand, all);
        EXPECT_NEAR(RunEpsilon(LdpOnlineTheorem5Ledger::GetTypeId(), s, rounds),
                    theorem5,
                    1e-11 * theorem5);
        const double refined = DoubleSum(s, rounds, expand, one);
        EXPECT_NEAR(RunEpsilon(LdpOnlineRefinedLedger::GetTypeId(), s, rounds),
                    refined,
                    1e-11 * refined);
        const double ours = DoubleSum(s, rounds, convex, one);
        EXPECT_NEAR(RunEpsilon(LdpOnlineConvexLedger::GetTypeId(), s, rounds), ours, 1e-11 * ours);
        EXPECT_LT(ours, refined);
        EXPECT_LT(refined, theorem5);
    }
}

// Theorem 5 (ii). With r = 1 + v - u and x = t + 1, Phi_t <= K x^-r holds from x0 on for
//   K = max( Phi_{x0} x0^r, lambda_0 C / (C1 - r x0^(u-1)) ),
//   C1 = w gamma_0 - L lambda_0 x0^(u-v),
// by induction with (x+1)^-r >= x^-r (1 - r/x). So what comes after x1 is at most
//   sqrt(d) K / b * sum_{x > x1} x^(-r-s) <= sqrt(d) K / b * x1^(1-r-s) / (r+s-1).
TEST(LdpOnlineLedgers, RefinedSumIsFiniteAndTheorem5SumIsNot)
{
    const Setting s;
    const auto refined = MakeLedger(LdpOnlineRefinedLedger::GetTypeId(), s);
    const auto theorem5 = MakeLedger(LdpOnlineTheorem5Ledger::GetTypeId(), s);
    const uint32_t x0 = 10000;
    const uint32_t x1 = 20000;
    const uint32_t end = 400000;
    const double r = 1 + s.v - s.u;
    const double c1 = s.weight * s.gamma0 - s.l * s.lambda0 * std::pow(x0, s.u - s.v);
    ASSERT_GT(c1, r * std::pow(x0, s.u - 1)) << "the estimate holds from x0 on";

    double before = 0;
    double phi0 = 0;
    double sum1 = 0;
    double theorem5Early = 0;
    for (uint32_t t = 0; t < end; ++t)
    {
        if (t + 1 == x0)
        {
            before = refined->GetEpsilon();
        }
        if (t == x1)
        {
            sum1 = refined->GetEpsilon();
            theorem5Early = theorem5->GetEpsilon();
        }
        RunRound(refined, s, t);
        RunRound(theorem5, s, t);
        if (t + 1 == x0)
        {
            phi0 = (refined->GetEpsilon() - before) * s.Rho(t) / std::sqrt(s.dimension);
        }
    }
    const double k =
        std::max(phi0 * std::pow(x0, r), s.lambda0 * s.c / (c1 - r * std::pow(x0, s.u - 1)));
    const double tail =
        std::sqrt(s.dimension) * k / s.noise * std::pow(x1, 1 - r - s.s) / (r + s.s - 1);
    EXPECT_GT(refined->GetEpsilon(), sum1);
    EXPECT_LE(refined->GetEpsilon(), sum1 + tail);
    // Theorem 5's terms go like x^-(v-u+s) = x^-0.24: the sum grows like x^0.76, by a factor
    // 20^0.76 = 9.7 from x1 to the end.
    EXPECT_GT(theorem5->GetEpsilon(), 8 * theorem5Early);
}

} // namespace
} // namespace ns3::dlearn

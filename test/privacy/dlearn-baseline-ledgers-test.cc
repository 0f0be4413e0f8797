/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-baseline-ledgers.h"

#include <cmath>
#include <gtest/gtest.h>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

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

} // namespace

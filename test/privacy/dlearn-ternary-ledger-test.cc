/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-ternary-ledger.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

constexpr double C = 2;
constexpr double L = 0.3;

/** @return probabilities of -s, 0 and s when x is rounded, cut off at s */
std::array<double, 3>
Levels(double x, double s)
{
    const double p = std::min(1.0, std::abs(x) / s);
    return {x < 0 ? p : 0, 1 - p, x < 0 ? 0 : p};
}

/** @return total variation distance of the rounded x and y: a sum over all 3^d outcomes */
double
Distance(const Eigen::VectorXd& x, const Eigen::VectorXd& y, double s)
{
    double distance = 0;
    const auto outcomes = static_cast<int>(std::pow(3, x.size()));
    for (int outcome = 0; outcome < outcomes; ++outcome)
    {
        double px = 1;
        double py = 1;
        for (int k = 0, rest = outcome; k < x.size(); ++k, rest /= 3)
        {
            px *= Levels(x[k], s)[rest % 3];
            py *= Levels(y[k], s)[rest % 3];
        }
        distance += std::abs(px - py) / 2;
    }
    return distance;
}

// delta of a mechanism with epsilon 0 is the total variation distance. Over random pairs, some
// with entries beyond s; and attained by one entry next to 0.
TEST(TernaryLedger, OneReleaseCostsAtLeastTheTotalVariation)
{
    std::mt19937 generator(3);
    std::normal_distribution<double> normal;
    for (int trial = 0; trial < 500; ++trial)
    {
        const int d = 1 + trial % 4;
        const auto draw = [&] { return normal(generator); };
        const Eigen::VectorXd x = Eigen::VectorXd::NullaryExpr(d, draw);
        const Eigen::VectorXd y =
            x + std::pow(0.3, trial % 5) * Eigen::VectorXd::NullaryExpr(d, draw);
        const auto ledger = CreateObject<TernaryLedger>();
        ledger->SetConstants((x - y).norm(), L, -1);
        ledger->Update({0, 1, 0, 0, 1, 0}); // Phi_1 = lambda C = |x - y|
        ledger->Release({1, static_cast<uint32_t>(d), 1.5, 0}, true);
        EXPECT_GE(ledger->GetDelta(), Distance(x, y, 1.5) * (1 - 1e-12));
        if (trial == 0)
        {
            EXPECT_NEAR(Distance(Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, 0.3), 1.5),
                        0.3 / 1.5,
                        1e-15);
        }
    }
}

// Two releases of one entry, the second of a state that the first message decides: all nine
// outcomes, against the sum of the two prices.
TEST(TernaryLedger, DeltasOfAdaptiveReleasesAddUp)
{
    const double s = 1;
    const std::array<double, 2> first{0.10, 0.15};
    double distance = 0;
    for (int a = 0; a < 3; ++a)
    {
        for (int b = 0; b < 3; ++b)
        {
            std::array<double, 2> p{};
            for (int run = 0; run < 2; ++run)
            {
                const double second = 0.4 * (a - 1) + first[run];
                p[run] = Levels(first[run], s)[a] * Levels(second, s)[b];
            }
            distance += std::abs(p[0] - p[1]) / 2;
        }
    }
    EXPECT_LE(distance, 0.05 + 0.05 + 1e-15);
    EXPECT_GT(distance, 0.05);
}

// Unrolled: Phi_t = sum_{p<t} lambda_p C prod_{q=p+1..t-1} (1 - c + lambda_q L).
TEST(TernaryLedger, EqualsTheUnrolledSum)
{
    const auto ledger = CreateObject<TernaryLedger>();
    ledger->SetConstants(C, L, -1);
    const auto lambda = [](uint32_t t) { return 0.01 / (t + 1.0); };
    double expected = 0;
    for (uint32_t t = 0; t < 25; ++t)
    {
        ledger->Release({t, 9, 20, 0}, t % 4 != 3);
        ledger->Update({t, lambda(t), 0.6, 0.6, 1, 0});
        double phi = 0;
        for (uint32_t p = 0; p < t; ++p)
        {
            double product = lambda(p) * C;
            for (uint32_t q = p + 1; q < t; ++q)
            {
                product *= 1 - 0.6 + lambda(q) * L;
            }
            phi += product;
        }
        expected += t % 4 == 3 ? 0 : 3 * phi / 20;
    }
    EXPECT_NEAR(ledger->GetDelta(), expected, 1e-12 * expected);
    EXPECT_GT(ledger->GetNominalDelta(), ledger->GetDelta());
    EXPECT_LT(ledger->GetNominalDelta(), 1);
}

TEST(TernaryLedger, EpsilonIsThatAtItsDelta)
{
    const auto ledger = CreateObjectWithAttributes<TernaryLedger>("Delta",
                                                                  DoubleValue(0.15),
                                                                  "Budget",
                                                                  DoubleValue(0.5));
    ledger->SetConstants(C, L, -1);
    EXPECT_EQ(ledger->GetEpsilon(), 0);
    ledger->Update({0, 0.5, 0.6, 0.6, 1, 0}); // Phi_1 = 1
    ledger->Release({1, 1, 10, 0}, true);
    EXPECT_NEAR(ledger->GetDelta(), 0.1, 1e-15);
    EXPECT_EQ(ledger->GetEpsilon(), 0);
    EXPECT_TRUE(ledger->CanAfford({2, 1, 2.6, 0}));
    EXPECT_FALSE(ledger->CanAfford({2, 1, 2.4, 0})) << "0.1 + 1 / 2.4 > 0.5";
    ledger->Release({2, 1, 10, 0}, true);
    EXPECT_TRUE(std::isinf(ledger->GetEpsilon()));
    EXPECT_TRUE(std::isinf(ledger->GetNominalEpsilon()));
    ledger->Release({3, 1, 0, 0}, true); // not rounded at all
    EXPECT_EQ(ledger->GetDelta(), 1);
}

TEST(TernaryLedger, RefusesDeltasThatPromiseNothingOrAll)
{
    for (const double delta : {0.0, 1.0})
    {
        const auto ledger = CreateObjectWithAttributes<TernaryLedger>("Delta", DoubleValue(delta));
        ExpectRefused([&] { ledger->SetConstants(C, L, 0); },
                      "TernaryLedger: Delta must be in (0, 1), got ");
    }
}

} // namespace

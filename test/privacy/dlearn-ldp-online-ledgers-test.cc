/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-ldp-online-ledgers.h"
#include "ns3/object-factory.h"

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

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

// Theorem 5 (i) as printed: epsilon = sum_{t=1..T} sqrt(2 n) C tau_t / (sigma (t+1)^s) with
// tau_t = sum_{p=1..t-1} ( prod_{q=p..t-1} (1 - w gamma_q + lambda_q L) ) lambda_{p-1}
//         + lambda_{t-1} and rho_t = sigma (t+1)^s / sqrt(2).
TEST(LdpOnlineLedgers, Theorem5AsPrinted)
{
    const Setting s;
    const double sigma = s.noise * std::sqrt(2.0);
    const uint32_t last = 40;
    double epsilon = 0;
    for (uint32_t t = 1; t <= last; ++t)
    {
        double tau = s.Lambda(t - 1);
        for (uint32_t p = 1; p + 1 <= t; ++p)
        {
            double product = 1;
            for (uint32_t q = p; q <= t - 1; ++q)
            {
                product *= 1 - s.weight * s.Gamma(q) + s.Lambda(q) * s.l;
            }
            tau += product * s.Lambda(p - 1);
        }
        epsilon += std::sqrt(2.0 * s.dimension) * s.c * tau / (sigma * std::pow(t + 1.0, s.s));
    }
    EXPECT_NEAR(RunEpsilon(LdpOnlineTheorem5Ledger::GetTypeId(), s, last + 1),
                epsilon,
                1e-12 * epsilon);
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

// Two runs on neighbouring data can never be farther apart than a ledger says. Quadratic
// losses l = (theta - x)^T H (theta - x) / 2 with sampled H and |H (x - x')| <= C; the batch
// of any one round differs; neighbours' messages are the same and arrive or do not.
TEST(LdpOnlineLedgers, BoundTheDistanceOfTwoRealRuns)
{
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> uniform(0, 1);
    std::normal_distribution<double> normal;
    const int d = 3;
    for (int run = 0; run < 60; ++run)
    {
        Setting s;
        s.dimension = 1;
        s.s = 0; // so that Phi_t is what a release costs
        s.weight = 2 * uniform(generator);
        s.l = 0.2 + 2 * uniform(generator);
        s.mu = s.l * uniform(generator);
        std::vector<Ptr<PrivacyLedger>> ledgers{
            MakeLedger(LdpOnlineConvexLedger::GetTypeId(), s),
            MakeLedger(LdpOnlineRefinedLedger::GetTypeId(), s),
            MakeLedger(LdpOnlineTheorem5Ledger::GetTypeId(), s)};
        const Eigen::MatrixXd mixer =
            Eigen::MatrixXd::NullaryExpr(d, d, [&] { return normal(generator); });
        const Eigen::MatrixXd basis = Eigen::HouseholderQR<Eigen::MatrixXd>(mixer).householderQ();
        Eigen::VectorXd spectrum(d);
        spectrum << s.mu, s.mu + (s.l - s.mu) * uniform(generator), s.l;
        const Eigen::MatrixXd hessian = basis * spectrum.asDiagonal() * basis.transpose();

        const uint32_t changed = run % 5;
        // The difference of the two batches' gradients, of norm C.
        Eigen::VectorXd jump = basis.col(run % 3) * s.c;
        Eigen::VectorXd delta = Eigen::VectorXd::Zero(d); // theta - theta' is linear in jump
        for (uint32_t t = 0; t < 40; ++t)
        {
            std::vector<double> phi;
            for (const auto& ledger : ledgers)
            {
                const double before = ledger->GetEpsilon();
                ledger->Release({t, 1, 1, 0, NoiseLaw::LAPLACE}, true);
                phi.push_back(ledger->GetEpsilon() - before);
            }
            // Subtracting running sums costs a few digits.
            ASSERT_LE(delta.norm(), phi[0] * (1 + 1e-9) + 1e-12);
            ASSERT_LE(phi[0], phi[1] * (1 + 1e-9) + 1e-12);
            ASSERT_LE(phi[1], phi[2] * (1 + 1e-9) + 1e-12);

            const double all = s.Gamma(t) * s.weight;
            const double some = uniform(generator) < 0.5 ? all / 2 : all;
            const double part = all - some;
            // Of the partial arrival each entry came or did not.
            Eigen::VectorXd keep(d);
            for (int k = 0; k < d; ++k)
            {
                keep[k] = 1 - some - (uniform(generator) < 0.5 ? part : 0);
            }
            const Eigen::VectorXd pull = t < changed ? Eigen::VectorXd(Eigen::VectorXd::Zero(d))
                                                     : Eigen::VectorXd(jump / (t + 1.0));
            delta = keep.cwiseProduct(delta) - s.Lambda(t) * (hessian * delta + pull);
            for (const auto& ledger : ledgers)
            {
                ledger->Update({t, s.Lambda(t), all, some, t + 1, part});
            }
        }
    }
}

} // namespace

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-renyi-accounting.h"
#include "ns3/dlearn-sampled-gaussian.h"
#include "ns3/dlearn-types.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

namespace
{

using namespace ns3::dlearn;

/** RDP of T rounds at the orders of Opacus. */
std::vector<double>
Curve(double sampling, double multiplier, double rounds)
{
    std::vector<double> rdp;
    for (double order : DefaultOrders())
    {
        rdp.push_back(rounds * SampledGaussianRdp(sampling, multiplier, order));
    }
    return rdp;
}

TEST(RenyiAccounting, DefaultOrdersAreThoseOfOpacus)
{
    const std::vector<double>& orders = DefaultOrders();
    ASSERT_EQ(orders.size(), 151U);
    EXPECT_EQ(orders.front(), 1.1);
    EXPECT_EQ(orders[98], 10.9);
    EXPECT_EQ(orders[99], 12);
    EXPECT_EQ(orders.back(), 63);
}

TEST(RenyiAccounting, AgreesWithOpacus)
{
    // Both conversions of Opacus's own RDP. It is off by up to 3e-7 where the RDP is tiny.
    struct Row
    {
        double sampling;
        double multiplier;
        double rounds;
        double delta;
        double tight;
        double tightOrder;
        double classic;
        double classicOrder;
    };

    const Row rows[] = {
        {0.001, 0.5, 1, 0.0001, 2.1564715429857455, 4.3, 2.8519745696515724, 4.4},
        {0.001, 4, 10, 0.0001, 0.0657491797268987, 63, 0.14857427472481627, 63},
        {0.01, 0.7, 10000, 1e-05, 15.634342531364165, 2.4, 16.773975606817555, 2.5},
        {0.01, 4, 100, 0.0001, 0.08689860362626442, 63, 0.16972369862418196, 63},
        {0.02, 1, 1, 0.0001, 0.8595403524801184, 8.5, 1.2677871242330503, 8.6},
        {0.02, 16, 1000, 0.0001, 0.11527624639279815, 63, 0.1981013413907157, 63},
        {0.05, 8, 1, 0.0001, 0.06702942667734313, 63, 0.1498545216752607, 63},
        {0.1, 1.5, 30, 1e-05, 2.2962266253274954, 7.3, 2.7528145943737785, 7.6},
        {0.1, 16, 1000, 1e-05, 0.7881052101025059, 22, 0.9729411864529336, 25},
        {0.25, 1.5, 1000, 0.0001, 39.84957879146603, 1.7, 41.49492234512718, 1.7},
        {0.25, 16, 30, 1e-05, 0.32318724321878156, 45, 0.42323133937469304, 55},
        {0.5, 1.5, 10000, 1e-05, 761.67433493119, 1.1, 765.0253320020315, 1.1},
        {0.9, 0.5, 30, 0.0001, 96.4768498525926, 1.4, 98.570793412641, 1.4},
        {0.9, 4, 1, 1e-05, 0.941713990113349, 18, 1.154842194348931, 21},
        {1, 1, 10000, 0.0001, 5588.75240664892, 1.1, 5592.103403719761, 1.1},
    };
    for (const Row& r : rows)
    {
        const std::vector<double> rdp = Curve(r.sampling, r.multiplier, r.rounds);
        const EpsilonAtOrder tight = TightEpsilon(DefaultOrders(), rdp, r.delta);
        const EpsilonAtOrder classic = ClassicEpsilon(DefaultOrders(), rdp, r.delta);
        EXPECT_NEAR(tight.epsilon / r.tight, 1, 1e-9);
        EXPECT_EQ(tight.order, r.tightOrder);
        EXPECT_NEAR(classic.epsilon / r.classic, 1, 1e-9);
        EXPECT_EQ(classic.order, r.classicOrder);
    }
}

TEST(GaussianEpsilon, AgreesWithReferences)
{
    // Minimised and solved with other software; the exact value to 1e-12, the digits that
    // both sides have.
    struct Row
    {
        double rate;
        double delta;
        double classicOnOrders;
        double classic;
        double tightOnOrders;
        double tight;
        double exact;
    };

    const Row rows[] = {
        {30374.999999999993,
         0.0001,
         33504.60340371975,
         31432.854600214552,
         33501.25240664891,
         31427.794954949248,
         31290.652624005354},
        {0.91125,
         0.0001,
         6.705481366242557,
         6.705358270981238,
         5.964286362767373,
         5.963920302201209,
         5.455028505970925},
        {0.009088069956277327,
         1e-05,
         0.656062073520323,
         0.6560201282964283,
         0.5182382878377757,
         0.5182285515844932,
         0.4717352424825067},
        {75.9375,
         0.0001,
         129.33835092994047,
         128.830230010728,
         127.07899995623555,
         126.61162436073721,
         120.89690673166264},
        {0.1056375,
         1e-05,
         2.314279587724566,
         2.3112636367745822,
         1.9731175688735811,
         1.9731121051580556,
         1.8145936317904217},
        {0.00658125,
         1e-05,
         0.5571110229754817,
         0.557106238411372,
         0.43530859521942133,
         0.43529378675893626,
         0.39566735628709493},
        {10.876989389920427,
         0.0001,
         30.899991365266793,
         30.89505867779539,
         29.439605978800575,
         29.437785638755756,
         27.490559911463382},
        {0.1335481743557557,
         0.0001,
         2.3516775843972244,
         2.3516772435242124,
         1.951861126692734,
         1.9518587885356755,
         1.763666617881386},
        {0.0013364591797630262,
         1e-05,
         0.26988927453426786,
         0.2494215649284715,
         0.18706417953635038,
         0.18404046393861526,
         0.16599092260854384},
        {6.675824175824175,
         0.0001,
         22.36209683012667,
         22.358504166541074,
         21.071151810893717,
         21.067086020821744,
         19.578770754213014},
        {0.01614671052631579,
         1e-05,
         0.8785125415875914,
         0.8784595883007902,
         0.7073471614572302,
         0.7072950836367867,
         0.6454515856131069},
        {0.008771101732563303,
         0.0001,
         0.5772694937988447,
         0.5772245559190536,
         0.4265603228722026,
         0.4265599956965023,
         0.378502048517562},
    };
    for (const Row& r : rows)
    {
        EXPECT_NEAR(ClassicGaussianEpsilon(r.rate, r.delta).epsilon / r.classic, 1, 1e-12);
        EXPECT_NEAR(TightGaussianEpsilon(r.rate, r.delta).epsilon / r.tight, 1, 1e-12);
        EXPECT_NEAR(ExactGaussianEpsilon(r.rate, r.delta) / r.exact, 1, 1e-12);
        const std::vector<double> rdp = Curve(1, NoiseMultiplier(r.rate), 1);
        const std::vector<double>& orders = DefaultOrders();
        EXPECT_NEAR(ClassicEpsilon(orders, rdp, r.delta).epsilon / r.classicOnOrders, 1, 1e-12);
        EXPECT_NEAR(TightEpsilon(orders, rdp, r.delta).epsilon / r.tightOnOrders, 1, 1e-12);
    }
}

TEST(GaussianEpsilon, IsOrderedAndMonotone)
{
    for (double delta : {1e-300, 1e-10, 1e-4, 0.1, 0.9})
    {
        double before[3] = {0, 0, 0};
        for (double rate = 1e-20; rate < 1e300; rate *= 7)
        {
            const double exact = ExactGaussianEpsilon(rate, delta);
            const EpsilonAtOrder tight = TightGaussianEpsilon(rate, delta);
            const EpsilonAtOrder classic = ClassicGaussianEpsilon(rate, delta);
            ASSERT_TRUE(std::isfinite(exact) && std::isfinite(classic.epsilon));
            // 1e-12: rounding.
            ASSERT_LE(exact, tight.epsilon * (1 + 1e-12) + 1e-15) << rate << " " << delta;
            ASSERT_LE(tight.epsilon, classic.epsilon * (1 + 1e-12)) << rate << " " << delta;
            ASSERT_GT(tight.order, 1 - 1e-15);
            ASSERT_GE(exact, before[0] * (1 - 1e-9));
            ASSERT_GE(tight.epsilon, before[1] * (1 - 1e-9));
            ASSERT_GE(classic.epsilon, before[2]);
            before[0] = exact;
            before[1] = tight.epsilon;
            before[2] = classic.epsilon;
        }
    }
}

TEST(GaussianEpsilon, ExactValueHoldsTheDefinition)
{
    // delta is the hockey-stick divergence of N(mu, 1) from N(0, 1), summed by Simpson's rule
    // over where the first density exceeds exp(epsilon) times the second.
    for (double mu : {0.3, 1.0, 4.0})
    {
        const double delta = 1e-3;
        const double epsilon = ExactGaussianEpsilon(mu * mu / 2, delta);
        const double low = epsilon / mu + mu / 2;
        const double high = mu + 12;
        const int intervals = 20000;
        const double step = (high - low) / intervals;
        double sum = 0;
        for (int i = 0; i <= intervals; ++i)
        {
            const double x = low + i * step;
            const double value = std::exp(-(x - mu) * (x - mu) / 2) - std::exp(epsilon - x * x / 2);
            sum += value * (i == 0 || i == intervals ? 1 : 2 + 2 * (i % 2));
        }
        EXPECT_NEAR(sum * step / 3 / std::sqrt(2 * M_PI) / delta, 1, 1e-9) << mu;
    }
}

TEST(GaussianEpsilon, NoNoiseIsInfiniteAndNoReleaseIsFree)
{
    EXPECT_EQ(GaussianRate(2, 0), INFINITE);
    EXPECT_EQ(GaussianRate(0, 0), 0);
    EXPECT_EQ(GaussianRate(2, 4), 0.125);
    EXPECT_EQ(NoiseMultiplier(0.125), 2);
    EXPECT_EQ(NoiseMultiplier(0), INFINITE);
    EXPECT_EQ(NoiseMultiplier(INFINITE), 0);
    EXPECT_EQ(ClassicGaussianEpsilon(INFINITE, 1e-4).epsilon, INFINITE);
    EXPECT_EQ(TightGaussianEpsilon(INFINITE, 1e-4).epsilon, INFINITE);
    EXPECT_EQ(ExactGaussianEpsilon(INFINITE, 1e-4), INFINITE);
    EXPECT_EQ(ClassicGaussianEpsilon(0, 1e-4).epsilon, 0);
    EXPECT_EQ(TightGaussianEpsilon(0, 1e-4).epsilon, 0);
    EXPECT_EQ(ExactGaussianEpsilon(0, 1e-4), 0);
    EXPECT_EQ(ClassicEpsilon({2, 3}, {INFINITE, INFINITE}, 0.1).epsilon, INFINITE);
    EXPECT_EQ(ClassicEpsilon({2, 3}, {INFINITE, 1}, std::exp(-1)).epsilon, 1.5);
}

TEST(GaussianEpsilon, ClassicRateInverts)
{
    for (double delta : {1e-12, 1e-4, 0.5})
    {
        for (double epsilon : {1e-8, 0.5, 27.8, 1e7})
        {
            const double rate = ClassicGaussianRate(epsilon, delta);
            EXPECT_NEAR(ClassicGaussianEpsilon(rate, delta).epsilon / epsilon, 1, 1e-14);
        }
    }
    EXPECT_EQ(ClassicGaussianRate(0, 0.1), 0);
    EXPECT_EQ(ClassicGaussianRate(INFINITE, 0.1), INFINITE);
}

TEST(RenyiAccounting, RefusesWhatMakesNoSense)
{
    ExpectRefused([] { GaussianRate(-1, 1); },
                  "GaussianRate: sensitivity must be finite and at least 0, got -1");
    ExpectRefused([] { GaussianRate(1, -1); }, "GaussianRate: sigma must be finite and at least 0");
    ExpectRefused([] { NoiseMultiplier(-1); }, "NoiseMultiplier: rate must be at least 0, got -1");
    ExpectRefused([] { ClassicEpsilon({}, {}, 0.1); }, "at least one order is needed, got none");
    ExpectRefused(
        [] {
            ClassicEpsilon({2}, {1, 2}, 0.1);
        },
        "ClassicEpsilon: rdp must have 1 entries, got 2");
    ExpectRefused([] { TightEpsilon({1}, {1}, 0.1); },
                  "TightEpsilon: an order must be finite and greater than 1, got 1");
    ExpectRefused([] { TightEpsilon({2}, {-1}, 0.1); }, "rdp must be at least 0, got -1");
    ExpectRefused([] { TightEpsilon({2}, {std::nan("")}, 0.1); }, "rdp must be at least 0");
    for (double delta : {0.0, 1.0, -0.1, std::nan("")})
    {
        ExpectRefused([&] { TightEpsilon({2}, {1}, delta); }, "delta must be in (0, 1), got ");
        ExpectRefused([&] { ClassicGaussianEpsilon(1, delta); }, "delta must be in (0, 1)");
        ExpectRefused([&] { TightGaussianEpsilon(1, delta); }, "delta must be in (0, 1)");
        ExpectRefused([&] { ExactGaussianEpsilon(1, delta); }, "delta must be in (0, 1)");
        ExpectRefused([&] { ClassicGaussianRate(1, delta); }, "delta must be in (0, 1)");
    }
    ExpectRefused([] { ExactGaussianEpsilon(-1, 0.1); }, "rate must be at least 0, got -1");
    ExpectRefused([] { ClassicGaussianRate(-1, 0.1); }, "epsilon must be at least 0, got -1");
}

} // namespace

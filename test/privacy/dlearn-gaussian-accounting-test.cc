/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-types.h"

#include <cmath>
#include <gtest/gtest.h>

namespace
{

using namespace ns3::dlearn;

TEST(GaussianEpsilon, AgreesWithReferences)
{
    // The exact value solved with other software, to the 12 digits that both sides have; the
    // classic one minimised over orders.
    struct Row
    {
        double rate;
        double delta;
        double classic;
        double exact;
    };

    const Row rows[] = {
        {30374.999999999993, 0.0001, 31432.854600214552, 31290.652624005354},
        {0.91125, 0.0001, 6.705358270981238, 5.455028505970925},
        {0.009088069956277327, 1e-05, 0.6560201282964283, 0.4717352424825067},
        {75.9375, 0.0001, 128.830230010728, 120.89690673166264},
        {0.1056375, 1e-05, 2.3112636367745822, 1.8145936317904217},
        {0.00658125, 1e-05, 0.557106238411372, 0.39566735628709493},
        {10.876989389920427, 0.0001, 30.89505867779539, 27.490559911463382},
        {0.1335481743557557, 0.0001, 2.3516772435242124, 1.763666617881386},
        {0.0013364591797630262, 1e-05, 0.2494215649284715, 0.16599092260854384},
        {6.675824175824175, 0.0001, 22.358504166541074, 19.578770754213014},
        {0.01614671052631579, 1e-05, 0.8784595883007902, 0.6454515856131069},
        {0.008771101732563303, 0.0001, 0.5772245559190536, 0.378502048517562},
    };
    for (const Row& r : rows)
    {
        EXPECT_NEAR(ClassicGaussianEpsilon(r.rate, r.delta) / r.classic, 1, 1e-12);
        EXPECT_NEAR(GaussianEpsilon(r.rate, r.delta) / r.exact, 1, 1e-12);
        EXPECT_NEAR(GaussianRateOf(r.exact, r.delta) / r.rate, 1, 1e-12);
    }
}

// mpmath with 60 digits: the curve of Balle and Wang, 2018, theorem 8, bisected. The first rows are
// those of hardly any noise and of hardly any loss.
TEST(GaussianEpsilon, AgreesWithSixtyDigits)
{
    struct Row
    {
        double rate;
        double delta;
        double epsilon;
    };

    const Row rows[] = {
        {1e-20, 1e-300, 5.1380528369872201e-9},
        {1e-20, 1e-15, 5.660183585841612e-10},
        {1e-12, 1e-9, 3.9907004209077753e-6},
        {1e-8, 1e-300, 0.0051914820097280179},
        {1e-4, 1e-12, 0.086710021743860334},
        {0.5, 1e-300, 37.448847912139105},
        {2, 1e-100, 44.316167708408008},
        {0.02, 0.01, 0.26323120977408296},
        {3.5, 1e-5, 14.191229927515554},
        {4000, 1e-5, 4380.4865758058711},
        {1e6, 1e-5, 1006030.4679078131},
        {1e6, 1e-300, 1052391.5189070351},
        {1e12, 1e-6, 1000006722356.1253},
        {2, 0.65, 0.20142991008059749},
    };
    for (const Row& r : rows)
    {
        EXPECT_NEAR(GaussianEpsilon(r.rate, r.delta) / r.epsilon, 1, 1e-10) << r.rate;
        EXPECT_NEAR(GaussianRateOf(r.epsilon, r.delta) / r.rate, 1, 1e-10) << r.rate;
    }
    EXPECT_EQ(GaussianEpsilon(0.3, 0.4), 0);
}

// k releases of rate e are one of rate k e: the hockey-stick divergence of k independent normal
// variables from k others is that of their sums. Here two, by the product of their densities.
TEST(GaussianEpsilon, RatesOfReleasesAddUp)
{
    const double first = 0.8;
    const double second = 1.1;
    const double epsilon = GaussianEpsilon((first * first + second * second) / 2, 1e-2);
    const double step = 0.01;
    double delta = 0;
    for (double x = -9; x < 10; x += step)
    {
        for (double y = -9; y < 10; y += step)
        {
            const double p =
                std::exp(-((x - first) * (x - first) + (y - second) * (y - second)) / 2);
            const double q = std::exp(epsilon - (x * x + y * y) / 2);
            delta += std::max(0.0, p - q) * step * step / (2 * M_PI);
        }
    }
    EXPECT_NEAR(delta, 1e-2, 1e-5); // the kink of the integrand costs a part of the square of step
}

TEST(GaussianEpsilon, IsOrderedAndMonotone)
{
    for (double delta : {1e-300, 1e-10, 1e-4, 0.1, 0.9})
    {
        double before = 0;
        for (double rate = 1e-20; rate < 1e300; rate *= 7)
        {
            const double exact = GaussianEpsilon(rate, delta);
            // 1e-12: rounding.
            ASSERT_LE(exact, ClassicGaussianEpsilon(rate, delta) * (1 + 1e-12)) << rate;
            ASSERT_GE(exact, before * (1 - 1e-9));
            if (rate < 1e24) // beyond, the next epsilon is several standard deviations away
            {
                ASSERT_LE(GaussianDelta(rate, exact), delta) << rate;
            }
            before = exact;
        }
        before = 0;
        for (double epsilon = 1e-9; epsilon < 1e12; epsilon *= 7)
        {
            const double rate = GaussianRateOf(epsilon, delta);
            ASSERT_GE(rate, before);
            ASSERT_LE(GaussianDelta(rate, epsilon), delta) << epsilon;
            before = rate;
        }
    }
}

TEST(GaussianEpsilon, HoldsTheDefinition)
{
    // delta is the hockey-stick divergence of N(mu, 1) from N(0, 1), summed by Simpson's rule
    // over where the first density exceeds exp(epsilon) times the second.
    for (double mu : {0.3, 1.0, 4.0})
    {
        const double delta = 1e-3;
        const double epsilon = GaussianEpsilon(mu * mu / 2, delta);
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
    EXPECT_EQ(GaussianEpsilon(INFINITE, 1e-4), INFINITE);
    EXPECT_EQ(GaussianEpsilon(0, 1e-4), 0);
    EXPECT_EQ(ClassicGaussianEpsilon(0, 1e-4), 0);
    EXPECT_EQ(GaussianRateOf(INFINITE, 0.1), INFINITE);
    EXPECT_EQ(GaussianDelta(0, 0), 0);
    EXPECT_EQ(GaussianDelta(INFINITE, 5), 1);
    // Epsilon 0 is the total variation distance.
    EXPECT_NEAR(GaussianRateOf(0, std::erf(0.25)), 0.25, 1e-15);
}

TEST(GaussianEpsilon, RefusesWhatMakesNoSense)
{
    ExpectRefused([] { GaussianRate(-1, 1); },
                  "GaussianRate: sensitivity must be finite and at least 0, got -1");
    ExpectRefused([] { GaussianRate(1, -1); }, "GaussianRate: sigma must be finite and at least 0");
    for (double delta : {0.0, 1.0, -0.1, std::nan("")})
    {
        ExpectRefused([&] { GaussianEpsilon(1, delta); }, "delta must be in (0, 1), got ");
        ExpectRefused([&] { GaussianRateOf(1, delta); }, "delta must be in (0, 1)");
    }
    ExpectRefused([] { GaussianEpsilon(-1, 0.1); }, "rate must be at least 0, got -1");
    ExpectRefused([] { GaussianDelta(-1, 0.1); }, "rate must be at least 0, got -1");
    ExpectRefused([] { GaussianDelta(1, std::nan("")); }, "epsilon must be at least 0, got nan");
    ExpectRefused([] { GaussianRateOf(-1, 0.1); }, "epsilon must be at least 0, got -1");
}

} // namespace

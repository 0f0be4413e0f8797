/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-sampled-gaussian.h"
#include "ns3/dlearn-types.h"

#include <cmath>
#include <gtest/gtest.h>

namespace
{

using namespace ns3::dlearn;

/** @return epsilon of rounds of one kind, whose noise is so many times the sensitivity */
double
Compose(double sampling, double multiplier, double rounds, double delta)
{
    return ComposeGaussians({{GaussianRate(1, multiplier), sampling, rounds}}, delta);
}

// By dp-accounting 0.6 of Google. `composed` is its self-composition, with "connect the dots" at
// intervals of 1e-4 or less, of a round's profile for neighbours of which one example is replaced;
// `added` is its account of a pair of neighbours that is possible here, too: the record that
// another one replaces has the gradient of all others. The account must not be below the latter.
TEST(ComposeGaussians, AgreesWithDpAccounting)
{
    struct Row
    {
        double sampling;
        double multiplier;
        double rounds;
        double delta;
        double composed;
        double added;
    };

    const Row rows[] = {
        {0.05, 1, 100, 1e-5, 3.8489538, 3.5021482},
        {0.01, 0.7, 1000, 1e-5, 5.2862703, 4.6182914},
        {0.1, 16, 1000, 1e-5, 0.73424847, 0.71926452},
        {0.9, 0.5, 30, 1e-4, 92.0208, 91.0895},
        {0.5, 4, 50, 1e-6, 4.5370591, 4.4515280},
        {0.1, 2, 80, 1e-5, 2.2541818, 2.0866850},
        {0.25, 1.5, 1000, 1e-4, 43.792, 37.102},
    };
    for (const Row& r : rows)
    {
        const double epsilon = Compose(r.sampling, r.multiplier, r.rounds, r.delta);
        EXPECT_NEAR(epsilon / r.composed, 1, 5e-4) << r.sampling << " " << r.multiplier;
        EXPECT_GT(epsilon, r.added);
    }
}

// The profile of a single round, solved for epsilon, is a closed form.
TEST(ComposeGaussians, OneRoundHasItsProfile)
{
    for (double sampling : {1e-4, 0.01, 0.3, 0.9})
    {
        for (double multiplier : {0.3, 1.0, 8.0})
        {
            for (double delta : {1e-12, 1e-6, 1e-3})
            {
                const double rate = GaussianRate(1, multiplier);
                const double share = delta / sampling;
                const double whole = share < 1 ? GaussianEpsilon(rate, share) : 0;
                const double expected = std::log1p(sampling * std::expm1(whole));
                const double epsilon = Compose(sampling, multiplier, 1, delta);
                EXPECT_GE(epsilon, expected * (1 - 1e-9)) << sampling << " " << multiplier;
                EXPECT_LE(epsilon, expected * 1.01 + 1e-3 * GaussianEpsilon(rate, delta))
                    << sampling << " " << multiplier << " " << delta;
            }
        }
    }
}

// With all examples in every round it is exact, and nearly all cost nearly as much.
TEST(ComposeGaussians, ApproachesTheExactCurve)
{
    for (double delta : {1e-300, 1e-5, 0.1})
    {
        const double exact = GaussianEpsilon(20 * 0.5 + 3 * 0.2, delta);
        EXPECT_EQ(ComposeGaussians({{0.5, 1, 20}, {0.2, 1, 3}}, delta), exact);
        const double nearly = ComposeGaussians({{0.5, 1 - 1e-6, 20}, {0.2, 1, 3}}, delta);
        EXPECT_LE(nearly, exact);
        EXPECT_GE(nearly, exact * 0.999) << delta;
    }
}

// More of each costs more, and rounds of two kinds cost more than those of one and less than all
// rounds of the dearer kind.
TEST(ComposeGaussians, IsMonotone)
{
    const double epsilon = Compose(0.1, 1, 50, 1e-6);
    EXPECT_GT(Compose(0.12, 1, 50, 1e-6), epsilon);
    EXPECT_GT(Compose(0.1, 0.95, 50, 1e-6), epsilon);
    EXPECT_GT(Compose(0.1, 1, 52, 1e-6), epsilon);
    EXPECT_GT(Compose(0.1, 1, 50, 5e-7), epsilon);
    const double mixed = ComposeGaussians({{0.5, 0.1, 50}, {0.5, 0.2, 10}}, 1e-6);
    EXPECT_GT(mixed, epsilon);
    EXPECT_LT(mixed, Compose(0.2, 1, 60, 1e-6));
    EXPECT_NEAR(ComposeGaussians({{0.5, 0.1, 30}, {0.5, 0.1, 20}}, 1e-6) / epsilon, 1, 1e-3);
}

TEST(ComposeGaussians, EndsOfItsRange)
{
    EXPECT_EQ(ComposeGaussians({}, 1e-5), 0);
    EXPECT_EQ(ComposeGaussians({{0, 0.5, 100}}, 1e-5), 0);
    EXPECT_EQ(ComposeGaussians({{INFINITE, 0.5, 1}}, 1e-5), INFINITE);
    EXPECT_EQ(ComposeGaussians({{1, 0.5, 0}}, 1e-5), 0);
    for (double sampling : {1e-9, 0.3})
    {
        for (double multiplier : {1e-3, 0.05, 1e4})
        {
            for (double rounds : {1.0, 1e3})
            {
                for (double delta : {1e-300, 1e-30, 0.1})
                {
                    const double epsilon = Compose(sampling, multiplier, rounds, delta);
                    const double rate = rounds * GaussianRate(1, multiplier);
                    EXPECT_GE(epsilon, 0) << sampling << " " << multiplier << " " << delta;
                    EXPECT_LE(epsilon, GaussianEpsilon(rate, delta));
                }
            }
        }
    }
}

TEST(ComposeGaussians, RefusesWhatMakesNoSense)
{
    ExpectRefused([] { Compose(0, 1, 1, 0.1); }, "sampling must be in (0, 1], got 0");
    ExpectRefused([] { Compose(1.5, 1, 1, 0.1); }, "sampling must be in (0, 1], got 1.5");
    ExpectRefused([] { Compose(0.5, 1, 1, 0); }, "delta must be in (0, 1), got 0");
}

} // namespace

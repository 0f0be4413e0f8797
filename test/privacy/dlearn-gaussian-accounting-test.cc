/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-types.h"

#include <Eigen/Core>
#include <cmath>
#include <gtest/gtest.h>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::dlearn
{
namespace
{

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

// By PLDAccountant of dp-accounting 0.6, at intervals of 1e-5, for one example that is there or
// not; PRVAccountant of Opacus 1.6 has the same to 1e-5. The account is above it, or nearly so.
TEST(ComposeGaussians, AgreesWithDpAccountingOfPoissonSampling)
{
    struct Row
    {
        double sampling;
        double multiplier;
        double rounds;
        double delta;
        double epsilon;
    };

    const Row rows[] = {
        {0.2, 2, 30, 1e-5, 2.6991282},
        {0.2, 1, 30, 1e-5, 7.9305063},
        {0.01, 0.8, 1000, 1e-5, 3.1410142},
    };
    for (const Row& r : rows)
    {
        const double rate = GaussianRate(1, r.multiplier);
        const double epsilon =
            ComposeGaussians({{rate, r.sampling, r.rounds}}, r.delta, Adjacency::ADD_REMOVE);
        EXPECT_NEAR(epsilon / r.epsilon, 1, 5e-4) << r.sampling << " " << r.multiplier;
        EXPECT_GT(epsilon, r.epsilon * (1 - 1e-5));
    }
}

/** @return density of N(mean, 1), independent in two directions */
double
GetDensity(const Eigen::Vector2d& x, const Eigen::Vector2d& mean)
{
    return std::exp(-(x - mean).squaredNorm() / 2) / (2 * M_PI);
}

// delta of a round in which a client may be drawn, by its definition, in the plane of the client's
// update v and of v' in its place, both of norm at most m; the larger one of both orders. The sum
// over a grid is exact to 1e-3, and the account of one round rounds up to a twentieth of delta.
TEST(ComposeGaussians, NoOtherUpdateCostsMoreThanTheOpposite)
{
    const std::vector<std::pair<double, double>> others{{1, 2.5},
                                                        {1, 1.5},
                                                        {1, 0},
                                                        {0.6, M_PI},
                                                        {0, 0}};
    for (const auto& [sampling, multiplier, delta] :
         {std::tuple(0.2, 0.4, 0.01), std::tuple(0.9, 1.0, 0.1), std::tuple(0.05, 2.0, 1e-3)})
    {
        const double m = 1 / multiplier;
        const double epsilon = ComposeGaussians({{GaussianRate(2, multiplier), sampling, 1}},
                                                delta,
                                                Adjacency::REPLACE);
        const auto find = [&, q = sampling](const Eigen::Vector2d& one,
                                            const Eigen::Vector2d& other) {
            constexpr double STEP = 0.04;
            double sum = 0;
            for (double x = -9; x < 9; x += STEP)
            {
                for (double y = -9; y < 9; y += STEP)
                {
                    const Eigen::Vector2d at(x, y);
                    const double none = (1 - q) * GetDensity(at, {0, 0});
                    sum += std::max(0.0,
                                    none + q * GetDensity(at, one) -
                                        std::exp(epsilon) * (none + q * GetDensity(at, other)));
                }
            }
            return sum * STEP * STEP;
        };
        const Eigen::Vector2d update(m, 0);
        EXPECT_LE(find(update, -update), delta * 1.001) << sampling;
        EXPECT_GE(find(update, -update), delta * 0.95) << sampling;
        for (const auto& [length, angle] : others)
        {
            const Eigen::Vector2d other(length * m * std::cos(angle), length * m * std::sin(angle));
            EXPECT_LT(std::max(find(update, other), find(other, update)), delta * 1.001);
        }
    }
}

// A composition of the losses of (1-q) N(0) + q N(m) against (1-q) N(0) + q N(-m) with NumPy, by
// Fourier transforms on grids of 5e-6 to 1e-5: all rounded down, which no account may be below, and
// the mean of that and of all rounded up.
TEST(ComposeGaussians, AgreesWithReplacedClientsOfPoissonSampling)
{
    struct Row
    {
        double sampling;
        double multiplier;
        double rounds;
        double delta;
        double least;
        double epsilon;
    };

    const Row rows[] = {
        {0.2, 1.854657, 30, 1e-5, 5.285592, 5.287139},
        {0.2, 4, 30, 1e-5, 2.199917, 2.201438},
        {0.01, 0.8, 1000, 1e-5, 4.177805, 4.228052},
        {0.5, 8, 50, 1e-6, 4.236676, 4.239220},
        {0.9, 3, 10, 1e-5, 9.272052, 9.272594},
    };
    for (const Row& r : rows)
    {
        const double rate = GaussianRate(2, r.multiplier);
        const double epsilon =
            ComposeGaussians({{rate, r.sampling, r.rounds}}, r.delta, Adjacency::REPLACE);
        EXPECT_NEAR(epsilon / r.epsilon, 1, 5e-4) << r.sampling << " " << r.multiplier;
        EXPECT_GT(epsilon, r.least);
        EXPECT_LT(epsilon, ComposeGaussians({{rate, r.sampling, r.rounds}}, r.delta));
    }
}

// The account of these losses had 1e8 points and more on its grid.
TEST(ComposeGaussians, TinyEpsilonsNeedNoHugeGrid)
{
    const double rate = GaussianRateOf(1e-9, 1e-5);
    for (const auto poisson : {Adjacency::REPLACE, Adjacency::ADD_REMOVE})
    {
        EXPECT_LE(ComposeGaussians({{rate, 0.01, 1}}, 1e-5, poisson), 1e-9 * (1 + 1e-9));
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

} // namespace
} // namespace ns3::dlearn

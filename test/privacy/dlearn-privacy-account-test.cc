/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-gaussian-accounting.h"
#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace ns3::dlearn
{
namespace
{

constexpr double DELTA = 1e-5;

Eigen::ArrayXd
One(double value)
{
    return Eigen::ArrayXd::Constant(1, value);
}

// One release of Laplace noise, of two vectors at distance Phi along the diagonal, which has the
// largest 1-norm: the density ratio is exp(sum |x_k - x'_k| / b) in the worst place.
TEST(PrivacyLosses, LaplaceCostsTheLargestOneNormOverTheScale)
{
    const uint32_t d = 9;
    const Eigen::VectorXd gap = Eigen::VectorXd::Constant(d, 2 / std::sqrt(d));
    ASSERT_NEAR(gap.norm(), 2, 1e-15);
    const auto losses = PrivacyLosses::OfRelease(NoiseLaw::LAPLACE, One(2), 0.5, d);
    EXPECT_NEAR(losses.GetEpsilon(DELTA), gap.lpNorm<1>() / 0.5, 1e-14);
}

// delta(epsilon) of Gaussian noise by numerical integration of max(p - e^epsilon q, 0), p and q
// normal densities Phi / s apart: it is delta at the epsilon of the account.
TEST(PrivacyLosses, GaussianMeetsDeltaWhateverTheDimension)
{
    for (const double ratio : {0.1, 0.5, 2.0})
    {
        const uint32_t rounds = 7;
        PrivacyLosses losses;
        for (uint32_t t = 0; t < rounds; ++t)
        {
            losses += PrivacyLosses::OfRelease(NoiseLaw::GAUSSIAN, One(3 * ratio), 3, 1000 * t + 1);
        }
        const double mu = ratio * std::sqrt(rounds); // of all releases together
        const auto missing = [mu](double epsilon) {
            double sum = 0;
            const double step = 1e-3;
            for (double x = -12; x < 12 + mu; x += step)
            {
                const double p = std::exp(-(x - mu) * (x - mu) / 2);
                const double q = std::exp(-x * x / 2);
                sum += std::max(0.0, p - std::exp(epsilon) * q) * step / std::sqrt(2 * M_PI);
            }
            return sum;
        };
        const double epsilon = losses.GetEpsilon(DELTA);
        EXPECT_NEAR(missing(epsilon) / DELTA, 1, 1e-4) << ratio;
    }
}

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
TEST(PrivacyLosses, TernaryCostsAtLeastTheTotalVariation)
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
        const auto losses =
            PrivacyLosses::OfRelease(NoiseLaw::TERNARY, One((x - y).norm()), 1.5, d);
        EXPECT_GE(losses.GetTernaryDelta(), Distance(x, y, 1.5) * (1 - 1e-12));
    }
    const auto tight = PrivacyLosses::OfRelease(NoiseLaw::TERNARY, One(0.3), 1.5, 1);
    EXPECT_NEAR(tight.GetTernaryDelta(),
                Distance(Eigen::VectorXd::Zero(1), Eigen::VectorXd::Constant(1, 0.3), 1.5),
                1e-15);
}

// Two ternary releases of one entry, the second of a state that the first message decides: the
// distance over all nine outcomes is at most what the module adds up.
TEST(PrivacyLosses, TernaryDeltasOfAdaptiveReleasesAddUp)
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
    auto losses = PrivacyLosses::OfRelease(NoiseLaw::TERNARY, One(first[1] - first[0]), s, 1);
    EXPECT_GT(distance, losses.GetTernaryDelta()) << "two tell more than one";
    losses += losses;
    EXPECT_LE(distance, losses.GetTernaryDelta() + 1e-15);
}

TEST(PrivacyLosses, TernaryEpsilonIsZeroUntilDeltaIsSpent)
{
    auto losses = PrivacyLosses::OfRelease(NoiseLaw::TERNARY, One(0.3), 10, 4); // 0.06
    EXPECT_EQ(losses.GetEpsilon(0.07), 0);
    EXPECT_EQ(losses.GetEpsilon(0.05), INFINITE);
    losses += PrivacyLosses::OfRelease(NoiseLaw::TERNARY, One(1), 0, 1);
    EXPECT_EQ(losses.GetTernaryDelta(), 1);
}

// Basic composition of mechanisms of different laws: epsilons add up at the deltas that are left.
TEST(PrivacyLosses, LawsCompose)
{
    PrivacyLosses losses = PrivacyLosses::OfRelease(NoiseLaw::LAPLACE, One(1), 2, 4);
    losses += PrivacyLosses::OfRelease(NoiseLaw::GAUSSIAN, One(1), 2, 4);
    losses += PrivacyLosses::OfRelease(NoiseLaw::TERNARY, One(4e-6), 2, 1);
    const double left = DELTA - 2e-6;
    EXPECT_NEAR(losses.GetEpsilon(DELTA), 1 + GaussianEpsilon(0.125, left), 1e-12);
}

TEST(PrivacyLosses, TheUnitThatLostMostCounts)
{
    PrivacyLosses losses(3);
    const Eigen::ArrayXd first = (Eigen::ArrayXd(3) << 1, 0, 2).finished();
    const Eigen::ArrayXd second = (Eigen::ArrayXd(3) << 1.5, 2, 0).finished();
    losses += PrivacyLosses::OfRelease(NoiseLaw::LAPLACE, first, 1, 1);
    losses += PrivacyLosses::OfRelease(NoiseLaw::LAPLACE, second, 1, 1);
    EXPECT_EQ(losses.GetEpsilon(DELTA), 2.5) << "not 2 + 2";
    EXPECT_EQ(losses.GetUnits(), 3U);
}

TEST(PrivacyLosses, NothingHiddenCostsNothingAndNoNoiseAll)
{
    for (const NoiseLaw law :
         {NoiseLaw::NONE, NoiseLaw::LAPLACE, NoiseLaw::GAUSSIAN, NoiseLaw::TERNARY})
    {
        EXPECT_EQ(PrivacyLosses::OfRelease(law, One(0), 0, 5).GetEpsilon(DELTA), 0)
            << ToString(law);
        EXPECT_EQ(PrivacyLosses::OfRelease(law, One(1e-3), 0, 5).GetEpsilon(DELTA), INFINITE)
            << ToString(law);
        EXPECT_EQ(PrivacyLosses::OfRelease(law, One(INFINITE), 1, 5).GetEpsilon(DELTA), INFINITE)
            << ToString(law);
    }
    EXPECT_EQ(PrivacyLosses::OfRelease(NoiseLaw::NONE, One(1e-3), 9, 5).GetEpsilon(DELTA),
              INFINITE);
    EXPECT_TRUE((Contract(0, One(INFINITE)) == 0).all()) << "not NaN";
}

// By definition: the gradient is the mean over the batches in the window, each the mean of its
// samples; the share of a record is its part in that.
TEST(SampleUnit, SharesAreThoseOfTheDefinition)
{
    const SampleIndices shard{7, 3, 11, 5};
    std::mt19937 generator(5);
    for (const uint32_t window : {0U, 1U, 3U})
    {
        const auto unit = CreateObject<SampleUnit>();
        unit->Setup(shard, window);
        EXPECT_EQ(unit->GetUnits(), 4U);
        std::vector<SampleIndices> batches;
        for (uint32_t t = 0; t < 20; ++t)
        {
            SampleIndices batch(1 + t % 3);
            for (uint32_t& sample : batch)
            {
                sample = shard[generator() % shard.size()];
            }
            batches.push_back(batch);
            unit->Take(batch);
            EXPECT_EQ(unit->GetParts(batch.size()), batch.size());
            const size_t kept = window == 0 ? t + 1 : std::min(t + 1, window);
            const Eigen::ArrayXd shares = unit->GetShares();
            for (size_t record = 0; record < shard.size(); ++record)
            {
                double share = 0;
                for (size_t k = batches.size() - kept; k < batches.size(); ++k)
                {
                    const auto times =
                        std::count(batches[k].begin(), batches[k].end(), shard[record]);
                    share += 1.0 * times / batches[k].size() / kept;
                }
                ASSERT_NEAR(shares[record], share, 1e-15) << window << " " << t;
            }
            ASSERT_NEAR(shares.sum(), 1, 1e-14);
        }
    }
}

TEST(BatchUnit, IsOnePartOfTheWindow)
{
    const auto all = CreateObject<BatchUnit>();
    all->Setup({0, 1}, 0);
    const auto newest = CreateObject<BatchUnit>();
    newest->Setup({0, 1}, 2);
    for (uint32_t t = 0; t < 5; ++t)
    {
        all->Take({0});
        newest->Take({1});
        EXPECT_EQ(all->GetParts(1), t + 1);
        EXPECT_EQ(all->GetShares()[0], 1.0 / (t + 1));
        EXPECT_EQ(newest->GetParts(1), std::min(t + 1, 2U));
    }
    EXPECT_EQ(all->GetUnits(), 1U);
}

TEST(LearnerUnit, IsTheWholeGradient)
{
    const auto unit = CreateObject<LearnerUnit>();
    unit->Setup({0, 1}, 0);
    unit->Take({0});
    EXPECT_EQ(unit->GetParts(1), 1U);
    EXPECT_EQ(unit->GetUnits(), 1U);
    EXPECT_EQ(unit->GetShares()[0], 1);
}

} // namespace
} // namespace ns3::dlearn

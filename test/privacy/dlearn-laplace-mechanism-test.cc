/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-geometric-decay-laplace.h"
#include "ns3/dlearn-laplace-mechanism.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

Ptr<LaplaceMechanism>
MakeLaplace(double base, double growth)
{
    return CreateObjectWithAttributes<LaplaceMechanism>("BaseScale",
                                                        DoubleValue(base),
                                                        "GrowthExponent",
                                                        DoubleValue(growth));
}

/** Distribution function of Lap(b), written down from its density. */
double
LaplaceCdf(double x, double b)
{
    return x < 0 ? 0.5 * std::exp(x / b) : 1 - 0.5 * std::exp(-x / b);
}

TEST(LaplaceMechanism, ScaleFollowsThePower)
{
    const auto growing = MakeLaplace(0.1, 0.13);
    EXPECT_EQ(growing->GetScale(0), 0.1);
    EXPECT_NEAR(growing->GetScale(1999), 0.1 * std::exp(0.13 * std::log(2000.0)), 1e-15);
    const auto decaying = MakeLaplace(0.07 / 0.2, -1);
    EXPECT_NEAR(decaying->GetScale(9), 0.035, 1e-16) << "DOLA's decaying noise";
    EXPECT_EQ(MakeLaplace(0, 0.1)->GetScale(77), 0);
}

// Kolmogorov-Smirnov. By the inequality of Dvoretzky, Kiefer, Wolfowitz and Massart the
// distance of n true draws exceeds e with probability at most 2 exp(-2 n e^2); with
// n = 50,000 and e = 0.0147 that is 8.3e-10. The stream is fixed, so it never flickers.
TEST(LaplaceMechanism, DrawsHaveTheLaplaceDistribution)
{
    const uint32_t round = 99;
    const auto mechanism = MakeLaplace(0.5, 0.25);
    mechanism->AssignStreams(4711);
    ModelVector draws = ModelVector::Zero(50000);
    mechanism->Perturb(round, draws);
    std::sort(draws.begin(), draws.end());
    const double scale = 0.5 * std::sqrt(10.0); // 100^(1/4)
    const double n = draws.size();
    double distance = 0;
    for (Eigen::Index k = 0; k < draws.size(); ++k)
    {
        const double cdf = LaplaceCdf(draws[k], scale);
        distance = std::max({distance, cdf - k / n, (k + 1) / n - cdf});
    }
    EXPECT_LT(distance, 0.0147);
}

// |x|/b is exponential with mean 1. Chernoff: the mean of n = 200,000 is off by more than
// 0.015 with probability at most 2 exp(-n (0.015 - ln 1.015)) = 4.3e-10. This sees errors of
// the scale that the distance above is too coarse for.
TEST(LaplaceMechanism, MeanMagnitudeIsTheScale)
{
    const auto mechanism = MakeLaplace(0.5, 0.25);
    mechanism->AssignStreams(4712);
    ModelVector draws = ModelVector::Zero(200000);
    mechanism->Perturb(15, draws);
    EXPECT_NEAR(draws.cwiseAbs().mean(), 1.0, 0.015) << "0.5 * 16^(1/4) = 1";
}

// Neighbouring entries have equal signs in half of all cases, and so have the entries of two
// rounds. Hoeffding: n = 50,000 fair coins are off by more than 0.0147 n with probability at
// most 8.3e-10.
TEST(LaplaceMechanism, EntriesAndRoundsAreIndependent)
{
    const auto mechanism = MakeLaplace(1, 0);
    mechanism->AssignStreams(12);
    ModelVector first = ModelVector::Zero(100000);
    ModelVector second = ModelVector::Zero(100000);
    mechanism->Perturb(0, first);
    mechanism->Perturb(1, second);
    int neighbours = 0;
    int rounds = 0;
    for (Eigen::Index k = 0; k < first.size(); k += 2)
    {
        neighbours += (first[k] > 0) == (first[k + 1] > 0);
        rounds += (first[k] > 0) == (second[k] > 0);
    }
    EXPECT_NEAR(neighbours / 50000.0, 0.5, 0.0147);
    EXPECT_NEAR(rounds / 50000.0, 0.5, 0.0147);
}

// u and 1 - u are the same stream seen from both ends. 1 - u is rounded to 2^-53, relative to
// the smallest u of the generator, 2^-32, that is 5e-7.
TEST(LaplaceMechanism, OppositeUniformsGiveOppositeNoise)
{
    const auto plain = CreateObject<UniformRandomVariable>();
    const auto mirrored =
        CreateObjectWithAttributes<UniformRandomVariable>("Antithetic", BooleanValue(true));
    plain->SetStream(5);
    mirrored->SetStream(5);
    ModelVector up = ModelVector::Zero(20000);
    ModelVector down = ModelVector::Zero(20000);
    AddLaplaceNoise(*plain, 2.0, up);
    AddLaplaceNoise(*mirrored, 2.0, down);
    EXPECT_TRUE(up.allFinite());
    EXPECT_LT((up + down).cwiseAbs().maxCoeff(), 2 * 5e-7);
    EXPECT_GT(up.cwiseAbs().maxCoeff(), 2 * std::log(1000.0)) << "tails are there";
}

TEST(LaplaceMechanism, NoiseIsAddedAndZeroScaleAddsNothing)
{
    const auto mechanism = MakeLaplace(1, 0);
    mechanism->AssignStreams(1);
    ModelVector zero = ModelVector::Zero(3);
    mechanism->Perturb(0, zero);
    mechanism->AssignStreams(1);
    ModelVector shifted = ModelVector::Constant(3, 8.0);
    mechanism->Perturb(0, shifted);
    // Near 8 doubles are 1.8e-15 apart.
    EXPECT_LT((shifted - zero - ModelVector::Constant(3, 8.0)).cwiseAbs().maxCoeff(), 4e-15);

    ModelVector kept = ModelVector::Constant(3, 8.0);
    MakeLaplace(0, 0.1)->Perturb(5, kept);
    EXPECT_EQ(kept, ModelVector::Constant(3, 8.0));
}

TEST(LaplaceMechanism, RefusesScalesThatAreNoScales)
{
    EXPECT_FALSE(MakeLaplace(1, 0)->SetAttributeFailSafe("BaseScale", DoubleValue(-1)));
    const auto endless = MakeLaplace(1e300, 20);
    ExpectRefused([&] { endless->GetScale(9); },
                  "LaplaceMechanism: scale of round 9 must be finite and at least 0, got inf");
}

TEST(GeometricDecayLaplace, ScaleDecaysAndNoiseIsItsLaplace)
{
    const auto mechanism = CreateObject<GeometricDecayLaplace>();
    EXPECT_EQ(mechanism->GetScale(0), 0.5);
    EXPECT_NEAR(mechanism->GetScale(100), 0.5 * std::exp(100 * std::log(0.98)), 1e-14);
    // The same uniforms through the other mechanism give the same noise up to its scale.
    const auto unit = MakeLaplace(1, 0);
    EXPECT_EQ(unit->AssignStreams(3), 1);
    EXPECT_EQ(mechanism->AssignStreams(3), 1);
    ModelVector expected = ModelVector::Zero(50);
    ModelVector decayed = ModelVector::Zero(50);
    unit->Perturb(0, expected);
    mechanism->Perturb(100, decayed);
    expected *= mechanism->GetScale(100);
    EXPECT_LT((decayed - expected).norm(), 1e-14 * expected.norm());
}

TEST(GeometricDecayLaplace, RefusesRatioZero)
{
    const auto mechanism =
        CreateObjectWithAttributes<GeometricDecayLaplace>("Ratio", DoubleValue(0));
    ExpectRefused([&] { mechanism->GetScale(0); },
                  "GeometricDecayLaplace: Ratio must be in (0, 1], got 0");
}

} // namespace

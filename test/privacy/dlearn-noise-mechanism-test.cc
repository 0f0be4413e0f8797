/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "support/dlearn-own-components.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-privacy-account.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** @return all types of noise that a run can have */
std::vector<TypeId>
GetMechanisms()
{
    std::vector<TypeId> mechanisms;
    for (const TypeId& type : test::GetOwnTypes(NoiseMechanism::GetTypeId()))
    {
        if (!type.MustHideFromDocumentation())
        {
            mechanisms.push_back(type);
        }
    }
    return mechanisms;
}

/** Every kind of noise. */
class NoiseMechanismTest : public ::testing::TestWithParam<TypeId>
{
  protected:
    /** @return the noise, with a fixed stream and otherwise its own defaults */
    Ptr<NoiseMechanism> Make(double multiplier)
    {
        const auto noise = ObjectFactory(GetParam().GetName()).Create<NoiseMechanism>();
        noise->SetAttribute("Multiplier", DoubleValue(multiplier));
        noise->AssignStreams(7);
        return noise;
    }
};

TEST_P(NoiseMechanismTest, TheMultiplierMultipliesScaleAndNoise)
{
    const auto plain = Make(1);
    const auto multiplied = Make(4); // a power of two does not round
    for (uint32_t round : {0, 3})
    {
        EXPECT_GT(plain->GetScale(round), 0);
        EXPECT_EQ(multiplied->GetScale(round), 4 * plain->GetScale(round));
        // Noise on zeros of what adds noise; what rounds takes entries that scale alike.
        ModelVector once = ModelVector::LinSpaced(100, -1, 1);
        ModelVector more = 4 * once;
        plain->Perturb(round, once);
        multiplied->Perturb(round, more);
        EXPECT_LE((more - 4 * once).cwiseAbs().maxCoeff(), 1e-12);
    }
}

TEST_P(NoiseMechanismTest, WithMultiplierZeroNothingIsAdded)
{
    const auto noise = Make(0);
    EXPECT_EQ(noise->GetScale(5), 0);
    ModelVector vector = ModelVector::LinSpaced(100, -1, 1);
    const ModelVector before = vector;
    noise->Perturb(5, vector);
    EXPECT_EQ(vector, before);
}

TEST_P(NoiseMechanismTest, RefusesAScaleThatIsNotFinite)
{
    const auto noise = Make(1e300);
    noise->SetAttribute("BaseScale", DoubleValue(1e300));
    ExpectRefused([&] { noise->GetScale(2); },
                  GetParam().GetName() +
                      ": scale of round 2 must be finite and at least 0, got inf");
}

INSTANTIATE_TEST_SUITE_P(All,
                         NoiseMechanismTest,
                         ::testing::ValuesIn(GetMechanisms()),
                         [](const auto& info) {
                             const std::string name = info.param.GetName();
                             return name.substr(name.rfind(':') + 1);
                         });

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

Ptr<TernaryQuantizer>
MakeQuantizer(double scale, double growth = 0)
{
    const auto quantizer = CreateObjectWithAttributes<TernaryQuantizer>("BaseScale",
                                                                        DoubleValue(scale),
                                                                        "GrowthExponent",
                                                                        DoubleValue(growth));
    quantizer->AssignStreams(31);
    return quantizer;
}

// Q(x) / s sign(x) is 1 with probability |x| / s, else 0. By Hoeffding the share of ones among n
// is off by more than e with probability at most 2 exp(-2 n e^2); n = 100,000 and e = 0.0105 give
// 5.3e-10 for each of the four numbers. The stream is fixed, so it never flickers.
TEST(TernaryQuantizer, RoundsToThreeLevelsWithoutBias)
{
    const auto quantizer = MakeQuantizer(2, 0.5);
    const double scale = 6; // 2 * 9^(1/2)
    for (const double x : {0.3, -1.7, 5.4, -6.0})
    {
        ModelVector many = ModelVector::Constant(100000, x);
        quantizer->Perturb(8, many);
        double ones = 0;
        for (const double level : many)
        {
            EXPECT_TRUE(level == 0 || level == std::copysign(scale, x)) << level;
            ones += level != 0;
        }
        EXPECT_NEAR(ones / many.size(), std::abs(x) / scale, 0.0105) << x;
    }
    ModelVector zero = ModelVector::Zero(1000);
    quantizer->Perturb(8, zero);
    EXPECT_EQ(zero, ModelVector::Zero(1000));
}

// What is drawn later must not depend on what was rounded earlier.
TEST(TernaryQuantizer, DrawsOncePerEntry)
{
    const auto first = MakeQuantizer(1);
    const auto second = MakeQuantizer(1);
    ModelVector some = ModelVector::Zero(50);
    ModelVector others = ModelVector::Constant(50, 7);
    first->Perturb(0, some);
    second->Perturb(0, others);
    ModelVector a = ModelVector::LinSpaced(100, -1, 1);
    ModelVector b = a;
    first->Perturb(1, a);
    second->Perturb(1, b);
    EXPECT_EQ(a, b);
}

} // namespace
} // namespace ns3::dlearn

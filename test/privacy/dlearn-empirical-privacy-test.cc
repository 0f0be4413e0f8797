/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Privacy from samples alone: how often two neighbouring inputs lead to an event is counted, and
 * what the counts prove about epsilon, by the exact bounds of Clopper and Pearson (1934), is
 * compared with what accounts charge. It needs no formula of the noise.
 */

#include "support/dlearn-own-components.h"

#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-privacy-losses.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

constexpr uint32_t SAMPLES = 100000;
constexpr double FAILURE = 1e-9; //!< of each bound
constexpr double DELTA = 1e-2;   //!< of epsilon

/** @return probability of at least so many successes among SAMPLES */
double
GetUpperTail(uint32_t successes, double p)
{
    const double n = SAMPLES;
    double sum = 0;
    for (uint32_t k = successes; k <= SAMPLES; ++k)
    {
        const double term =
            std::exp(std::lgamma(n + 1) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0) +
                     k * std::log(p) + (n - k) * std::log1p(-p));
        sum += term;
        if (k > n * p && term < 1e-20)
        {
            break; // the terms only get smaller
        }
    }
    return sum;
}

/** @return p where a function that grows with p reaches a value */
double
FindProbability(const std::function<double(double)>& grows, double value)
{
    double low = 1e-12;
    double high = 1 - 1e-12;
    for (int step = 0; step < 45; ++step)
    {
        const double middle = (low + high) / 2;
        (grows(middle) < value ? low : high) = middle;
    }
    return (low + high) / 2;
}

/** @return what the probability exceeds, but for a chance of FAILURE */
double
GetLower(uint32_t successes)
{
    const auto tail = [=](double p) { return GetUpperTail(successes, p); };
    return FindProbability(tail, FAILURE);
}

/** @return what exceeds the probability, but for a chance of FAILURE */
double
GetUpper(uint32_t successes)
{
    return 1 - GetLower(SAMPLES - successes);
}

/** @return how often the noise takes an input beyond a threshold */
uint32_t
CountBeyond(NoiseMechanism& mechanism, double input, double threshold, uint32_t& round)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < SAMPLES; ++k)
    {
        ModelVector vector = ModelVector::Constant(1, input);
        mechanism.Perturb(round++, vector);
        count += vector[0] > threshold ? 1 : 0;
    }
    return count;
}

/** What two inputs, and counts, prove. */
struct Proven
{
    double epsilon; //!< at DELTA, at least this
    double delta;   //!< at epsilon 0, at least this
};

Proven
Prove(NoiseMechanism& mechanism, double first, double second, double threshold)
{
    uint32_t round = 0;
    const double more = GetLower(CountBeyond(mechanism, second, threshold, round));
    const double less = GetUpper(CountBeyond(mechanism, first, threshold, round));
    const double delta = mechanism.GetLaw() == NoiseLaw::GAUSSIAN ? DELTA : 0;
    return {more > delta ? std::log((more - delta) / less) : 0, more - less};
}

/** @return a mechanism whose noise has the same scale in every round, and that scale */
Ptr<NoiseMechanism>
MakeSteady(TypeId type, double scale)
{
    ObjectFactory factory;
    factory.SetTypeId(type);
    const auto mechanism = factory.Create<NoiseMechanism>();
    mechanism->SetAttributeFailSafe("BaseScale", DoubleValue(scale));
    mechanism->SetAttributeFailSafe("GrowthExponent", DoubleValue(0));
    mechanism->SetAttributeFailSafe("Ratio", DoubleValue(1));
    mechanism->AssignStreams(7);
    EXPECT_EQ(mechanism->GetScale(0), scale);
    EXPECT_EQ(mechanism->GetScale(1000), scale);
    return mechanism;
}

// Both bounds hold but for a chance of 2e-9, for each of the four mechanisms that there are; and
// what is proven is not far from what is charged, so that an account much too large would be seen,
// too.
TEST(EmpiricalPrivacy, SamplesProveNoMoreThanIsCharged)
{
    uint32_t tested = 0;
    for (const TypeId& type : test::GetOwnTypes(NoiseMechanism::GetTypeId()))
    {
        SCOPED_TRACE(type.GetName());
        const auto mechanism = MakeSteady(type, 1);
        const NoiseLaw law = mechanism->GetLaw();
        const Eigen::ArrayXd distance =
            Eigen::ArrayXd::Constant(1, law == NoiseLaw::TERNARY ? 0.3 : 1);
        const PrivacyLosses charged = PrivacyLosses::OfRelease(law, distance, 1, 1);
        if (law == NoiseLaw::TERNARY)
        {
            const Proven proven = Prove(*mechanism, 0.2, 0.5, 0.5);
            EXPECT_LE(proven.delta, charged.GetTernaryDelta());
            EXPECT_GE(proven.delta, 0.9 * charged.GetTernaryDelta());
        }
        else
        {
            const double threshold = law == NoiseLaw::GAUSSIAN ? 2 : 1;
            const Proven proven = Prove(*mechanism, 0, 1, threshold);
            EXPECT_LE(proven.epsilon, charged.GetEpsilon(DELTA));
            EXPECT_GE(proven.epsilon, 0.6 * charged.GetEpsilon(DELTA));
        }
        ++tested;
    }
    EXPECT_GE(tested, 4U);
}

// The same counts convict noise of half the scale that is charged.
TEST(EmpiricalPrivacy, SamplesConvictNoiseThatIsTooSmall)
{
    for (const char* name : {"LaplaceMechanism", "GaussianMechanism"})
    {
        const TypeId type = TypeId::LookupByName(std::string("ns3::dlearn::") + name);
        const auto mechanism = MakeSteady(type, 0.5);
        const NoiseLaw law = mechanism->GetLaw();
        const PrivacyLosses charged =
            PrivacyLosses::OfRelease(law, Eigen::ArrayXd::Constant(1, 1), 1, 1);
        const Proven proven = Prove(*mechanism, 0, 1, law == NoiseLaw::GAUSSIAN ? 1.25 : 1);
        EXPECT_GT(proven.epsilon, charged.GetEpsilon(DELTA)) << name;
    }
    const auto ternary = MakeSteady(TypeId::LookupByName("ns3::dlearn::TernaryQuantizer"), 0.5);
    EXPECT_GT(Prove(*ternary, 0.1, 0.4, 0.2).delta, 0.3);
}

// By the normal law, which the binomial one is close to: the tail at five standard errors
// is 2.87e-7, and that of six standard errors 1e-9.
TEST(EmpiricalPrivacy, TheTailIsThatOfTheBinomialLaw)
{
    EXPECT_NEAR(GetUpperTail(0, 0.3), 1, 1e-9);
    const double error = std::sqrt(SAMPLES * 0.25);
    EXPECT_NEAR(GetUpperTail(SAMPLES / 2, 0.5), 0.5, 2 / error);
    EXPECT_NEAR(std::log(GetUpperTail(static_cast<uint32_t>(SAMPLES / 2.0 + 5 * error), 0.5)),
                std::log(2.87e-7),
                0.2);
    EXPECT_NEAR(GetLower(SAMPLES / 2), 0.5 - 6 * error / SAMPLES, 0.2 * error / SAMPLES);
    EXPECT_NEAR(GetUpper(SAMPLES / 2), 0.5 + 6 * error / SAMPLES, 0.2 * error / SAMPLES);
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"
#include "support/dlearn-own-components.h"

#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

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

} // namespace

} // namespace ns3::dlearn

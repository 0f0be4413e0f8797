/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-ldp-online.h"
#include "ns3/dlearn-learner-rule.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

TEST(StepSchedule, GoesAsItsNameSays)
{
    const auto power = PowerStep(2, 0.5).factory.Create<StepSchedule>();
    EXPECT_DOUBLE_EQ(power->Get(0), 2);
    EXPECT_DOUBLE_EQ(power->Get(3), 1);
    EXPECT_EQ(GetPowerExponent(*power), 0.5);
    const auto geometric = GeometricStep(4, 0.5).factory.Create<StepSchedule>();
    EXPECT_DOUBLE_EQ(geometric->Get(0), 4);
    EXPECT_DOUBLE_EQ(geometric->Get(3), 0.5);
    EXPECT_TRUE(std::isnan(GetPowerExponent(*geometric)));
    const auto constant = ConstantStep(0.7).factory.Create<StepSchedule>();
    EXPECT_EQ(constant->Get(0), 0.7);
    EXPECT_EQ(constant->Get(1000), 0.7);
    EXPECT_EQ(GetPowerExponent(*constant), 0);
}

TEST(StepSchedule, DecaysByStepsAndByACosine)
{
    const auto steps = CreateObjectWithAttributes<StepDecaySchedule>("Initial",
                                                                     DoubleValue(8),
                                                                     "Rounds",
                                                                     UintegerValue(10),
                                                                     "Factor",
                                                                     DoubleValue(0.5));
    EXPECT_EQ(steps->Get(9), 8);
    EXPECT_EQ(steps->Get(10), 4);
    EXPECT_EQ(steps->Get(39), 1);
    const auto cosine = CreateObjectWithAttributes<CosineSchedule>("Initial",
                                                                   DoubleValue(4),
                                                                   "Rounds",
                                                                   UintegerValue(6),
                                                                   "Final",
                                                                   DoubleValue(2));
    EXPECT_DOUBLE_EQ(cosine->Get(0), 4);
    EXPECT_DOUBLE_EQ(cosine->Get(2), 3.5);
    EXPECT_DOUBLE_EQ(cosine->Get(3), 3);
    EXPECT_DOUBLE_EQ(cosine->Get(6), 2);
    EXPECT_DOUBLE_EQ(cosine->Get(4000000000), 2);
}

TEST(StepSchedule, WarmsUpToAnother)
{
    ObjectFactory factory("ns3::dlearn::WarmUpSchedule",
                          "Initial",
                          DoubleValue(4),
                          "Rounds",
                          UintegerValue(4));
    const auto flat = factory.Create<StepSchedule>();
    EXPECT_DOUBLE_EQ(flat->Get(0), 1);
    EXPECT_DOUBLE_EQ(flat->Get(3), 4);
    EXPECT_DOUBLE_EQ(flat->Get(4), 4);
    EXPECT_DOUBLE_EQ(flat->Get(100), 4);
    factory.Set("Then", StringValue("ns3::dlearn::PowerSchedule[Initial=7|Exponent=1]"));
    const auto falling = factory.Create<StepSchedule>();
    EXPECT_DOUBLE_EQ(falling->Get(3), 4);
    EXPECT_DOUBLE_EQ(falling->Get(4), 4);
    EXPECT_DOUBLE_EQ(falling->Get(5), 2);
    factory.Set("Then", StringValue("ns3::dlearn::PowerSchedule[Initial=0]"));
    ExpectRefused([&] { factory.Create<StepSchedule>()->Check(); }, "Initial of Then must be");
}

TEST(StepSchedule, HasTheNamesOfTheRule)
{
    const auto rule = CreateObject<LdpOnline>();
    EXPECT_DOUBLE_EQ(rule->GetStepSize(0), 1);
    EXPECT_DOUBLE_EQ(rule->GetStepSize(9), std::pow(10, -0.77));
    EXPECT_DOUBLE_EQ(rule->GetCoupling(9), std::pow(10, -0.65));
    rule->SetAttribute("StepSize", DoubleValue(3));
    rule->SetAttribute("StepExponent", DoubleValue(1));
    rule->SetAttribute("Coupling", DoubleValue(0.5));
    rule->SetAttribute("CouplingExponent", DoubleValue(0));
    EXPECT_DOUBLE_EQ(rule->GetStepSize(2), 1);
    EXPECT_DOUBLE_EQ(rule->GetCoupling(2), 0.5);
    DoubleValue step;
    rule->GetAttribute("StepSize", step);
    EXPECT_EQ(step.Get(), 3);
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-ldp-online.h"
#include "ns3/dlearn-learner-rule.h"
#include "ns3/double.h"

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

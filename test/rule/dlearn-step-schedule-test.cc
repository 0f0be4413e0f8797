/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/dlearn-dsgd.h"
#include "ns3/dlearn-ldp-online.h"
#include "ns3/dlearn-pdop.h"
#include "ns3/dlearn-step-schedule.h"
#include "ns3/double.h"
#include "ns3/string.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3::dlearn
{

namespace
{

/** Undoes what a test has set by Config::SetDefault. */
class StepScheduleTest : public testing::Test
{
  protected:
    ~StepScheduleTest() override { Config::Reset(); }
};

TEST_F(StepScheduleTest, GoesAsItsNameSays)
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

TEST_F(StepScheduleTest, HasTheNamesOfTheRule)
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

TEST_F(StepScheduleTest, DefaultsOfBothNamesCount)
{
    const std::string dsgd = "ns3::dlearn::Dsgd::";
    const StringValue schedule("ns3::dlearn::GeometricSchedule[Initial=0.5|Ratio=0.5]");
    Config::SetDefault(dsgd + "StepSchedule", schedule);
    EXPECT_DOUBLE_EQ(CreateObject<Dsgd>()->GetStepSize(2), 0.125);
    Config::SetDefault(dsgd + "StepSize", DoubleValue(4));
    EXPECT_DOUBLE_EQ(CreateObject<Dsgd>()->GetStepSize(2), 1);
    Config::SetDefault("ns3::dlearn::Pdop::StepRatio", DoubleValue(0.1));
    EXPECT_DOUBLE_EQ(CreateObject<Pdop>()->GetStepSize(2), 0.1 * 0.01);
}

TEST_F(StepScheduleTest, RefusesNamesThatItHasNot)
{
    const auto rule = CreateObject<Dsgd>();
    rule->SetAttribute("StepSchedule", StringValue("ns3::dlearn::ConstantSchedule[Initial=0.3]"));
    EXPECT_DOUBLE_EQ(rule->GetStepSize(7), 0.3);
    ExpectRefused([&] { rule->SetAttribute("StepExponent", DoubleValue(1)); },
                  "Dsgd: StepExponent is the attribute Exponent of its part, which "
                  "ns3::dlearn::ConstantSchedule has not");
    EXPECT_FALSE(rule->SetAttributeFailSafe("StepSize", DoubleValue(-1)));
    EXPECT_FALSE(CreateObject<Pdop>()->SetAttributeFailSafe("StepRatio", DoubleValue(1.5)));
}

} // namespace

} // namespace ns3::dlearn

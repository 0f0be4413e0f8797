/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-environment-words.h"
#include "ns3/global-value.h"
#include "ns3/string.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3::dlearn
{

namespace
{

using Words = std::vector<std::string>;

/** @return the words of a value of the variable */
Words
Take(const char* value)
{
    setenv("NS_ATTRIBUTE_DEFAULT", value, 1);
    return TakeEnvironmentWords();
}

TEST(EnvironmentWords, AreTheAttributesOfTheVariable)
{
    EXPECT_EQ(Take("ns3::A::B=1;;ns3::C::D=x=y"), (Words{"--ns3::A::B=1", "--ns3::C::D=x=y"}));
    EXPECT_EQ(std::getenv("NS_ATTRIBUTE_DEFAULT"), nullptr);
    EXPECT_EQ(TakeEnvironmentWords(), Words{});
    EXPECT_EQ(Take(""), Words{});
}

TEST(EnvironmentWords, RefuseAnythingElse)
{
    const std::string rule = "environment variable NS_ATTRIBUTE_DEFAULT must have "
                             "ns3::TYPE::ATTRIBUTE=VALUE between its semicolons, got ";
    ExpectRefused([] { Take("loss=0.3"); }, rule + "'loss=0.3'");
    ExpectRefused([] { Take("ns3::A::B=1;ns3::C::D"); }, rule + "'ns3::C::D'");
    ExpectRefused([] { Take("ns3::A::B=1;ns3::A::B=2"); },
                  "environment variable NS_ATTRIBUTE_DEFAULT: ns3::A::B is there twice");
    unsetenv("NS_ATTRIBUTE_DEFAULT");
}

TEST(EnvironmentWords, AreTheGlobalValuesOfTheOtherVariable)
{
    setenv("NS_ATTRIBUTE_DEFAULT", "ns3::A::B=1", 1);
    setenv("NS_GLOBAL_VALUE", "ChecksumEnabled=true;RngRun=5", 1);
    EXPECT_EQ(TakeEnvironmentWords(),
              (Words{"--ns3::A::B=1", "--ChecksumEnabled=true", "--RngRun=5"}));
    EXPECT_EQ(std::getenv("NS_GLOBAL_VALUE"), nullptr);
    for (const std::string setting : {"loss=0.3", "ChecksumEnabled"})
    {
        setenv("NS_GLOBAL_VALUE", setting.c_str(), 1);
        ExpectRefused([] { TakeEnvironmentWords(); },
                      "environment variable NS_GLOBAL_VALUE must have GLOBAL=VALUE between its "
                      "semicolons, got '" +
                          setting + "'");
    }
    unsetenv("NS_GLOBAL_VALUE");
}

// ns-3 takes any text for it before main(), which must not be what another one is checked by.
TEST(EnvironmentWords, LeaveTheSimulatorOfNs3)
{
    const std::string name = "SimulatorImplementationType";
    GlobalValue::Bind(name, StringValue("ns3::Nope"));
    setenv("NS_GLOBAL_VALUE", (name + "=ns3::Nope").c_str(), 1);
    EXPECT_EQ(TakeEnvironmentWords(), Words{"--" + name + "=ns3::Nope"});
    StringValue value;
    GlobalValue::GetValueByName(name, value);
    EXPECT_EQ(value.Get(), "ns3::DefaultSimulatorImpl");
}

} // namespace

} // namespace ns3::dlearn

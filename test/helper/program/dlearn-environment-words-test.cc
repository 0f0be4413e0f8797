/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-environment-words.h"

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
    unsetenv("NS_ATTRIBUTE_DEFAULT");
}

} // namespace

} // namespace ns3::dlearn

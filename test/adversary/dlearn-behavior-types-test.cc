/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-own-components.h"

#include "ns3/dlearn-attribute-text.h"
#include "ns3/dlearn-training-application.h"
#include "ns3/nstime.h"
#include "ns3/object-factory.h"
#include "ns3/type-id.h"

#include <cctype>
#include <gtest/gtest.h>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** @return the classes of behaviours that can be made, by their names on the command line */
std::map<std::string, TypeId>
GetBehaviors()
{
    const std::string prefix = "ns3::dlearn::";
    const std::string suffix = "Behavior";
    std::map<std::string, TypeId> behaviors;
    for (const TypeId& type : test::GetOwnTypes(ByzantineBehavior::GetTypeId()))
    {
        const std::string full = type.GetName();
        EXPECT_EQ(full.substr(full.size() - suffix.size()), suffix) << full;
        std::string name;
        for (const char c : full.substr(prefix.size(), full.size() - prefix.size() - suffix.size()))
        {
            name += std::isupper(c) && !name.empty() ? "-" : "";
            name += static_cast<char>(std::tolower(c));
        }
        behaviors.emplace(name, type);
    }
    return behaviors;
}

/** @return whether the first attribute of a behaviour takes a value */
bool
Takes(const std::string& behavior, const std::string& value)
{
    const TypeId type = GetBehaviors().at(behavior);
    const TypeId::AttributeInformation argument = type.GetAttribute(0);
    return IsValid(value, *argument.checker, *argument.initialValue);
}

/** How a behaviour is written. */
struct Usage
{
    std::string argument{};          //!< its first attribute; empty: none
    std::vector<std::string> good{}; //!< values that it takes
    std::vector<std::string> bad{};  //!< values that it refuses
};

/** All behaviours, by the names that --attack knows. */
const std::map<std::string, Usage> USAGES{
    {"delay", {"Delay", {"0s", "5ms"}, {"-1ns"}}},
    {"equivocate", {"Scale", {"0", "2.5"}, {"-0.1", "nan", "inf"}}},
    {"flood", {"Copies", {"1", "100"}, {"0", "x"}}},
    {"header-flood", {"Period", {"1ns", "300ms"}, {"0s", "-1s"}}},
    {"honest", {}},
    {"impersonate", {"Victim", {"0", "9"}, {"4294967296", "x"}}},
    {"malformed", {"Copies", {"1", "2"}, {"0", "x"}}},
    {"poison", {"Rounds", {"0", "1000"}, {"1001", "x"}}},
    {"replay", {"Age", {"1", "7"}, {"0", "-1", "x"}}},
    {"roster", {}},
    {"round-jump", {"Round", {"0", "4294967295"}, {"4294967296", "x"}}},
    {"silent", {}},
    {"wrong-length", {}}};

TEST(BehaviorTypes, NamesOfAttacksFollowFromTheClasses)
{
    std::vector<std::string> names;
    for (const auto& [name, type] : GetBehaviors())
    {
        names.push_back(name);
    }
    std::vector<std::string> wanted;
    for (const auto& [name, usage] : USAGES)
    {
        wanted.push_back(name);
    }
    EXPECT_EQ(names, wanted);
}

TEST(BehaviorTypes, TheFirstAttributeIsTheArgument)
{
    for (const auto& [name, type] : GetBehaviors())
    {
        const std::string& argument = USAGES.at(name).argument;
        if (argument.empty())
        {
            EXPECT_EQ(type.GetAttributeN(), 0U) << name;
            continue;
        }
        ASSERT_GE(type.GetAttributeN(), 1U) << name;
        EXPECT_EQ(type.GetAttribute(0).name, argument) << name;
        EXPECT_TRUE(type.GetAttribute(0).checker->Check(*type.GetAttribute(0).initialValue))
            << name;
    }
}

TEST(BehaviorTypes, ArgumentsHaveRanges)
{
    for (const auto& [name, usage] : USAGES)
    {
        for (const std::string& value : usage.good)
        {
            EXPECT_TRUE(Takes(name, value)) << name << ":" << value;
        }
        for (const std::string& value : usage.bad)
        {
            EXPECT_FALSE(Takes(name, value)) << name << ":" << value;
        }
    }
}

} // namespace
} // namespace ns3::dlearn

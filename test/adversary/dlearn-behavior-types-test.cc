/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-attribute-text.h"
#include "ns3/dlearn-byzantine-behavior.h"
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
    for (uint16_t k = 0; k < TypeId::GetRegisteredN(); ++k)
    {
        const TypeId type = TypeId::GetRegistered(k);
        if (!type.IsChildOf(ByzantineBehavior::GetTypeId()) || !type.HasConstructor())
        {
            continue;
        }
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

TEST(BehaviorTypes, NamesOfAttacksFollowFromTheClasses)
{
    std::vector<std::string> names;
    for (const auto& [name, type] : GetBehaviors())
    {
        names.push_back(name);
    }
    EXPECT_EQ(names,
              (std::vector<std::string>{"delay",
                                        "equivocate",
                                        "flood",
                                        "header-flood",
                                        "honest",
                                        "impersonate",
                                        "malformed",
                                        "poison",
                                        "replay",
                                        "roster",
                                        "round-jump",
                                        "silent",
                                        "wrong-length"}));
}

TEST(BehaviorTypes, TheFirstAttributeIsTheArgument)
{
    const std::map<std::string, std::string> arguments{{"delay", "Delay"},
                                                       {"replay", "Age"},
                                                       {"flood", "Copies"},
                                                       {"malformed", "Copies"},
                                                       {"equivocate", "Scale"},
                                                       {"impersonate", "Victim"},
                                                       {"round-jump", "Round"},
                                                       {"header-flood", "Period"},
                                                       {"poison", "Rounds"}};
    for (const auto& [name, type] : GetBehaviors())
    {
        const auto argument = arguments.find(name);
        if (argument == arguments.end())
        {
            EXPECT_EQ(type.GetAttributeN(), 0U) << name;
            continue;
        }
        ASSERT_GE(type.GetAttributeN(), 1U) << name;
        EXPECT_EQ(type.GetAttribute(0).name, argument->second) << name;
        EXPECT_TRUE(type.GetAttribute(0).checker->Check(*type.GetAttribute(0).initialValue))
            << name;
    }
}

TEST(BehaviorTypes, ArgumentsHaveRanges)
{
    const std::map<std::string, std::vector<std::string>> good{{"delay", {"0s", "5ms"}},
                                                               {"replay", {"1", "7"}},
                                                               {"flood", {"1", "100"}},
                                                               {"malformed", {"1", "2"}},
                                                               {"equivocate", {"0", "2.5"}},
                                                               {"impersonate", {"0", "9"}},
                                                               {"round-jump", {"0", "4294967295"}},
                                                               {"header-flood", {"1ns", "300ms"}},
                                                               {"poison", {"0", "1000"}}};
    const std::map<std::string, std::vector<std::string>> bad{
        {"delay", {"-1ns"}},
        {"replay", {"0", "-1", "x"}},
        {"flood", {"0", "x"}},
        {"malformed", {"0", "x"}},
        {"equivocate", {"-0.1", "nan", "inf"}},
        {"impersonate", {"4294967296", "x"}},
        {"round-jump", {"4294967296", "x"}},
        {"header-flood", {"0s", "-1s"}},
        {"poison", {"1001", "x"}}};
    for (const auto& [name, values] : good)
    {
        for (const std::string& value : values)
        {
            EXPECT_TRUE(Takes(name, value)) << name << ":" << value;
        }
    }
    for (const auto& [name, values] : bad)
    {
        for (const std::string& value : values)
        {
            EXPECT_FALSE(Takes(name, value)) << name << ":" << value;
        }
    }
}

} // namespace
} // namespace ns3::dlearn

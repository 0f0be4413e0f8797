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
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

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
    {"scale", {"Factor", {"0", "-2.5", "100"}, {"nan", "inf", "x"}}},
    {"silent", {}},
    {"wrong-length", {}}};

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

TEST(BehaviorTypes, NamesAndArgumentsFollowFromTheClasses)
{
    const auto behaviors = GetBehaviors();
    EXPECT_EQ(behaviors.size(), USAGES.size());
    for (const auto& [name, type] : behaviors)
    {
        SCOPED_TRACE(name);
        const Usage& usage = USAGES.at(name);
        ASSERT_EQ(type.GetAttributeN() == 0, usage.argument.empty());
        if (usage.argument.empty())
        {
            continue;
        }
        const TypeId::AttributeInformation first = type.GetAttribute(0);
        EXPECT_EQ(first.name, usage.argument);
        EXPECT_TRUE(first.checker->Check(*first.initialValue));
        for (const std::string& value : usage.good)
        {
            EXPECT_TRUE(IsValid(value, *first.checker, *first.initialValue)) << value;
        }
        for (const std::string& value : usage.bad)
        {
            EXPECT_FALSE(IsValid(value, *first.checker, *first.initialValue)) << value;
        }
    }
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/node.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{

namespace
{

TEST(AttributeLookup, FindsAttributesByTheirFullName)
{
    const auto id = FindAttribute("ns3::Node::SystemId");
    ASSERT_TRUE(id);
    EXPECT_EQ(id->type, Node::GetTypeId());
    EXPECT_EQ(id->info.name, "SystemId");
    EXPECT_TRUE(IsGettable(id->info));
    for (const char* name :
         {"", "SystemId", "::", "ns3::Node", "ns3::Node::", "ns3::Nod::SystemId"})
    {
        EXPECT_FALSE(FindAttribute(name)) << name;
    }
}

} // namespace

} // namespace ns3::dlearn

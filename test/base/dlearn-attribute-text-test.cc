/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-attribute-text.h"
#include "ns3/dlearn-part.h"
#include "ns3/node.h"
#include "ns3/string.h"
#include "ns3/type-id.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** @return the attribute of that name of a type of ns-3 */
TypeId::AttributeInformation
GetAttribute(const std::string& type, const std::string& name)
{
    TypeId::AttributeInformation info;
    EXPECT_TRUE(TypeId::LookupByName(type).LookupAttributeByName(name, &info)) << type << name;
    return info;
}

/** @return whether an attribute of a type of ns-3 takes a text */
bool
Takes(const std::string& type, const std::string& name, const std::string& text)
{
    const auto info = GetAttribute(type, name);
    return IsValid(text, *info.checker, *info.initialValue);
}

// ns-3 aborts, or reads past the end, on most of these texts for some kinds of values. A text that
// is valid must also be one that a factory takes, as Config::SetDefault() does.
TEST(AttributeText, NoTextForAnyAttributeOfAnyTypeEndsTheProgram)
{
    const std::vector<std::string> texts{
        "",
        "junk",
        "-1",
        "1e400",
        "a-b-c",
        "01-ff-00:00:00",
        "1:2:3",
        "1|2",
        "5Xbps",
        "1Q",
        "(",
        "|",
        "{",
        "999999999999999999999",
        "1.2.3.4.5",
        "::1",
        "ns3::Node",
        "ns3::Object",
        "ns3::Queue<Packet>",
        "ns3::UniformRandomVariable[",
        "ns3::UniformRandomVariable[Min",
        "ns3::UniformRandomVariable[Min=x]",
        "ns3::UniformRandomVariable[Min=1] ]",
        "ns3::RateErrorModel[RanVar=ns3::UniformRandomVariable[Min=1]]",
        "ns3::RateErrorModel[RanVar=junk]",
        "ns3::PointToPointNetDevice[Address=junk]"};
    size_t attributes = 0;
    for (uint16_t k = 0; k < TypeId::GetRegisteredN(); ++k)
    {
        const TypeId type = TypeId::GetRegistered(k);
        for (size_t a = 0; a < type.GetAttributeN(); ++a, ++attributes)
        {
            const auto info = type.GetAttribute(a);
            for (const std::string& text : texts)
            {
                if (IsValid(text, *info.checker, *info.initialValue))
                {
                    EXPECT_TRUE(info.checker->CreateValidValue(StringValue(text)))
                        << type.GetName() << "::" << info.name << " " << text;
                }
            }
            EXPECT_FALSE(DescribeValues(*info.checker, *info.initialValue).empty());
        }
    }
    EXPECT_GT(attributes, 500U); // of ns-3's modules, not of dlearn alone
}

TEST(AttributeText, DefaultsThatTheKindsDescribeAreValid)
{
    const std::vector<std::string> read{"DoubleValue",
                                        "UintegerValue",
                                        "BooleanValue",
                                        "DataRateValue",
                                        "QueueSizeValue",
                                        "TypeIdValue"};
    for (uint16_t k = 0; k < TypeId::GetRegisteredN(); ++k)
    {
        const TypeId type = TypeId::GetRegistered(k);
        for (size_t a = 0; a < type.GetAttributeN(); ++a)
        {
            const auto info = type.GetAttribute(a);
            const std::string kind = GetValueKind(*info.checker);
            const std::string text = info.initialValue->SerializeToString(info.checker);
            // A whole number of 64 bits has 20 digits, a number may be infinite, and of one type
            // the default is out of range.
            if (std::count(read.begin(), read.end(), kind) > 0 && text.size() < 20 &&
                text.find("inf") == std::string::npos && text.find("nan") == std::string::npos &&
                info.checker->Check(*info.initialValue))
            {
                EXPECT_TRUE(IsValid(text, *info.checker, *info.initialValue))
                    << type.GetName() << "::" << info.name << " '" << text << "'";
            }
        }
    }
}

TEST(AttributeText, TypesMustBeOfTheKindOfTheDefaultAndSuchThatTheyCanBeMade)
{
    const std::string tcp = "ns3::TcpL4Protocol";
    EXPECT_TRUE(Takes(tcp, "SocketType", "ns3::TcpNewReno"));
    EXPECT_TRUE(Takes(tcp, "SocketType", "ns3::TcpCubic"));
    EXPECT_TRUE(Takes(tcp, "RecoveryType", "ns3::TcpClassicRecovery"));
    EXPECT_FALSE(Takes(tcp, "SocketType", "ns3::Node"));
    EXPECT_FALSE(Takes(tcp, "SocketType", "ns3::TcpSocketBase"));
    EXPECT_FALSE(Takes(tcp, "SocketType", "ns3::TcpCongestionOps")); // abstract
    EXPECT_FALSE(Takes(tcp, "RecoveryType", "ns3::TcpNewReno"));
    const auto info = GetAttribute(tcp, "SocketType");
    EXPECT_EQ(DescribeValues(*info.checker, *info.initialValue),
              "the name of a type derived from ns3::TcpCongestionOps that can be made");
}

TEST(AttributeText, WholeNumbersHaveUpTo64Bits)
{
    EXPECT_TRUE(IsWholeNumber("18446744073709551615", false));
    EXPECT_FALSE(IsWholeNumber("18446744073709551616", false));
    EXPECT_TRUE(IsWholeNumber("-9223372036854775808", true));
    for (const char* text : {"-9223372036854775809", "", "-", "+1", "1 ", " 1", "0x1", "1.0"})
    {
        EXPECT_FALSE(IsWholeNumber(text, true)) << text;
    }
    EXPECT_FALSE(IsWholeNumber("-1", false));
}

TEST(AttributeText, PointersTakeTypesOfTheirBase)
{
    const std::string device = "ns3::PointToPointNetDevice";
    EXPECT_TRUE(Takes(device, "ReceiveErrorModel", "ns3::RateErrorModel"));
    EXPECT_TRUE(Takes(device, "ReceiveErrorModel", "ns3::RateErrorModel[ErrorRate=0.5]"));
    EXPECT_FALSE(Takes(device, "ReceiveErrorModel", "ns3::RateErrorModel[ErrorRate=x]"));
    EXPECT_FALSE(Takes(device, "ReceiveErrorModel", "ns3::RateErrorModel[ErrorUnit=junk]"));
    EXPECT_FALSE(Takes(device, "ReceiveErrorModel", "ns3::ErrorModel")); // abstract
    EXPECT_FALSE(Takes(device, "ReceiveErrorModel", "ns3::Node"));
    EXPECT_FALSE(Takes(device, "ReceiveErrorModel", "junk"));
    EXPECT_FALSE(Takes(device, "ReceiveErrorModel", ""));
}

TEST(AttributeText, RatesAndNamesOfValuesAreReadWhole)
{
    const std::string device = "ns3::PointToPointNetDevice";
    EXPECT_TRUE(Takes(device, "DataRate", "5Mbps"));
    EXPECT_TRUE(Takes(device, "DataRate", "1.5Mb/s"));
    EXPECT_FALSE(Takes(device, "DataRate", "1.2.3.4"));
    EXPECT_FALSE(Takes(device, "DataRate", "Mbps"));
    EXPECT_FALSE(Takes(device, "DataRate", "5Mbps x"));
    EXPECT_TRUE(Takes("ns3::CsmaNetDevice", "EncapsulationMode", "Llc"));
    EXPECT_FALSE(Takes("ns3::CsmaNetDevice", "EncapsulationMode", "junk"));
    EXPECT_FALSE(Takes("ns3::CsmaNetDevice", "EncapsulationMode", ""));
    const auto mode = GetAttribute("ns3::WifiRemoteStationManager", "NonUnicastMode");
    EXPECT_EQ(DescribeValues(*mode.checker, *mode.initialValue),
              "set by a script, because ns-3 ends the program on most texts for WifiMode");
}

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

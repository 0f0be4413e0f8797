/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/csma-helper.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-generator.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/mac48-address.h"
#include "ns3/node-container.h"
#include "ns3/simulator.h"

#include <gtest/gtest.h>
#include <sstream>

namespace ns3::dlearn
{
namespace
{

const Ipv4Address FOUR("10.1.2.3");
const Ipv6Address SIX("2001:db8::7");

std::string
Print(const IpAddress& address)
{
    std::ostringstream out;
    out << address;
    return out.str();
}

TEST(Endpoint, IsReadFromEveryKindOfAddress)
{
    EXPECT_EQ(Endpoint::Find(InetSocketAddress(FOUR, 80), 5), (Endpoint{FOUR, 80}));
    EXPECT_EQ(Endpoint::Find(Inet6SocketAddress(SIX, 80), 5), (Endpoint{SIX, 80}));
    EXPECT_EQ(Endpoint::Find(FOUR, 5), (Endpoint{FOUR, 5})); // has no port of its own
    EXPECT_EQ(Endpoint::Find(SIX, 5), (Endpoint{SIX, 5}));
    EXPECT_FALSE(Endpoint::Find(Mac48Address("00:00:00:00:00:01"), 5));
    EXPECT_FALSE(IpAddress::Find(InetSocketAddress(FOUR, 80))); // has a port
}

TEST(Endpoint, IsWhatSocketsTake)
{
    EXPECT_EQ((Endpoint{FOUR, 80}.ToSocketAddress()), Address(InetSocketAddress(FOUR, 80)));
    EXPECT_EQ((Endpoint{SIX, 80}.ToSocketAddress()), Address(Inet6SocketAddress(SIX, 80)));
    EXPECT_EQ(Endpoint::AtAny(false, 9).ToSocketAddress(),
              Address(InetSocketAddress(Ipv4Address::GetAny(), 9)));
    EXPECT_EQ(Endpoint::AtAny(true, 9).ToSocketAddress(),
              Address(Inet6SocketAddress(Ipv6Address::GetAny(), 9)));
}

TEST(IpAddress, IsWrittenAsPeopleDo)
{
    EXPECT_EQ(Print(FOUR), "10.1.2.3");
    EXPECT_EQ(Print(SIX), "2001:db8::7");
    EXPECT_EQ(Print({}), "0.0.0.0");
}

TEST(IpAddress, HasTheOrderOfNumbersAndVersions)
{
    EXPECT_LT(IpAddress(Ipv4Address("9.255.255.255")), IpAddress(FOUR));
    EXPECT_LT(IpAddress(FOUR), IpAddress(SIX));
    EXPECT_FALSE(IpAddress(SIX) < IpAddress(SIX));
    EXPECT_LT((Endpoint{FOUR, 80}), (Endpoint{FOUR, 81}));
    EXPECT_LT((Endpoint{FOUR, 81}), (Endpoint{SIX, 80}));
    EXPECT_FALSE((Endpoint{FOUR, 80}) == (Endpoint{FOUR, 81}));
}

TEST(NodeAddress, AreThoseUnderWhichOthersReachTheNode)
{
    NodeContainer nodes(2);
    InternetStackHelper().Install(nodes);
    const auto devices = CsmaHelper().Install(nodes);
    Ipv4AddressHelper("10.1.0.0", "255.255.0.0").Assign(devices);
    Ipv6AddressHelper addresses;
    addresses.SetBase("2001:db8::", Ipv6Prefix(64));
    addresses.Assign(devices);
    const Ptr<Node> node = nodes.Get(1);
    node->GetObject<Ipv4>()->AddAddress(1, {Ipv4Address::GetAny(), Ipv4Mask::GetOnes()}); // DHCP

    const auto found = ListAddresses(*node);
    ASSERT_EQ(found.size(), 2U); // without loopback, link-local and 0.0.0.0
    EXPECT_EQ(found[0].ip, IpAddress(Ipv4Address("10.1.0.2")));
    EXPECT_EQ(found[0].prefixLength, 16);
    EXPECT_EQ(found[0].device, devices.Get(1));
    EXPECT_TRUE(found[0].up);
    EXPECT_TRUE(found[1].ip.IsIpv6());
    EXPECT_EQ(found[1].prefixLength, 64);
    EXPECT_EQ(found[1].device, devices.Get(1));

    EXPECT_TRUE(found[0].IsNear(Ipv4Address("10.1.255.1")));
    EXPECT_FALSE(found[0].IsNear(Ipv4Address("10.2.0.2")));
    EXPECT_FALSE(found[0].IsNear(found[1].ip));
    EXPECT_TRUE(found[1].IsNear(Ipv6Address("2001:db8::ffff:0:0:1")));
    EXPECT_FALSE(found[1].IsNear(Ipv6Address("2001:db8:0:1::1")));

    node->GetObject<Ipv4>()->SetDown(1);
    EXPECT_FALSE(ListAddresses(*node)[0].up);
    EXPECT_TRUE(ListAddresses(*NodeContainer(1).Get(0)).empty()); // without a stack
    Simulator::Destroy();
    Ipv4AddressGenerator::Reset();
}

} // namespace
} // namespace ns3::dlearn

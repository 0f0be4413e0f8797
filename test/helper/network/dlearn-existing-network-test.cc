/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network-test-support.h"

#include "ns3/arp-cache.h"
#include "ns3/csma-helper.h"
#include "ns3/dlearn-existing-network.h"
#include "ns3/dlearn-wifi-stalls.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-generator.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/minstrel-ht-wifi-manager.h"
#include "ns3/mobility-helper.h"
#include "ns3/mobility-model.h"
#include "ns3/node-list.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/yans-wifi-helper.h"

#include <map>
#include <utility>
#include <vector>

namespace ns3::dlearn
{
namespace
{

/** Nodes on one bus, as a script makes them: node k has the address 10.1.0.(k+1). */
NodeContainer
MakeBus(uint32_t nodes, uint16_t mtu = 1500)
{
    NodeContainer bus(nodes);
    InternetStackHelper().Install(bus);
    CsmaHelper csma;
    csma.SetDeviceAttribute("Mtu", UintegerValue(mtu));
    Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(csma.Install(bus));
    return bus;
}

/** A link of two nodes in a subnet of its own. */
void
Link(Ptr<Node> a, Ptr<Node> b, const char* subnet)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
    Ipv4AddressHelper(subnet, "255.255.255.0").Assign(link.Install(a, b));
}

/** Building on nodes must be refused with a message. */
void
ExpectComplaint(const NodeContainer& nodes,
                const std::string& message,
                const NetworkSetup& setup = {})
{
    ExpectRefused([&] { ExistingNetwork(nodes).Build(Graph(nodes.GetN()), setup); },
                  "existing: " + message);
}

class ExistingNetworkTest : public NetworkTest
{
  protected:
    void TearDown() override
    {
        NetworkTest::TearDown();
        Ipv4AddressGenerator::Reset();
    }
};

TEST_F(ExistingNetworkTest, TakesNodesAsTheyAre)
{
    const NodeContainer bus = MakeBus(3, 1200);
    NodeContainer order(bus.Get(2), bus.Get(0)); // learner 0 is on node 2
    ExistingNetwork network(order);
    network.SetReadyTime(Seconds(3));
    network.Build(Complete(2), {});
    EXPECT_EQ(network.GetName(), "existing");
    EXPECT_EQ(NodeList::GetNNodes(), 3U); // none is new
    EXPECT_EQ(network.GetNodes().Get(0), bus.Get(2));
    EXPECT_EQ(network.GetAddress(1, 0), Ipv4Address("10.1.0.3"));
    EXPECT_EQ(network.GetAddress(0, 1), Ipv4Address("10.1.0.1"));
    EXPECT_EQ(network.GetMtu(), 1200);
    EXPECT_EQ(network.GetReadyTime(), Seconds(3));
    EXPECT_EQ(network.AssignStreams(7), 0);
    EXPECT_TRUE(network.HasBroadcast());
    EXPECT_TRUE(network.GetPositions().empty());
}

TEST_F(ExistingNetworkTest, FindsTheAddressThatIsUpAndNear)
{
    NodeContainer nodes(3);
    InternetStackHelper().Install(nodes);
    Link(nodes.Get(0), nodes.Get(1), "10.1.0.0");
    Link(nodes.Get(1), nodes.Get(2), "10.2.0.0");
    ExistingNetwork network(nodes);
    network.Build(Complete(3), {});
    EXPECT_EQ(network.GetAddress(0, 1), Ipv4Address("10.1.0.2"));
    EXPECT_EQ(network.GetAddress(2, 1), Ipv4Address("10.2.0.1")); // in the subnet of learner 2
    EXPECT_EQ(network.GetAddress(0, 2), Ipv4Address("10.2.0.2"));
    EXPECT_FALSE(network.HasBroadcast());
    nodes.Get(1)->GetObject<Ipv4>()->SetDown(1);
    EXPECT_EQ(network.GetAddress(0, 1), Ipv4Address("10.2.0.1"));
}

TEST_F(ExistingNetworkTest, TakesAddressesThatAreGiven)
{
    NodeContainer nodes(2);
    InternetStackHelper().Install(nodes);
    Link(nodes.Get(0), nodes.Get(1), "10.1.0.0");
    Link(nodes.Get(0), nodes.Get(1), "10.2.0.0");
    ExistingNetwork network(nodes, {"10.2.0.1", "10.2.0.2"});
    network.Build(Complete(2), {});
    EXPECT_EQ(network.GetAddress(0, 1), Ipv4Address("10.2.0.2"));
    ExistingNetwork wrong(nodes, {"10.2.0.1", "10.2.0.1"});
    ExpectRefused(
        [&] { wrong.Build(Complete(2), {}); },
        "existing: learner 1 cannot have the address 10.2.0.1, which no interface of node 1 "
        "that is up has");
    ExpectRefused([&] { ExistingNetwork few(nodes, {"10.2.0.1"}); },
                  "existing: addresses must have 2 entries, got 1");
}

TEST_F(ExistingNetworkTest, RefusesNodesWithoutAnAddress)
{
    const NodeContainer bare(1);
    ExpectComplaint(bare,
                    "learner 0 needs an IPv4 address, but node 0 has no protocol stack "
                    "(InternetStackHelper)");
    NodeContainer down = MakeBus(2);
    down.Get(1)->GetObject<Ipv4>()->SetDown(1);
    ExpectComplaint(down,
                    "learner 1 needs an IPv4 address, but node 2 has no interface that is up "
                    "and has one, link-local ones aside");
    NodeContainer six(2);
    InternetStackHelper().Install(six);
    Ipv6AddressHelper addresses;
    addresses.SetBase("2001:1::", Ipv6Prefix(64));
    addresses.Assign(CsmaHelper().Install(six));
    ExistingNetwork(six).Build(Graph(2), {});
    ExpectComplaint(NodeContainer(six, NodeContainer(down.Get(0))),
                    "learner 0 needs an IPv4 address, but node 3 has no interface that is up "
                    "and has one, link-local ones aside");
}

TEST_F(ExistingNetworkTest, RefusesWhatIsUpToTheScript)
{
    const NodeContainer bus = MakeBus(2);
    const auto refused = [&](const char* message, const std::function<void(NetworkSetup&)>& set) {
        NetworkSetup setup;
        set(setup);
        ExpectRefused([&] { ExistingNetwork(bus).Build(Graph(2), setup); }, message);
    };
    refused("a position has", [](auto& o) { o.positions = {{1, 1}, {2, 2}}; });
    refused("a rate, delay or loss of one link has no effect", [](auto& o) {
        o.links.resize(2);
        o.links[1].rate = DataRate("1Mbps");
    });
    refused("a schedule of links needs",
            [](auto& o) { o.schedule = LinkSchedule::Parse("down:0-1@1s"); });
    ExistingNetwork network(bus);
    ExpectRefused([&] { network.Build(Complete(3), {}); },
                  "existing: nodes must have 3 entries, got 2");
    ExpectRefused([&] { network.SetReadyTime(Seconds(-1)); },
                  "existing: ready time must be at least 0, got -1s");
    network.Build(Complete(2), {}); // the refused ones left nothing behind
}

/** A cell of Wi-Fi, as a script makes it: the access point is the first node. */
NetDeviceContainer
MakeCell(const NodeContainer& nodes,
         WifiStandard standard,
         const std::string& rates = "ns3::IdealWifiManager")
{
    InternetStackHelper().Install(nodes);
    MobilityHelper().Install(nodes);
    WifiHelper wifi;
    wifi.SetStandard(standard);
    wifi.SetRemoteStationManager(rates);
    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    WifiMacHelper mac;
    mac.SetType("ns3::ApWifiMac");
    NetDeviceContainer radios = wifi.Install(phy, mac, nodes.Get(0));
    mac.SetType("ns3::StaWifiMac");
    for (uint32_t k = 1; k < nodes.GetN(); ++k)
    {
        radios.Add(wifi.Install(phy, mac, nodes.Get(k)));
    }
    Ipv4AddressHelper("10.3.0.0", "255.255.255.0").Assign(radios);
    wifi.AssignStreams(radios, 1);
    return radios;
}

// ns-3's defaults for 802.11n have A-MPDU, and with ns-3.37 a handshake that corrupts memory.
TEST_F(ExistingNetworkTest, WifiThatStallsIsRefusedOrRepaired)
{
    const NodeContainer nodes(4);
    const NetDeviceContainer radios = MakeCell(nodes, WIFI_STANDARD_80211n);
    if (BLOCK_ACKS_MAY_DISAGREE)
    {
        ExpectComplaint(nodes, "node 0 uses A-MPDU, whose set-up in this ns-3 can stall");
    }
    ExistingNetwork network(nodes);
    network.PrepareWifi();
    network.SetReadyTime(Seconds(1));
    network.Build(Star(4, 0), {});
    EXPECT_TRUE(network.GetWarnings().empty());
    UdpMesh mesh(network);
    mesh.BurstToNeighbors(Star(4, 0), 50);
    Simulate(3);
    EXPECT_EQ(mesh.arrivals.size(), 6U * 50);
    UintegerValue amsdu;
    radios.Get(1)->GetObject<WifiNetDevice>()->GetMac()->GetAttribute("BE_MaxAmsduSize", amsdu);
    EXPECT_EQ(amsdu.Get(), 0U) << "as the script has it";
}

TEST_F(ExistingNetworkTest, WarnsOfWifiThatMayStall)
{
    const NodeContainer nodes(3);
    const NetDeviceContainer radios = MakeCell(nodes, WIFI_STANDARD_80211ac);
    const auto warnings = [&nodes](bool leave) {
        NetworkSetup setup;
        setup.learnersLeave = leave;
        ExistingNetwork network(nodes);
        network.Build(Star(3, 0), setup);
        std::string all;
        for (const std::string& warning : network.GetWarnings())
        {
            all += warning + "\n";
        }
        return all;
    };
    const auto set = [&radios](const std::string& name, const AttributeValue& value) {
        for (auto radio = radios.Begin(); radio != radios.End(); ++radio)
        {
            DynamicCast<WifiNetDevice>(*radio)->GetMac()->SetAttribute(name, value);
        }
    };
    set("BE_MaxAmpduSize", UintegerValue(0));
    const std::string usual = warnings(true);
    EXPECT_EQ(usual.find("the two sides of 802.11ac or ax may disagree") != std::string::npos,
              BLOCK_ACKS_MAY_DISAGREE);
    EXPECT_EQ(usual.find("given up before its set-up is answered") != std::string::npos,
              BLOCK_ACKS_MAY_DISAGREE);
    EXPECT_EQ(usual.find("MaxDelay"), std::string::npos) << "ns-3's is half a second";
    set("BE_BlockAckInactivityTimeout", UintegerValue(100));
    for (auto radio = radios.Begin(); radio != radios.End(); ++radio)
    {
        const auto mac = DynamicCast<WifiNetDevice>(*radio)->GetMac();
        mac->GetTxopQueue(AC_BE)->SetMaxDelay(Seconds(60));
    }
    const std::string worse = warnings(true);
    EXPECT_NE(worse.find("older than ns3::WifiMacQueue::MaxDelay"), std::string::npos);
    EXPECT_NE(worse.find("BE_BlockAckInactivityTimeout"), std::string::npos);
    EXPECT_EQ(warnings(false).find("MaxDelay"), std::string::npos) << "nobody leaves";
    set("BE_MaxAmsduSize", UintegerValue(7935));
    warnings(false); // which is not refused with rates by ideal
    for (auto radio = radios.Begin(); radio != radios.End(); ++radio)
    {
        DynamicCast<WifiNetDevice>(*radio)->SetRemoteStationManager(
            CreateObject<MinstrelHtWifiManager>());
    }
    ExpectComplaint(nodes, "ns3::WifiMac::BE_MaxAmsduSize must be at most 4000 with minstrel-ht");
}

TEST_F(ExistingNetworkTest, LearnersOfOneNodeNeedARouteToIt)
{
    const NodeContainer bus = MakeBus(2);
    const NodeContainer twice(bus, NodeContainer(bus.Get(0)));
    ExistingNetwork network(twice);
    network.Build(Complete(3), {});
    EXPECT_EQ(network.GetAddress(0, 2), Ipv4Address("127.0.0.1"));
    EXPECT_EQ(network.GetAddress(1, 2), Ipv4Address("10.1.0.1"));
    EXPECT_FALSE(network.HasBroadcast()); // learner 2 would not hear learner 0

    NodeContainer global(1);
    InternetStackHelper stack;
    stack.SetRoutingHelper(Ipv4GlobalRoutingHelper());
    stack.Install(global);
    Ipv4AddressHelper("10.2.0.0", "255.255.255.0").Assign(CsmaHelper().Install(global));
    ExistingNetwork(NodeContainer(global, global)).Build(Graph(2), {}); // not neighbours
    ExpectRefused(
        [&] { ExistingNetwork(NodeContainer(global, global)).Build(Complete(2), {}); },
        "existing: learners 0 and 1 are both on node 2, whose routing protocol has no route "
        "to 127.0.0.1; add static routing to it (Ipv4ListRoutingHelper)");
}

TEST_F(ExistingNetworkTest, BroadcastNeedsOneChannelAndOneSubnet)
{
    const NodeContainer one = MakeBus(2);
    NodeContainer other(2);
    InternetStackHelper().Install(other);
    Ipv4AddressHelper("10.9.0.0", "255.255.255.0").Assign(CsmaHelper().Install(other));
    EXPECT_TRUE(ExistingNetwork(one).HasBroadcast());
    EXPECT_FALSE(ExistingNetwork(NodeContainer(one, other)).HasBroadcast());
}

TEST_F(ExistingNetworkTest, KnowsWhereNodesStand)
{
    const NodeContainer bus = MakeBus(2);
    MobilityHelper mobility;
    mobility.Install(bus.Get(0));
    {
        ExistingNetwork network(bus);
        network.Build(Complete(2), {});
        EXPECT_TRUE(network.GetPositions().empty()); // of one only
    }
    mobility.Install(bus.Get(1));
    bus.Get(1)->GetObject<MobilityModel>()->SetPosition({3, 4, 5});
    ExistingNetwork network(bus);
    network.Build(Complete(2), {});
    EXPECT_EQ(network.GetPositions(), (std::vector<std::pair<double, double>>{{0, 0}, {3, 4}}));
}

/** Give devices addresses of IPv6: the subnet and 1, 2 and so on. */
void
AddIpv6(const NetDeviceContainer& devices, const char* subnet)
{
    Ipv6AddressHelper addresses;
    addresses.SetBase(subnet, Ipv6Prefix(64));
    for (uint32_t k = 0; k < devices.GetN(); ++k)
    {
        addresses.AssignWithoutAddress(devices.Get(k)); // only that of the link
        const auto ipv6 = devices.Get(k)->GetNode()->GetObject<Ipv6>();
        const std::string address = subnet + std::to_string(k + 1);
        ipv6->AddAddress(ipv6->GetInterfaceForDevice(devices.Get(k)),
                         {Ipv6Address(address.c_str()), Ipv6Prefix(64)});
    }
}

TEST_F(ExistingNetworkTest, UsesIpv6WhereThereIsNoIpv4AndOnRequest)
{
    const NodeContainer both = MakeBus(3);
    NetDeviceContainer devices;
    for (uint32_t k = 0; k < both.GetN(); ++k)
    {
        devices.Add(both.Get(k)->GetDevice(1)); // 0 is loopback
    }
    AddIpv6(devices, "2001:1::");
    ExistingNetwork automatic(both);
    automatic.Build(Complete(3), {});
    EXPECT_EQ(automatic.GetIpAddress(0, 1), Address(Ipv4Address("10.1.0.2")));

    ExistingNetwork six(NodeContainer(both.Get(2), both.Get(0), both.Get(2)));
    six.UseIpv6();
    six.Build(Complete(3), {});
    EXPECT_EQ(six.GetIpAddress(0, 1), Address(Ipv6Address("2001:1::1")));
    EXPECT_EQ(six.GetIpAddress(1, 0), Address(Ipv6Address("2001:1::3")));
    EXPECT_EQ(six.GetIpAddress(0, 2), Address(Ipv6Address::GetLoopback()));
    EXPECT_FALSE(six.HasBroadcast());
    ExpectRefused([&] { six.GetAddress(0, 1); },
                  "existing: learner 1 has no IPv4 address, got 2001:1::1");

    ExistingNetwork given(both);
    ExpectRefused([&] { given.UseIpv6({"2001:1::1"}); },
                  "existing: addresses must have 3 entries, got 1");
    given.UseIpv6({"2001:1::1", "2001:1::2", "2001:1::9"});
    ExpectRefused(
        [&] { given.Build(Complete(3), {}); },
        "existing: learner 2 cannot have the address 2001:1::9, which no interface of node 2 "
        "that is up has");
}

// Neighbour discovery of ns-3 keeps three packets of a burst, too.
TEST_F(ExistingNetworkTest, DeliversWholeBurstsOverIpv6)
{
    NodeContainer bus(3);
    InternetStackHelper().Install(bus);
    AddIpv6(CsmaHelper().Install(bus), "2001:2::");
    ExistingNetwork network(bus);
    network.SetReadyTime(Seconds(2));
    network.Build(Complete(3), {});
    UdpMesh mesh(network, true);
    mesh.BurstToNeighbors(Complete(3), 50);
    Simulate(30);
    EXPECT_EQ(mesh.received.size(), 6U);
    for (const auto& [pair, received] : mesh.received)
    {
        EXPECT_EQ(received, 50U) << pair.first << " to " << pair.second;
    }
}

// ns-3 keeps three packets of a burst while it looks for an address, on routers, too.
TEST_F(ExistingNetworkTest, DeliversWholeBurstsAcrossBusRouterAndLink)
{
    NodeContainer bus = MakeBus(3);
    NodeContainer far(1);
    InternetStackHelper().Install(far);
    Link(bus.Get(2), far.Get(0), "10.2.0.0"); // node 2 is a router
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    ExistingNetwork network(NodeContainer(bus.Get(0), bus.Get(1), far.Get(0)));
    network.Build(Complete(3), {});
    UdpMesh mesh(network);
    mesh.BurstToNeighbors(Complete(3), 50);
    Simulate(30);
    EXPECT_EQ(mesh.received.size(), 6U);
    for (const auto& [pair, received] : mesh.received)
    {
        EXPECT_EQ(received, 50U) << pair.first << " to " << pair.second;
    }
}

// Two buses whose routers are joined by a link: learners 0 and 1 on one, 2 and 3 on the other.
TEST_F(ExistingNetworkTest, SaysWhatIsToBeDividedAmongRanks)
{
    NodeContainer learners;
    NodeContainer routers;
    for (const uint32_t rank : {0, 1})
    {
        NodeContainer bus(2, rank);
        learners.Add(bus);
        routers.Create(1, rank);
        bus.Add(routers.Get(rank));
        CsmaHelper().Install(bus);
    }
    PointToPointHelper trunk;
    trunk.SetChannelAttribute("Delay", StringValue("3ms"));
    trunk.Install(routers);
    const ExistingNetwork network(NodeContainer(learners, NodeContainer(learners.Get(0))));
    const RankGraph graph = network.GetRankGraph(Complete(5), {});
    EXPECT_EQ(graph.learners, 5U);
    EXPECT_EQ(graph.nodes, 7U); // learner 4 is on the node of learner 0
    EXPECT_EQ(graph.given, (std::vector<uint32_t>{0, 0, 1, 1, 0, 0, 1}));
    std::map<std::pair<uint32_t, uint32_t>, Time> links;
    for (const RankGraph::Link& link : graph.links)
    {
        links[{link.a, link.b}] = link.delay;
    }
    const std::map<std::pair<uint32_t, uint32_t>, Time> expected{{{0, 1}, Time(0)},
                                                                 {{0, 5}, Time(0)},
                                                                 {{2, 3}, Time(0)},
                                                                 {{2, 6}, Time(0)},
                                                                 {{5, 6}, MilliSeconds(3)}};
    EXPECT_EQ(links, expected);
    EXPECT_EQ(FindLookAhead(graph, KeepRanks(graph, 2, {})), MilliSeconds(3));
    learners.Get(3)->SetAttribute("SystemId", UintegerValue(0));
    ExpectRefused([&] { KeepRanks(network.GetRankGraph(Complete(5), {}), 2, {}); },
                  "learner 2 and learner 3 must be on one rank");
}

TEST_F(ExistingNetworkTest, LeavesQueuesAloneWhoseSizeTheScriptHasSet)
{
    const NodeContainer bus = MakeBus(2);
    const auto cache = [&bus](uint32_t node) {
        return bus.Get(node)->GetObject<Ipv4L3Protocol>()->GetInterface(1)->GetArpCache();
    };
    cache(0)->SetAttribute("PendingQueueSize", UintegerValue(7));
    ExistingNetwork network(bus);
    network.Build(Complete(2), {});
    UintegerValue size;
    cache(0)->GetAttribute("PendingQueueSize", size);
    EXPECT_EQ(size.Get(), 7U);
    cache(1)->GetAttribute("PendingQueueSize", size);
    EXPECT_GT(size.Get(), 1000U);
}

} // namespace
} // namespace ns3::dlearn

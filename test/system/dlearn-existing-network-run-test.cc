/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Whole runs on the nodes of a script: the same models as over the ideal network, whatever the
 * script has built, and batteries that end learners.
 */

#include "dlearn-federated-fixture.h"
#include "dlearn-system-fixture.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/basic-energy-source.h"
#include "ns3/csma-helper.h"
#include "ns3/dlearn-battery.h"
#include "ns3/dlearn-eavesdropper.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-existing-network.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/energy-source-container.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-generator.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/mobility-helper.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simple-device-energy-model.h"
#include "ns3/wifi-helper.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/yans-wifi-helper.h"

namespace ns3::dlearn
{
namespace
{

/** Addresses of a script begin anew. */
class ExistingNetworkRun : public testing::Test
{
  protected:
    void TearDown() override { Ipv4AddressGenerator::Reset(); }
};

/** Five nodes: a link, a bus and a Wi-Fi cell meet in routers, as a script makes them. */
NodeContainer
MakeMixture()
{
    NodeContainer nodes(5);
    InternetStackHelper().Install(nodes);
    MobilityHelper().Install(nodes);
    Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
    addresses.Assign(PointToPointHelper().Install(nodes.Get(0), nodes.Get(1)));
    addresses.SetBase("10.2.0.0", "255.255.255.0");
    const NodeContainer bus(nodes.Get(1), nodes.Get(2), nodes.Get(3));
    addresses.Assign(CsmaHelper().Install(bus));
    addresses.SetBase("10.3.0.0", "255.255.255.0");
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211a);
    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    addresses.Assign(wifi.Install(phy, mac, NodeContainer(nodes.Get(3), nodes.Get(4))));
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
    return nodes;
}

/** Nodes on one bus. */
NodeContainer
MakeBus(uint32_t nodes)
{
    NodeContainer bus(nodes);
    InternetStackHelper().Install(bus);
    Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(CsmaHelper().Install(bus));
    return bus;
}

/**
 * Five nodes that have IPv6 only: a link from node 0 to node 1, a router to the bus of nodes 1
 * to 4.
 */
NodeContainer
MakeIpv6Nodes()
{
    NodeContainer nodes(5);
    InternetStackHelper stack;
    stack.SetIpv4StackInstall(false);
    stack.Install(nodes);
    Ipv6AddressHelper addresses;
    addresses.SetBase("2001:1::", Ipv6Prefix(64));
    auto link = addresses.Assign(PointToPointHelper().Install(nodes.Get(0), nodes.Get(1)));
    link.SetForwarding(1, true);
    link.SetDefaultRouteInAllNodes(1);
    addresses.SetBase("2001:2::", Ipv6Prefix(64));
    const NodeContainer others(nodes.Get(2), nodes.Get(3), nodes.Get(4));
    auto bus = addresses.Assign(CsmaHelper().Install(NodeContainer(nodes.Get(1), others)));
    bus.SetForwarding(0, true);
    bus.SetDefaultRouteInAllNodes(0);
    return nodes;
}

/** @return a network of a script, ready when its nodes have looked for addresses that are double */
Ptr<ExistingNetwork>
MakeIpv6Network(const NodeContainer& nodes)
{
    auto network = CreateObject<ExistingNetwork>(nodes);
    network->SetReadyTime(Seconds(2));
    return network;
}

/** The models of a run of peers on a network of a script. */
Outcome
RunPeers(const RunSpec& spec, const dlearn::Run::NetworkMaker& make)
{
    dlearn::Run run(spec, make);
    std::vector<Ptr<UpdateRule>> rules;
    for (const auto& peer : run.GetPeers())
    {
        peer->SetAttribute("ResponseTimeout", TimeValue(Seconds(100)));
        rules.push_back(peer->GetRule());
    }
    std::ostringstream table;
    Outcome outcome;
    outcome.results = run.Execute(table);
    for (const auto& rule : rules)
    {
        outcome.models.push_back(rule->GetModel());
    }
    return outcome;
}

TEST_F(ExistingNetworkRun, OverLinkBusAndRadioHasTheModelsOfTheIdealNetworkToTheLastBit)
{
    const Outcome ideal = RunToEnd(SmallRun("ideal"));
    const Outcome mixed = RunPeers(SmallRun("ideal", "tcp"), [](uint32_t learners) {
        EXPECT_EQ(learners, 5U);
        return CreateObject<ExistingNetwork>(MakeMixture());
    });
    ASSERT_EQ(mixed.models.size(), ideal.models.size());
    for (size_t k = 0; k < ideal.models.size(); ++k)
    {
        EXPECT_TRUE(mixed.models[k] == ideal.models[k]) << "learner " << k;
    }
    EXPECT_EQ(mixed.results.positions.size(), 5U);
    const auto& parameters = mixed.results.parameters;
    const auto network = std::find_if(parameters.begin(), parameters.end(), [](const auto& p) {
        return p.first == "network";
    });
    ASSERT_NE(network, parameters.end());
    EXPECT_EQ(network->second, "existing");
}

TEST_F(ExistingNetworkRun, OverIpv6HasTheModelsOfTheIdealNetworkToTheLastBit)
{
    const Outcome ideal = RunToEnd(SmallRun("ideal"));
    for (const std::string transport : {"udp", "tcp"})
    {
        const Outcome six = RunPeers(SmallRun("ideal", transport),
                                     [](uint32_t) { return MakeIpv6Network(MakeIpv6Nodes()); });
        ASSERT_EQ(six.models.size(), ideal.models.size());
        for (size_t k = 0; k < ideal.models.size(); ++k)
        {
            EXPECT_TRUE(six.models[k] == ideal.models[k]) << transport << ", learner " << k;
        }
    }
}

TEST_F(ExistingNetworkRun, BroadcastOverIpv6IsRefused)
{
    ExpectRefused(
        [] {
            const dlearn::Run run(SmallRun("ideal", "broadcast"), MakeIpv6Network(MakeIpv6Nodes()));
        },
        "broadcast");
}

// 200 messages of one packet each, lost with probability 0.3: the number of losses is within 30 of
// 60, 4.6 standard deviations, but for a probability of 4e-6.
TEST_F(ExistingNetworkRun, FaultsAndOtherTrafficWorkOverIpv6)
{
    const std::string path = testing::TempDir() + "faults-over-ipv6.txt";
    WriteTextFile(path, "loss=0.3:*@0s\n");
    RunSpec spec = SmallRun("ideal");
    spec.faults = path;
    spec.crossTraffic = "constant:1Mbps:3to4";
    dlearn::Run run(spec, MakeIpv6Network(MakeIpv6Nodes()));
    std::ostringstream table;
    RunResults results = run.Execute(table);
    std::remove(path.c_str());
    uint64_t lost = 0; // what is late has arrived
    for (const PairRecord& pair : results.pairs)
    {
        lost += pair.lost;
    }
    EXPECT_NEAR(lost, 60, 30);
    EXPECT_GT(results.totals.at("cross_traffic_sent_bytes"), 10000U);
    // Of the traffic, too, 30 % are lost.
    EXPECT_NEAR(results.totals.at("cross_traffic_received_bytes") /
                    static_cast<double>(results.totals.at("cross_traffic_sent_bytes")),
                0.7,
                0.2);
}

// Learner 1 is on the router, which all between learners 0 and 4 passes.
TEST_F(ExistingNetworkRun, AnEavesdropperReadsIpv6)
{
    std::map<std::pair<Address, Address>, uint32_t> heard;
    RunPeers(SmallRun("ideal"), [&heard](uint32_t) {
        const NodeContainer nodes = MakeIpv6Nodes();
        const auto eavesdropper = CreateObject<Eavesdropper>();
        eavesdropper->ListenAt(nodes.Get(1));
        eavesdropper->TraceConnectWithoutContext(
            "Overheard",
            Callback<void, const Overheard&>([&heard](const Overheard& overheard) {
                ++heard[{overheard.source, overheard.destination}];
            }));
        return MakeIpv6Network(nodes);
    });
    EXPECT_EQ(heard.size(), 6U); // 0-1, 1-2 and 0-4, both ways
    for (const auto& [flow, vectors] : heard)
    {
        EXPECT_TRUE(Ipv6Address::IsMatchingType(flow.first));
        EXPECT_EQ(vectors, 20U) << IpAddress(Ipv6Address::ConvertFrom(flow.first));
    }
}

// Learners 0, 2 and 4 are on one node, 1 and 3 on another: neighbours on one node and on two.
TEST_F(ExistingNetworkRun, LearnersOfOneNodeHaveTheModelsOfTheIdealNetworkToTheLastBit)
{
    const Outcome ideal = RunToEnd(SmallRun("ideal"));
    for (const std::string transport : {"udp", "tcp"})
    {
        const Outcome shared = RunPeers(SmallRun("ideal", transport), [](uint32_t learners) {
            const NodeContainer bus = MakeBus(2);
            NodeContainer nodes;
            for (uint32_t k = 0; k < learners; ++k)
            {
                nodes.Add(bus.Get(k % 2));
            }
            return CreateObject<ExistingNetwork>(nodes);
        });
        for (size_t k = 0; k < ideal.models.size(); ++k)
        {
            EXPECT_TRUE(shared.models.at(k) == ideal.models[k]) << transport << ", learner " << k;
        }
        Ipv4AddressGenerator::Reset();
    }
}

TEST_F(ExistingNetworkRun, TakesANetworkThatIsThere)
{
    const FederatedOutcome ideal = RunFederation(SmallFederation("ideal"));
    dlearn::Run run(SmallFederation("p2p"), CreateObject<ExistingNetwork>(MakeBus(5)));
    ModelRecorder recorder(run.GetFederation());
    std::ostringstream table;
    run.Execute(table);
    EXPECT_EQ(run.GetSpec().network, "existing");
    ASSERT_EQ(recorder.models.size(), ideal.models.size());
    EXPECT_TRUE(recorder.models.back() == ideal.models.back());
}

// The first interface of nodes 0 and 1 is that of a link, the second one that of the bus.
TEST_F(ExistingNetworkRun, BroadcastsOverTheInterfaceThatAllShare)
{
    const Outcome ideal = RunToEnd(SmallRun("ideal"));
    const Outcome shared = RunPeers(SmallRun("ideal", "broadcast"), [](uint32_t learners) {
        NodeContainer nodes(learners);
        InternetStackHelper().Install(nodes);
        Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
        addresses.Assign(PointToPointHelper().Install(nodes.Get(0), nodes.Get(1)));
        addresses.SetBase("10.2.0.0", "255.255.255.0");
        const auto bus = addresses.Assign(CsmaHelper().Install(nodes));
        std::vector<Ipv4Address> given;
        for (uint32_t k = 0; k < learners; ++k)
        {
            given.push_back(bus.GetAddress(k));
        }
        return CreateObject<ExistingNetwork>(nodes, given);
    });
    for (size_t k = 0; k < ideal.models.size(); ++k)
    {
        EXPECT_TRUE(shared.models.at(k) == ideal.models[k]) << "learner " << k;
    }
}

// A TCP that closes sends segments, which the devices of a node that is disposed cannot take.
TEST_F(ExistingNetworkRun, CanBeDestroyedWhileTcpSends)
{
    RunSpec spec = SmallFederation("ideal");
    spec.dimension = 50000;
    dlearn::Run run(spec, [](uint32_t learners) {
        return CreateObject<ExistingNetwork>(MakeBus(learners));
    });
    Simulator::Stop(MicroSeconds(300));
    Simulator::Run();
    EXPECT_GT(run.GetFederation().server->GetExchange()->GetTransport()->GetTxBytes(), 0U);
    EXPECT_TRUE(run.GetFederation().server->GetRecords().empty());
}

TEST_F(ExistingNetworkRun, RefusesAnotherNetworkThanTheScripts)
{
    const auto make = [](uint32_t learners) {
        return CreateObject<ExistingNetwork>(MakeBus(learners));
    };
    RunSpec spec = SmallFederation("p2p");
    spec.invocation.options = {"network"};
    ExpectRefused([&] { const dlearn::Run run(spec, make); },
                  "network must be existing, which this program makes; got 'p2p'");
    spec.network = "existing"; // of summary.json
    EXPECT_NO_THROW(dlearn::Run(spec, make));
    spec.invocation.options = {"rate"};
    ExpectRefused([&] { const dlearn::Run run(spec, make); },
                  "option rate is not used: it is for network with wired links, and network is "
                  "existing");
    ExpectRefused([&] { const dlearn::Run run(spec, [](uint32_t) { return nullptr; }); },
                  "there must be a network, got none");
}

/** A network of a user, with an attribute. */
class OwnBus : public ExistingNetwork
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = MakeTypeId<OwnBus, ExistingNetwork>("test::OwnBus")
                                .AddAttribute("Shift",
                                              "Of the ready time",
                                              TimeValue(Time(0)),
                                              MakeTimeAccessor(&ExistingNetwork::SetReadyTime),
                                              MakeTimeChecker(Time(0)));
        return tid;
    }

    OwnBus()
        : ExistingNetwork(MakeBus(5))
    {
    }

    std::string GetName() const override { return "test::OwnBus"; }
};

NS_OBJECT_ENSURE_REGISTERED(OwnBus);

TEST_F(ExistingNetworkRun, NetworksOfAUserAreKnownByName)
{
    RunSpec spec = SmallFederation("test::OwnBus,shift=1s");
    spec.invocation.options = {"network"};
    const FederatedOutcome outcome = RunFederation(spec);
    EXPECT_EQ(outcome.models.size(), 12U);
}

/** A bus whose node 2 has a battery of 1 J, which a device of 1 W empties after a second. */
TEST_F(ExistingNetworkRun, AnEmptyBatteryEndsItsLearner)
{
    RunSpec spec = SmallFederation("ideal");
    spec.rounds = 2000;
    spec.responseTimeout = "100ms";
    dlearn::Run run(spec, [](uint32_t learners) {
        const NodeContainer bus = MakeBus(learners);
        const auto source = CreateObject<BasicEnergySource>();
        source->SetAttribute("BasicEnergySourceInitialEnergyJ", DoubleValue(1));
        source->SetAttribute("BasicEnergyLowBatteryThreshold", DoubleValue(0));
        source->SetAttribute("BasicEnergySupplyVoltageV", DoubleValue(1));
        source->SetNode(bus.Get(2));
        const auto drain = CreateObject<SimpleDeviceEnergyModel>();
        drain->SetEnergySource(source);
        drain->SetNode(bus.Get(2));
        source->AppendDeviceEnergyModel(drain);
        drain->SetCurrentA(1);
        const auto container = CreateObject<EnergySourceContainer>();
        container->Add(source);
        bus.Get(2)->AggregateObject(container);
        return CreateObject<ExistingNetwork>(bus);
    });
    std::ostringstream table;
    const RunResults results = run.Execute(table);
    const auto empty =
        std::find_if(results.timeline.begin(), results.timeline.end(), [](const RunEvent& event) {
            return event.event == "battery-empty";
        });
    ASSERT_NE(empty, results.timeline.end());
    EXPECT_EQ(empty->node, std::optional<LearnerId>(2));
    EXPECT_EQ(empty->time, Seconds(1)); // 1 J / (1 A x 1 V), looked at every second
}

} // namespace
} // namespace ns3::dlearn

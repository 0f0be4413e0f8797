/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Ten peers in a line of radios that reach only the next one. Neighbours in the ring of learners
 * are three or seven radio hops apart, and a routing protocol finds the way.
 */
#include "ns3/aodv-module.h"
#include "ns3/dlearn-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/olsr-module.h"
#include "ns3/wifi-module.h"
using namespace ns3;

int
main(int argc, char* argv[])
{
    dlearn::RunSpec spec = dlearn::LdpOnlinePreset("dlearn-multihop");
    spec.algorithm = "dsgd";
    spec.noise = 0;
    spec.learners = 10;
    spec.rounds = 50;
    spec.evaluateEvery = 5;
    spec.transport = "tcp";
    std::string routing = "olsr";
    dlearn::RunProgram program(spec);
    program.AddOption("routing", "routing protocol: olsr or aodv", routing);
    program.SetNetwork([&routing](uint32_t learners) {
        NodeContainer line(learners);
        InternetStackHelper stack;
        if (routing == "aodv")
        {
            stack.SetRoutingHelper(AodvHelper());
        }
        else
        {
            stack.SetRoutingHelper(OlsrHelper());
        }
        stack.Install(line);
        MobilityHelper mobility; // 60 m apart, of which radios reach 100 m
        mobility.SetPositionAllocator("ns3::GridPositionAllocator",
                                      "DeltaX",
                                      DoubleValue(60),
                                      "GridWidth",
                                      UintegerValue(learners));
        mobility.Install(line);
        YansWifiChannelHelper air;
        air.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
        air.AddPropagationLoss("ns3::RangePropagationLossModel", "MaxRange", DoubleValue(100));
        YansWifiPhyHelper phy;
        phy.SetChannel(air.Create());
        WifiHelper wifi;
        wifi.SetStandard(WIFI_STANDARD_80211a);
        WifiMacHelper mac;
        mac.SetType("ns3::AdhocWifiMac");
        const auto radios = wifi.Install(phy, mac, line);
        wifi.AssignStreams(radios, 1);
        Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(radios);
        NodeContainer nodes; // learner k is at place 3 k modulo 10
        for (uint32_t k = 0; k < learners; ++k)
        {
            nodes.Add(line.Get(3 * k % learners));
        }
        auto network = std::make_unique<dlearn::ExistingNetwork>(nodes);
        network->SetReadyTime(Seconds(30)); // OLSR knows the whole line by then
        return network;
    });
    return program.Main(argc, argv, __FILE__);
}

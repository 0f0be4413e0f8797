/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
// Ten peers in a line of radios; neighbours in their ring are three or seven radio hops apart.
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
    spec.rounds = 60;
    spec.transport = "tcp";
    spec.responseTimeout = "10s"; // several hops and the search for a route take time
    bool aodv = false;
    dlearn::RunProgram program(spec);
    program.AddOption("aodv", "routes by AODV instead of OLSR", aodv);
    program.SetNetwork([&aodv](uint32_t learners) {
        NodeContainer line(learners), nodes;
        InternetStackHelper stack;
        stack.SetRoutingHelper(OlsrHelper());
        if (aodv)
        {
            stack.SetRoutingHelper(AodvHelper());
        }
        stack.Install(line);
        MobilityHelper mobility;
        mobility.SetPositionAllocator("ns3::GridPositionAllocator"); // ten in a row, one metre
        mobility.Install(line);
        YansWifiChannelHelper air;
        air.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
        air.AddPropagationLoss("ns3::RangePropagationLossModel", "MaxRange", DoubleValue(1));
        YansWifiPhyHelper phy;
        phy.SetChannel(air.Create());
        WifiHelper wifi;
        wifi.SetStandard(WIFI_STANDARD_80211a);
        WifiMacHelper mac;
        mac.SetType("ns3::AdhocWifiMac");
        const auto radios = wifi.Install(phy, mac, line);
        wifi.AssignStreams(radios, 1);
        Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(radios);
        for (uint32_t k = 0; k < learners; ++k) // learner k is at place 3 k modulo 10
        {
            nodes.Add(line.Get(3 * k % learners));
        }
        auto network = CreateObject<dlearn::ExistingNetwork>(nodes);
        network->SetReadyTime(Seconds(30)); // OLSR knows the whole line by then
        return network;
    });
    return program.Main(argc, argv, __FILE__);
}

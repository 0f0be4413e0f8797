// SPDX-License-Identifier: GPL-2.0-only
// Two offices with five clients each, whose edge servers average them for four rounds before the
// server, behind slow links, averages the edge servers; and the same network without edge servers.
#include "ns3/csma-module.h"
#include "ns3/dlearn-module.h"
#include "ns3/internet-module.h"
#include "ns3/point-to-point-module.h"
using namespace ns3;

int
main(int argc, char* argv[])
{
    constexpr uint32_t OFFICES = 2;
    constexpr uint32_t CLIENTS = 5; // of an office
    dlearn::RunSpec spec = dlearn::FedAvgPreset("dlearn-tiers");
    spec.data = "glyphs";
    spec.partition = "dirichlet:0.5";
    spec.learners = OFFICES * CLIENTS;
    spec.tiers = "2x5";
    spec.edgePeriod = 4;
    spec.rounds = 10;
    dlearn::RunProgram program(spec);
    program.SetNetwork([](uint32_t learners) {
        // Learners come in this order: the server, all clients, the edge servers.
        NodeContainer nodes(1 + OFFICES * CLIENTS + OFFICES);
        InternetStackHelper().Install(nodes);
        PointToPointHelper trunk;
        trunk.SetDeviceAttribute("DataRate", StringValue("1Mbps"));
        trunk.SetChannelAttribute("Delay", StringValue("20ms"));
        CsmaHelper bus;
        bus.SetChannelAttribute("DataRate", StringValue("100Mbps"));
        Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
        for (uint32_t office = 0; office < OFFICES; ++office)
        {
            NodeContainer members(nodes.Get(1 + OFFICES * CLIENTS + office)); // the edge server
            addresses.Assign(trunk.Install(nodes.Get(0), members.Get(0)));
            addresses.NewNetwork();
            for (uint32_t client = 0; client < CLIENTS; ++client)
            {
                members.Add(nodes.Get(1 + office * CLIENTS + client));
            }
            addresses.Assign(bus.Install(members));
            addresses.NewNetwork();
        }
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        NodeContainer used; // without tiers, edge servers are routers only
        for (uint32_t learner = 0; learner < learners; ++learner)
        {
            used.Add(nodes.Get(learner));
        }
        return CreateObject<dlearn::ExistingNetwork>(used);
    });
    program.CompareWith("tiers", {{"flat", {"--tiers=", "--rounds=40"}}});
    return program.Main(argc, argv, __FILE__);
}

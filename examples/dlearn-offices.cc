// SPDX-License-Identifier: GPL-2.0-only
// FedAvg between three offices: an Ethernet in each, and with --mpi each on its own rank.
#include "ns3/csma-module.h"
#include "ns3/dlearn-module.h"
#include "ns3/internet-module.h"
#include "ns3/point-to-point-module.h"
using namespace ns3;

int
main(int argc, char* argv[])
{
    dlearn::RunSpec spec = dlearn::FedAvgPreset("dlearn-offices");
    spec.data = "glyphs";
    spec.normalize = true;
    spec.stepSize = 0.1;
    spec.learners = 9;
    dlearn::RunProgram program(spec);
    program.SetNetwork([](uint32_t learners) {
        constexpr uint32_t OFFICES = 3;
        NodeContainer hosts;    // of the learners; the server is in the first office
        NodeContainer gateways; // of the offices
        for (uint32_t office = 0; office < OFFICES; ++office)
        {
            const uint32_t rank = office % dlearn::Ranks::GetCount(); // 0 without --mpi
            const uint32_t number = learners * (office + 1) / OFFICES - learners * office / OFFICES;
            NodeContainer lan(number, rank);
            hosts.Add(lan);
            gateways.Create(1, rank);
            lan.Add(gateways.Get(office));
            InternetStackHelper().Install(lan);
            const std::string subnet = "10.1." + std::to_string(office) + ".0";
            Ipv4AddressHelper(subnet.c_str(), "255.255.255.0").Assign(CsmaHelper().Install(lan));
        }
        Ipv4AddressHelper addresses("10.2.0.0", "255.255.255.0");
        for (uint32_t office = 1; office < OFFICES; ++office)
        {
            PointToPointHelper trunk; // only such links can join nodes of different ranks
            trunk.SetDeviceAttribute("DataRate", StringValue("100Mbps"));
            trunk.SetChannelAttribute("Delay", TimeValue(MilliSeconds(4 + office)));
            addresses.Assign(trunk.Install(gateways.Get(0), gateways.Get(office)));
            addresses.NewNetwork();
        }
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        return CreateObject<dlearn::ExistingNetwork>(hosts);
    });
    return program.Main(argc, argv, __FILE__);
}

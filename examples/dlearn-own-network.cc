/*
 * SPDX-License-Identifier: GPL-2.0-only
 *
 * Learners on the nodes of an ns-3 script: the clients are Wi-Fi stations with batteries, the
 * server is a host behind their access point, and other traffic is on the same links.
 */
#include "ns3/applications-module.h"
#include "ns3/csma-module.h"
#include "ns3/dlearn-module.h"
#include "ns3/energy-module.h"
#include "ns3/flow-monitor-module.h"
#include "ns3/internet-module.h"
#include "ns3/mobility-module.h"
#include "ns3/wifi-module.h"
using namespace ns3;

int
main(int argc, char* argv[])
{
    dlearn::RunSpec spec = dlearn::FedAvgPreset("dlearn-own-network");
    spec.data = "glyphs";
    spec.learners = 6;
    dlearn::RunProgram program(spec);
    program.SetNetwork([](uint32_t learners) {
        NodeContainer wired(4), stations(learners - 1); // access point, server, two other hosts
        InternetStackHelper().InstallAll();
        MobilityHelper mobility; // on a grid, one metre apart
        mobility.SetPositionAllocator("ns3::GridPositionAllocator");
        mobility.InstallAll();
        YansWifiPhyHelper phy;
        phy.SetChannel(YansWifiChannelHelper::Default().Create());
        WifiHelper wifi;
        wifi.SetStandard(WIFI_STANDARD_80211a);
        WifiMacHelper mac;
        mac.SetType("ns3::StaWifiMac");
        NetDeviceContainer radios = wifi.Install(phy, mac, stations);
        const auto batteries = BasicEnergySourceHelper().Install(stations);    // of 10 J
        DynamicCast<BasicEnergySource>(batteries.Get(5))->SetInitialEnergy(2); // nearly empty
        WifiRadioEnergyModelHelper().Install(radios, batteries);
        mac.SetType("ns3::ApWifiMac");
        radios.Add(wifi.Install(phy, mac, wired.Get(0)));
        wifi.AssignStreams(radios, 1);
        Ipv4AddressHelper addresses("10.1.0.0", "255.255.255.0");
        addresses.Assign(radios);
        addresses.SetBase("10.2.0.0", "255.255.255.0");
        const auto hosts = addresses.Assign(CsmaHelper().Install(wired));
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        const InetSocketAddress sink(hosts.GetAddress(3), 9);
        OnOffHelper("ns3::UdpSocketFactory", sink).Install(wired.Get(2));
        BulkSendHelper("ns3::TcpSocketFactory", sink).Install(stations.Get(0));
        PacketSinkHelper("ns3::TcpSocketFactory", sink).Install(wired.Get(3));
        return std::make_unique<dlearn::ExistingNetwork>(NodeContainer(wired.Get(1), stations));
    });
    FlowMonitorHelper flows;
    program.SetBeginHook([&flows](dlearn::Run& run) {
        flows.InstallAll();
        CsmaHelper().EnablePcap(run.GetSpec().out + "/server",
                                run.GetNetwork().GetNodes().Get(0)->GetDevice(1));
    });
    program.SetFinishHook([&flows](dlearn::Run& run) {
        flows.SerializeToXmlFile(run.GetSpec().out + "/flows.xml", false, false);
    });
    return program.Main(argc, argv, __FILE__);
}

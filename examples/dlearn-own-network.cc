// SPDX-License-Identifier: GPL-2.0-only
// FedAvg on nodes of a script: Wi-Fi stations on batteries, their server behind the access point.
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
    spec.responseTimeout = "1s"; // longest wait for a client whose battery is empty
    dlearn::RunProgram program(spec);
    program.SetNetwork([sink = InetSocketAddress("10.2.0.3", 9)](uint32_t learners) {
        NodeContainer wired(3), stations(learners - 1); // access point, server, another host
        InternetStackHelper().InstallAll();
        MobilityHelper().InstallAll();
        WifiHelper wifi;
        WifiMacHelper mac;
        YansWifiPhyHelper phy;
        wifi.SetStandard(WIFI_STANDARD_80211n);
        wifi.SetRemoteStationManager("ns3::IdealWifiManager");
        phy.SetChannel(YansWifiChannelHelper::Default().Create());
        mac.SetType("ns3::StaWifiMac");
        NetDeviceContainer radios = wifi.Install(phy, mac, stations);
        BasicEnergySourceHelper battery; // of 10 J, but the last one of 2 J; empty at 30 %
        battery.Set("BasicEnergyLowBatteryThreshold", DoubleValue(0.3));
        battery.Set("BasicEnergyHighBatteryThreshold", DoubleValue(1));
        const auto batteries = battery.Install(stations);
        (*(batteries.End() - 1))->SetAttribute("BasicEnergySourceInitialEnergyJ", DoubleValue(2));
        WifiRadioEnergyModelHelper drain;
        drain.SetDepletionCallback(Callback<void>([] {})); // the learner ends, the radio stays on
        drain.Install(radios, batteries);
        mac.SetType("ns3::ApWifiMac");
        radios.Add(wifi.Install(phy, mac, wired.Get(0)));
        Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(radios);
        Ipv4AddressHelper("10.2.0.0", "255.255.255.0").Assign(CsmaHelper().Install(wired));
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        OnOffHelper("ns3::UdpSocketFactory", sink).Install(stations.Get(1));
        dlearn::HostTcpSocketFactory::Install(NodeContainer::GetGlobal());
        BulkSendHelper("ns3::dlearn::HostTcpSocketFactory", sink).Install(stations.Get(2));
        PacketSinkHelper("ns3::dlearn::HostTcpSocketFactory", sink).Install(wired.Get(2));
        const NodeContainer nodes(wired.Get(1), stations);
        auto network = CreateObject<dlearn::ExistingNetwork>(nodes);
        network->PrepareWifi(); // else block acknowledgement of ns-3.37 may stall
        return network;
    });
    FlowMonitorHelper flows;
    program.SetBeginHook([&](dlearn::Run& run) {
        CsmaHelper().EnablePcap(run.GetSpec().out + "/server", run.GetNetwork().GetNodes());
        flows.InstallAll();
    });
    program.SetFinishHook([&](dlearn::Run& run) {
        flows.SerializeToXmlFile(run.GetSpec().out + "/flows.xml", false, false);
    });
    return program.Main(argc, argv, __FILE__);
}

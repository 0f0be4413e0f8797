/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-infra-network.h"

#include "dlearn-network-factory.h"
#include "dlearn-placement.h"

#include "ns3/boolean.h"
#include "ns3/bridge-helper.h"
#include "ns3/csma-helper.h"
#include "ns3/dlearn-check.h"
#include "ns3/node.h"
#include "ns3/ssid.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"

#include <vector>

namespace ns3::dlearn
{

namespace
{

const NetworkRegistration g_wifiInfra("wifi-infra", [](const std::string&) {
    return std::make_unique<WifiInfraNetwork>();
});

} // namespace

// Many, because the access point forgets a station when its association response is not
// acknowledged, while the station considers itself associated; neither tries again.
WifiInfraNetwork::WifiInfraNetwork()
    : WifiNetwork(30)
{
}

Time
WifiInfraNetwork::GetReadyTime() const
{
    // Measured: 10 stations take 0.1 s to join, 60 take 0.6 s, 200 take 1.6 s; less than 1.7 s
    // when half of all frames are lost.
    return Seconds(2) + m_nodes.GetN() * MilliSeconds(10);
}

bool
WifiInfraNetwork::HasEffect(const std::string& option) const
{
    return option == "access-points" || (option == "trunk-rate" && m_wired.GetN() > 0) ||
           WifiNetwork::HasEffect(option);
}

void
WifiInfraNetwork::CheckFits(const Graph& graph, const NetworkOptions& options) const
{
    WifiNetwork::CheckFits(graph, options);
    Require(options.accessPoints >= 1 && options.accessPoints <= MAX_ACCESS_POINTS,
            GetName(),
            ": access points must be from 1 to ",
            MAX_ACCESS_POINTS,
            ", got ",
            options.accessPoints);
}

void
WifiInfraNetwork::JoinByBus(const NetDeviceContainer& radios, const NetworkOptions& options)
{
    CsmaHelper bus;
    bus.SetChannelAttribute("DataRate", DataRateValue(options.trunkRate));
    bus.SetChannelAttribute("Delay", TimeValue(MicroSeconds(1)));
    GetQueues().Prepare(bus);
    NodeContainer nodes = m_accessPoints;
    if (options.server)
    {
        nodes.Add(m_nodes.Get(*options.server));
    }
    m_wired = bus.Install(nodes);
    BridgeHelper bridge;
    bridge.SetDeviceAttribute("ExpirationTime", TimeValue(Seconds(1)));
    for (uint32_t k = 0; k < m_accessPoints.GetN(); ++k)
    {
        bridge.Install(m_accessPoints.Get(k), NetDeviceContainer(radios.Get(k), m_wired.Get(k)));
    }
}

NetDeviceContainer
WifiInfraNetwork::InstallDevices(const WifiHelper& wifi,
                                 const YansWifiPhyHelper& phy,
                                 const NetworkOptions& options)
{
    const SsidValue ssid(Ssid("dlearn"));
    const bool several = options.accessPoints > 1;
    WifiMacHelper station;
    // A station does not look for another access point where there is none. Else, a few beacons
    // lost to collisions would make it drop what it has to send.
    station.SetType("ns3::StaWifiMac",
                    "Ssid",
                    ssid,
                    "ActiveProbing",
                    BooleanValue(false),
                    "MaxMissedBeacons",
                    UintegerValue(several ? 20 : 1000000));
    // Beacons of several must not collide for ever.
    WifiMacHelper accessPoint;
    accessPoint.SetType("ns3::ApWifiMac",
                        "Ssid",
                        ssid,
                        "BeaconInterval",
                        TimeValue(MicroSeconds(102400)),
                        "EnableBeaconJitter",
                        BooleanValue(several));

    std::vector<Ptr<NetDevice>> own(m_nodes.GetN()); // of the learners
    for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
    {
        const bool server = id == options.server;
        if (!server || !several)
        {
            own[id] = wifi.Install(phy, server ? accessPoint : station, m_nodes.Get(id)).Get(0);
        }
    }
    NetDeviceContainer radios;
    if (!options.server || several)
    {
        m_accessPoints.Create(options.accessPoints);
        PlaceOnGrid(m_accessPoints, options);
        radios = wifi.Install(phy, accessPoint, m_accessPoints);
    }
    if (several)
    {
        JoinByBus(radios, options);
        if (options.server)
        {
            own[*options.server] = m_wired.Get(options.accessPoints);
        }
    }
    NetDeviceContainer devices;
    for (const auto& device : own)
    {
        devices.Add(device);
    }
    devices.Add(radios);
    return devices;
}

NetDeviceContainer
WifiInfraNetwork::MakeDevices(const NetworkOptions& options)
{
    const NetDeviceContainer devices = WifiNetwork::MakeDevices(options);
    if (options.accessPoints > 1)
    {
        SwitchOffAmsdu(); // an access point passes joined packets on to stations only
    }
    return devices;
}

int64_t
WifiInfraNetwork::AssignStreams(int64_t stream)
{
    const int64_t used = WifiNetwork::AssignStreams(stream);
    return used + CsmaHelper().AssignStreams(m_wired, stream + used);
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-infra-network.h"

#include "dlearn-network-factory.h"
#include "dlearn-placement.h"

#include "ns3/boolean.h"
#include "ns3/node.h"
#include "ns3/ssid.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac-helper.h"

namespace ns3::dlearn
{

namespace
{

const NetworkRegistration g_registration("wifi-infra", [](const std::string&) {
    return std::make_unique<WifiInfraNetwork>();
});

} // namespace

// Many, because the access point forgets a station when its association response is not
// acknowledged, while the station considers itself associated; neither tries again.
WifiInfraNetwork::WifiInfraNetwork()
    : WifiNetwork(30)
{
}

std::string
WifiInfraNetwork::GetName() const
{
    return "wifi-infra";
}

Time
WifiInfraNetwork::GetReadyTime() const
{
    // Measured: 10 stations take 0.1 s to join, 60 take 0.6 s, 200 take 1.6 s; less than 1.7 s
    // when half of all frames are lost.
    return Seconds(2) + m_nodes.GetN() * MilliSeconds(10);
}

std::optional<LearnerId>
WifiInfraNetwork::GetFixedLearner(const NetworkOptions& options) const
{
    return options.server;
}

NetDeviceContainer
WifiInfraNetwork::InstallDevices(const WifiHelper& wifi,
                                 const YansWifiPhyHelper& phy,
                                 const NetworkOptions& options)
{
    const SsidValue ssid(Ssid("dlearn"));
    WifiMacHelper station;
    // A station never looks for another access point: there is none. Else, a few beacons lost
    // to collisions would make it drop what it has to send.
    station.SetType("ns3::StaWifiMac",
                    "Ssid",
                    ssid,
                    "ActiveProbing",
                    BooleanValue(false),
                    "MaxMissedBeacons",
                    UintegerValue(1000000));
    WifiMacHelper accessPoint;
    accessPoint.SetType("ns3::ApWifiMac",
                        "Ssid",
                        ssid,
                        "BeaconInterval",
                        TimeValue(MicroSeconds(102400)),
                        "EnableBeaconJitter",
                        BooleanValue(false));

    NetDeviceContainer devices;
    for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
    {
        devices.Add(
            wifi.Install(phy, id == options.server ? accessPoint : station, m_nodes.Get(id)));
    }
    if (!options.server)
    {
        m_accessPoint.Create(1);
        PlaceInCentre(m_accessPoint.Get(0), options);
        devices.Add(wifi.Install(phy, accessPoint, m_accessPoint));
    }
    return devices;
}

} // namespace ns3::dlearn

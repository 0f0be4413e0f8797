/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-adhoc-network.h"

#include "dlearn-network-factory.h"

#include "ns3/wifi-mac-helper.h"

namespace ns3::dlearn
{

namespace
{

const NetworkRegistration g_registration("wifi-adhoc", [](const std::string&) {
    return std::make_unique<WifiAdhocNetwork>();
});

} // namespace

// dot11ShortRetryLimit of the standard.
WifiAdhocNetwork::WifiAdhocNetwork()
    : WifiNetwork(7)
{
}

std::string
WifiAdhocNetwork::GetName() const
{
    return "wifi-adhoc";
}

NetDeviceContainer
WifiAdhocNetwork::InstallDevices(const WifiHelper& wifi,
                                 const YansWifiPhyHelper& phy,
                                 const NetworkOptions& /* options */)
{
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    return wifi.Install(phy, mac, m_nodes);
}

} // namespace ns3::dlearn

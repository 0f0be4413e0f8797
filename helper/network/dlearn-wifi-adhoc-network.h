/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIFI_ADHOC_NETWORK_H
#define DLEARN_WIFI_ADHOC_NETWORK_H

#include "dlearn-wifi-network.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Learners that talk to each other directly, by IEEE 802.11 without an access point.
 */
class WifiAdhocNetwork : public WifiNetwork
{
  public:
    WifiAdhocNetwork();

    std::string GetName() const override;

  protected:
    NetDeviceContainer InstallDevices(const WifiHelper& wifi,
                                      const YansWifiPhyHelper& phy,
                                      const NetworkOptions& options) override;
};

} // namespace ns3::dlearn

#endif // DLEARN_WIFI_ADHOC_NETWORK_H

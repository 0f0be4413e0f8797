/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIFI_INFRA_NETWORK_H
#define DLEARN_WIFI_INFRA_NETWORK_H

#include "dlearn-wifi-network.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Learners are stations of one access point.
 *
 * Without a server, the access point relays all their traffic: it stands at the centre of the
 * square, is no learner and is not in GetNodes(), and every packet crosses the air twice:
 * station to access point, access point to station. With NetworkOptions::server, the server is
 * the access point (an edge server): every packet crosses the air once. It stands at the centre
 * unless positions are given, and does not move.
 *
 * Stations receive a beacon and associate; packets that a station sends before are dropped, see
 * GetReadyTime(). A broadcast goes to the access point as unicast, is repeated until acknowledged,
 * and is then relayed once to all: a relayed frame that collides, for instance with the next packet
 * of the same burst, is lost at the receivers of the collision. A broadcast of the server is sent
 * once.
 *
 * The access point sends beacons for ever, so a simulation ends by Simulator::Stop() only.
 */
class WifiInfraNetwork : public WifiNetwork
{
  public:
    WifiInfraNetwork();

    std::string GetName() const override;
    Time GetReadyTime() const override;

  protected:
    NetDeviceContainer InstallDevices(const WifiHelper& wifi,
                                      const YansWifiPhyHelper& phy,
                                      const NetworkOptions& options) override;
    std::optional<LearnerId> GetFixedLearner(const NetworkOptions& options) const override;

  private:
    NodeContainer m_accessPoint; //!< the one access point, when it is no learner
};

} // namespace ns3::dlearn

#endif // DLEARN_WIFI_INFRA_NETWORK_H

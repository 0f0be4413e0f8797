/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIFI_NETWORK_H
#define DLEARN_WIFI_NETWORK_H

#include "dlearn-shared-network.h"

#include "ns3/wifi-helper.h"
#include "ns3/yans-wifi-helper.h"

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * What radio networks share: positions, motion, and IEEE 802.11n on one 20 MHz channel.
 *
 * Learners stand in a square; they are placed by NetworkOptions::positions or uniformly at
 * random, and move by random waypoint (a new goal in the square, the speed asked for, a pause
 * of a second) when mobility is asked for.
 *
 * TODO radio numbers
 */
class WifiNetwork : public SharedNetwork
{
  public:
    int64_t AssignStreams(int64_t stream) override;

  protected:
    void CheckFits(const Graph& graph, const NetworkOptions& options) const override;
    NetDeviceContainer MakeDevices(const NetworkOptions& options) override;

    /**
     * Install the devices of the learners, and those of any helper node.
     *
     * @param wifi configured helper
     * @param phy configured helper, on the channel of this network
     * @param options what the user asked for
     * @return the devices: learners first, in order, then those of helper nodes
     */
    virtual NetDeviceContainer InstallDevices(const WifiHelper& wifi,
                                              const YansWifiPhyHelper& phy,
                                              const NetworkOptions& options) = 0;

  private:
    /**
     * Fill m_positions.
     * @param options what the user asked for
     */
    void PlaceLearners(const NetworkOptions& options);

    /**
     * Give each learner a mobility model.
     * @param options what the user asked for
     */
    void InstallMobility(const NetworkOptions& options) const;

    NetDeviceContainer m_devices; //!< learners first, then helper nodes
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_WIFI_NETWORK_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIFI_MESH_NETWORK_H
#define DLEARN_WIFI_MESH_NETWORK_H

#include "dlearn-wifi-network.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Learners that are mesh points of IEEE 802.11s: below IP they forward frames for each other, on
 * paths that the Hybrid Wireless Mesh Protocol finds, also while they move.
 *
 * Stations that hear each other's beacons become peers; paths are searched when they are needed,
 * and before learners begin: one after the other sends a byte to each of its neighbours in the
 * graph. Else the searches, which are broadcast, would collide with the first models. A broadcast
 * frame would be repeated by every mesh point, for all learners and not only for neighbours, so
 * there is no broadcast to neighbours.
 *
 * Needs ns-3's module mesh.
 */
class WifiMeshNetwork : public WifiNetwork
{
  public:
    WifiMeshNetwork();

    std::string GetName() const override { return "wifi-mesh"; }

    bool HasBroadcast() const override { return false; }

    Time GetReadyTime() const override;
    int64_t AssignStreams(int64_t stream) override;
    bool HasEffect(const std::string& option) const override;

    std::string Describe() const override { return m_radio.Describe(false); }

  protected:
    LinkQueues GetQueues() const override;
    void Connect(const Graph& graph, const NetworkOptions& options) override;
    NetDeviceContainer MakeDevices(const NetworkOptions& options) override;
    NetDeviceContainer InstallDevices(const WifiHelper& wifi,
                                      const YansWifiPhyHelper& phy,
                                      const NetworkOptions& options) override;
    Ptr<WifiNetDevice> FindRadio(Ptr<NetDevice> device) const override;

  private:
    NetDeviceContainer m_meshPoints; //!< of the learners
};

} // namespace ns3::dlearn

#endif // DLEARN_WIFI_MESH_NETWORK_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIFI_ADHOC_NETWORK_H
#define DLEARN_WIFI_ADHOC_NETWORK_H

#include "dlearn-radio-routing.h"
#include "dlearn-wifi-network.h"

#include <optional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Learners that talk to each other directly, by IEEE 802.11 without an access point.
 *
 * With NetworkOptions::routing they forward packets for each other, so that learners that do not
 * receive each other can be neighbours in the graph. There is no broadcast to such neighbours.
 */
class WifiAdhocNetwork : public WifiNetwork
{
  public:
    WifiAdhocNetwork();

    std::string GetName() const override { return "wifi-adhoc"; }

    bool HasBroadcast() const override { return !m_routing; }

    bool HasEffect(const std::string& option) const override;
    Time GetReadyTime() const override;

    /** @return the fewest, at the first positions; 1 where there is no way */
    uint32_t CountRadioHops(LearnerId from, LearnerId to) const override;
    int64_t AssignStreams(int64_t stream) override;

    /** As WifiNetwork::SetPowers(); static routes know of one power only. */
    void SetPowers(const std::vector<double>& powers) override;

  protected:
    void CheckFits(const Graph& graph, const NetworkOptions& options) const override;
    NodeContainer MakeNodes(uint32_t learners, const NetworkOptions& options) override;
    void Connect(const Graph& graph, const NetworkOptions& options) override;
    NetDeviceContainer InstallDevices(const WifiHelper& wifi,
                                      const YansWifiPhyHelper& phy,
                                      const NetworkOptions& options) override;

  private:
    /** @return which nodes receive which others, where they are at the beginning */
    Graph FindReach(const NetworkOptions& options) const;

    std::optional<Graph> m_reach; //!< FindReach(), with a routing
    Ptr<RadioRouting> m_routing;  //!< null: learners reach those only whose radios they hear
};

} // namespace ns3::dlearn

#endif // DLEARN_WIFI_ADHOC_NETWORK_H

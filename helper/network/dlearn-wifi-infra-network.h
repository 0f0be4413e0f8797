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
 * Learners are stations of one access point, or of several (NetworkOptions::accessPoints).
 *
 * With one and without a server, the access point relays all their traffic: it stands at the centre
 * of the square, is no learner and is not in GetNodes(), and every packet crosses the air twice:
 * station to access point, access point to station. With NetworkOptions::server, the server is
 * the access point (an edge server): every packet crosses the air once. It stands at the centre
 * unless positions are given, and does not move.
 *
 * Several access points stand on a grid in the square, on the same channel with the same name
 * (SSID). They are bridges to a wired bus (CSMA of NetworkOptions::trunkRate, 1 us), on which the
 * server is then, as a host of its own: packets to and from it cross the air once, those between
 * stations twice. A station joins the access point that it receives best. It stays there until it
 * has missed 20 beacons, also when it moves and another one would be better; then it looks again.
 * What was on its way to it by the old one is lost; bridges forget where a station was after a
 * second. Stations do not join packets to larger frames (A-MSDU) then, as ns-3's access points do
 * not pass those on to a bridge. Queues of access points are finite, and only TCP adapts to them: a
 * server that sends UDP at the rate of the bus can fill them.
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

    std::string GetName() const override { return "wifi-infra"; }

    bool HasEffect(const std::string& option) const override;
    Time GetReadyTime() const override;
    int64_t AssignStreams(int64_t stream) override;

  protected:
    void CheckFits(const Graph& graph, const NetworkOptions& options) const override;
    NetDeviceContainer MakeDevices(const NetworkOptions& options) override;
    NetDeviceContainer InstallDevices(const WifiHelper& wifi,
                                      const YansWifiPhyHelper& phy,
                                      const NetworkOptions& options) override;

    std::optional<LearnerId> GetFixedLearner(const NetworkOptions& options) const override
    {
        return options.server;
    }

    std::string GetUsualPreset() const override { return "n"; }

    bool CanLeave(const NetworkOptions& options) const override
    {
        return options.learnersLeave || options.mobility.IsMoving();
    }

  private:
    /** Most access points. */
    static constexpr uint32_t MAX_ACCESS_POINTS = 64;

    /**
     * Join access points and a server by a bus.
     *
     * @param radios of the access points
     * @param options what the user asked for
     */
    void JoinByBus(const NetDeviceContainer& radios, const NetworkOptions& options);

    NodeContainer m_accessPoints; //!< that are no learners
    NetDeviceContainer m_wired;   //!< their devices on a bus, then the server's
};

} // namespace ns3::dlearn

#endif // DLEARN_WIFI_INFRA_NETWORK_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-network.h"

#include "ns3/boolean.h"
#include "ns3/bridge-helper.h"
#include "ns3/csma-helper.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/ssid.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac-helper.h"

namespace ns3::dlearn
{

namespace
{

/**
 * Learners are stations of one access point, or of several (attribute AccessPoints).
 *
 * With one and without a server, the access point relays all their traffic: it stands at the centre
 * of the square, is not a learner and not in GetNodes(), and every packet crosses the air twice:
 * station to access point, access point to station. With NetworkSetup::server, the server is
 * the access point (an edge server): every packet crosses the air once. It stands at the centre
 * unless positions are given, and does not move.
 *
 * Several access points stand on a grid in the square, on the same channel with the same name
 * (SSID). They are bridges to a wired bus (CSMA of TrunkRate, 1 us), on which the
 * server is then, as a separate host: packets to and from it cross the air once, those between
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
    static TypeId GetTypeId()
    {
        static TypeId tid =
            AddAttributes(
                MakeTypeId<WifiInfraNetwork, WifiNetwork>("ns3::dlearn::WifiInfraNetwork"),
                {"QueueDisc", "TrunkRate"})
                .AddAttribute("AccessPoints",
                              "Access points, on a grid in the square; several are joined by a "
                              "wired bus, on which a server is a host of its own",
                              UintegerValue(1),
                              MakeUintegerAccessor(&WifiInfraNetwork::m_accessPointNumber),
                              MakeUintegerChecker<uint32_t>(1, 64));
        return tid;
    }

    // Many, because the access point forgets a station when its association response is not
    // acknowledged, while the station considers itself associated; neither tries again.
    WifiInfraNetwork()
        : WifiNetwork(30, "n")
    {
    }

    std::string GetName() const override { return "wifi-infra"; }

    bool IsIdle(const std::string& attribute) const override
    {
        return (attribute == "TrunkRate" && m_wired.GetN() == 0) || WifiNetwork::IsIdle(attribute);
    }

    Time GetReadyTime() const override
    {
        // Measured: 10 stations take 0.1 s to join, 60 take 0.6 s, 200 take 1.6 s; less than 1.7 s
        // when half of all frames are lost.
        return Seconds(2) + m_nodes.GetN() * MilliSeconds(10);
    }

    int64_t AssignStreams(int64_t stream) override
    {
        const int64_t used = WifiNetwork::AssignStreams(stream);
        return used + CsmaHelper().AssignStreams(m_wired, stream + used);
    }

  protected:
    NetDeviceContainer MakeDevices() override
    {
        const NetDeviceContainer devices = WifiNetwork::MakeDevices();
        if (m_accessPointNumber > 1)
        {
            SwitchOffAmsdu(); // an access point passes joined packets on to stations only
        }
        return devices;
    }

    NetDeviceContainer InstallDevices(const WifiHelper& wifi, const YansWifiPhyHelper& phy) override
    {
        const SsidValue ssid(Ssid("dlearn"));
        const bool several = m_accessPointNumber > 1;
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
            const bool server = id == m_setup.server;
            if (!server || !several)
            {
                own[id] = wifi.Install(phy, server ? accessPoint : station, m_nodes.Get(id)).Get(0);
            }
        }
        NetDeviceContainer radios;
        if (!m_setup.server || several)
        {
            m_accessPoints.Create(m_accessPointNumber);
            PlaceOnGrid(m_accessPoints, m_placement.side);
            radios = wifi.Install(phy, accessPoint, m_accessPoints);
        }
        if (several)
        {
            JoinByBus(radios);
            if (m_setup.server)
            {
                own[*m_setup.server] = m_wired.Get(m_accessPointNumber);
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

    std::optional<LearnerId> GetFixedLearner() const override { return m_setup.server; }

    bool CanLeave() const override
    {
        return m_setup.learnersLeave || m_placement.mobility.IsMoving();
    }

  private:
    /** Join access points, of which there are radios, and a server by a bus. */
    void JoinByBus(const NetDeviceContainer& radios)
    {
        CsmaHelper bus;
        bus.SetChannelAttribute("DataRate", DataRateValue(m_trunkRate));
        bus.SetChannelAttribute("Delay", TimeValue(MicroSeconds(1)));
        GetQueues().Prepare(bus);
        NodeContainer nodes = m_accessPoints;
        if (m_setup.server)
        {
            nodes.Add(m_nodes.Get(*m_setup.server));
        }
        m_wired = bus.Install(nodes);
        BridgeHelper bridge;
        bridge.SetDeviceAttribute("ExpirationTime", TimeValue(Seconds(1)));
        for (uint32_t k = 0; k < m_accessPoints.GetN(); ++k)
        {
            bridge.Install(m_accessPoints.Get(k),
                           NetDeviceContainer(radios.Get(k), m_wired.Get(k)));
        }
    }

    uint32_t m_accessPointNumber{1};
    NodeContainer m_accessPoints; //!< that are no learners
    NetDeviceContainer m_wired;   //!< their devices on a bus, then the server's
};

NS_OBJECT_ENSURE_REGISTERED(WifiInfraNetwork);

} // namespace

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-network.h"
#include "dlearn-wifi-stalls.h"
#include "dlearn-wifi-uplink.h"

#include "ns3/boolean.h"
#include "ns3/bridge-helper.h"
#include "ns3/csma-helper.h"
#include "ns3/dlearn-host-tcp-socket.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/ipv4.h"
#include "ns3/simulator.h"
#include "ns3/ssid.h"
#include "ns3/sta-wifi-mac.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"

namespace ns3::dlearn
{

namespace
{

EventId StaWifiMac::*GetRequest();

/** Defines GetRequest(): an explicit instantiation may name a private member. */
template <EventId StaWifiMac::*Member>
struct RequestAccess
{
    friend EventId StaWifiMac::*GetRequest() { return Member; }
};

template struct RequestAccess<&StaWifiMac::m_assocRequestEvent>;

/**
 * Learners that are stations of one or several access points (attribute AccessPoints).
 *
 * Without a server, a single access point relays all traffic: it is at the centre of the square, is
 * not a learner and not in GetNodes(), and every packet is transmitted twice, by the station and by
 * the access point. With NetworkSetup::server, the server is the access point (an edge server), and
 * every packet is transmitted once. The server is at the centre unless positions are given, and
 * does not move.
 *
 * Several access points are on a grid in the square, on one channel with one SSID. They are bridges
 * to a wired bus (CSMA, TrunkRate, 1 us), to which the server is attached as a separate host:
 * packets to and from it are transmitted once by radio, those between stations twice. A station
 * associates with the access point that it receives best. It stays associated until it has missed
 * 20 beacons, even if it moves and another access point would be better; then it scans again.
 * Packets on their way to it through the old access point are lost; bridges forget the location of
 * a station after a second. Stations do not use A-MSDU, because ns-3's access points do not forward
 * A-MSDUs to a bridge. Queues of access points are finite, and only TCP adapts to them: a server
 * that sends UDP at the rate of the bus can overflow them.
 *
 * Stations receive a beacon and associate; packets that a station sends earlier are dropped, see
 * GetReadyTime(). A station sends a broadcast as unicast to the access point, with retransmissions,
 * which relays it once to all: a relayed frame that collides, for example with the next packet of
 * the same burst, is lost. The server sends a broadcast once.
 *
 * The access point never stops sending beacons, so a simulation ends by Simulator::Stop() only.
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
                              "Number of access points, on a grid in the square; a wired bus "
                              "connects several with the server, which is then a separate host",
                              UintegerValue(1),
                              MakeUintegerAccessor(&WifiInfraNetwork::m_accessPointNumber),
                              MakeUintegerChecker<uint32_t>(1, 64));
        return tid;
    }

    // Many retries, because the access point forgets a station whose association response is not
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
        // Measured: 10 stations associate within 0.1 s, 60 within 0.6 s, 200 within 1.6 s; within
        // 1.7 s if half of all frames are lost.
        return Seconds(2) + m_nodes.GetN() * MilliSeconds(10);
    }

    /** @param place access-points: a station's is the nearest one. Those without stations are among
     *  them if stations move */
    std::vector<std::pair<Ptr<Node>, std::vector<LearnerId>>> FindEdges(
        const std::string& place) const override
    {
        Check(place == "access-points", "edge servers can be at its access-points, got ", place);
        Check(m_wired.GetN() > 0,
              "edge servers need several access-points, as the server is at a single one");
        return FindNearest(m_accessPoints);
    }

    /** A station that moves is behind the access point with which it is associated. */
    bool WatchEdges(const EdgeCallback& moved) const override
    {
        if (!m_placement.mobility.IsMoving())
        {
            return false;
        }
        std::map<Address, size_t> edges;
        for (uint32_t k = 0; k < m_radios.GetN(); ++k)
        {
            edges[m_radios.Get(k)->GetAddress()] = k;
        }
        for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
        {
            if (id != m_setup.server)
            {
                const auto mac = GetRadio(id)->GetMac();
                mac->TraceConnectWithoutContext(
                    "Assoc",
                    Callback<void, Mac48Address>(
                        [=](Mac48Address accessPoint) { moved(id, edges.at(accessPoint)); }));
                mac->TraceConnectWithoutContext(
                    "DeAssoc",
                    Callback<void, Mac48Address>(
                        [=](Mac48Address /* accessPoint */) { moved(id, std::nullopt); }));
            }
        }
        return true;
    }

    /** An access point gets an address. */
    Address MakeReachable(const Ptr<Node>& node) override
    {
        for (uint32_t k = 0; k < m_bridges.GetN(); ++k)
        {
            if (m_accessPoints.Get(k) == node && !node->GetObject<Ipv4>())
            {
                InstallStack(NodeContainer(node));
                const auto ipv4 = node->GetObject<Ipv4>();
                const uint32_t interface = ipv4->AddInterface(m_bridges.Get(k));
                const Ipv4Address last("10.0.255.254");
                ipv4->AddAddress(
                    interface,
                    Ipv4InterfaceAddress(Ipv4Address(last.Get() - k), Ipv4Mask("255.255.0.0")));
                ipv4->SetUp(interface);
                std::vector<Ptr<NetDevice>> neighbors{m_bridges.Get(k)};
                for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
                {
                    neighbors.push_back(m_nodes.Get(id)->GetObject<Ipv4>()->GetNetDevice(1));
                }
                KeepNeighbors(neighbors);
                if (m_nodes.Get(0)->GetObject<HostTcpSocketFactory>())
                {
                    HostTcpSocketFactory::Install(NodeContainer(node));
                }
            }
        }
        return WifiNetwork::MakeReachable(node);
    }

    /** See WifiUplinks. */
    Uplink FindUplink(LearnerId client) override
    {
        if (!m_uplinks)
        {
            m_uplinks.emplace(m_pathLossFactory);
        }
        return m_uplinks->Find(client, GetRadio(client));
    }

    void GrantUplinks(const std::vector<UplinkGrant>& grants) override { m_uplinks->Grant(grants); }

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
            SwitchOffAmsdu(); // an access point forwards A-MSDUs to stations only
        }
        return devices;
    }

    NetDeviceContainer InstallDevices(const WifiHelper& wifi, const YansWifiPhyHelper& phy) override
    {
        const SsidValue ssid(Ssid("dlearn"));
        const bool several = m_accessPointNumber > 1;
        WifiMacHelper station;
        // With a single access point, a station does not scan again: otherwise it would drop its
        // packets after a few beacons lost to collisions.
        station.SetType("ns3::StaWifiMac",
                        "Ssid",
                        ssid,
                        "ActiveProbing",
                        BooleanValue(false),
                        "MaxMissedBeacons",
                        UintegerValue(several ? MISSED_BEACONS : 1000000));
        // Beacons of several access points must not collide every time.
        WifiMacHelper accessPoint;
        accessPoint.SetType("ns3::ApWifiMac",
                            "Ssid",
                            ssid,
                            "BeaconInterval",
                            TimeValue(MicroSeconds(BEACON_INTERVAL)),
                            "EnableBeaconJitter",
                            BooleanValue(several));

        std::vector<Ptr<NetDevice>> own(m_nodes.GetN()); // one per learner
        for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
        {
            const bool server = id == m_setup.server;
            if (!server || !several)
            {
                own[id] = wifi.Install(phy, server ? accessPoint : station, m_nodes.Get(id)).Get(0);
                if (several)
                {
                    PrepareLoss(*DynamicCast<WifiNetDevice>(own[id])->GetMac());
                }
            }
        }
        if (!m_setup.server || several)
        {
            m_accessPoints.Create(m_accessPointNumber);
            PlaceOnGrid(m_accessPoints, m_placement.side);
            m_radios = wifi.Install(phy, accessPoint, m_accessPoints);
        }
        if (several)
        {
            JoinByBus();
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
        devices.Add(m_radios);
        return devices;
    }

    std::optional<LearnerId> GetFixedLearner() const override { return m_setup.server; }

    bool CanLeave() const override
    {
        return m_setup.learnersLeave || m_placement.mobility.IsMoving();
    }

  private:
    /// Of an access point, after which a station gives it up where there are several.
    static constexpr uint32_t MISSED_BEACONS = 20;
    static constexpr uint32_t BEACON_INTERVAL = 102400; //!< microseconds

    /**
     * Let a station give up its access point without a crash. Just before, DropFrames(), because
     * its radio is off for a moment: this event is scheduled earlier than that of the station. And
     * ns-3 before 3.39 would repeat a request without an answer, then to no access point, and
     * abort.
     */
    static void PrepareLoss(WifiMac& mac)
    {
        mac.TraceConnectWithoutContext(
            "DeAssoc",
            Callback<void, Mac48Address>([&mac](Mac48Address /* accessPoint */) {
                (dynamic_cast<StaWifiMac&>(mac).*GetRequest()).Cancel();
            }));
        const auto event = std::make_shared<EventId>();
        const auto empty = [&mac] { DropFrames(mac); };
        mac.TraceConnectWithoutContext(
            "BeaconArrival",
            Callback<void, Time>([event, empty](Time /* now */) {
                event->Cancel();
                *event = Simulator::Schedule(MicroSeconds(MISSED_BEACONS * BEACON_INTERVAL), empty);
            }));
    }

    /** Connect access points, and a server, by a bus. */
    void JoinByBus()
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
            m_bridges.Add(bridge.Install(m_accessPoints.Get(k),
                                         NetDeviceContainer(m_radios.Get(k), m_wired.Get(k))));
        }
    }

    uint32_t m_accessPointNumber{1};
    NodeContainer m_accessPoints;         //!< without a learner
    NetDeviceContainer m_radios;          //!< of these
    NetDeviceContainer m_wired;           //!< devices on the bus: access points, server
    NetDeviceContainer m_bridges;         //!< between radio and bus of each access point
    std::optional<WifiUplinks> m_uplinks; //!< when one was found
};

NS_OBJECT_ENSURE_REGISTERED(WifiInfraNetwork);

} // namespace

} // namespace ns3::dlearn

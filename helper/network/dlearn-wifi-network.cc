/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-network.h"

#include "dlearn-wifi-stalls.h"

#include "ns3/boolean.h"
#include "ns3/bridge-helper.h"
#include "ns3/constant-position-mobility-model.h"
#include "ns3/csma-helper.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/mobility-helper.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/ssid.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-phy.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnWifiNetwork");

NS_OBJECT_ENSURE_REGISTERED(WifiNetwork);

TypeId
WifiNetwork::GetTypeId()
{
    static TypeId tid =
        AddAttributes(MakeTypeId<WifiNetwork, Network>("ns3::dlearn::WifiNetwork"),
                      {"Loss", "Mtu", "QueueSize", "Side", "Mobility", "Speed"})
            .AddAttribute(
                "Preset",
                "How radios send: n (20 MHz), ac, ax (80 MHz): two streams, A-MPDU, block "
                "acknowledgement, ideal rates; legacy: 802.11n at a constant rate without "
                "A-MPDU; empty: n on wifi-infra, legacy on others. The channel has no "
                "OFDMA, so that ax is not faster with many stations, and no MU-MIMO; "
                "802.11be is not there",
                StringValue(""),
                MakeStringAccessor(&WifiNetwork::m_preset),
                MakeStringChecker())
            .AddAttribute("Standard",
                          "Letter of the standard, see GetWifiStandardNames(); empty: that of the "
                          "preset",
                          StringValue(""),
                          MakeStringAccessor(&WifiNetwork::m_standard),
                          MakeStringChecker())
            .AddAttribute("Width",
                          "Of the channel in MHz, 20, 40, 80 or 160; 0: that of the preset",
                          UintegerValue(0),
                          MakeUintegerAccessor(&WifiNetwork::m_width),
                          MakeUintegerChecker<uint32_t>(0, 160))
            .AddAttribute("RateManager",
                          "One of GetRateManagerFamily(); empty: that of the preset",
                          StringValue(""),
                          MakeStringAccessor(&WifiNetwork::m_rateManager),
                          MakeStringChecker())
            .AddAttribute("PathLoss",
                          "By distance, one of GetPathLossFamily()",
                          StringValue("log-distance"),
                          MakeStringAccessor(&WifiNetwork::m_pathLoss),
                          MakeStringChecker())
            .AddAttribute("Fading",
                          "Besides: none, or one of GetPathLossFamily()",
                          StringValue("none"),
                          MakeStringAccessor(&WifiNetwork::m_fading),
                          MakeStringChecker());
    return tid;
}

WifiRadio
WifiNetwork::MakeRadio() const
{
    return WifiRadio::Parse(GetUsualPreset(),
                            m_preset,
                            m_standard,
                            m_width,
                            m_rateManager,
                            m_pathLoss,
                            m_fading);
}

void
WifiNetwork::CheckFits(const Graph& graph) const
{
    SharedNetwork::CheckFits(graph);
    CheckPositions(GetName(), m_placement, graph.GetSize(), GetFixedLearner());
    MakeRadio(); // refuses what is wrong
}

NetDeviceContainer
WifiNetwork::MakeDevices()
{
    const auto fixed = GetFixedLearner();
    m_positions = PlaceLearners(m_placement, m_nodes.GetN(), fixed);
    m_radio = MakeRadio();
    InstallMobility(GetName(), m_nodes, m_positions, m_placement, fixed, GetReadyTime());
    m_air = m_radio.CreateChannel();
    m_devices = InstallDevices(m_radio.MakeWifiHelper(GetQueues()), m_radio.MakePhyHelper(m_air));
    std::vector<Ptr<WifiNetDevice>> radios;
    for (uint32_t k = 0; k < m_devices.GetN(); ++k)
    {
        const double loss = k < m_nodes.GetN() ? GetLink(k).loss : m_loss;
        const auto device = GetRadio(k);
        if (!device)
        {
            AddLoss(m_devices.Get(k), loss);
            continue;
        }
        m_radio.Configure(device, m_retryLimit, GetQueues(), CanLeave());
        radios.push_back(device);
        if (loss > 0)
        {
            device->GetPhy()->SetPostReceptionErrorModel(MakeLossModel(loss));
        }
    }
    AddWarnings(CheckWifi(GetName(), radios, CanLeave(), true));
    Simulator::Schedule(GetReadyTime(), [name = GetName()] { EnterBlockAcks(name); });
    return m_devices;
}

void
WifiNetwork::SetPowers(const std::vector<double>& powers)
{
    RequireSize(GetName(), "powers", powers.size(), m_nodes.GetN());
    for (LearnerId id = 0; id < powers.size(); ++id)
    {
        const auto radio = GetRadio(id);
        Check(radio != nullptr, "learner ", id, " is wired and has no power");
        radio->GetPhy()->SetAttribute("TxPowerStart", DoubleValue(powers[id]));
        radio->GetPhy()->SetAttribute("TxPowerEnd", DoubleValue(powers[id]));
    }
}

void
WifiNetwork::SwitchOffAmsdu() const
{
    for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
    {
        if (const auto radio = GetRadio(id))
        {
            radio->GetMac()->SetAttribute("BE_MaxAmsduSize", UintegerValue(0));
        }
    }
}

double
WifiNetwork::GetPower(LearnerId id) const
{
    DoubleValue power;
    GetRadio(id)->GetPhy()->GetAttribute("TxPowerEnd", power);
    return power.Get();
}

Ptr<NetDevice>
WifiNetwork::AddListener(double x, double y, int64_t stream)
{
    Check(m_devices.GetN() > 0, "AddListener() needs Build() first");
    Check(std::isfinite(x) && std::isfinite(y),
          "a listener needs a place in metres, got ",
          x,
          ", ",
          y);
    NodeContainer node;
    node.Create(1);
    const auto place = CreateObject<ConstantPositionMobilityModel>();
    place->SetPosition(Vector(x, y, 0));
    node.Get(0)->AggregateObject(place);
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac"); // joins nothing, answers only what is addressed to it
    const NetDeviceContainer device =
        m_radio.MakeWifiHelper(GetQueues()).Install(m_radio.MakePhyHelper(m_air), mac, node);
    WifiHelper().AssignStreams(device, stream);
    return device.Get(0);
}

int64_t
WifiNetwork::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    int64_t next = stream;
    next += Network::AssignStreams(next);
    next += WifiHelper().AssignStreams(m_devices, next);
    next += MobilityHelper().AssignStreams(m_nodes, next);
    next += m_air->AssignStreams(next);
    return next - stream;
}

namespace
{

/**
 * Learners that talk to each other directly, by IEEE 802.11 without an access point.
 *
 * With the attribute Routing they forward packets for each other, so that learners that do not
 * receive each other can be neighbours in the graph. There is no broadcast to such neighbours.
 */
class WifiAdhocNetwork : public WifiNetwork
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            AddAttributes(
                MakeTypeId<WifiAdhocNetwork, WifiNetwork>("ns3::dlearn::WifiAdhocNetwork"),
                {"QueueDisc"})
                .AddAttribute("Routing",
                              "Over several radio hops: none, or one of GetRadioRoutingFamily()",
                              StringValue("none"),
                              MakeStringAccessor(&WifiAdhocNetwork::m_routingText),
                              MakeStringChecker());
        return tid;
    }

    WifiAdhocNetwork()
        : WifiNetwork(7) // dot11ShortRetryLimit of the standard
    {
    }

    std::string GetName() const override { return "wifi-adhoc"; }

    bool HasBroadcast() const override { return !m_routing; }

    Time GetReadyTime() const override
    {
        return m_routing ? m_routing->GetReadyTime(m_nodes.GetN()) : Time(0);
    }

    /** @return the fewest, at the first positions; 1 where there is no way */
    uint32_t CountRadioHops(LearnerId from, LearnerId to) const override
    {
        if (!m_reach)
        {
            return 1;
        }
        std::vector<uint32_t> hops(m_reach->GetSize());
        std::vector<LearnerId> found{from}; // nearest first
        for (size_t k = 0; k < found.size() && hops[to] == 0; ++k)
        {
            for (const auto& [neighbor, weight] : m_reach->GetOutNeighbors(found[k]))
            {
                if (hops[neighbor] == 0 && neighbor != from)
                {
                    hops[neighbor] = hops[found[k]] + 1;
                    found.push_back(neighbor);
                }
            }
        }
        return std::max(hops[to], 1U);
    }

    int64_t AssignStreams(int64_t stream) override
    {
        const int64_t used = WifiNetwork::AssignStreams(stream);
        return used + (m_routing ? m_routing->AssignStreams(m_nodes, stream + used) : 0);
    }

    /** As WifiNetwork::SetPowers(); static routes know of one power only. */
    void SetPowers(const std::vector<double>& powers) override
    {
        const double known = m_routing && !m_routing->FollowsMotion() ? GetPower(0) : 0;
        const bool other =
            std::any_of(powers.begin(), powers.end(), [&](double p) { return p != known; });
        Check(known == 0 || !other,
              "static routes are for radios that all send with ",
              known,
              " dBm; use another routing with powers");
        WifiNetwork::SetPowers(powers);
    }

  protected:
    NodeContainer MakeNodes(uint32_t learners) override
    {
        if (m_routingText == "none")
        {
            return WifiNetwork::MakeNodes(learners);
        }
        Require(IsComponent(GetRadioRoutingFamily(), m_routingText),
                "routing must be none or one of ",
                JoinNames(GetComponentNames(GetRadioRoutingFamily())),
                "; got '",
                m_routingText,
                "'");
        m_routing = ParseComponent(GetRadioRoutingFamily(), m_routingText).Create<RadioRouting>();
        Check(m_routing->FollowsMotion() || !m_placement.mobility.IsMoving(),
              "static routes are for learners that stand still; use another routing with mobility");
        NodeContainer nodes;
        nodes.Create(learners);
        m_routing->InstallStack(nodes);
        return nodes;
    }

    void Connect(const Graph& graph) override
    {
        WifiNetwork::Connect(graph);
        if (m_routing)
        {
            KeepNeighborTables(); // the next hop may be any node
            m_reach = FindReach();
            m_routing->SetUp(m_nodes, *m_reach);
        }
    }

    NetDeviceContainer InstallDevices(const WifiHelper& wifi, const YansWifiPhyHelper& phy) override
    {
        WifiMacHelper mac;
        mac.SetType("ns3::AdhocWifiMac");
        return wifi.Install(phy, mac, m_nodes);
    }

  private:
    /** @return which nodes receive which others, where they are at the beginning */
    Graph FindReach() const
    {
        std::vector<Ptr<MobilityModel>> places;
        std::vector<double> powers;
        for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
        {
            places.push_back(m_nodes.Get(id)->GetObject<MobilityModel>());
            powers.push_back(GetPower(id));
        }
        const auto loss = m_radio.pathLoss.Create<PropagationLossModel>();
        loss->AssignStreams(m_setup.positionStream + 1); // of a random one
        return RadioGraph(places, powers, loss);
    }

    std::optional<Graph> m_reach; //!< see FindReach(); with a routing
    std::string m_routingText{"none"};
    Ptr<RadioRouting> m_routing; //!< null: learners reach those only whose radios they hear
};

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
        : WifiNetwork(30)
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

    std::string GetUsualPreset() const override { return "n"; }

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

NS_OBJECT_ENSURE_REGISTERED(WifiAdhocNetwork);
NS_OBJECT_ENSURE_REGISTERED(WifiInfraNetwork);

} // namespace

} // namespace ns3::dlearn

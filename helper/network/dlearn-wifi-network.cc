/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-network.h"

#include "dlearn-placement.h"
#include "dlearn-wifi-stalls.h"

#include "ns3/boolean.h"
#include "ns3/bridge-helper.h"
#include "ns3/constant-position-mobility-model.h"
#include "ns3/csma-helper.h"
#include "ns3/dlearn-check.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/mobility-helper.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/ssid.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"
#include "ns3/yans-wifi-channel.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnWifiNetwork");

namespace
{

const NetworkRegistration g_wifiAdhoc("wifi-adhoc", MakeNetwork<WifiAdhocNetwork>);
const NetworkRegistration g_wifiInfra("wifi-infra", MakeNetwork<WifiInfraNetwork>);

} // namespace

void
WifiNetwork::CheckFits(const Graph& graph, const NetworkOptions& options) const
{
    SharedNetwork::CheckFits(graph, options);
    CheckPositions(GetName(), options, graph.GetSize(), GetFixedLearner(options));
    options.radio.Complete(GetUsualPreset());
}

NetDeviceContainer
WifiNetwork::MakeDevices(const NetworkOptions& options)
{
    const auto fixed = GetFixedLearner(options);
    m_positions = PlaceLearners(options, m_nodes.GetN(), fixed);
    m_radio = options.radio.Complete(GetUsualPreset());
    InstallMobility(GetName(), m_nodes, m_positions, options, fixed, GetReadyTime());
    m_air = m_radio.CreateChannel();
    m_devices =
        InstallDevices(m_radio.MakeWifiHelper(GetQueues()), m_radio.MakePhyHelper(m_air), options);
    std::vector<Ptr<WifiNetDevice>> radios;
    for (uint32_t k = 0; k < m_devices.GetN(); ++k)
    {
        const double loss = k < m_nodes.GetN() ? options.GetLink(k).loss : options.loss;
        const auto device = GetRadio(k);
        if (!device)
        {
            AddLoss(m_devices.Get(k), loss);
            continue;
        }
        m_radio.Configure(device, m_retryLimit, GetQueues(), CanLeave(options));
        radios.push_back(device);
        if (loss > 0)
        {
            device->GetPhy()->SetPostReceptionErrorModel(MakeLossModel(loss));
        }
    }
    AddWarnings(CheckWifi(GetName(), radios, CanLeave(options), true));
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

bool
WifiNetwork::HasEffect(const std::string& option) const
{
    static const std::set<std::string> ofRadio{"loss",
                                               "side",
                                               "wifi",
                                               "wifi-standard",
                                               "wifi-width",
                                               "rate-manager",
                                               "path-loss",
                                               "fading"};
    return IsQueueOption(option) || ofRadio.count(option) > 0;
}

bool
WifiAdhocNetwork::HasEffect(const std::string& option) const
{
    return option == "routing" || WifiNetwork::HasEffect(option);
}

Time
WifiAdhocNetwork::GetReadyTime() const
{
    return m_routing ? m_routing->GetReadyTime(m_nodes.GetN()) : Time(0);
}

uint32_t
WifiAdhocNetwork::CountRadioHops(LearnerId from, LearnerId to) const
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

int64_t
WifiAdhocNetwork::AssignStreams(int64_t stream)
{
    const int64_t used = WifiNetwork::AssignStreams(stream);
    return used + (m_routing ? m_routing->AssignStreams(m_nodes, stream + used) : 0);
}

void
WifiAdhocNetwork::SetPowers(const std::vector<double>& powers)
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

NodeContainer
WifiAdhocNetwork::MakeNodes(uint32_t learners, const NetworkOptions& options)
{
    if (!options.routing.IsTypeIdSet())
    {
        return WifiNetwork::MakeNodes(learners, options);
    }
    m_routing = options.routing.Create<RadioRouting>();
    Check(m_routing->FollowsMotion() || !options.mobility.IsMoving(),
          "static routes are for learners that stand still; use another routing with mobility");
    NodeContainer nodes;
    nodes.Create(learners);
    m_routing->InstallStack(nodes);
    return nodes;
}

void
WifiAdhocNetwork::Connect(const Graph& graph, const NetworkOptions& options)
{
    WifiNetwork::Connect(graph, options);
    if (m_routing)
    {
        KeepNeighborTables(); // the next hop may be any node
        m_reach = FindReach(options);
        m_routing->SetUp(m_nodes, *m_reach);
    }
}

Graph
WifiAdhocNetwork::FindReach(const NetworkOptions& options) const
{
    std::vector<Ptr<MobilityModel>> places;
    std::vector<double> powers;
    for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
    {
        places.push_back(m_nodes.Get(id)->GetObject<MobilityModel>());
        powers.push_back(GetPower(id));
    }
    const auto loss = options.radio.pathLoss.Create<PropagationLossModel>();
    loss->AssignStreams(options.positionStream + 1); // of a random one
    return RadioGraph(places, powers, loss);
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

Time
WifiInfraNetwork::GetReadyTime() const
{
    // Measured: 10 stations take 0.1 s to join, 60 take 0.6 s, 200 take 1.6 s; less than 1.7 s
    // when half of all frames are lost.
    return Seconds(2) + m_nodes.GetN() * MilliSeconds(10);
}

bool
WifiInfraNetwork::HasEffect(const std::string& option) const
{
    return option == "access-points" || (option == "trunk-rate" && m_wired.GetN() > 0) ||
           WifiNetwork::HasEffect(option);
}

void
WifiInfraNetwork::CheckFits(const Graph& graph, const NetworkOptions& options) const
{
    WifiNetwork::CheckFits(graph, options);
    Check(options.accessPoints >= 1 && options.accessPoints <= MAX_ACCESS_POINTS,
          "access points must be from 1 to ",
          MAX_ACCESS_POINTS,
          ", got ",
          options.accessPoints);
}

void
WifiInfraNetwork::JoinByBus(const NetDeviceContainer& radios, const NetworkOptions& options)
{
    CsmaHelper bus;
    bus.SetChannelAttribute("DataRate", DataRateValue(options.trunkRate));
    bus.SetChannelAttribute("Delay", TimeValue(MicroSeconds(1)));
    GetQueues().Prepare(bus);
    NodeContainer nodes = m_accessPoints;
    if (options.server)
    {
        nodes.Add(m_nodes.Get(*options.server));
    }
    m_wired = bus.Install(nodes);
    BridgeHelper bridge;
    bridge.SetDeviceAttribute("ExpirationTime", TimeValue(Seconds(1)));
    for (uint32_t k = 0; k < m_accessPoints.GetN(); ++k)
    {
        bridge.Install(m_accessPoints.Get(k), NetDeviceContainer(radios.Get(k), m_wired.Get(k)));
    }
}

NetDeviceContainer
WifiInfraNetwork::InstallDevices(const WifiHelper& wifi,
                                 const YansWifiPhyHelper& phy,
                                 const NetworkOptions& options)
{
    const SsidValue ssid(Ssid("dlearn"));
    const bool several = options.accessPoints > 1;
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
        const bool server = id == options.server;
        if (!server || !several)
        {
            own[id] = wifi.Install(phy, server ? accessPoint : station, m_nodes.Get(id)).Get(0);
        }
    }
    NetDeviceContainer radios;
    if (!options.server || several)
    {
        m_accessPoints.Create(options.accessPoints);
        PlaceOnGrid(m_accessPoints, options.side);
        radios = wifi.Install(phy, accessPoint, m_accessPoints);
    }
    if (several)
    {
        JoinByBus(radios, options);
        if (options.server)
        {
            own[*options.server] = m_wired.Get(options.accessPoints);
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

NetDeviceContainer
WifiInfraNetwork::MakeDevices(const NetworkOptions& options)
{
    const NetDeviceContainer devices = WifiNetwork::MakeDevices(options);
    if (options.accessPoints > 1)
    {
        SwitchOffAmsdu(); // an access point passes joined packets on to stations only
    }
    return devices;
}

int64_t
WifiInfraNetwork::AssignStreams(int64_t stream)
{
    const int64_t used = WifiNetwork::AssignStreams(stream);
    return used + CsmaHelper().AssignStreams(m_wired, stream + used);
}

} // namespace ns3::dlearn

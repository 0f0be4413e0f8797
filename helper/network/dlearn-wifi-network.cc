/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-network.h"

#include "dlearn-block-ack.h"
#include "dlearn-placement.h"
#include "dlearn-radio-graph.h"
#include "dlearn-wifi-check.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/dlearn-check.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/mobility-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"
#include "ns3/yans-wifi-channel.h"

#include <set>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnWifiNetwork");

WifiNetwork::WifiNetwork(uint32_t retryLimit)
    : m_retryLimit(retryLimit)
{
}

void
WifiNetwork::CheckFits(const Graph& graph, const NetworkOptions& options) const
{
    SharedNetwork::CheckFits(graph, options);
    CheckPositions(GetName(), options, graph.GetSize(), GetFixedLearner(options));
    options.radio.Complete(GetUsualPreset());
}

bool
WifiNetwork::CanLeave(const NetworkOptions& /* options */) const
{
    return true;
}

std::optional<LearnerId>
WifiNetwork::GetFixedLearner(const NetworkOptions& /* options */) const
{
    return std::nullopt;
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
        const double loss = k < m_nodes.GetN() ? GetLink(options, k).loss : options.loss;
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
        Require(radio != nullptr, GetName(), ": learner ", id, " is wired and has no power");
        radio->GetPhy()->SetAttribute("TxPowerStart", DoubleValue(powers[id]));
        radio->GetPhy()->SetAttribute("TxPowerEnd", DoubleValue(powers[id]));
    }
}

Ptr<WifiNetDevice>
WifiNetwork::FindRadio(Ptr<NetDevice> device) const
{
    return DynamicCast<WifiNetDevice>(device);
}

Ptr<WifiNetDevice>
WifiNetwork::GetRadio(LearnerId id) const
{
    return FindRadio(m_devices.Get(id));
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
    Require(m_devices.GetN() > 0, GetName(), ": AddListener() needs Build() first");
    Require(std::isfinite(x) && std::isfinite(y),
            GetName(),
            ": a listener needs a place in metres, got ",
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

} // namespace ns3::dlearn

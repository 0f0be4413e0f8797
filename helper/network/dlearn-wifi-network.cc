/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-network.h"

#include "dlearn-placement.h"
#include "dlearn-radio-graph.h"

#include "ns3/constant-position-mobility-model.h"
#include "ns3/dlearn-check.h"
#include "ns3/double.h"
#include "ns3/log.h"
#include "ns3/mobility-helper.h"
#include "ns3/pointer.h"
#include "ns3/qos-txop.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-mac-helper.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"
#include "ns3/yans-wifi-channel.h"

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnWifiNetwork");

namespace
{

/**
 * @param queues of the devices
 * @return a helper for the devices above the radio
 */
WifiHelper
MakeWifiHelper(const LinkQueues& queues)
{
    WifiHelper wifi;
    if (!queues.HasDisc())
    {
        wifi.DisableFlowControl(); // else the interface drops what does not fit, without a trace
    }
    wifi.SetStandard(WIFI_STANDARD_80211n);
    // RTS/CTS before frames of two packets or more: among 60 nodes that all have a burst to
    // send, collisions then cost a short frame each instead of 2.5 ms.
    wifi.SetRemoteStationManager("ns3::ConstantRateWifiManager",
                                 "DataMode",
                                 StringValue("HtMcs3"),
                                 "ControlMode",
                                 StringValue("OfdmRate6Mbps"),
                                 "NonUnicastMode",
                                 StringValue("OfdmRate6Mbps"),
                                 "RtsCtsThreshold",
                                 UintegerValue(2000));
    return wifi;
}

/** @return a new channel */
Ptr<YansWifiChannel>
MakeChannel()
{
    YansWifiChannelHelper channel;
    channel.SetPropagationDelay("ns3::ConstantSpeedPropagationDelayModel");
    Ptr<YansWifiChannel> air = channel.Create();
    air->SetPropagationLossModel(CreateWifiPathLoss());
    return air;
}

/**
 * @param air the channel
 * @return a helper for radios on it
 */
YansWifiPhyHelper
MakePhyHelper(Ptr<YansWifiChannel> air)
{
    YansWifiPhyHelper phy;
    phy.SetChannel(air);
    phy.Set("ChannelSettings", StringValue("{36, 20, BAND_5GHZ, 0}"));
    phy.Set("TxPowerStart", DoubleValue(WIFI_POWER_DBM));
    phy.Set("TxPowerEnd", DoubleValue(WIFI_POWER_DBM));
    phy.Set("TxGain", DoubleValue(0));
    phy.Set("RxGain", DoubleValue(0));
    phy.Set("RxNoiseFigure", DoubleValue(7));
    phy.SetErrorRateModel("ns3::TableBasedErrorRateModel");
    phy.SetPreambleDetectionModel("ns3::ThresholdPreambleDetectionModel",
                                  "Threshold",
                                  DoubleValue(4),
                                  "MinimumRssi",
                                  DoubleValue(WIFI_THRESHOLD_DBM));
    return phy;
}

/**
 * Set what WifiMacHelper can not set.
 * @param device a device
 * @param retryLimit times a frame is sent before the sender gives up
 * @param queues of the device
 */
void
ConfigureMac(Ptr<WifiNetDevice> device, uint32_t retryLimit, const LinkQueues& queues)
{
    Ptr<WifiMac> mac = device->GetMac();
    // Since ns-3.44 an attribute of the MAC; before, two of the station manager.
    if (!mac->SetAttributeFailSafe("FrameRetryLimit", UintegerValue(retryLimit)))
    {
        Ptr<WifiRemoteStationManager> manager = device->GetRemoteStationManager();
        manager->SetAttribute("MaxSsrc", UintegerValue(retryLimit));
        manager->SetAttribute("MaxSlrc", UintegerValue(retryLimit));
    }
    for (const std::string category : {"BE", "BK", "VI", "VO"})
    {
        mac->SetAttribute(category + "_MaxAmpduSize", UintegerValue(0));
        mac->SetAttribute(category + "_BlockAckThreshold", UintegerValue(0));
        mac->SetAttribute(category + "_MaxAmsduSize", UintegerValue(7935));
        PointerValue pointer;
        mac->GetAttribute(category + "_Txop", pointer);
        Ptr<QosTxop> txop = pointer.Get<QosTxop>();
        // In case a block ack agreement is requested after all: with the 1 ms of ns-3.37, a sender
        // under contention gives up an agreement that its receiver considers established.
        txop->SetAttribute("AddBaResponseTimeout", TimeValue(Seconds(1)));
        // Half a second, the default, is less than a burst of models takes to get through.
        Ptr<WifiMacQueue> queue = txop->GetWifiMacQueue();
        queue->SetAttribute("MaxDelay", TimeValue(Hours(24)));
        if (queues.size && !queues.HasDisc())
        {
            queue->SetMaxSize(*queues.size);
        }
    }
}

} // namespace

WifiNetwork::WifiNetwork(uint32_t retryLimit)
    : m_retryLimit(retryLimit)
{
}

void
WifiNetwork::CheckFits(const Graph& graph, const NetworkOptions& options) const
{
    SharedNetwork::CheckFits(graph, options);
    CheckPositions(GetName(), options, graph.GetSize());
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
    InstallMobility(m_nodes, m_positions, options, fixed);
    m_devices = InstallDevices(MakeWifiHelper(GetQueues()), MakePhyHelper(MakeChannel()), options);
    for (uint32_t k = 0; k < m_devices.GetN(); ++k)
    {
        Ptr<WifiNetDevice> device = DynamicCast<WifiNetDevice>(m_devices.Get(k));
        ConfigureMac(device, m_retryLimit, GetQueues());
        const double loss = k < m_nodes.GetN() ? GetLink(options, k).loss : options.loss;
        if (loss > 0)
        {
            device->GetPhy()->SetPostReceptionErrorModel(MakeLossModel(loss));
        }
    }
    return m_devices;
}

void
WifiNetwork::SetPowers(const std::vector<double>& powers)
{
    RequireSize(GetName(), "powers", powers.size(), m_nodes.GetN());
    for (LearnerId id = 0; id < powers.size(); ++id)
    {
        const auto phy = DynamicCast<WifiNetDevice>(m_devices.Get(id))->GetPhy();
        phy->SetAttribute("TxPowerStart", DoubleValue(powers[id]));
        phy->SetAttribute("TxPowerEnd", DoubleValue(powers[id]));
    }
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
    const auto air = DynamicCast<YansWifiChannel>(m_devices.Get(0)->GetChannel());
    const NetDeviceContainer device =
        MakeWifiHelper(GetQueues()).Install(MakePhyHelper(air), mac, node);
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
    return next - stream;
}

bool
WifiNetwork::HasEffect(const std::string& option) const
{
    return option != "rate" && option != "delay" && option != "trunk-rate";
}

} // namespace ns3::dlearn

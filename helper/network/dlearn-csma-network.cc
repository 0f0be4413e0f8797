/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-csma-network.h"

#include "dlearn-network-factory.h"

#include "ns3/csma-helper.h"
#include "ns3/csma-net-device.h"
#include "ns3/dlearn-check.h"
#include "ns3/log.h"

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnCsmaNetwork");

namespace
{

const NetworkRegistration g_csma("csma", [](const std::string&) {
    return std::make_unique<CsmaNetwork>();
});

} // namespace

void
CsmaNetwork::CheckFits(const Graph& graph, const NetworkOptions& options) const
{
    SharedNetwork::CheckFits(graph, options);
    Require(!options.mobility.IsOn(), GetName(), ": mobility needs a radio network");
}

NetDeviceContainer
CsmaNetwork::MakeDevices(const NetworkOptions& options)
{
    CsmaHelper helper;
    helper.SetChannelAttribute("DataRate", DataRateValue(options.rate));
    helper.SetChannelAttribute("Delay", TimeValue(options.delay));
    GetQueues().Prepare(helper);
    m_devices = helper.Install(m_nodes);

    // The slot of Ethernet, 512 bits, instead of a microsecond: waiting nodes look at the bus a
    // few times a frame whatever its rate. Unlimited retries instead of 1,000, which a node
    // uses up during the burst of another.
    // It must not be rounded to nothing, or a waiting node would look again at once, for ever.
    const Time slot = Max(options.rate.CalculateBitsTxTime(512), NanoSeconds(1));
    const uint32_t minSlots = 1;
    const uint32_t maxSlots = 1000;
    const uint32_t ceiling = 10;
    for (uint32_t id = 0; id < m_devices.GetN(); ++id)
    {
        Ptr<CsmaNetDevice> device = DynamicCast<CsmaNetDevice>(m_devices.Get(id));
        device->SetBackoffParams(slot, minSlots, maxSlots, ceiling, UINT32_MAX);
        AddLoss(device, GetLink(options, id).loss);
    }
    return m_devices;
}

int64_t
CsmaNetwork::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    const int64_t used = Network::AssignStreams(stream);
    return used + CsmaHelper().AssignStreams(m_devices, stream + used);
}

bool
CsmaNetwork::HasEffect(const std::string& option) const
{
    return IsQueueOption(option) || option == "rate" || option == "delay" || option == "loss";
}

double
CsmaNetwork::GetLoss(LearnerId /* from */, LearnerId to) const
{
    return m_losses[to];
}

} // namespace ns3::dlearn

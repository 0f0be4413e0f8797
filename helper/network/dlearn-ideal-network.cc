/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-ideal-network.h"

#include "dlearn-network-factory.h"
#include "dlearn-unbounded-queue.h"

#include "ns3/simple-net-device-helper.h"

namespace ns3::dlearn
{

namespace
{

const NetworkRegistration g_ideal("ideal", [](const std::string&) {
    return std::make_unique<IdealNetwork>();
});

} // namespace

MtuRange
IdealNetwork::GetMtuRange() const
{
    return {65535, 65535}; // the fewer packets the better: they stand for nothing
}

void
IdealNetwork::CheckFits(const Graph& graph, const NetworkOptions& options) const
{
    LinkNetwork::CheckFits(graph, options);
    RequireLossOnly(options);
}

NetDeviceContainer
IdealNetwork::MakeLink(Ptr<Node> a, Ptr<Node> b, const LinkQuality& /* link */)
{
    SimpleNetDeviceHelper helper;
    helper.SetNetDevicePointToPointMode(true); // no ARP
    helper.DisableFlowControl();
    // Needed even at infinite rate: packets sent in one event wait here for the next event.
    helper.SetQueue("ns3::DropTailQueue", "MaxSize", UnboundedQueueSize());
    NetDeviceContainer devices = helper.Install(NodeContainer(a, b));
    for (uint32_t end = 0; end < 2; ++end)
    {
        devices.Get(end)->SetMtu(GetMtu());
    }
    return devices;
}

bool
IdealNetwork::HasEffect(const std::string& option) const
{
    return option == "loss" && !HaveAllTheirOwn(option);
}

} // namespace ns3::dlearn

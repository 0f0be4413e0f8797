/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-p2p-network.h"

#include "dlearn-unbounded-queue.h"

#include "ns3/point-to-point-helper.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace dlearn
{

std::string
P2pNetwork::GetName() const
{
    return "p2p";
}

uint16_t
P2pNetwork::GetMtu() const
{
    return 1500;
}

NetDeviceContainer
P2pNetwork::MakeLink(Ptr<Node> a, Ptr<Node> b, const NetworkOptions& options)
{
    PointToPointHelper helper;
    helper.SetDeviceAttribute("DataRate", DataRateValue(options.rate));
    helper.SetDeviceAttribute("Mtu", UintegerValue(GetMtu()));
    helper.SetChannelAttribute("Delay", TimeValue(options.delay));
    helper.SetQueue("ns3::DropTailQueue", "MaxSize", UnboundedQueueSize());
    helper.DisableFlowControl();
    return helper.Install(a, b);
}

} // namespace dlearn
} // namespace ns3

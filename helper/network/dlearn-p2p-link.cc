/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-p2p-link.h"

#include "ns3/point-to-point-helper.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

NetDeviceContainer
MakeP2pLink(Ptr<Node> a,
            Ptr<Node> b,
            DataRate rate,
            Time delay,
            uint16_t mtu,
            const LinkQueues& queues)
{
    PointToPointHelper helper;
    helper.SetDeviceAttribute("DataRate", DataRateValue(rate));
    helper.SetDeviceAttribute("Mtu", UintegerValue(mtu));
    helper.SetChannelAttribute("Delay", TimeValue(delay));
    queues.Prepare(helper);
    return helper.Install(a, b);
}

} // namespace ns3::dlearn

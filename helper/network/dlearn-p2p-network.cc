/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-p2p-network.h"

#include "dlearn-p2p-link.h"

namespace ns3::dlearn
{

std::string
P2pNetwork::GetName() const
{
    return "p2p";
}

MtuRange
P2pNetwork::GetMtuRange() const
{
    return WIRED_MTU;
}

NetDeviceContainer
P2pNetwork::MakeLink(Ptr<Node> a, Ptr<Node> b, const LinkQuality& link)
{
    return MakeP2pLink(a, b, link.rate, link.delay, GetMtu());
}

} // namespace ns3::dlearn

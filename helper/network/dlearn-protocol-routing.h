/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PROTOCOL_ROUTING_H
#define DLEARN_PROTOCOL_ROUTING_H

#include "dlearn-radio-routing.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/node.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Routing by a protocol of ns-3, which finds routes while learners move, too.
 *
 * @tparam Helper installs the protocol
 * @tparam Protocol of each node, has AssignStreams()
 */
template <typename Helper, typename Protocol>
class ProtocolRouting : public RadioRouting
{
  public:
    void InstallStack(const NodeContainer& nodes) const override
    {
        InternetStackHelper stack;
        stack.SetIpv6StackInstall(false);
        stack.SetRoutingHelper(Helper());
        stack.Install(nodes);
    }

    bool FollowsMotion() const override { return true; }

    int64_t AssignStreams(const NodeContainer& nodes, int64_t stream) const override
    {
        int64_t next = stream;
        for (auto node = nodes.Begin(); node != nodes.End(); ++node)
        {
            const auto routing = (*node)->GetObject<Ipv4>()->GetRoutingProtocol();
            next += Ipv4RoutingHelper::GetRouting<Protocol>(routing)->AssignStreams(next);
        }
        return next - stream;
    }
};

} // namespace ns3::dlearn

#endif // DLEARN_PROTOCOL_ROUTING_H

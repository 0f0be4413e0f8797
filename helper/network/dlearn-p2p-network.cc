/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-p2p-network.h"

#include "dlearn-network-factory.h"
#include "dlearn-p2p-link.h"

namespace ns3::dlearn
{

namespace
{

const NetworkRegistration g_p2p("p2p",
                                [](const std::string&) { return std::make_unique<P2pNetwork>(); });

} // namespace

MtuRange
P2pNetwork::GetMtuRange() const
{
    return WIRED_MTU;
}

NetDeviceContainer
P2pNetwork::MakeLink(Ptr<Node> a, Ptr<Node> b, const LinkQuality& link)
{
    return MakeP2pLink(a, b, link.rate, link.delay, GetMtu(), GetQueues());
}

RankGraph
P2pNetwork::GetRankGraph(const Graph& graph, const NetworkOptions& options) const
{
    RankGraph ranks = MakeRankGraph(graph);
    for (const auto& [a, b] : graph.GetPairs())
    {
        ranks.links.push_back({a, b, GetLink(options, a == options.server ? b : a).delay});
    }
    return ranks;
}

bool
P2pNetwork::HasEffect(const std::string& option) const
{
    const bool ofLinks = option == "rate" || option == "delay" || option == "loss";
    return IsQueueOption(option) || (ofLinks && !HaveAllTheirOwn(option));
}

} // namespace ns3::dlearn

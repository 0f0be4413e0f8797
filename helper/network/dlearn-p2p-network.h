/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_P2P_NETWORK_H
#define DLEARN_P2P_NETWORK_H

#include "dlearn-link-network.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Every edge of the graph is a full-duplex point-to-point link with a rate and a delay.
 *
 * A link delays packets that exceed its rate, and keeps 100 of them in front of it.
 */
class P2pNetwork : public LinkNetwork
{
  public:
    std::string GetName() const override { return "p2p"; }

    bool HasEffect(const std::string& option) const override;
    RankGraph GetRankGraph(const Graph& graph, const NetworkOptions& options) const override;

  protected:
    MtuRange GetMtuRange() const override;
    NetDeviceContainer MakeLink(Ptr<Node> a, Ptr<Node> b, const LinkQuality& link) override;
};

} // namespace ns3::dlearn

#endif // DLEARN_P2P_NETWORK_H

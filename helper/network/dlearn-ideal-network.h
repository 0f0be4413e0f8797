/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_IDEAL_NETWORK_H
#define DLEARN_IDEAL_NETWORK_H

#include "dlearn-link-network.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Links without delay, rate limit or loss: what the textbook assumes.
 *
 * Every pair of neighbours has its own channel with two SimpleNetDevices, so a packet costs
 * the same whatever the size of the graph. The rate and delay options have no meaning here and
 * are not used, those of single learners are refused; loss, when asked for, drops received
 * packets.
 */
class IdealNetwork : public LinkNetwork
{
  public:
    std::string GetName() const override;

  protected:
    MtuRange GetMtuRange() const override;
    void CheckFits(const Graph& graph, const NetworkOptions& options) const override;
    NetDeviceContainer MakeLink(Ptr<Node> a, Ptr<Node> b, const LinkQuality& link) override;
};

} // namespace ns3::dlearn

#endif // DLEARN_IDEAL_NETWORK_H

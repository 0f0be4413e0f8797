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
 * Links without delay, rate limit or loss, as textbooks assume them.
 *
 * Every pair of neighbours has its own channel with two SimpleNetDevices, so that the cost of a
 * packet does not depend on the size of the graph. The options of rate and delay are not used, and
 * those of single learners are refused. If loss is configured, received packets are dropped.
 */
class IdealNetwork : public LinkNetwork
{
  public:
    std::string GetName() const override { return "ideal"; }

    bool HasEffect(const std::string& option) const override;

  protected:
    MtuRange GetMtuRange() const override;
    void CheckFits(const Graph& graph, const NetworkOptions& options) const override;
    NetDeviceContainer MakeLink(Ptr<Node> a, Ptr<Node> b, const LinkQuality& link) override;
};

} // namespace ns3::dlearn

#endif // DLEARN_IDEAL_NETWORK_H

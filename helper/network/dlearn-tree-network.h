/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TREE_NETWORK_H
#define DLEARN_TREE_NETWORK_H

#include "dlearn-routed-network.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Clients behind a tree of aggregation routers, the server at its root.
 *
 * The tree is as shallow as a fan-out of F allows: clients fill leaf routers, F each, in order;
 * leaf routers fill routers above them, F each, and so on up to one root. So all clients are
 * equally far from the root, and only the last router of a level can have fewer than F below it.
 * Router 0 is the root, and routers are numbered level by level. With a server, the other learners
 * are the clients and the server is attached to the root; otherwise all learners are clients. Every
 * link has the configured delay; those between routers have the trunk rate.
 *
 * A tree is also an efficient alternative to a large star: for every packet that a node sends, ns-3
 * needs a time that grows with the number of its interfaces. 100 MB by UDP from the server to 1000
 * clients took 3.2 s of computing over `p2p` and 1.3 s over `tree:32`; in the other direction,
 * where the hub only receives, 0.6 s and 1.3 s, because each packet crosses three links instead of
 * one.
 */
class TreeNetwork : public RoutedNetwork
{
  public:
    /**
     * @param fanout F as text, a whole number from 2 on
     * @throw std::invalid_argument when it is not
     */
    explicit TreeNetwork(const std::string& fanout);

    std::string GetName() const override;

  protected:
    RouterPlan MakePlan(uint32_t learners, const NetworkOptions& options) const override;

  private:
    uint32_t m_fanout; //!< F
};

} // namespace ns3::dlearn

#endif // DLEARN_TREE_NETWORK_H

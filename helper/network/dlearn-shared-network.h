/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SHARED_NETWORK_H
#define DLEARN_SHARED_NETWORK_H

#include "dlearn-network.h"

#include "ns3/net-device-container.h"

namespace ns3::dlearn
{

/** Most devices on a channel that all know each other. */
constexpr uint32_t NEIGHBOR_TABLE_LIMIT = 256;

/**
 * @ingroup dlearn
 * Enter the hardware addresses of all devices on a channel in the caches of ARP and of neighbour
 * discovery (IPv6) of the others, permanently: now and whenever a link comes up, when the caches of
 * ns-3 forget even permanent entries. Then no model is lost while ARP looks for an address, or when
 * two nodes look for each other at the same time by neighbour discovery; and no neighbour is given
 * up for 100 s because requests and answers, which are not repeated on the air, collide. Channels
 * with more than NEIGHBOR_TABLE_LIMIT devices are left to these protocols, and so is what is behind
 * a bridge.
 */
void KeepNeighborTables();

/**
 * @ingroup dlearn
 * A network in which all learners share one medium and one subnet.
 *
 * Learner k has address 10.0.0.0 + k + 1 in 10.0.0.0/16, so there is room for 65,534 learners.
 * Neighbours in the graph know each other's hardware address from the start, because a node that
 * still resolves it (ARP) keeps only three packets of a burst. Learners that are not neighbours can
 * reach each other, too, and use ARP.
 *
 * All links have the rate and the delay of the medium; the loss of received packets may differ
 * between learners.
 */
class SharedNetwork : public Network
{
  public:
    /** Number of learners that there are addresses for. */
    static constexpr uint32_t MAX_LEARNERS = 65534;

    Ipv4Address GetAddress(LearnerId from, LearnerId to) const override;

    bool HasBroadcast() const override { return true; }

  protected:
    MtuRange GetMtuRange() const override { return FRAME_MTU; }

    void CheckFits(const Graph& graph) const override;
    void Connect(const Graph& graph) override;

    /** @return the device of each learner on a new medium, with the loss asked for */
    virtual NetDeviceContainer MakeDevices() = 0;
};

} // namespace ns3::dlearn

#endif // DLEARN_SHARED_NETWORK_H

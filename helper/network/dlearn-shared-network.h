/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SHARED_NETWORK_H
#define DLEARN_SHARED_NETWORK_H

#include "dlearn-network.h"

#include "ns3/net-device-container.h"

#include <vector>

namespace ns3::dlearn
{

/** Largest number of devices on a channel whose neighbour tables are filled. */
constexpr uint32_t NEIGHBOR_TABLE_LIMIT = 256;

/**
 * @ingroup dlearn
 * Add permanent entries for all devices on a channel to the caches of ARP and of IPv6 neighbour
 * discovery of the others, now and whenever a link comes up, because ns-3 then flushes even
 * permanent entries. Thus no model is lost during address resolution, and no neighbour is
 * considered dead for 100 s after a collision of requests and replies, which radios do not
 * retransmit. Channels with more than NEIGHBOR_TABLE_LIMIT devices, and nodes behind a bridge,
 * still use these protocols.
 */
void KeepNeighborTables();

/** The same for devices that reach each other, each with an interface. @ingroup dlearn */
void KeepNeighbors(const std::vector<Ptr<NetDevice>>& devices);

/**
 * @ingroup dlearn
 * A network in which all learners share one medium and one subnet.
 *
 * Learner k has the address 10.0.0.0 + k + 1 in 10.0.0.0/16, so there can be 65,534 learners.
 * Neighbours in the graph know each other's hardware addresses from the start, because during
 * address resolution ARP keeps only three packets of a burst. Learners that are not neighbours can
 * also reach each other, and use ARP.
 *
 * All links have the rate and delay of the medium; the loss of received packets may differ between
 * learners.
 */
class SharedNetwork : public Network
{
  public:
    /** Largest number of learners, limited by the addresses. */
    static constexpr uint32_t MAX_LEARNERS = 65534;

    Ipv4Address GetAddress(LearnerId from, LearnerId to) const override;

    bool HasBroadcast() const override { return true; }

  protected:
    MtuRange GetMtuRange() const override { return FRAME_MTU; }

    void CheckFits(const Graph& graph) const override;
    void Connect(const Graph& graph) override;

    /** @return the device of each learner on a new medium, with its loss */
    virtual NetDeviceContainer MakeDevices() = 0;
};

} // namespace ns3::dlearn

#endif // DLEARN_SHARED_NETWORK_H

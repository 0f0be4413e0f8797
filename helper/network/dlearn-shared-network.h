/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SHARED_NETWORK_H
#define DLEARN_SHARED_NETWORK_H

#include "dlearn-network.h"

#include "ns3/net-device-container.h"

namespace ns3::dlearn
{

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
    MtuRange GetMtuRange() const override;
    void CheckFits(const Graph& graph, const NetworkOptions& options) const override;
    void Connect(const Graph& graph, const NetworkOptions& options) override;

    /**
     * Make the medium and the devices on it, with the loss asked for.
     *
     * @param options what the user asked for
     * @return the device of each learner
     */
    virtual NetDeviceContainer MakeDevices(const NetworkOptions& options) = 0;
};

} // namespace ns3::dlearn

#endif // DLEARN_SHARED_NETWORK_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CSMA_NETWORK_H
#define DLEARN_CSMA_NETWORK_H

#include "dlearn-shared-network.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * One bus that all learners share, similar to early Ethernet.
 *
 * One node sends at a time, at the configured rate. The bus stays busy until the frame has reached
 * its end, so every frame takes the time of its length plus the configured delay: with the default
 * of one millisecond this costs about nine tenths of the capacity at 100 Mbit/s. Unlike Ethernet, a
 * node never gives up: the bus delays frames, but drops none unless loss is configured.
 */
class CsmaNetwork : public SharedNetwork
{
  public:
    std::string GetName() const override { return "csma"; }

    bool HasEffect(const std::string& option) const override;
    double GetLoss(LearnerId from, LearnerId to) const override;
    int64_t AssignStreams(int64_t stream) override;

  protected:
    void CheckFits(const Graph& graph, const NetworkOptions& options) const override;
    NetDeviceContainer MakeDevices(const NetworkOptions& options) override;

  private:
    NetDeviceContainer m_devices; //!< one per learner
};

} // namespace ns3::dlearn

#endif // DLEARN_CSMA_NETWORK_H

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
 * One bus that all learners share, in the manner of early Ethernet.
 *
 * One node sends at a time, at the rate asked for; the bus stays taken until the frame has
 * reached its end, so every frame costs its own length plus the delay asked for: with the
 * default millisecond that is about nine tenths of the capacity at 100 Mbit/s. Unlike Ethernet
 * a node never gives up: the bus delays, but drops nothing unless loss is asked for.
 */
class CsmaNetwork : public SharedNetwork
{
  public:
    std::string GetName() const override;
    int64_t AssignStreams(int64_t stream) override;

  protected:
    void CheckFits(const Graph& graph, const NetworkOptions& options) const override;
    NetDeviceContainer MakeDevices(const NetworkOptions& options) override;

  private:
    NetDeviceContainer m_devices; //!< one a learner
};

} // namespace ns3::dlearn

#endif // DLEARN_CSMA_NETWORK_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RECEIVED_POWER_CHECK_H
#define DLEARN_RECEIVED_POWER_CHECK_H

#include "ns3/propagation-loss-model.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Last of a chain of propagation loss models: changes nothing, and refuses a received power that is
 * no number or infinitely large, which some models give for places or attributes beyond their
 * formula, and of which radios of ns-3 crash.
 */
class ReceivedPowerCheck : public PropagationLossModel
{
  public:
    static TypeId GetTypeId();

  private:
    double DoCalcRxPower(double power,
                         Ptr<MobilityModel> from,
                         Ptr<MobilityModel> to) const override;
    int64_t DoAssignStreams(int64_t stream) override;
};

} // namespace ns3::dlearn

#endif // DLEARN_RECEIVED_POWER_CHECK_H

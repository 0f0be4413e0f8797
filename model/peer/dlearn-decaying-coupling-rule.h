/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DECAYING_COUPLING_RULE_H
#define DLEARN_DECAYING_COUPLING_RULE_H

#include "dlearn-peer-rule.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What the rules share that couple states on a slower and slower scale than that of the
 * gradient: with lambda_t of the StepSchedule and gamma_t of the CouplingSchedule, by default
 * StepSize / (t+1)^StepExponent and Coupling / (t+1)^CouplingExponent,
 *
 *   theta_{t+1}^i = Proj( theta_t^i + sum_j gamma_t w_ij (y_t^j - theta_t^i) - lambda_t d_t^i ),
 *
 * where y is theta as it was sent, with noise, and the sum runs over what arrived. A rule derived
 * from it says what the gradient d_t averages over and which noise there is.
 */
class DecayingCouplingRule : public PeerRule
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

  protected:
    StateRecursion GetRecursion() const final;
    ModelVector Move(const Inbox& inbox) const final;
};

} // namespace ns3::dlearn

#endif // DLEARN_DECAYING_COUPLING_RULE_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PDOP_H
#define DLEARN_PDOP_H

#include "dlearn-peer-rule.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Private distributed optimization after Huang, Mitra and Vaidya (2015): the baseline "PDOP"
 * of Chen and Wang. With alpha_t = StepSize StepRatio^t, g the gradient of the newest batch,
 * a_ij = w_ij and a_ii = 1 - sum_j w_ij:
 *
 *   y^i = theta_t^i + noise (sent),   z^i = a_ii y^i + sum_j a_ij y^j,
 *   theta_{t+1}^i = Proj( z^i - alpha_t g(z^i) ).
 *
 * A learner mixes its own vector with noise, the very noise that it sent. The weight of a
 * missing neighbour goes back to it. The gradient needs what arrived, so Compute() is empty
 * and EndRound() evaluates it; GetWork() counts it nevertheless. The noise decays as
 * b p^t (GeometricDecayLaplace) and StepRatio < p is wanted. Privacy: PdopLedger.
 */
class Pdop : public PeerRule
{
  public:
    static TypeId GetTypeId();

  protected:
    std::vector<std::string> FindWarnings() const override;
    void ComputeGradient(VectorRef gradient) const override;

    StateRecursion GetRecursion() const override { return StateRecursion::STEP_BEHIND; }

    ModelVector Move(const Inbox& inbox) const override;
};

} // namespace ns3::dlearn

#endif // DLEARN_PDOP_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DOLA_H
#define DLEARN_DOLA_H

#include "dlearn-peer-rule.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Differentially private distributed online learning after Li et al. (2018): the baseline
 * "DOLA" of Chen and Wang. With alpha_t = StepSize / (t+1)^StepExponent (1/2), g_t the
 * gradient of the newest batch at theta_t, a_ij = w_ij and a_ii = 1 - sum_j w_ij:
 *
 *   y^i = theta_t^i + noise (sent),
 *   theta_{t+1}^i = Proj( a_ii y^i + sum_j a_ij y^j - alpha_t g_t^i ).
 *
 * A learner mixes its own vector with noise, the very noise that it sent. The weight of a
 * missing neighbour goes back to it. Chen and Wang give it decaying noise: LaplaceMechanism
 * with GrowthExponent -1, BaseScale 0.07/0.2. Privacy: DolaLedger.
 */
class Dola : public PeerRule
{
  public:
    static TypeId GetTypeId();

  protected:
    StateRecursion GetRecursion() const override { return StateRecursion::OWN_NOISY; }

    ModelVector Move(const Inbox& inbox) const override;
};

} // namespace ns3::dlearn

#endif // DLEARN_DOLA_H

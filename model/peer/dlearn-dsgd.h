/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DSGD_H
#define DLEARN_DSGD_H

#include "dlearn-peer-rule.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Decentralised stochastic gradient descent with noise, adapt then combine: the baseline
 * "DSGD" of Chen and Wang. With alpha_t = StepSize / (t+1)^StepExponent, g_t the gradient of
 * the newest batch at theta_t, a_ij = w_ij and a_ii = 1 - sum_j w_ij:
 *
 *   half^i = theta_t^i - alpha_t g_t^i,   y^i = half^i + noise (sent),
 *   theta_{t+1}^i = Proj( a_ii half^i + sum_j a_ij y^j ).
 *
 * The weight of a missing neighbour goes back to the learner's own half-step. The textbook
 * has no projection; the default one, NoProjection, is that. Privacy: DsgdLedger.
 */
class Dsgd : public PeerRule
{
  public:
    static TypeId GetTypeId();

  protected:
    StateRecursion GetRecursion() const override { return StateRecursion::HALF_STEP; }

    double GetReleasedStep() const override;
    ModelVector Move(const Inbox& inbox) const override;
};

} // namespace ns3::dlearn

#endif // DLEARN_DSGD_H

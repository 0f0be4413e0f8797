/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_BASELINE_LEDGERS_H
#define DLEARN_BASELINE_LEDGERS_H

#include "dlearn-privacy-ledger.h"

/**
 * @file
 * Ledgers of the algorithms with which LDP-OL is compared. Their gradient is that of the newest
 * batch alone. Phi_t bounds the distance of the states theta_t of two runs that saw and sent the
 * same messages; C bounds the distance of two batches' mean gradients (with per-sample clipping at
 * c, C = 2c: the factor 2 of the literature is inside C); c_t = sum of the weights of the
 * neighbours received, so that 1 - c_t is the weight of the learner's own vector. Projections do
 * not increase the distance of two points. share_t is the part of the round's gradient that the
 * unit of protection contributes: 1 for all data of a learner, as in the comparison of Chen and
 * Wang (LearnerUnit), or the share of the draws of one record that actually happened (SampleUnit).
 *
 * The costs are those of Laplace noise; PrivacyLosses has the other laws.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * DSGD. The release, theta - alpha g(theta), contains the step:
 *
 *   Psi_t = (1 + alpha_t L) Phi_t + alpha_t C share_t,
 *   epsilon_t = sqrt(d) Psi_t / rho_t,   Phi_{t+1} = |1 - c_t| Psi_t,
 *
 * because a learner mixes its own half-step without noise, whether or not it was sent.
 */
class DsgdLedger : public PrivacyLedger
{
  public:
    static TypeId GetTypeId();

  protected:
    bool Bounds(StateRecursion recursion) const override
    {
        return recursion == StateRecursion::HALF_STEP;
    }

    Step NextStep(const UpdateEvent& event, double coupling, bool released) const override;
    Step ReleasedStep(const ReleaseEvent& event) const override;
};

/**
 * @ingroup dlearn
 * DOLA. A learner combines its own vector with the noise that it released, so this part discloses
 * nothing new; only the step at the noise-free theta_t does:
 *
 *   epsilon_t = sqrt(d) Phi_t / rho_t,   Phi_{t+1} = alpha_t (L Phi_t + C share_t) + own,
 *
 * own = 0 when the round's message left the node, |1 - c_t| Phi_t when it did not.
 */
class DolaLedger : public PrivacyLedger
{
  public:
    static TypeId GetTypeId();

  protected:
    bool Bounds(StateRecursion recursion) const override
    {
        return recursion == StateRecursion::OWN_NOISY;
    }

    Step NextStep(const UpdateEvent& event, double coupling, bool released) const override;
};

/**
 * @ingroup dlearn
 * PDOP. As DOLA, but the step is taken at the mixed point z:
 *
 *   epsilon_t = sqrt(d) Phi_t / rho_t,   Phi_{t+1} = alpha_t C share_t + (1 + alpha_t L) own,
 *
 * own = 0 when the round's message left the node, |1 - c_t| Phi_t when it did not. While all
 * messages leave, epsilon_t = sqrt(d) alpha_{t-1} C / rho_t.
 */
class PdopLedger : public PrivacyLedger
{
  public:
    static TypeId GetTypeId();

  protected:
    bool Bounds(StateRecursion recursion) const override
    {
        return recursion == StateRecursion::STEP_BEHIND;
    }

    Step NextStep(const UpdateEvent& event, double coupling, bool released) const override;
};

} // namespace ns3::dlearn

#endif // DLEARN_BASELINE_LEDGERS_H

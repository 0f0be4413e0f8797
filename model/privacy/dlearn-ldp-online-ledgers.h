/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LDP_ONLINE_LEDGERS_H
#define DLEARN_LDP_ONLINE_LEDGERS_H

#include "dlearn-privacy-ledger.h"

/**
 * @file
 * Ledgers of LDP-OL (Chen and Wang, "Locally Differentially Private Distributed Online
 * Learning with Guaranteed Optimality", Theorem 5), in the order of the bounds they give.
 *
 * They follow Phi_t, a bound on the Euclidean distance of the states of two runs that saw
 * the same messages and different data. With a = gamma_t sum_j w_ij the state of a run is
 *
 *   theta_{t+1} = Proj( (1 - a) theta_t - lambda_t d_t(theta_t) + what came from others ),
 *
 * Proj does not increase the distance of two points, and Phi_0 = 0. |1 - a| stands where the paper
 * writes 1 - a, which could be negative. Clipping a gradient is a projection onto a ball, so it
 * does not change its Lipschitz constant L.
 *
 * What is protected. The paper's sample xi_t is the whole batch of round t, its gradient the
 * batch's mean gradient. Two gradients of single samples differ by at most C, so do two means over
 * batches of one size, however many of their samples differ: C needs no factor. The refined and
 * convex ledgers protect one unit, whose share of the average gradient is passed to them: in the
 * paper one batch of one learner, 1 / (t+1) (BatchUnit, event level, Definition 1 of the paper);
 * with SampleUnit one record, wherever it was drawn; with LearnerUnit all data.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The bound printed in Theorem 5 (i), eqs. (18)-(19):
 *
 *   Phi_{t+1} = (|1 - a| + lambda_t L) Phi_t + lambda_t C.
 *
 * It lets every batch of the history differ, so it protects all data of a learner at once;
 * its sum over all rounds is not finite.
 */
class LdpOnlineTheorem5Ledger : public PrivacyLedger
{
  public:
    static TypeId GetTypeId();

  protected:
    bool Bounds(StateRecursion recursion) const override
    {
        return recursion == StateRecursion::COUPLED;
    }

    Step NextStep(const UpdateEvent& event, double coupling, bool released) const override;
};

/**
 * @ingroup dlearn
 * The finer bound of Theorem 5 (ii), eqs. (21)-(22): only a share of the average differs, in the
 * paper one batch of the t+1,
 *
 *   Phi_{t+1} = (|1 - a| + lambda_t L) Phi_t + lambda_t C share_t.
 *
 * With share = 1 / batches it starts at round 0 and so holds for a batch of any round: one that
 * joins in round k adds the same terms from k on, fewer of them. With a window it continues to add
 * after the batch has left the average, and remains a bound. With u < v its sum over all rounds is
 * finite (when the noise does not shrink and the history has no window).
 */
class LdpOnlineRefinedLedger : public PrivacyLedger
{
  public:
    static TypeId GetTypeId();

  protected:
    bool Bounds(StateRecursion recursion) const override
    {
        return recursion == StateRecursion::COUPLED;
    }

    Step NextStep(const UpdateEvent& event, double coupling, bool released) const override;
};

/**
 * @ingroup dlearn
 * A bound for convex losses, which is not in the paper:
 *
 *   Phi_{t+1} = max(|1 - a - lambda_t mu|, |1 - a - lambda_t L|) Phi_t + lambda_t C share_t.
 *
 * Derivation. Let d and d' be the average gradients of two runs whose histories differ in
 * one unit, delta = theta - theta' the difference of their states. Then
 *
 *   d(theta) - d'(theta') = (d(theta) - d'(theta)) + (d'(theta) - d'(theta'))
 *                         = e + M delta,  ||e|| <= C share_t,
 *   M = integral over s in [0, 1] of the Hessian of the second run's average loss at
 *       theta' + s delta.
 *
 * M is symmetric with eigenvalues in [mu, L] (every sample's loss is twice differentiable,
 * mu-strongly convex and L-smooth), so (1 - a) I - lambda_t M is symmetric with eigenvalues
 * in [1 - a - lambda_t L, 1 - a - lambda_t mu] and its norm is at most the maximum above.
 * While 1 - a - lambda_t L >= 0 the gradient step contracts where the paper's triangle
 * inequality lets it expand. When a differs between entries (partial messages), 1 - a is a
 * diagonal matrix and the eigenvalues are in [1 - a_max - lambda_t L, 1 - a_min - lambda_t mu]:
 * the maximum over both ends of a, which the base class takes, covers it.
 *
 * Refuses a loss that is not convex, and clipped gradients: the Jacobian of clipped gradients need
 * not be symmetric.
 */
class LdpOnlineConvexLedger : public PrivacyLedger
{
  public:
    static TypeId GetTypeId();

  protected:
    bool Bounds(StateRecursion recursion) const override
    {
        return recursion == StateRecursion::COUPLED;
    }

    Step NextStep(const UpdateEvent& event, double coupling, bool released) const override;
    void CheckConstants() const override;
};

} // namespace ns3::dlearn

#endif // DLEARN_LDP_ONLINE_LEDGERS_H

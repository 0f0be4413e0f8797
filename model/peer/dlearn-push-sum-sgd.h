/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PUSH_SUM_SGD_H
#define DLEARN_PUSH_SUM_SGD_H

#include "dlearn-peer-rule.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Stochastic gradient push: SGD over any strongly connected directed graph (Assran, Loizou, Ballas
 * and Rabbat, "Stochastic gradient push for distributed deep learning", ICML 2019, Algorithm 1;
 * Nedic and Olshevsky, "Stochastic gradient-push for strongly convex functions on time-varying
 * directed graphs", IEEE Trans. Autom. Control 61(12), 2016).
 *
 * A learner has a mass w_t (w_0 = 1), a state x_t and the model z_t = x_t / w_t. It splits state
 * and mass evenly among its out-neighbours and itself, p_i = 1 / (1 + its out-degree): the weights
 * are column-stochastic, and a learner only has to know its receivers. The weights of the
 * graph play no part. With alpha_t = StepSize / (t+1)^StepExponent and g_t the gradient of the
 * newest batch at z_t:
 *
 *   h^i       = z_t^i - (alpha_t / w_t^i) g_t^i                      (x - alpha g, over w)
 *   message   = ( p_i w_t^i (h^i + noise), p_i w_t^i )               d + 1 numbers
 *   w_{t+1}^i = p_i w_t^i + sum_j p_j w_t^j
 *   z_{t+1}^i = Proj( ( p_i w_t^i h^i + sum_j p_j w_t^j (h^j + noise) ) / w_{t+1}^i ).
 *
 * x = w z is never stored: the pair (z, w) holds the same. On graphs that send to unequal numbers
 * the state x alone would give some learners more weight than others; the division corrects that.
 *
 * Noise is on h, that is, in units of the model, so that it can be compared with that of other
 * rules; on x it is w times that. A learner keeps its own share without noise.
 *
 * Lost messages lose mass. The sums of x and w over all learners shrink together, so averages stay
 * finite, but they are no longer those of the initial states, and the more was lost the larger the
 * step alpha / w becomes: with a constant step and loss that goes on, the run diverges in the end.
 * That is the textbook's behaviour; LossCompensation of GradientTracking cures it there. For the
 * same reason
 * - a partial message is not used, as its mass may be missing;
 * - an older vector that stands in for a missing one is ignored: it was counted when it arrived;
 * - a round from which nothing left the node keeps its whole mass, and a crash after a part of it
 *   left loses what was pushed.
 *
 * Privacy: w depends on no data, and in terms of z this is DSGD with the own weight
 * p_i w_t / w_{t+1} and the step alpha_t / w_t, so DsgdLedger accounts for it:
 *
 *   epsilon_t = sqrt(d) Psi_t / rho_t,   Psi_t = (1 + alpha_t L / w_t) Phi_t + alpha_t C / w_t,
 *   Phi_{t+1} = (p_i w_t / w_{t+1}) Psi_t.
 *
 * The nominal account cannot know the masses that would have arrived without loss: it uses those
 * that arrived, and differs in rounds whose messages did not leave.
 */
class PushSumSgd : public PeerRule
{
  public:
    static TypeId GetTypeId();

    /** @return channel STATE, with vectors of d + 1 entries: the mass comes last */
    std::vector<RuleChannel> GetChannels() const override;

    /**
     * @return true: a share counts in its own round or never. Without common rounds mass is lost in
     *         each of them, and soon the steps, which are divided by it, are infinite.
     */
    bool NeedsCommonRounds() const override { return true; }

    /** @return whether the mass is positive: a share of none would take others' away */
    bool IsUsable(ModelChannel channel, const ModelVector& values) const override;

    /** @return true: the mass comes last, and without it nothing is known of the share */
    bool NeedsWholeVectors() const override { return true; }

    /** @return w_t */
    double GetMass() const { return m_mass; }

  protected:
    std::vector<std::string> FindWarnings() const override;

    StateRecursion GetRecursion() const override { return StateRecursion::HALF_STEP; }

    ModelVector Pack(const ModelVector& released) override;
    double GetReleasedStep() const override;
    double GetStepSize(uint32_t round) const override;
    bool UsesMix() const override;
    UpdateEvent GetUpdateEvent(const Inbox& inbox) const override;
    ModelVector Move(const Inbox& inbox) const override;
    void DoEndRound(const Inbox& inbox) override;
    void DoAbandon(bool transmitted) override;

  private:
    /** @return the share of model and mass that each receiver gets, and the learner keeps */
    double GetShare() const;

    /** @return the mass that is not pushed to others */
    double GetKeptMass(const Inbox& inbox) const;

    /**
     * @param neighbor that sends a share
     * @param inbox of the round
     * @return the share; null when it did not arrive, or cannot be used
     */
    const Arrival* FindShare(LearnerId neighbor, const Inbox& inbox) const;

    /** @return the mass of all shares that arrived */
    double GetReceivedMass(const Inbox& inbox) const;

    double m_mass{1};     //!< w_t
    bool m_pushed{false}; //!< whether shares were sent whose round has not ended
};

} // namespace ns3::dlearn

#endif // DLEARN_PUSH_SUM_SGD_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_BASELINES_H
#define DLEARN_BASELINES_H

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

    double GetReleasedStep() const override { return GetStepSize(m_round); }

    ModelVector Move(const Inbox& inbox) const override { return Mix(GetReleased(), inbox); }
};

/**
 * @ingroup dlearn
 * Differentially private distributed online learning after Li et al. (2018): the baseline
 * "DOLA" of Chen and Wang. With alpha_t = StepSize / (t+1)^StepExponent (1/2), g_t the
 * gradient of the newest batch at theta_t, a_ij = w_ij and a_ii = 1 - sum_j w_ij:
 *
 *   y^i = theta_t^i + noise (sent),
 *   theta_{t+1}^i = Proj( a_ii y^i + sum_j a_ij y^j - alpha_t g_t^i ).
 *
 * A learner mixes its own vector with the noise that it sent. The weight of a missing neighbour
 * goes to it. Chen and Wang give it decaying noise: LaplaceMechanism with GrowthExponent -1,
 * BaseScale 0.07/0.2. Privacy: DolaLedger.
 */
class Dola : public PeerRule
{
  public:
    static TypeId GetTypeId();

  protected:
    StateRecursion GetRecursion() const override { return StateRecursion::OWN_NOISY; }

    ModelVector Move(const Inbox& inbox) const override;
};

/**
 * @ingroup dlearn
 * Private distributed optimization after Huang, Mitra and Vaidya (2015): the baseline "PDOP"
 * of Chen and Wang. With alpha_t = StepSize StepRatio^t, g the gradient of the newest batch,
 * a_ij = w_ij and a_ii = 1 - sum_j w_ij:
 *
 *   y^i = theta_t^i + noise (sent),   z^i = a_ii y^i + sum_j a_ij y^j,
 *   theta_{t+1}^i = Proj( z^i - alpha_t g(z^i) ).
 *
 * A learner mixes its own vector with the noise that it sent. The weight of a missing neighbour
 * goes to it. The gradient needs the messages that arrived: Compute() is empty and EndRound()
 * evaluates it; GetWork() counts it. The noise decays as b p^t (GeometricDecayLaplace) and
 * StepRatio < p is wanted. Privacy: PdopLedger.
 */
class Pdop : public PeerRule
{
  public:
    static TypeId GetTypeId();

  protected:
    std::vector<std::string> FindWarnings() const override;

    /** Empty: Move() evaluates the gradient. */
    void ComputeGradient(VectorRef /* gradient */) const override {}

    StateRecursion GetRecursion() const override { return StateRecursion::STEP_BEHIND; }

    ModelVector Move(const Inbox& inbox) const override;
};

/**
 * @ingroup dlearn
 * Private stochastic gradient descent by quantisation: the update of MixAndDescend() with the
 * gradient of the newest batch; a learner sends theta with every entry rounded at random to -s, 0
 * or s (TernaryQuantizer), and adds no other noise.
 *
 * Source: Wang and Basar, "Quantization enabled privacy protection in decentralized stochastic
 * optimization", IEEE Trans. Autom. Control 68(7), 2023. The paper on gradient tracking cites it as
 * [39] and says that its cumulative delta reaches 1 after 800 iterations (Fig. 6b). Only its
 * abstract and that remark were available: ternary rounding gives differential privacy, with a
 * delta and no epsilon. The update, the threshold and the formula of the account
 * (LdpOnlineTheorem5Ledger, and NoiseLaw::TERNARY in PrivacyLosses) are those of this module.
 * Its epsilon is 0 while the deltas of all releases are at most the attribute Delta, else infinite.
 *
 * With BaseScale 0 of the quantiser, theta is sent as it is, and delta is 1. The message holds
 * plain numbers unless a compressor packs them.
 */
class TernarySgd : public PeerRule
{
  public:
    static TypeId GetTypeId();

  protected:
    StateRecursion GetRecursion() const override { return StateRecursion::COUPLED; }

    ModelVector Move(const Inbox& inbox) const override { return MixAndDescend(inbox); }
};

/**
 * @ingroup dlearn
 * Private stochastic gradient descent with growing samples: the update of MixAndDescend(), whose
 * gradient is the mean over
 *
 *   m_t = min( floor(a t^p) + 1, D )
 *
 * different samples of the learner's D, drawn uniformly and put back after the round; a is
 * SampleFactor, p SampleExponent, and the stream's batch size plays no part. One sample moves the
 * gradient by C / m_t, so that the loss of a round falls at constant noise.
 *
 * Authority: the "time-varying sample sizes" of Wang and Zhang, IEEE Trans. Autom. Control 69(9),
 * 2024, in their form with perturbed output, which the paper on gradient tracking cites as [43]
 * and compares with. Only its abstract was at hand. The form of the update is that of the
 * comparison paper's other baselines and of LDP-OL; m_t is that of gradient tracking's
 * scheme S1, with the round t in place of the planned number of rounds K.
 *
 * Privacy: LdpOnlineRefinedLedger (or LdpOnlineConvexLedger) with SampleUnit, which protects one
 * sample of the learner over the whole run. Nominal, for a sample that is drawn in every round:
 *
 *   Phi_{t+1} = (|1 - c_t| + lambda_t L) Phi_t + lambda_t C / m_t.
 *
 * With lambda_t ~ t^-v, gamma_t ~ t^-u, u < v, and noise ~ t^s, the terms go as t^-(v-u+p+s)
 * while m_t < D, and as t^-(v-u+s) afterwards: samples that keep growing make the sum finite from
 * v-u+p+s > 1 on, but no data set is infinite.
 */
class DpSgdGrowing : public PeerRule
{
  public:
    static TypeId GetTypeId();

    /** @return m_t; after Setup() */
    uint32_t GetSampleCount(uint32_t round) const;

  protected:
    StateRecursion GetRecursion() const override { return StateRecursion::COUPLED; }

    ModelVector Move(const Inbox& inbox) const override { return MixAndDescend(inbox); }

    std::optional<uint32_t> GetDistinctSamples(uint32_t round) const override
    {
        return GetSampleCount(round);
    }

  private:
    double m_sampleFactor{1};   //!< attribute SampleFactor
    double m_sampleExponent{1}; //!< attribute SampleExponent
};

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
 * step alpha / w becomes: with a constant step and continuing loss, the run diverges in the end.
 * That is the textbook algorithm; LossCompensation of GradientTracking cures it there. For the
 * same reason
 * - a partial message is not used, as its mass may be missing;
 * - an older vector in place of a missing one is ignored: it counted when it arrived;
 * - a round from which nothing left the node keeps its whole mass, and a crash after a part of it
 *   left loses the pushed mass.
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
     * @return true: a share counts in its own round only. Without common rounds each loses mass,
     * and the steps, which are divided by it, diverge.
     */
    bool NeedsCommonRounds() const override { return true; }

    /** @return whether the mass is positive */
    bool IsUsable(ModelChannel channel, const ModelVector& values) const override;

    /** @return true: a share without its mass, the last entry, is unusable */
    bool NeedsWholeVectors() const override { return true; }

    /** @return w_t */
    double GetMass() const { return m_mass; }

  protected:
    std::vector<std::string> FindWarnings() const override;

    StateRecursion GetRecursion() const override { return StateRecursion::HALF_STEP; }

    ModelVector Pack(const ModelVector& released) override;

    double GetReleasedStep() const override { return GetStepSize(m_round); }

    double GetStepSize(uint32_t round) const override
    {
        return PeerRule::GetStepSize(round) / m_mass;
    }

    /** @return false: shares are added up, and a robust choice among them would lose mass */
    bool UsesMix() const override { return false; }

    UpdateEvent GetUpdateEvent(const Inbox& inbox) const override;
    ModelVector Move(const Inbox& inbox) const override;
    void DoEndRound(const Inbox& inbox) override;
    void DoAbandon(bool transmitted) override;

  private:
    /** @return the share of model and mass that each receiver gets, and the learner keeps */
    double GetShare() const { return 1.0 / static_cast<double>(1 + GetNeighbors().out.size()); }

    /** @return the mass that is not pushed to others */
    double GetKeptMass(const Inbox& inbox) const;

    /** @return the usable share of a neighbour; null: none */
    const Arrival* FindShare(LearnerId neighbor, const Inbox& inbox) const;

    /** @return the mass of all shares that arrived */
    double GetReceivedMass(const Inbox& inbox) const;

    double m_mass{1};     //!< w_t
    bool m_pushed{false}; //!< whether the open round has sent shares
};

} // namespace ns3::dlearn

#endif // DLEARN_BASELINES_H

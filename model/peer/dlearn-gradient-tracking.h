/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRADIENT_TRACKING_H
#define DLEARN_GRADIENT_TRACKING_H

#include "dlearn-loss-compensation.h"
#include "dlearn-round-rule.h"

#include "ns3/dlearn-gradient-tracking-ledger.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * DP-GT: differentially private gradient tracking over two directed graphs (Chen, Wang and
 * Zhang, "Differentially Private Gradient-Tracking-Based Distributed Stochastic Optimization
 * over Directed Graphs", Algorithm 1); without noise, gradient tracking itself. States x flow
 * j -> i with the weights R_ij on channel STATE, trackers y with the weights C_ij on channel
 * TRACKER. Round k of learner i:
 *
 *  1. BeginRound() draws m_K different samples; Compute() takes their mean gradient g_k at x_k.
 *  2. Send(): y_0 = g_0, later y_k = z_k + g_k - g_{k-1}, which ends step 5 of the round before;
 *     x_k and y_k with noise go to the out-neighbours of R and of C.
 *  3. EndRound(): x_{k+1} = (1 - alpha sum_j R_ij) x_k + alpha sum_j R_ij x~_j - gamma y_k, and
 *     the part of step 5 that needs no new gradient,
 *     z_{k+1} = (1 - beta sum_j C_ji) y_k + beta sum_j C_ij y~_j.
 *
 * All the time sum_i (y_i - g_i) = 0 over all learners, noise-free and loss-free: the trackers
 * follow the mean gradient (GetTracker() and GetTrackedGradient(); TrackingMonitor watches).
 *
 * Differs from the paper:
 * - Erratum: eq. (6) prints the in-weights sum_j C_ij in step 5. The compact form (8), the
 *   definition of L_2 and every theorem need the out-weights sum_j C_ji, and only with them the
 *   sum is kept; these are used here.
 * - The compact forms (7) and (8) contain the learner's own noise, -alpha r zeta_i and
 *   -beta c eta_i; eqs. (4) and (6) do not. This class does what Algorithm 1 does, from which the
 *   sensitivities of Lemma 2 are also derived. So the noise that is pushed, but not
 *   taken from the own tracker, moves the sum of the trackers by beta sum_j c_j eta_j a round.
 *
 * Loss:
 * - States: a neighbour that is missing leaves its weight with the learner's own state, as in
 *   PeerRule; of a partial vector the entries that came are used; a stand-in counts as received.
 * - Trackers: the sender has taken what it pushed from its own tracker, whether or not it arrives.
 *   The attribute LossCompensation says what happens when a message is lost.
 * - A round from which nothing left the node pushes nothing: its mass stays, and it costs nothing.
 *
 * A crash keeps state, tracker and sums; a round that it interrupted after Send() has nevertheless
 * pushed its mass. A learner whose budget is spent pushes no more, but may continue to listen.
 */
class GradientTracking : public RoundRule
{
  public:
    static TypeId GetTypeId();
    GradientTracking();
    ~GradientTracking() override;

    /** @return channels STATE and TRACKER */
    std::vector<RuleChannel> GetChannels() const override;

    /** @return y_k after Send(), z_{k+1} after EndRound() */
    const ModelVector& GetTracker() const { return m_tracker; }

    /** @return the gradient g_k that is in the tracker; zero before the first */
    const ModelVector& GetTrackedGradient() const { return m_tracked; }

    /** @return the learner's own loss compensation */
    Ptr<LossCompensation> GetLossCompensation() const { return m_compensation; }

    /** @return the learner's own noise on the states */
    Ptr<NoiseMechanism> GetStateNoise() const { return m_stateNoise; }

    /** @return the learner's own noise on the trackers */
    Ptr<NoiseMechanism> GetTrackerNoise() const { return m_trackerNoise; }

    /**
     * @return the learner's own ledger, to set its attributes; null when it keeps none
     * @throw std::invalid_argument when the account is no GradientTrackingLedger
     */
    Ptr<GradientTrackingLedger> GetTrackingLedger() const
    {
        return GetAccount<GradientTrackingLedger>();
    }

    /** @return beta C_ij for each j that the learner receives trackers from */
    Graph::Row GetTrackerWeights() const;

  private:
    std::vector<Ptr<NoiseMechanism>> GetMechanisms() const override;
    void DoSetup() override;
    std::vector<std::string> FindWarnings() const override;
    std::optional<uint32_t> GetDistinctSamples(uint32_t round) const override;
    Outbox DoSend() override;
    void DoEndRound(const Inbox& inbox) override;
    void DoAbandon(bool transmitted) override;

    /** @throw std::invalid_argument for attributes that do not fit each other */
    void CheckAttributes();

    /** Add the change of the gradient to the tracker. */
    void Track();

    /**
     * @param transmitted whether the vectors of the round left the node
     * @return how much of the tracker was pushed to the neighbours
     */
    double Settle(bool transmitted);

    /**
     * @param push that Settle() returned
     * @return what the account is told of the round
     */
    TrackingUpdate GetUpdate(double push) const;

    double m_alpha{0};                  //!< attribute Alpha
    double m_beta{0};                   //!< attribute Beta
    double m_gamma{0};                  //!< attribute Gamma
    uint32_t m_samples{0};              //!< attribute Samples; the shard's size for 0 after Setup()
    Ptr<NoiseMechanism> m_stateNoise;   //!< attribute StateNoise
    Ptr<NoiseMechanism> m_trackerNoise; //!< attribute TrackerNoise
    Ptr<LossCompensation> m_compensation; //!< attribute LossCompensation
    Ptr<GradientTrackingLedger> m_ledger; //!< the account, as of Setup(); null for none
    ModelVector m_tracker;                //!< y_k, or z_{k+1} between rounds
    ModelVector m_tracked;                //!< the gradient that m_tracker contains
};

} // namespace ns3::dlearn

#endif // DLEARN_GRADIENT_TRACKING_H

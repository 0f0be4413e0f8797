/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GRADIENT_TRACKING_H
#define DLEARN_GRADIENT_TRACKING_H

#include "dlearn-update-rule.h"

#include "ns3/dlearn-gradient-tracking-ledger.h"
#include "ns3/dlearn-message.h"
#include "ns3/dlearn-types.h"
#include "ns3/object.h"

#include <limits>
#include <map>
#include <vector>

namespace ns3::dlearn
{

/** @ingroup dlearn
 *  The part of a sender's mass that a receiver has taken, by entry. */
struct AcceptedMass
{
    /** In place of a round: none. */
    static constexpr uint32_t NEVER = std::numeric_limits<uint32_t>::max();

    ModelVector values;           //!< sum of all mass
    std::vector<uint32_t> rounds; //!< newest round whose mass is in it, or NEVER
};

/**
 * @ingroup dlearn
 * The encoding of a learner's tracking mass, which may keep the sum of all trackers when messages
 * are lost. One object serves one learner: as the sender of its mass, the same to all
 * out-neighbours, and as the receiver of its in-neighbours' masses.
 *
 * Mass is pushed without weights: the receiver multiplies by beta C_ij.
 *
 * Calls in a round: Push(), then Revoke() if no part of it left the node; Accept() for each vector
 * that arrived. Crashes do not change the state.
 */
class LossCompensation : public Object
{
  public:
    static TypeId GetTypeId();

    /** @return the vector to send for the mass that is pushed: the tracker with noise */
    virtual ModelVector Push(const ModelVector& mass) = 0;

    /** No part of the vector that Push() returned last left the node, or will. */
    virtual void Revoke() = 0;

    /**
     * @param sender an in-neighbour
     * @param arrival its vector, maybe incomplete or of an older round; at most one for each round
     * @return new mass from the sender; 0 in missing entries
     */
    ModelVector Accept(LearnerId sender, const Arrival& arrival);

    /** @return all mass pushed, in transit until it is accepted; empty: none */
    virtual const ModelVector& GetPushed() const = 0;

    /**
     * @param sender an in-neighbour
     * @return the accepted part of the sender's GetPushed(); null: none
     */
    virtual const AcceptedMass* GetAccepted(LearnerId sender) const = 0;

  protected:
    /** As Accept(), of an arrival that is newer than all earlier ones of its sender. */
    virtual ModelVector Extract(LearnerId sender, const Arrival& arrival) = 0;

  private:
    std::map<LearnerId, uint32_t> m_newest; //!< round of the newest arrival, by sender
};

/**
 * @ingroup dlearn
 * Every message carries the mass of its round. After a loss the sum of all trackers no longer
 * follows the sum of all gradients, and DP-GT stalls at an error. This is the algorithm of Chen,
 * Wang and Zhang as printed.
 */
class NoCompensation : public LossCompensation
{
  public:
    static TypeId GetTypeId();

    ModelVector Push(const ModelVector& mass) override { return mass; }

    void Revoke() override {}

    const ModelVector& GetPushed() const override { return m_nothing; }

    const AcceptedMass* GetAccepted(LearnerId) const override { return nullptr; }

  protected:
    ModelVector Extract(LearnerId /* sender */, const Arrival& arrival) override
    {
        return arrival.values; // 0 in missing entries
    }

  private:
    ModelVector m_nothing; //!< empty
};

/**
 * @ingroup dlearn
 * Every message carries the sum of all masses pushed so far; the receiver takes the difference
 * to the last sum that it received, entry by entry. A lost message only delays its mass until the
 * next one arrives (robust push-sum: Hadjicostis, Vaidya and Dominguez-Garcia, "Robust
 * Distributed Average Consensus via Exchange of Running Sums", IEEE Trans. Automatic Control 61,
 * 2016).
 *
 * - Message size: the same. Memory: four vectors, and one for each in-neighbour.
 * - Privacy: the sums are post-processing of the noisy trackers, so that the ledger's account
 * holds. A round that never left the node must not enter a later sum: Revoke() removes it.
 * - Precision: sums may be much larger than their differences, and a difference is exact to the
 *   rounding of the sum on the wire (32-bit floats by default). The errors of one sender do not add
 *   up, as the next difference corrects the last.
 * - Compression of messages must be unbiased: error feedback would count earlier errors twice.
 */
class RunningSum : public LossCompensation
{
  public:
    static TypeId GetTypeId();

    ModelVector Push(const ModelVector& mass) override;
    void Revoke() override;

    const ModelVector& GetPushed() const override { return m_sum; }

    const AcceptedMass* GetAccepted(LearnerId sender) const override;

  protected:
    ModelVector Extract(LearnerId sender, const Arrival& arrival) override;

  private:
    ModelVector m_sum;                        //!< of all pushes
    ModelVector m_carry;                      //!< rounding error of the sum
    ModelVector m_before;                     //!< the sum before the last push
    ModelVector m_carryBefore;                //!< its m_carry
    std::map<LearnerId, AcceptedMass> m_seen; //!< newest sums
};

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
 * Without noise and loss sum_i (y_i - g_i) = 0 over all learners: the trackers follow the mean
 * gradient (GetTracker(), GetTrackedGradient(), TrackingMonitor).
 *
 * Differs from the paper:
 * - Erratum: eq. (6) prints the in-weights sum_j C_ij in step 5. The compact form (8), the
 *   definition of L_2 and every theorem need the out-weights sum_j C_ji, and only with them the
 *   sum is kept; these are used here.
 * - The compact forms (7) and (8) contain the learner's own noise, -alpha r zeta_i and
 *   -beta c eta_i; eqs. (4) and (6) do not. This class follows Algorithm 1, from which Lemma 2 also
 *   derives the sensitivities. So the noise that is pushed, but not taken from the own tracker,
 * moves the sum of the trackers by beta sum_j c_j eta_j a round.
 *
 * Loss:
 * - States: as in PeerRule, a missing entry leaves its weight to the learner's own state; a
 * stand-in counts as received.
 * - Trackers: the sender subtracts the pushed mass from its tracker, whether or not it arrives. The
 *   attribute LossCompensation decides about lost messages.
 * - A round from which nothing left the node pushes nothing: its mass stays, and it costs nothing.
 *
 * A crash keeps state, tracker and sums; a round that it interrupts after Send() has pushed its
 * mass. A learner whose budget is spent pushes no more, but may continue to listen.
 */
class GradientTracking : public RoundRule
{
  public:
    static TypeId GetTypeId();

    /** @return channels STATE and TRACKER */
    std::vector<RuleChannel> GetChannels() const override;

    /** @return y_k after Send(), z_{k+1} after EndRound() */
    const ModelVector& GetTracker() const { return m_tracker; }

    /** @return the gradient g_k in the tracker; zero before the first */
    const ModelVector& GetTrackedGradient() const { return m_tracked; }

    Ptr<LossCompensation> GetLossCompensation() const { return m_compensation; }

    Ptr<NoiseMechanism> GetStateNoise() const { return m_stateNoise; }

    Ptr<NoiseMechanism> GetTrackerNoise() const { return m_trackerNoise; }

    /** @return the ledger; null: none; one of another kind is refused */
    Ptr<GradientTrackingLedger> GetTrackingLedger() const
    {
        return GetAccount<GradientTrackingLedger>();
    }

    /** @return beta C_ij for each j */
    Graph::Row GetTrackerWeights() const;

  private:
    std::vector<Ptr<NoiseMechanism>> GetMechanisms() const override
    {
        return {m_stateNoise, m_trackerNoise};
    }

    void DoSetup() override;
    std::vector<std::string> FindWarnings() const override;

    std::optional<uint32_t> GetDistinctSamples(uint32_t /* round */) const override
    {
        return m_samples;
    }

    Outbox DoSend() override;
    void DoEndRound(const Inbox& inbox) override;
    void DoAbandon(bool transmitted) override;

    /** Add the change of the gradient to the tracker. */
    void Track();

    /** Settle the release, if any. @return the pushed part of the tracker */
    double Settle(bool transmitted);

    /** @return the update of a round for the account */
    TrackingUpdate GetUpdate(double push) const;

    double m_alpha{0};                    //!< attribute Alpha
    double m_beta{0};                     //!< attribute Beta
    double m_gamma{0};                    //!< attribute Gamma
    uint32_t m_samples{0};                //!< attribute Samples; after Setup() never 0
    Ptr<NoiseMechanism> m_stateNoise;     //!< attribute StateNoise
    Ptr<NoiseMechanism> m_trackerNoise;   //!< attribute TrackerNoise
    Ptr<LossCompensation> m_compensation; //!< attribute LossCompensation
    Ptr<GradientTrackingLedger> m_ledger; //!< as of Setup(); null: none
    ModelVector m_tracker;                //!< y_k, or z_{k+1} between rounds
    ModelVector m_tracked;                //!< the gradient in m_tracker
};

} // namespace ns3::dlearn

#endif // DLEARN_GRADIENT_TRACKING_H

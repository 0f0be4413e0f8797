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

/**
 * @ingroup dlearn
 * The part of a sender's mass that a receiver has taken, by entry.
 */
struct AcceptedMass
{
    /** In place of a round: nothing was accepted. */
    static constexpr uint32_t NEVER = std::numeric_limits<uint32_t>::max();

    ModelVector values;           //!< sum of all mass
    std::vector<uint32_t> rounds; //!< newest round whose mass is in it, or NEVER
};

/**
 * @ingroup dlearn
 * The form in which a learner sends its tracking mass, so that the sum of all trackers can survive
 * lost messages. One object serves one learner: as the sender of its own mass, the same to all its
 * out-neighbours, and as the receiver of its in-neighbours' masses.
 *
 * Mass is what the sender pushed before weights: the receiver multiplies by beta C_ij.
 *
 * Calls in a round: Push(), then Revoke() if no part of it left the node; Accept() for each
 * vector that arrived. The state survives crashes, as the model does.
 */
class LossCompensation : public Object
{
  public:
    static TypeId GetTypeId();

    /** @return the vector to send for the mass that is pushed: the tracker with noise */
    virtual ModelVector Push(const ModelVector& mass) = 0;

    /** What Push() returned last has not left the node, not even in part, and never will. */
    virtual void Revoke() = 0;

    /**
     * @param sender an in-neighbour
     * @param arrival what arrived from it, possibly in part, possibly of an older round (a
     *        stand-in or a late message); at most once for each of its rounds
     * @return mass that the receiver had not yet got from the sender; 0 in entries that did not
     *         arrive
     */
    ModelVector Accept(LearnerId sender, const Arrival& arrival);

    /** @return all mass that counts as under way until it is accepted; empty for none */
    virtual const ModelVector& GetPushed() const = 0;

    /**
     * @param sender an in-neighbour
     * @return the part of the sender's GetPushed() that has been accepted, as far as the receiver
     *         knows; null for none
     */
    virtual const AcceptedMass* GetAccepted(LearnerId sender) const = 0;

  protected:
    /** As Accept(), of an arrival that is newer than all before from its sender. */
    virtual ModelVector Extract(LearnerId sender, const Arrival& arrival) = 0;

  private:
    std::map<LearnerId, uint32_t> m_newest; //!< round of the newest arrival, by sender
};

/**
 * @ingroup dlearn
 * Every message carries the mass of its round. What is lost does not come back: the sum of all
 * trackers no longer follows the sum of all gradients, and DP-GT stalls at an error. This is
 * the algorithm of Chen, Wang and Zhang as it is printed.
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
    ModelVector Extract(LearnerId sender, const Arrival& arrival) override;

  private:
    ModelVector m_nothing; //!< empty
};

/**
 * @ingroup dlearn
 * Every message carries the sum of all masses pushed so far; the receiver takes the difference
 * to the last sum it saw, entry by entry. A lost message delays its mass until the next one
 * arrives and destroys none (robust push-sum: Hadjicostis, Vaidya and Dominguez-Garcia, "Robust
 * Distributed Average Consensus via Exchange of Running Sums", IEEE Trans. Automatic Control 61,
 * 2016).
 *
 * - Message size: the same. Memory: four vectors, and one for each in-neighbour.
 * - Privacy: the sums are computed from the noisy trackers that would have been sent anyway, so
 *   an observer learns no more from them than from the trackers (post-processing), and the ledger's
 *   account holds. A round that never left the node must not enter a later sum, or it would have to
 *   be accounted for: Revoke() takes it out.
 * - Precision: sums may be much larger than their differences, and a difference is exact to the
 *   rounding of the sum, as the wire carries it (32-bit floats by default). The errors of one
 *   sender do not add up, as the next difference makes good for the last.
 * - Compression of messages must be unbiased of the sum itself: error feedback, which makes
 *   good for what earlier messages left out, would count it twice.
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
    ModelVector m_sum;                        //!< of all pushes; empty before the first
    ModelVector m_carry;                      //!< what rounding has added to the sum
    ModelVector m_before;                     //!< the sum before the last push
    ModelVector m_carryBefore;                //!< its m_carry
    std::map<LearnerId, AcceptedMass> m_seen; //!< newest sum by sender, by entry
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

    /** @return channels STATE and TRACKER */
    std::vector<RuleChannel> GetChannels() const override;

    /** @return y_k after Send(), z_{k+1} after EndRound() */
    const ModelVector& GetTracker() const { return m_tracker; }

    /** @return the gradient g_k that is in the tracker; zero before the first */
    const ModelVector& GetTrackedGradient() const { return m_tracked; }

    Ptr<LossCompensation> GetLossCompensation() const { return m_compensation; }

    Ptr<NoiseMechanism> GetStateNoise() const { return m_stateNoise; }

    Ptr<NoiseMechanism> GetTrackerNoise() const { return m_trackerNoise; }

    /** @return the learner's own ledger; null when it keeps none, refused if of another kind */
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

    void CheckAttributes();

    /** Add the change of the gradient to the tracker. */
    void Track();

    /** Account for what was sent, once. @return the part of the tracker that was pushed */
    double Settle(bool transmitted);

    /** @return what the account is told of a round that pushed so much */
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

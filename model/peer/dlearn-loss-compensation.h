/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LOSS_COMPENSATION_H
#define DLEARN_LOSS_COMPENSATION_H

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
 * What a receiver has taken of a sender's mass, by entry, as its messages said it.
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

    /**
     * @param mass what the learner pushes in this round: its tracker with noise
     * @return the vector to send for it, of the same size
     */
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
    /**
     * @param sender an in-neighbour
     * @param arrival newer than all that came from it before
     * @return what Accept() returns, in the entries that are present
     */
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

    void Revoke() override;

    const ModelVector& GetPushed() const override { return m_nothing; }

    const AcceptedMass* GetAccepted(LearnerId sender) const override;

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

} // namespace ns3::dlearn

#endif // DLEARN_LOSS_COMPENSATION_H

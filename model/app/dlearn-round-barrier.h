/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_BARRIER_H
#define DLEARN_ROUND_BARRIER_H

#include "dlearn-failure-detector.h"
#include "dlearn-message-window.h"
#include "dlearn-missing-policy.h"
#include "dlearn-round-policy.h"

#include "ns3/dlearn-message.h"
#include "ns3/nstime.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Decides what the round of a peer waits for, and what replaces messages that are missing:
 *
 *  1. ShouldClose(), asked whenever something has changed: the RoundPolicy decides, but the
 *     MissingPolicy may insist on messages that can still arrive. None arrives from a neighbour
 *     that is suspected, or that has sent a message of a later round.
 *  2. RecordTimeouts(), when the round closes: the learner has waited without success for each
 *     neighbour whose message is missing or cannot be used. The FailureDetector adds up these
 *     times until RecordActivity().
 *  3. Complete(): the MissingPolicy keeps the messages that arrived, and adds what stands in for
 *     the others.
 *
 * It knows neither the clock nor sockets.
 */
class RoundBarrier
{
  public:
    /**
     * @param roundPolicy when a round closes
     * @param missingPolicy what a missing message means
     */
    RoundBarrier(Ptr<const RoundPolicy> roundPolicy, Ptr<MissingPolicy> missingPolicy);

    /** @param neighbor a new usable message came from it */
    void RecordActivity(LearnerId neighbor) { m_watch.RecordActivity(neighbor); }

    /**
     * @param neighbor a neighbour
     * @return whether it is worth waiting for
     */
    bool IsAlive(LearnerId neighbor) const { return m_watch.IsAlive(neighbor); }

    /** Believe that all neighbours are there again. */
    void Reset() { m_watch.Reset(); }

    /**
     * @param window with the open round
     * @param elapsed since the round opened
     * @return whether the round closes now
     */
    bool ShouldClose(const MessageWindow& window, Time elapsed) const;

    /**
     * @param window with the open round, which closes as it is
     * @param waited how long for what is missing, since the learner itself had sent
     * @param suspicionTimeout total time waited after which a neighbour is suspected, more than 0
     * @return the neighbours that are suspected from now on
     */
    std::vector<LearnerId> RecordTimeouts(const MessageWindow& window,
                                          Time waited,
                                          Time suspicionTimeout);

    /**
     * @param source sender and channel of a vector that came too late for its round
     * @param arrival the vector, complete
     */
    void Remember(const MessageWindow::Source& source, const Arrival& arrival);

    /**
     * @param inbox what a round got; gets what stands in for the rest
     * @param expected every message that a round should bring
     */
    void Complete(Inbox& inbox, const std::vector<MessageWindow::Source>& expected);

  private:
    Ptr<const RoundPolicy> m_roundPolicy; //!< when a round closes
    Ptr<MissingPolicy> m_missingPolicy;   //!< what a missing message means
    FailureDetector m_watch;              //!< says which senders to wait for
};

} // namespace ns3::dlearn

#endif // DLEARN_ROUND_BARRIER_H

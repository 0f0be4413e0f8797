/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SPENT_WATCH_H
#define DLEARN_SPENT_WATCH_H

#include "dlearn-run-results.h"

#include "ns3/dlearn-learner-application.h"
#include "ns3/dlearn-trace-connections.h"

#include <functional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Reads the privacy accounts of honest learners with rounds (peers, servers) whenever they may have
 * grown: when a message leaves, and when the learner goes down or has finished. A learner that is
 * ahead of the others, or that never closes its round, has spent that, too.
 */
class SpentWatch
{
  public:
    /** Gets what a learner has spent by now. */
    using Listener = std::function<void(const SpentEpsilon& spent)>;

    /**
     * @param learners which are set up
     * @param listener must outlive this
     */
    SpentWatch(const std::vector<Ptr<LearnerApplication>>& learners, Listener listener);

    SpentWatch(const SpentWatch&) = delete;
    SpentWatch& operator=(const SpentWatch&) = delete;

  private:
    /** A learner's account. */
    using Account = Ptr<const PrivacyAccount>;

    /**
     * Sink of the trace MessageTx.
     * @param account of the sender
     */
    void HandleMessage(Account account, const EncodedMessage&, const std::vector<LearnerId>&);

    /**
     * Sink of the trace StateTransition.
     * @param account of the learner
     * @param entered the state
     */
    void HandleState(Account account, LearnerApplication::State, LearnerApplication::State entered);

    Listener m_listener;       //!< told
    TraceConnections m_traces; //!< of the learners
};

} // namespace ns3::dlearn

#endif // DLEARN_SPENT_WATCH_H

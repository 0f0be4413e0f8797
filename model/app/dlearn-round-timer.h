/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_TIMER_H
#define DLEARN_ROUND_TIMER_H

#include "dlearn-alarm.h"
#include "dlearn-learner-clock.h"
#include "dlearn-round-policy.h"

#include "ns3/dlearn-message-exchange.h"

#include <functional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Says at which times a peer that has sent asks whether its round closes: when the deadline of its
 * RoundPolicy has passed, when its response timeout is over, and, where its messages waited for a
 * turn on a medium as the round was to close, when they leave.
 */
class RoundTimer
{
  public:
    /** @param ask called at each of these times; says whether the round closes in any case */
    explicit RoundTimer(std::function<void(bool timedOut)> ask);

    /**
     * Call once, before anything else.
     *
     * @param clock of the learner, which outlives the timer
     * @param policy has the deadline
     * @param exchange sends the learner's messages
     */
    void Setup(const LearnerClock& clock,
               Ptr<const RoundPolicy> policy,
               Ptr<MessageExchange> exchange);

    /**
     * The learner has sent what it sends in its round.
     * @param timeout by the learner's clock: the longest wait for others
     */
    void Start(Time timeout);

    /** @return time since Start(), by the learner's clock */
    Time GetWaited() const;

    /**
     * A round that would close waits until its messages have begun to leave, as the others need
     * them, but not beyond its deadline.
     *
     * @param round the open one
     * @return whether it waits
     */
    bool AwaitsTurn(uint32_t round);

    /** The round closes, or is given up. */
    void Stop();

  private:
    /** Ask again if the round waited for this. */
    void HandleMessageTx(const EncodedMessage& message, const std::vector<LearnerId>& recipients);

    /** The deadline has come, unless the policy has a later one by now. */
    void PassDeadline();

    /** @return whether the deadline has passed */
    bool IsDue() const;

    std::function<void(bool timedOut)> m_ask; //!< the peer
    const LearnerClock* m_clock{nullptr};     //!< of the learner
    Ptr<const RoundPolicy> m_policy;          //!< has the deadline
    Ptr<MessageExchange> m_exchange;          //!< sends the messages
    Time m_started;                           //!< when the messages were sent
    bool m_awaitsTurn{false};                 //!< whether the round waits for a turn
    Alarm m_deadline;                         //!< the policy's
    Alarm m_timeout;                          //!< its end
    Alarm m_turn;                             //!< after the messages have begun to leave
};

} // namespace ns3::dlearn

#endif // DLEARN_ROUND_TIMER_H

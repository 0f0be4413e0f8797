/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_POLICY_H
#define DLEARN_ROUND_POLICY_H

#include "ns3/nstime.h"
#include "ns3/object.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a policy may look at when it decides whether a round closes.
 */
struct RoundStatus
{
    uint32_t expected{0}; //!< messages that the round awaits
    uint32_t received{0}; //!< of these, arrived
    uint32_t waitable{0}; //!< missing ones that may still come: the sender is believed alive
                          //!< and not in a later round
    Time elapsed;         //!< since the round opened
};

/**
 * @ingroup dlearn
 * Decides when a round closes. The application asks whenever a message arrives and when
 * GetDeadline() has passed. An own policy overrides DoShouldClose() and GetDeadline().
 */
class RoundPolicy : public Object
{
  public:
    static TypeId GetTypeId();

    /**
     * A round closes when nothing may come any more, whatever the policy says, unless the policy is
     * asynchronous.
     *
     * @param status of the open round
     * @return whether it closes now
     */
    bool ShouldClose(const RoundStatus& status) const;

    /**
     * @param expected messages that a round awaits, from senders that are alive
     * @return after how many of them it closes, when they come at once
     */
    uint32_t CountEnough(uint32_t expected) const;

    /** @return time after the opening at which to ask again; zero for never */
    virtual Time GetDeadline() const = 0;

    /**
     * @return whether learners keep no step with each other, so that a message's round does not
     *         matter (LatestWindow); no unless overridden
     */
    virtual bool IsAsynchronous() const { return false; }

  private:
    /**
     * @param status of the open round. A missing message may still come (RoundStatus::waitable is
     *        not 0), or the policy is asynchronous
     * @return whether it closes now
     */
    virtual bool DoShouldClose(const RoundStatus& status) const = 0;
};

/**
 * @ingroup dlearn
 * A round closes when every neighbour that is alive has been heard.
 */
class AllPolicy : public RoundPolicy
{
  public:
    static TypeId GetTypeId();
    Time GetDeadline() const override;

  private:
    bool DoShouldClose(const RoundStatus& status) const override;
};

/**
 * @ingroup dlearn
 * A round closes when every neighbour that is alive has been heard, at the latest Deadline
 * after it opened.
 */
class DeadlinePolicy : public RoundPolicy
{
  public:
    static TypeId GetTypeId();

    Time GetDeadline() const override { return m_deadline; }

  private:
    bool DoShouldClose(const RoundStatus& status) const override
    {
        return status.elapsed >= m_deadline;
    }

    Time m_deadline; //!< attribute Deadline
};

/**
 * @ingroup dlearn
 * A round closes when the share Fraction of the expected messages has arrived (rounded up),
 * or when no other neighbour that is alive can be heard.
 */
class QuorumPolicy : public RoundPolicy
{
  public:
    static TypeId GetTypeId();
    Time GetDeadline() const override;

  private:
    bool DoShouldClose(const RoundStatus& status) const override;

    double m_fraction{1}; //!< attribute Fraction
};

/**
 * @ingroup dlearn
 * Every learner keeps its own time and does not wait: a round closes when the learner has sent,
 * but not before Period is over, and uses of every neighbour the newest message that came
 * meanwhile. Peers only.
 */
class AsynchronousPolicy : public RoundPolicy
{
  public:
    static TypeId GetTypeId();

    Time GetDeadline() const override { return m_period; }

    bool IsAsynchronous() const override { return true; }

  private:
    /** @throw std::invalid_argument when the round has taken no time: all would be one moment */
    bool DoShouldClose(const RoundStatus& status) const override;

    Time m_period; //!< attribute Period
};

} // namespace ns3::dlearn

#endif // DLEARN_ROUND_POLICY_H

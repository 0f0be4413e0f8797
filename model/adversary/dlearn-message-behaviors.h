/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MESSAGE_BEHAVIORS_H
#define DLEARN_MESSAGE_BEHAVIORS_H

#include "ns3/dlearn-training-application.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <map>

/**
 * @file
 * Behaviours of attackers that send intact messages: none, late ones, old ones or too many.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Sends what an honest learner would: only its data are wrong.
 */
class HonestBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();
    void Deliver(LearnerId learner,
                 uint32_t round,
                 const Outbox& outbox,
                 const SendPort& port) override;
};

/**
 * @ingroup dlearn
 * Takes part in everything but never sends.
 */
class SilentBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();
    void Deliver(LearnerId learner,
                 uint32_t round,
                 const Outbox& outbox,
                 const SendPort& port) override;
};

/**
 * @ingroup dlearn
 * Honest, but sends only Delay after it could, such as just before the others' deadline.
 */
class DelayBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();

    void Deliver(LearnerId learner,
                 uint32_t round,
                 const Outbox& outbox,
                 const SendPort& port) override;

    void Cancel() override { m_event.Cancel(); }

  protected:
    void DoDispose() override;

  private:
    /** Send the vectors that were held back. */
    void SendLate();

    Time m_delay;    //!< attribute Delay
    Outbox m_outbox; //!< what is to be sent
    SendPort m_port; //!< sends it
    EventId m_event; //!< when
};

/**
 * @ingroup dlearn
 * Sends what it made Age of its rounds ago, under the number of the present round; honest until it
 * has made that many.
 */
class ReplayBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();

    void Deliver(LearnerId learner,
                 uint32_t round,
                 const Outbox& outbox,
                 const SendPort& port) override;

  private:
    uint32_t m_age{5};                 //!< attribute Age
    uint64_t m_made{0};                //!< rounds so far
    std::map<uint64_t, Outbox> m_past; //!< what it made in the newest of them, by number
};

/**
 * @ingroup dlearn
 * Sends Copies messages instead of one, each k times the vector for k = 1, 2, ...: a receiver
 * that counted twice, or trusted a later one, would show.
 */
class FloodBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();
    void Deliver(LearnerId learner,
                 uint32_t round,
                 const Outbox& outbox,
                 const SendPort& port) override;

  private:
    uint32_t m_copies{10}; //!< attribute Copies
};

} // namespace ns3::dlearn

#endif // DLEARN_MESSAGE_BEHAVIORS_H

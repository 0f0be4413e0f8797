/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIRE_ATTACKS_H
#define DLEARN_WIRE_ATTACKS_H

#include "dlearn-wire-behavior.h"

#include "ns3/event-id.h"
#include "ns3/nstime.h"

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Sends Scale times its own vector in the name of Victim, for this round and also for the next, so
 * that it arrives before the true one. Strangers, the other clients of a federation, get it as a
 * model.
 */
class ImpersonateBehavior : public WireBehavior
{
  public:
    static TypeId GetTypeId();

  protected:
    void Attack(const Occasion& occasion) override;

  private:
    uint32_t m_victim{0}; //!< attribute Victim
    double m_scale{-10};  //!< attribute Scale
};

/**
 * @ingroup dlearn
 * Sends a whole vector of round Round, under its own name. To strangers it sends the first number
 * of a model of that round, in the name of their server. A learner that believes it skips all
 * rounds before.
 */
class RoundJumpBehavior : public WireBehavior
{
  public:
    static TypeId GetTypeId();

  protected:
    void Attack(const Occasion& occasion) override;

  private:
    uint32_t m_round{0}; //!< attribute Round
};

/**
 * @ingroup dlearn
 * Every Period sends the first number of the round's vector and that of a roster, under its own
 * name, so that it seems alive without ever sending a whole message. Goes on between its rounds,
 * but no longer than Duration.
 */
class HeaderFloodBehavior : public WireBehavior
{
  public:
    static TypeId GetTypeId();

  protected:
    void DoDispose() override;
    void Attack(const Occasion& occasion) override;

  private:
    /** Send headers without bodies once, and again after the period. */
    void Beat();

    Time m_period;       //!< attribute Period
    Time m_duration;     //!< attribute Duration
    Time m_end;          //!< of the flood
    Occasion m_occasion; //!< its round
    EventId m_event;     //!< next beat
};

/**
 * @ingroup dlearn
 * Sends the first number of the vectors of this round and of Rounds to come in another encoding, in
 * the name of all others that it knows and its own: where that is believed, the true fragments
 * contradict it, and the unfinished messages drive others out of memory.
 */
class PoisonBehavior : public WireBehavior
{
  public:
    static TypeId GetTypeId();

  protected:
    void Attack(const Occasion& occasion) override;

  private:
    uint32_t m_rounds{7}; //!< attribute Rounds
};

/**
 * @ingroup dlearn
 * Sends a vector of one number in place of the round's, in the name of all others that it knows and
 * its own: where that is believed, the true vector has come and cannot be used.
 */
class WrongLengthBehavior : public WireBehavior
{
  public:
    static TypeId GetTypeId();

  protected:
    void Attack(const Occasion& occasion) override;
};

/**
 * @ingroup dlearn
 * Asks for corrections as a server does after a round (UpdateCollector): strangers in the name of their
 * server, neighbours in its own name. It asks about all clients, and about all but the one that it
 * asks.
 */
class RosterBehavior : public WireBehavior
{
  public:
    static TypeId GetTypeId();

  protected:
    void Attack(const Occasion& occasion) override;
};

} // namespace ns3::dlearn

#endif // DLEARN_WIRE_ATTACKS_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MESSAGE_BEHAVIORS_H
#define DLEARN_MESSAGE_BEHAVIORS_H

#include "ns3/dlearn-training-application.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <map>

/**
 * @file
 * Behaviours of attackers that send intact messages: none, late, old, scaled, too many, or
 * different ones to different neighbours.
 */

namespace ns3::dlearn
{

/** Sends the vectors of an honest learner: only the data are wrong. @ingroup dlearn */
class HonestBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();
    void Deliver(const AttackContext& context) override;
};

/** Takes part in everything but never sends. @ingroup dlearn */
class SilentBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();

    void Deliver(const AttackContext& context) override { context.port.done(); }
};

/** Sends honest vectors Delay later, such as just before the others' deadline. @ingroup dlearn */
class DelayBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();

    void Deliver(const AttackContext& context) override;

    void Cancel() override { m_event.Cancel(); }

  protected:
    void DoDispose() override;

  private:
    Time m_delay;    //!< attribute Delay
    EventId m_event; //!< sends
};

/**
 * @ingroup dlearn
 * Sends the vectors that it made Age of its rounds ago under the number of the present round;
 * honest in its first Age rounds.
 */
class ReplayBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();

    void Deliver(const AttackContext& context) override;

  private:
    uint32_t m_age{5};                 //!< attribute Age
    uint64_t m_made{0};                //!< rounds so far
    std::map<uint64_t, Outbox> m_past; //!< its vectors of the newest of them, by number
};

/**
 * @ingroup dlearn
 * Sends Factor times its vector. A client whose update takes the place of the mean of n updates has
 * factor n (model replacement: Bagdasaryan, Veit, Hua, Estrin and Shmatikov 2020, "How To Backdoor
 * Federated Learning", AISTATS, section 4); with 0 it is a free rider, which returns the model that
 * it was given.
 */
class ScaleBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();
    void Deliver(const AttackContext& context) override;

  private:
    double m_factor{10}; //!< attribute Factor
};

/**
 * @ingroup dlearn
 * Sends Copies messages instead of one, with k times the vector for k = 1, 2, ..., which shows
 * whether a receiver counts twice or takes a later message.
 */
class FloodBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();
    void Deliver(const AttackContext& context) override;

  private:
    uint32_t m_copies{10}; //!< attribute Copies
};

/**
 * @ingroup dlearn
 * Sends different vectors to different neighbours, to pull them apart: of the recipients of a
 * vector x, in increasing order, the first, third, ... get x + Scale u, the others x - Scale u. The
 * entries of u are drawn from N(0, 1) in the first round and stay, so that the pulls of all rounds
 * add up.
 *
 * With broadcast every neighbour hears both messages, and the first one counts.
 */
class EquivocateBehavior : public ByzantineBehavior
{
  public:
    static TypeId GetTypeId();
    void Deliver(const AttackContext& context) override;

    int64_t AssignStreams(int64_t stream) override
    {
        m_random->SetStream(stream);
        return 1;
    }

  private:
    double m_scale{1};                                                        //!< attribute Scale
    Ptr<NormalRandomVariable> m_random{CreateObject<NormalRandomVariable>()}; //!< draws u
    ModelVector m_direction; //!< u; empty before the first round
};

} // namespace ns3::dlearn

#endif // DLEARN_MESSAGE_BEHAVIORS_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CLIENT_BEHAVIOR_H
#define DLEARN_CLIENT_BEHAVIOR_H

#include "ns3/callback.h"
#include "ns3/dlearn-types.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <map>

namespace ns3
{
namespace dlearn
{

/**
 * @ingroup dlearn
 * What a Byzantine client does with the update that its rule made, instead of sending it. The
 * rest of the client (its sockets, its training, when it takes up a model) is that of any other:
 * an attacker is the same application with a behaviour set.
 *
 * For each round the client calls Deliver() once, and Cancel() when a newer model came before
 * anything was sent, or when it stops.
 */
class ClientBehavior : public Object
{
  public:
    /** Send a vector as the round's update. May be called any number of times. */
    using SendCallback = Callback<void, const ModelVector&>;

    /** The client is through with the round. To be called once, by Deliver() or later. */
    using DoneCallback = Callback<void>;

    /** @return the TypeId */
    static TypeId GetTypeId();

    /**
     * @param client who
     * @param round the round
     * @param update what an honest client would send
     * @param send sends
     * @param done ends the round
     */
    virtual void Deliver(LearnerId client,
                         uint32_t round,
                         const ModelVector& update,
                         SendCallback send,
                         DoneCallback done) = 0;

    /** Forget the round that is open. Does nothing unless overridden. */
    virtual void Cancel();
};

/**
 * @ingroup dlearn
 * Takes part in everything but never answers.
 */
class SilentBehavior : public ClientBehavior
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();
    void Deliver(LearnerId client,
                 uint32_t round,
                 const ModelVector& update,
                 SendCallback send,
                 DoneCallback done) override;
};

/**
 * @ingroup dlearn
 * Answers honestly, but only Delay after it could, such as just before the server's deadline.
 */
class DelayingBehavior : public ClientBehavior
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();
    void Deliver(LearnerId client,
                 uint32_t round,
                 const ModelVector& update,
                 SendCallback send,
                 DoneCallback done) override;
    void Cancel() override;

  protected:
    void DoDispose() override;

  private:
    Time m_delay;    //!< attribute Delay
    EventId m_event; //!< sends
};

/**
 * @ingroup dlearn
 * Sends the update that it made Age rounds of its own ago, under today's number; honest until
 * it has made that many.
 */
class ReplayingBehavior : public ClientBehavior
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();
    void Deliver(LearnerId client,
                 uint32_t round,
                 const ModelVector& update,
                 SendCallback send,
                 DoneCallback done) override;

  private:
    uint32_t m_age{5};                      //!< attribute Age
    uint64_t m_made{0};                     //!< updates made so far
    std::map<uint64_t, ModelVector> m_past; //!< the newest of them, by number
};

/**
 * @ingroup dlearn
 * Sends Copies messages instead of one, each k times the update for k = 1, 2, ...: a server that
 * counted twice, or trusted a later one, would show.
 */
class FloodingBehavior : public ClientBehavior
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();
    void Deliver(LearnerId client,
                 uint32_t round,
                 const ModelVector& update,
                 SendCallback send,
                 DoneCallback done) override;

  private:
    uint32_t m_copies{10}; //!< attribute Copies
};

} // namespace dlearn
} // namespace ns3

#endif // DLEARN_CLIENT_BEHAVIOR_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRAINING_APPLICATION_H
#define DLEARN_TRAINING_APPLICATION_H

#include "dlearn-learner-application.h"

#include "ns3/address.h"
#include "ns3/callback.h"
#include "ns3/dlearn-message.h"
#include "ns3/object.h"
#include "ns3/pointer.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/** @ingroup dlearn
 *  The sending functions that a learner leaves to its behaviour for one round. */
struct SendPort
{
    /** Send a vector as a message of the round, any number of times before done. */
    Callback<void, const Outgoing&> send;
    /** Send any bytes to neighbours, any number of times, also after done. */
    Callback<void, const std::vector<LearnerId>&, const std::vector<uint8_t>&> sendBytes;
    /** Send a UDP datagram to any address, from another port than the learner's, also after
     *  done. */
    Callback<void, const Address&, const std::vector<uint8_t>&> sendDatagram;
    /** The learner has finished the round. Call once, in Deliver() or later. */
    Callback<void> done;
};

/** The round in which a Byzantine learner may send. @ingroup dlearn */
struct AttackContext
{
    LearnerId learner{0}; //!< the Byzantine learner
    uint32_t round{0};    //!< number of the round
    Outbox outbox;        //!< vectors that an honest learner would send
    SendPort port;        //!< sends, and ends the round
};

/**
 * @ingroup dlearn
 * The attack of a Byzantine learner, peer or client: it gets the vectors that its rule made instead
 * of the network. The rest of the learner (its sockets, its training, when a round begins) is that
 * of any other: an attacker is the same application with a behaviour.
 *
 * For each round the learner calls Deliver() once, and Cancel() when the round ends before the
 * behaviour is done: the learner stops, a client gets a newer model, a peer's ResponseTimeout
 * is over.
 *
 * On the command line of the programs an attack has the name of its class without "Behavior", in
 * small letters: RoundJumpBehavior is round-jump. The first attribute that the class itself
 * declares is its argument: round-jump:7 sets Round.
 */
class ByzantineBehavior : public Object
{
  public:
    static TypeId GetTypeId();

    /** Act in a round, now or later, until context.port.done(). */
    virtual void Deliver(const AttackContext& context) = 0;

    /** Forget the round that is open. */
    virtual void Cancel() {}

    /**
     * A usable vector has arrived at the learner.
     *
     * @param source sender and channel
     * @param round in which it was made
     * @param arrival the vector, complete
     */
    virtual void Receive(const MessageSource& /* source */,
                         uint32_t /* round */,
                         const Arrival& /* arrival */)
    {
    }

    /** Fix the random streams, from @p stream on. @return number of streams used */
    virtual int64_t AssignStreams(int64_t /* stream */) { return 0; }
};

/**
 * @ingroup dlearn
 * A learner that trains on local data and sends the vectors that its rule computes: a peer or a
 * client. A Byzantine learner is the same application with a ByzantineBehavior, which gets the
 * vectors instead of the network and decides when the round ends.
 */
class TrainingApplication : public LearnerApplication
{
  public:
    static TypeId GetTypeId();

    /**
     * Make the learner a Byzantine one: the attribute Behavior.
     * @param behavior gets its vectors; null: honest
     * @throw std::invalid_argument once the learner has started
     */
    void SetBehavior(Ptr<ByzantineBehavior> behavior)
    {
        SetAttribute("Behavior", PointerValue(behavior));
    }

    /** @return the attribute Behavior; null: honest */
    Ptr<ByzantineBehavior> GetBehavior() const { return m_behavior; }

    bool IsByzantine() const override { return m_behavior != nullptr; }

    int64_t AssignStreams(int64_t stream) override;

    /** Signature of the trace Outbox: the vectors that a learner's rule made, noise included. */
    using OutboxTracedCallback = void (*)(LearnerId learner, uint32_t round, const Outbox& outbox);

  protected:
    void DoDispose() override;
    void StartApplication() override;

    /** Send the vectors of the open round, or let the behaviour do so; then call OnPublished(), at
     *  once for an honest learner. */
    void Publish(uint32_t round, Outbox outbox);

    bool IsPublishing() const { return m_publishing; }

    /** The round is over, whether the behaviour has finished or not. */
    void StopPublishing();

    /** Pass a complete vector that arrived to the behaviour. */
    void NotifyReceived(const MessageSource& source, uint32_t round, const Arrival& arrival);

    /** The message layer has a vector of the round. Nothing is done unless overridden. */
    virtual void OnSent(const EncodedMessage& /* message */) {}

    /** The message layer has all vectors of the round. */
    virtual void OnPublished() = 0;

  private:
    bool HasStarted() const { return GetState() != State::NOT_STARTED; }

    /** @param outgoing a vector to send while the round is published; ignored after that */
    void Send(const Outgoing& outgoing);

    void SendBytes(const std::vector<LearnerId>& recipients, const std::vector<uint8_t>& bytes);
    void SendDatagram(const Address& to, const std::vector<uint8_t>& bytes);

    /** The behaviour has finished the round. */
    void Finished();

    Ptr<ByzantineBehavior> m_behavior; //!< null: honest
    bool m_publishing{false};          //!< whether the behaviour is still active
    uint32_t m_publishedRound{0};

    CountedTrace<LearnerId, uint32_t, const Outbox&> m_outboxTrace{m_tracing};
};

} // namespace ns3::dlearn

#endif // DLEARN_TRAINING_APPLICATION_H

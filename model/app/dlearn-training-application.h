/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRAINING_APPLICATION_H
#define DLEARN_TRAINING_APPLICATION_H

#include "dlearn-byzantine-behavior.h"
#include "dlearn-learner-application.h"

namespace ns3::dlearn
{

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
    TrainingApplication();
    ~TrainingApplication() override;

    /**
     * Make the learner a Byzantine one: the attribute Behavior.
     * @param behavior what it does with its vectors; null to be honest
     * @throw std::invalid_argument once the learner has started
     */
    void SetBehavior(Ptr<ByzantineBehavior> behavior);

    /** @return what it does with its vectors; null when it is honest */
    Ptr<ByzantineBehavior> GetBehavior() const { return m_behavior; }

    bool IsByzantine() const override { return m_behavior != nullptr; }

    /** Fix the random streams of what all learners have, then those of the behaviour. */
    int64_t AssignStreams(int64_t stream) override;

    /**
     * Signature of the trace Outbox.
     * @param learner the learner
     * @param round the round
     * @param outbox what its rule made, noise included
     */
    using OutboxTracedCallback = void (*)(LearnerId learner, uint32_t round, const Outbox& outbox);

  protected:
    void DoDispose() override;
    void StartApplication() override; //!< also, the behaviour cannot be replaced any more

    /**
     * Send the vectors of the open round, or leave that to the behaviour. Calls OnPublished() when
     * that is done, at once for an honest learner.
     *
     * @param round the round
     * @param outbox its vectors
     */
    void Publish(uint32_t round, Outbox outbox);

    /** @return whether the behaviour has not finished */
    bool IsPublishing() const { return m_publishing; }

    /** The round is over, whether the behaviour has finished or not. */
    void StopPublishing();

    /**
     * Tell the behaviour of a vector that arrived.
     *
     * @param source sender and channel
     * @param round the message's round
     * @param arrival the vector, complete
     */
    void NotifyReceived(const RoundWindow::Source& source, uint32_t round, const Arrival& arrival);

    /** All of the round's vectors were handed over. */
    virtual void OnPublished() = 0;

  private:
    /** @return whether the start time has come, after which the behaviour stays as it is */
    bool HasStarted() const;

    /** @return what a behaviour sends through */
    SendPort MakePort();

    /** @param outgoing a vector to send while the round is published; ignored after that */
    void Send(const Outgoing& outgoing);

    /**
     * @param recipients of bytes that need not be a message
     * @param bytes to send while the learner runs
     */
    void SendBytes(const std::vector<LearnerId>& recipients, const std::vector<uint8_t>& bytes);

    /**
     * @param to any socket
     * @param bytes to send there by UDP while the learner runs
     */
    void SendDatagram(const Address& to, const std::vector<uint8_t>& bytes);

    /** The behaviour has sent all of this round. */
    void Finished();

    Ptr<ByzantineBehavior> m_behavior; //!< attribute Behavior; null for an honest learner
    bool m_publishing{false};          //!< whether the behaviour has not finished
    uint32_t m_publishedRound{0};      //!< the round of Publish()

    CountedTrace<LearnerId, uint32_t, const Outbox&> m_outboxTrace{m_tracing}; //!< Outbox
};

} // namespace ns3::dlearn

#endif // DLEARN_TRAINING_APPLICATION_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_RULE_H
#define DLEARN_ROUND_RULE_H

#include "dlearn-update-rule.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The steps of a peer's round, for all rules that draw a batch and evaluate its gradient before
 * they send: it sees to it that they come in their order, Setup() once and then, round after
 * round, BeginRound(), Compute(), Send(), EndRound(). A learner that listens only leaves out
 * Send(); a crash leaves out what comes after it, and a later BeginRound() starts anew.
 *
 * A derived class says what is done in each step: DoSetup(), DrawBatch() and TakeBatch(),
 * ComputeGradient(), DoSend(), DoEndRound(), DoAbandon().
 */
class RoundRule : public UpdateRule
{
  public:
    /** @return the TypeId */
    static TypeId GetTypeId();

    void Setup(const LearnerContext& context) final;
    void BeginRound(uint32_t round) final;
    void Compute() final;
    Outbox Send() final;
    void EndRound(const Inbox& inbox) final;
    void Abandon(bool transmitted) final;
    const ModelVector& GetModel() const final;
    std::vector<std::string> GetWarnings() const final;

    /** @return samples of the round's batch, unless overridden */
    uint64_t GetWork() const override;

  protected:
    /**
     * Check the configuration and prepare; the context and the initial model are there.
     * @throw std::invalid_argument naming the attribute, its value and the rule it breaks
     */
    virtual void DoSetup() = 0;

    /** @return conditions of the theory that the configuration violates; asked after DoSetup() */
    virtual std::vector<std::string> FindWarnings() const = 0;

    /**
     * @param round t
     * @return the samples of the round
     */
    virtual SampleIndices DrawBatch(uint32_t round) = 0;

    /**
     * Does nothing unless overridden.
     * @param batch samples that are new in this round; a rule with a history adds them
     */
    virtual void TakeBatch(const SampleIndices& batch);

    /**
     * The mean gradient of the batch at the model, unless overridden.
     * @param gradient result: the gradient that the rule needs before it sends, d entries
     */
    virtual void ComputeGradient(VectorRef gradient) const;

    /** @return what to send in this round */
    virtual Outbox DoSend() = 0;

    /**
     * Move the model; HasSent() tells whether DoSend() came before.
     * @param inbox what arrived in this round
     */
    virtual void DoEndRound(const Inbox& inbox) = 0;

    /**
     * Settle what was sent in a round that had no end; called when there is nothing, too.
     * @param transmitted whether any of it left this node
     */
    virtual void DoAbandon(bool transmitted) = 0;

    /** @return whether Send() was called in the open round */
    bool HasSent() const;

    /** @return the name of the derived type, for messages */
    std::string GetName() const;

    /**
     * @param channel of a message
     * @param row its recipients
     * @param values what it carries
     * @return the message
     */
    static Outgoing Address(ModelChannel channel, const Graph::Row& row, ModelVector values);

    LearnerContext m_context; //!< as given to Setup()
    uint32_t m_round{0};      //!< t
    SampleIndices m_batch;    //!< samples that are new in this round
    ModelVector m_model;      //!< theta_t
    ModelVector m_gradient;   //!< result of Compute()

  private:
    /** The step of a round that was done last. */
    enum class Stage
    {
        CREATED,
        IDLE,
        BEGUN,
        COMPUTED,
        SENT
    };

    Stage m_stage{Stage::CREATED};       //!< how far the round is
    uint64_t m_nextRound{0};             //!< first round that may still begin
    std::vector<std::string> m_warnings; //!< found by Setup()
};

} // namespace ns3::dlearn

#endif // DLEARN_ROUND_RULE_H

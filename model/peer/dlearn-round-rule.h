/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUND_RULE_H
#define DLEARN_ROUND_RULE_H

#include "dlearn-pending-release.h"
#include "dlearn-update-rule.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-privacy-unit.h"

#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The steps of a peer's round, for all rules that draw a batch and evaluate its gradient before
 * they send. It checks that they are called in order: Setup() once and then, in each round,
 * BeginRound(), Compute(), Send(), EndRound(). A learner that only listens leaves out Send(); a
 * crash leaves out the steps after it, and a later BeginRound() starts a new round.
 *
 * What it sends is a release: noise from its mechanisms, an account that can forbid it
 * (CanContinue() is false from then on), a unit of protection. Account and unit are parts, see
 * AddPrivacy(). A release whose round never ended (a crash between Send() and EndRound()) is
 * recorded as sent when the next round begins.
 *
 * A derived class says what is done in each step: DoSetup(), GetDistinctSamples() and
 * TakeBatch(), ComputeGradient(), DoSend(), DoEndRound(), DoAbandon().
 */
class RoundRule : public UpdateRule
{
  public:
    static TypeId GetTypeId();

    void Setup(const LearnerContext& context) final;
    void BeginRound(uint32_t round) final;
    void Compute() final;
    Outbox Send() final;
    void EndRound(const Inbox& inbox) final;
    void Abandon(bool transmitted) final;
    const ModelVector& GetModel() const final;
    std::vector<std::string> GetWarnings() const final;
    bool CanContinue() const final;
    Ptr<const PrivacyAccount> GetLedger() const final;

    /** Fix the streams of the noise. The sample stream belongs to its maker and is not touched. */
    int64_t AssignStreams(int64_t stream) override;

    /** @return samples of the round's batch, or of the first one, unless overridden */
    uint64_t GetWork() const override;

    /** @return the unit of protection */
    Ptr<PrivacyUnit> GetPrivacyUnit() const { return m_unit; }

  protected:
    /**
     * Add the attributes PrivacyLedger and PrivacyUnit to a rule: each has its own defaults.
     *
     * @param tid of the rule
     * @param account default of PrivacyLedger
     * @param unit default of PrivacyUnit
     * @return the TypeId with the attributes
     */
    static TypeId AddPrivacy(TypeId tid, TypeId account, TypeId unit);

    /** @return the noises on what the rule sends, in the order of their streams */
    virtual std::vector<Ptr<NoiseMechanism>> GetMechanisms() const = 0;

    /**
     * @tparam Account the kind of account that the rule tells of what it does
     * @return the account; null for none
     * @throw std::invalid_argument when it is of another kind
     */
    template <typename Account>
    Ptr<Account> GetAccount() const;

    /** @return whether Setup() was called: the rule takes no other parts from then on */
    bool IsSetUp() const { return m_stage != Stage::CREATED; }

    /**
     * @param channel a channel
     * @return the learner's neighbours on it
     */
    const Neighbors& GetNeighbors(ModelChannel channel = ModelChannel::STATE) const
    {
        return m_context.GetNeighbors(channel);
    }

    /**
     * Check the configuration and prepare; the context and the initial model are there.
     * @throw std::invalid_argument naming the attribute, its value and the rule it breaks
     */
    virtual void DoSetup() = 0;

    /** @return conditions of the theory that the configuration violates; asked after DoSetup() */
    virtual std::vector<std::string> FindWarnings() const = 0;

    /**
     * @param round t
     * @return how many different samples of its shard the learner draws for the round; nothing,
     *         unless overridden, for a learner that draws from its stream. The same in all rounds.
     */
    virtual std::optional<uint32_t> GetDistinctSamples(uint32_t round) const;

    /** @return samples of the first round */
    uint64_t GetFirstBatchSize() const;

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

    /**
     * Let the account record what the rule released, if anything.
     * @param transmitted whether any of it left the node; it counts as if it had when IsReleased()
     * @return whether there was a release
     */
    bool SettleRelease(bool transmitted);

    /** @return whether Send() was called in the open round */
    bool HasSent() const { return m_stage == Stage::SENT; }

    /** @return the name of the derived type, for messages */
    std::string GetName() const;

    /**
     * Warn that the privacy account may be too small, where a user says that gradients are smoother
     * than the task knows.
     *
     * @param attribute by which the user says it
     * @param smoothness its value; 0 and less: not said
     * @param warnings get it
     */
    void AddSmoothnessWarning(const std::string& attribute,
                              double smoothness,
                              std::vector<std::string>& warnings) const;

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
    PendingRelease m_pending; //!< sent but not yet recorded

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

    Ptr<PrivacyAccount> m_account;       //!< attribute PrivacyLedger; null for none
    Ptr<PrivacyUnit> m_unit;             //!< attribute PrivacyUnit
    Stage m_stage{Stage::CREATED};       //!< how far the round is
    uint64_t m_nextRound{0};             //!< first round that may still begin
    std::vector<std::string> m_warnings; //!< found by Setup()
};

template <typename Account>
Ptr<Account>
RoundRule::GetAccount() const
{
    const auto account = DynamicCast<Account>(m_account);
    Require(account || !m_account,
            GetName(),
            ": PrivacyLedger must be a ",
            Account::GetTypeId().GetName(),
            " or, for none, ns3::dlearn::PrivacyAccount, got ",
            m_account ? m_account->GetInstanceTypeId().GetName() : "");
    return account;
}

} // namespace ns3::dlearn

#endif // DLEARN_ROUND_RULE_H

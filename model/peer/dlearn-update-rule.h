/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_UPDATE_RULE_H
#define DLEARN_UPDATE_RULE_H

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-learner-rule.h"
#include "ns3/dlearn-message.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-sample-stream.h"
#include "ns3/dlearn-task.h"
#include "ns3/ptr.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The neighbours with which a learner exchanges the vectors of a channel.
 */
struct Neighbors
{
    Graph::Row in;  //!< it receives from them, with the weights it gives them
    Graph::Row out; //!< it sends to them, with the weights they give it
};

/**
 * @ingroup dlearn
 * One of the channels of a rule.
 */
struct RuleChannel
{
    ModelChannel channel{ModelChannel::STATE}; //!< what its vectors mean
    uint32_t length{0};                        //!< their entries
    Neighbors neighbors;                       //!< where they come from and go to
};

/**
 * @ingroup dlearn
 * The surroundings of a learner, before the first round.
 */
struct LearnerContext
{
    LearnerId id{0};                             //!< the learner's number
    Ptr<const Task> task;                        //!< what is learned
    Ptr<SampleStream> stream;                    //!< the learner's own data
    std::map<ModelChannel, Neighbors> neighbors; //!< for each channel of the rule
    ModelVector initialModel; //!< theta_0; zero of the task's dimension when empty

    /** @return the neighbours of a channel; none where there are none */
    const Neighbors& GetNeighbors(ModelChannel channel) const;
};

/**
 * @ingroup dlearn
 * A peer's half of an algorithm without a server. It knows neither time nor packets: an application
 * calls it, round after round, in this order:
 *
 *  1. BeginRound(t): fetch the round's data (draws random numbers).
 *  2. Compute(): the expensive part, a pure function of the learner's own state. It touches
 *     no ns-3 object but the task, so that an application may run it on another thread.
 *  3. Send(): the vectors to send, noise included. Empty when the rule cannot continue within
 *     its privacy budget; CanContinue() then says no.
 *  4. EndRound(inbox): given what arrived, move to theta_{t+1}.
 *
 * A learner that crashes between two steps starts again at step 1 of a later round; rounds
 * may be skipped but never come back.
 */
class UpdateRule : public LearnerRule
{
  public:
    static TypeId GetTypeId();

    /**
     * Check the whole configuration and prepare for round 0.
     *
     * @param context the learner's surroundings
     * @throw std::invalid_argument naming the attribute, its value and the rule it breaks
     */
    virtual void Setup(const LearnerContext& context) = 0;

    /** @param round t, larger than that of any earlier call */
    virtual void BeginRound(uint32_t round) = 0;

    /** The round's gradient. */
    virtual void Compute() = 0;

    /** @return what to send in this round */
    virtual Outbox Send() = 0;

    /** @param inbox what arrived in this round */
    virtual void EndRound(const Inbox& inbox) = 0;

    /** The round ends without EndRound(), as in a crash; any of its messages left this node, or
     * none. */
    virtual void Abandon(bool /* transmitted */) {}

    /** @return the channels, after Setup(); learners that exchange must agree on the lengths */
    virtual std::vector<RuleChannel> GetChannels() const = 0;

    /** @return sender and channel of every message that a round should bring, in order */
    std::vector<std::pair<LearnerId, ModelChannel>> GetExpected() const;

    /** @return entries of the vectors of one of GetChannels() */
    uint32_t GetLength(ModelChannel channel) const;

    /**
     * @return whether the rule can use a whole vector of finite entries, beyond what its encoding
     *         says; others count as rejected; true unless overridden
     */
    virtual bool IsUsable(ModelChannel channel, const ModelVector& values) const;

    /**
     * @return whether the messages of a round are worthless in any other, so that learners have to
     *         go through the rounds together; false unless overridden
     */
    virtual bool NeedsCommonRounds() const { return false; }

    /**
     * @return whether a vector of which only some entries arrived counts as missing; false unless
     *         overridden
     */
    virtual bool NeedsWholeVectors() const { return false; }
};

/**
 * @ingroup dlearn
 * The release of a rule in a round, between the consent of its account (Request()) and the end of
 * the round, when it is known whether the release left the node (Settle()). Until then it counts as
 * sent. After one refusal all requests are refused. A rule without an account may release anything.
 */
class PendingRelease
{
  public:
    /**
     * @tparam Account has CanAfford(release), Announce(release) and Release(release, transmitted)
     * @param account that is charged; null for none
     * @param release what the account has to know of it
     * @return whether it may be sent; then it has to be settled
     */
    template <typename Account, typename Event>
    bool Request(const Ptr<Account>& account, const Event& release)
    {
        m_exhausted = m_exhausted || (account && !account->CanAfford(release));
        if (m_exhausted)
        {
            return false;
        }
        if (account)
        {
            account->Announce(release);
        }
        m_settle = [account, release](bool transmitted) {
            if (account)
            {
                account->Release(release, transmitted);
            }
        };
        return true;
    }

    /** Record the release, if there is one. @return whether there was */
    bool Settle(bool transmitted)
    {
        const auto settle = std::exchange(m_settle, nullptr);
        if (settle)
        {
            settle(transmitted);
        }
        return settle != nullptr;
    }

    /** @return whether there is a release to be settled */
    bool IsPending() const { return m_settle != nullptr; }

    /** @return whether a request was ever refused */
    bool IsExhausted() const { return m_exhausted; }

  private:
    std::function<void(bool)> m_settle; //!< empty for no release
    bool m_exhausted{false};
};

/**
 * @ingroup dlearn
 * The steps of a peer's round, for all rules that draw a batch and evaluate its gradient before
 * they send: Setup() once and then, in each round, BeginRound(), Compute(), Send(), EndRound(). A
 * learner that only listens leaves out Send(); a crash leaves out the steps after it, and a later
 * BeginRound() starts a new round.
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

    const ModelVector& GetModel() const final { return m_model; }

    std::vector<std::string> GetWarnings() const final { return m_warnings; }

    bool CanContinue() const final { return !m_pending.IsExhausted(); }

    Ptr<const PrivacyAccount> GetLedger() const final { return m_account; }

    /** Fix the streams of the noise. The sample stream belongs to its maker and is not touched. */
    int64_t AssignStreams(int64_t stream) override;

    /** @return samples of the round's batch, or of the first one, unless overridden */
    uint64_t GetWork() const override;

    /** @return the unit of protection */
    Ptr<PrivacyUnit> GetPrivacyUnit() const { return m_unit; }

  protected:
    /** Add the attributes PrivacyLedger and PrivacyUnit, with these defaults, to the TypeId of a
     * rule. */
    static TypeId AddPrivacy(TypeId tid, TypeId account, TypeId unit);

    /** @return the noises on what the rule sends, in the order of their streams */
    virtual std::vector<Ptr<NoiseMechanism>> GetMechanisms() const = 0;

    /** @return the account; null for none; one of another kind is refused */
    template <typename Account>
    Ptr<Account> GetAccount() const;

    /** @return whether Setup() was called: the rule takes no other parts from then on */
    bool IsSetUp() const { return m_setUp; }

    const Neighbors& GetNeighbors(ModelChannel channel = ModelChannel::STATE) const
    {
        return m_context.GetNeighbors(channel);
    }

    /** Check the configuration and prepare; the context and the initial model are there. */
    virtual void DoSetup() = 0;

    /** @return conditions of the theory that the configuration violates; asked after DoSetup() */
    virtual std::vector<std::string> FindWarnings() const = 0;

    /**
     * @param round t
     * @return how many different samples of its shard the learner draws for the round; nothing,
     *         unless overridden, for a learner that draws from its stream. The same in all rounds.
     */
    virtual std::optional<uint32_t> GetDistinctSamples(uint32_t round) const;

    uint64_t GetFirstBatchSize() const;

    /** Note the samples that are new in this round; a rule with a history adds them. */
    virtual void TakeBatch(const SampleIndices& /* batch */) {}

    /** Compute the gradient that the rule needs before it sends: that of the batch at the model. */
    virtual void ComputeGradient(VectorRef gradient) const;

    /** @return what to send in this round */
    virtual Outbox DoSend() = 0;

    /** Move the model, given what arrived; HasSent() tells whether DoSend() came before. */
    virtual void DoEndRound(const Inbox& inbox) = 0;

    /** Settle what was sent, if anything, in a round that had no end. */
    virtual void DoAbandon(bool transmitted) = 0;

    /**
     * Let the account record a release, of which any left the node or none; when IsReleased(), all
     * count as if they had. @return whether there was a release
     */
    bool SettleRelease(bool transmitted) { return m_pending.Settle(transmitted || IsReleased()); }

    bool HasSent() const { return m_sent; }

    std::string GetName() const { return GetInstanceTypeId().GetName(); }

    /**
     * Warn that the privacy account may be too small, where a user's value (0 and less: none) of an
     * attribute says that gradients are smoother than the task knows.
     */
    void AddSmoothnessWarning(const std::string& attribute,
                              double smoothness,
                              std::vector<std::string>& warnings) const;

    /** @return the message of a channel that carries values to all of a row */
    static Outgoing Address(ModelChannel channel, const Graph::Row& row, ModelVector values);

    LearnerContext m_context; //!< as given to Setup()
    uint32_t m_round{0};      //!< t
    SampleIndices m_batch;    //!< samples that are new in this round
    ModelVector m_model;      //!< theta_t
    ModelVector m_gradient;   //!< result of Compute()
    PendingRelease m_pending; //!< sent but not yet recorded

  private:
    Ptr<PrivacyAccount> m_account;       //!< attribute PrivacyLedger; null for none
    Ptr<PrivacyUnit> m_unit;             //!< attribute PrivacyUnit
    bool m_setUp{false};                 //!< whether Setup() was called
    bool m_sent{false};                  //!< whether Send() was called in the open round
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

#endif // DLEARN_UPDATE_RULE_H

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

/** @ingroup dlearn
 *  The neighbours with which a learner exchanges the vectors of a channel. */
struct Neighbors
{
    Graph::Row in;  //!< senders, with their weights
    Graph::Row out; //!< receivers, with the weights that they give
};

/** @ingroup dlearn
 *  One of the channels of a rule. */
struct RuleChannel
{
    ModelChannel channel{ModelChannel::STATE}; //!< its name
    uint32_t length{0};                        //!< their entries
    Neighbors neighbors;                       //!< senders and receivers
    std::vector<std::string> figures{};        //!< names of those that ride with each vector
};

/** @ingroup dlearn
 *  The surroundings of a learner, before the first round. */
struct LearnerContext
{
    LearnerId id{0};                             //!< the learner's number
    Ptr<const Task> task;                        //!< the task
    Ptr<SampleStream> stream;                    //!< the learner's data
    std::map<ModelChannel, Neighbors> neighbors; //!< for each channel of the rule
    ModelVector initialModel;                    //!< theta_0; empty: zero

    /** @return the neighbours of a channel, if any */
    const Neighbors& GetNeighbors(ModelChannel channel) const;
};

/**
 * @ingroup dlearn
 * A peer's part of an algorithm without a server. It knows neither time nor packets: in each round
 * an application calls
 *
 *  1. BeginRound(t): draw the round's data.
 *  2. Compute(): the expensive part, a pure function of the learner's own state. It touches
 *     no ns-3 object but the task, so that an application may run it on another thread.
 *  3. Send(): the vectors to send, noise included. Empty, and CanContinue() is false, when the
 *     privacy budget is spent.
 *  4. EndRound(inbox): make theta_{t+1} with the messages that arrived.
 *
 * Sent() follows Send() for each vector; TakeLate() may come at any time but during EndRound().
 *
 * After a crash a learner starts again at step 1 of a later round; rounds may be skipped but not
 * repeated.
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

    virtual Outbox Send() = 0;

    /** @param inbox messages of the round */
    virtual void EndRound(const Inbox& inbox) = 0;

    /** A vector as its receivers read it, after compression and rounding; costs its decoding. */
    using Reading = std::function<ModelVector()>;

    /** A vector of Send() was given to the network. Nothing is done unless overridden. */
    virtual void Sent(ModelChannel /* channel */, const Reading& /* read */) {}

    /** A whole usable vector came after the end of its round, in which it was missing. It is
     *  ignored unless overridden. */
    virtual void TakeLate(LearnerId /* sender */,
                          ModelChannel /* channel */,
                          const Arrival& /* arrival */)
    {
    }

    /** The round ends without EndRound(), as in a crash.
     *  @param transmitted whether any of its messages left the node */
    virtual void Abandon(bool /* transmitted */) {}

    /** @return the channels, after Setup(); learners that exchange must agree on the lengths */
    virtual std::vector<RuleChannel> GetChannels() const = 0;

    /** @return sender and channel of all messages of a round, in order */
    std::vector<std::pair<LearnerId, ModelChannel>> GetExpected() const;

    /** @return entries of the vectors of one of GetChannels() */
    uint32_t GetLength(ModelChannel channel) const;

    /** @return whether the rule can use a whole vector of finite entries; others count as rejected;
     *          true unless overridden */
    virtual bool IsUsable(ModelChannel /* channel */, const ModelVector& /* values */) const
    {
        return true;
    }

    /** @return whether messages count in their own round only, so that learners need common rounds;
     *          false unless overridden */
    virtual bool NeedsCommonRounds() const { return false; }

    /** @return whether an incomplete vector counts as missing; false unless overridden */
    virtual bool NeedsWholeVectors() const { return false; }

    /** @return whether later vectors of the rule make up for what compression leaves out of one, so
     *          that error feedback would count it twice; false unless overridden */
    virtual bool CorrectsCompression() const { return false; }
};

/**
 * @ingroup dlearn
 * The release of a rule in a round, from the consent of its account (Request()) to the end of the
 * round, when it is known whether the release left the node (Settle()). Until then it counts as
 * sent. After a refusal all requests are refused. A rule without an account may release anything.
 */
class PendingRelease
{
  public:
    /**
     * @tparam Account has CanAfford(release), Announce(release) and Release(release, transmitted)
     * @param account that is charged; null: none
     * @param release the event for the account
     * @return whether it may be sent, and must be settled
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

    /** Record the release, if any. @return whether there is one */
    bool Settle(bool transmitted)
    {
        const auto settle = std::exchange(m_settle, nullptr);
        if (settle)
        {
            settle(transmitted);
        }
        return settle != nullptr;
    }

    bool IsPending() const { return m_settle != nullptr; }

    /** @return whether a request was ever refused */
    bool IsExhausted() const { return m_exhausted; }

  private:
    std::function<void(bool)> m_settle; //!< empty: no release
    bool m_exhausted{false};
};

/**
 * @ingroup dlearn
 * The steps of a peer's round, for rules that draw a batch and evaluate its gradient before they
 * send: Setup() once and then, in each round, BeginRound(), Compute(), Send(), EndRound(). A
 * learner that only listens leaves out Send(); after a crash BeginRound() starts a new round.
 *
 * Its messages are a release: mechanisms add noise, and an account with a unit of protection can
 * forbid it (CanContinue() then stays false). Account and unit are parts, see AddPrivacy(). A
 * release whose round never ended (a crash between Send() and EndRound()) counts as sent.
 *
 * A derived class defines the steps: DoSetup(), GetDistinctSamples() and TakeBatch(),
 * ComputeGradient(), DoSend(), DoEndRound(), DoAbandon().
 */
class RoundRule : public UpdateRule
{
  public:
    static TypeId GetTypeId();

    void Setup(const LearnerContext& context) final;
    void BeginRound(uint32_t round) final;

    void Compute() final { ComputeGradient(m_gradient); }

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

    Ptr<PrivacyUnit> GetPrivacyUnit() const { return m_unit; }

  protected:
    /** Add the attributes PrivacyLedger and PrivacyUnit, with these defaults. */
    static TypeId AddPrivacy(TypeId tid, TypeId account, TypeId unit);

    /** @return the noise mechanisms, in the order of their streams */
    virtual std::vector<Ptr<NoiseMechanism>> GetMechanisms() const = 0;

    /** @return the account; null: none; one of another kind is refused */
    template <typename Account>
    Ptr<Account> GetAccount() const;

    /** @return whether Setup() was called, which fixes the parts */
    bool IsSetUp() const { return m_setUp; }

    const Neighbors& GetNeighbors(ModelChannel channel = ModelChannel::STATE) const
    {
        return m_context.GetNeighbors(channel);
    }

    /** Check the configuration and prepare; context and initial model are set. */
    virtual void DoSetup() = 0;

    /** @return violated conditions of the theory, after DoSetup() */
    virtual std::vector<std::string> FindWarnings() const = 0;

    /**
     * @param round t
     * @return number of different samples of its shard that the learner draws; nothing unless
     *         overridden: it draws from its stream. The same in all rounds
     */
    virtual std::optional<uint32_t> GetDistinctSamples(uint32_t /* round */) const
    {
        return std::nullopt;
    }

    uint64_t GetFirstBatchSize() const;

    /** Take the new samples of the round; a rule with a history adds them. */
    virtual void TakeBatch(const SampleIndices& /* batch */) {}

    /** Compute the gradient before the rule sends: that of the batch at the model. */
    virtual void ComputeGradient(VectorRef gradient) const
    {
        m_context.task->BatchGradient(m_model, m_batch, gradient);
    }

    virtual Outbox DoSend() = 0;

    /** Move the model with the messages of the round; HasSent() is whether DoSend() was called. */
    virtual void DoEndRound(const Inbox& inbox) = 0;

    /** Settle the release, if any, of a round without an end. */
    virtual void DoAbandon(bool transmitted) = 0;

    /** Let the account record the release, if any. If IsReleased() it counts as transmitted.
     *  @return whether there is one */
    bool SettleRelease(bool transmitted) { return m_pending.Settle(transmitted || IsReleased()); }

    bool HasSent() const { return m_sent; }

    std::string GetName() const { return GetInstanceTypeId().GetName(); }

    /**
     * Warn that the privacy account may be too small if a user's value of an attribute (0 and less:
     * none) is below the smoothness that the task knows.
     */
    void AddSmoothnessWarning(const std::string& attribute,
                              double smoothness,
                              std::vector<std::string>& warnings) const;

    /** @return the message that carries values to all of a row */
    static Outgoing Address(ModelChannel channel, const Graph::Row& row, ModelVector values);

    LearnerContext m_context;
    uint32_t m_round{0};      //!< t
    SampleIndices m_batch;    //!< samples that are new in this round
    ModelVector m_model;      //!< theta_t
    ModelVector m_gradient;   //!< result of Compute()
    PendingRelease m_pending; //!< sent but not yet recorded

  private:
    Ptr<PrivacyAccount> m_account;       //!< attribute PrivacyLedger; null: none
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
            "{}: PrivacyLedger must be a {} or, for none, ns3::dlearn::PrivacyAccount, got {}",
            GetName(),
            Account::GetTypeId().GetName(),
            m_account ? m_account->GetInstanceTypeId().GetName() : "");
    return account;
}

} // namespace ns3::dlearn

#endif // DLEARN_UPDATE_RULE_H

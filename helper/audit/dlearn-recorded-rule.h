/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RECORDED_RULE_H
#define DLEARN_RECORDED_RULE_H

#include "dlearn-audited-loss.h"

#include "ns3/dlearn-update-rule.h"

#include <functional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * One call that an application made to its rule.
 */
struct RuleCall
{
    /** Which call. */
    enum class Kind
    {
        BEGIN,   //!< UpdateRule::BeginRound()
        COMPUTE, //!< UpdateRule::Compute()
        SEND,    //!< UpdateRule::Send()
        END,     //!< UpdateRule::EndRound()
        ABANDON  //!< UpdateRule::Abandon()
    };

    Kind kind{Kind::BEGIN}; //!< which
    uint32_t round{0};      //!< the round that it belongs to
    Inbox inbox;            //!< of END; of ABANDON `transmitted` alone
    Spent spent;            //!< what the account said after it
};

/**
 * @ingroup dlearn
 * A rule that does what another does and notes every call, for an audit: the calls are all that a
 * rule learns of the network, so that they can be made once more to a rule with other data.
 */
class RecordedRule : public UpdateRule
{
  public:
    static TypeId GetTypeId();

    void Setup(const LearnerContext& context) override;
    void BeginRound(uint32_t round) override;
    void Compute() override;
    Outbox Send() override;
    void EndRound(const Inbox& inbox) override;
    void Abandon(bool transmitted) override;
    std::vector<RuleChannel> GetChannels() const override;
    bool NeedsCommonRounds() const override;
    bool NeedsWholeVectors() const override;
    const ModelVector& GetModel() const override;
    uint64_t GetWork() const override;
    bool CanContinue() const override;
    Ptr<const PrivacyAccount> GetLedger() const override;
    std::vector<std::string> GetWarnings() const override;
    int64_t AssignStreams(int64_t stream) override;

    /** @param inner does the work; to be set before anything else is called */
    void SetInner(Ptr<UpdateRule> inner) { m_inner = inner; }

    /** @return the calls so far, in order */
    const std::vector<RuleCall>& GetCalls() const { return m_calls; }

  protected:
    void DoDispose() override;

  private:
    /**
     * @param kind of the call
     * @param inbox that the rule was given
     */
    void Note(RuleCall::Kind kind, const Inbox& inbox = {});

    Ptr<UpdateRule> m_inner;       //!< does the work
    uint32_t m_round{0};           //!< of the last BeginRound()
    std::vector<RuleCall> m_calls; //!< so far
};

/**
 * @ingroup dlearn
 * Make the same calls to another rule.
 *
 * @param calls of a RecordedRule
 * @param rule set up and not used yet
 * @param sent called with what the rule returns from Send(), and with every END and ABANDON
 */
void Replay(const std::vector<RuleCall>& calls,
            UpdateRule& rule,
            const std::function<void(const RuleCall&, Outbox)>& sent = {});

} // namespace ns3::dlearn

#endif // DLEARN_RECORDED_RULE_H

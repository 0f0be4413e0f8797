/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RECORDERS_H
#define DLEARN_RECORDERS_H

/**
 * @file
 * Recorders of an audited run of peers, and the means to run a second rule, the twin, on their
 * records: noise, calls of a rule, messages that left.
 */

#include "dlearn-audited-loss.h"

#include "ns3/dlearn-message-exchange.h"
#include "ns3/dlearn-noise-mechanism.h"
#include "ns3/dlearn-update-rule.h"

#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/** One vector before and after noise was added. @ingroup dlearn */
struct NoiseRecord
{
    uint32_t round{0};  //!< t
    ModelVector before; //!< without noise
    ModelVector after;  //!< as released
};

/**
 * @ingroup dlearn
 * A noise mechanism that records its work. In the run that is audited it adds the noise of another
 * mechanism. In a twin, the same rule on other data, it makes the releases of the twin equal to
 * those of the audited run: the noise absorbs the difference of the data, and how likely that is is
 * the privacy loss.
 */
class RecordedNoise : public NoiseMechanism
{
  public:
    /** One release of the audited run, for its twin. */
    struct Target
    {
        NoiseRecord record; //!< of the audited run
        bool told{true};    //!< whether `after` was revealed: then the twin releases the same,
                            //!< else its own vector with the noise of the audited run
        double shift{0};    //!< added to all entries where they were not learned
    };

    static TypeId GetTypeId();

    NoiseLaw GetLaw() const override { return m_inner->GetLaw(); }

    /** @throw std::logic_error in a twin that asks for other rounds than the audited run */
    void Perturb(uint32_t round, VectorRef vector) override;

    int64_t AssignStreams(int64_t stream) override { return m_inner->AssignStreams(stream); }

    /** @param inner makes the noise, and has its scale */
    void SetInner(Ptr<NoiseMechanism> inner) { m_inner = inner; }

    /** @param targets every release that is to follow; none is left to chance */
    void Absorb(std::vector<Target> targets);

    /** @return all vectors so far, in order */
    const std::vector<NoiseRecord>& GetRecords() const { return m_records; }

  protected:
    void DoDispose() override;

  private:
    double DoGetScale(uint32_t round) const override { return m_inner->GetScale(round); }

    Ptr<NoiseMechanism> m_inner;
    bool m_absorbs{false}; //!< whether this is a twin's
    std::vector<Target> m_targets;
    std::vector<NoiseRecord> m_records;
};

/** One call that an application made to its rule. @ingroup dlearn */
struct RuleCall
{
    /** Which function of UpdateRule. */
    enum class Kind
    {
        BEGIN,   //!< BeginRound()
        COMPUTE, //!< Compute()
        SEND,    //!< Send()
        END,     //!< EndRound()
        ABANDON  //!< Abandon()
    };

    Kind kind{Kind::BEGIN};
    uint32_t round{0}; //!< to which it belongs
    Inbox inbox;       //!< of END; of ABANDON `transmitted` alone
    Spent spent;       //!< in the account after it
};

/**
 * @ingroup dlearn
 * A rule that does the same as another one and records every call: the calls are all that a rule
 * learns of the network, so that they can be made once more to a rule with other data.
 */
class RecordedRule : public UpdateRule
{
  public:
    static TypeId GetTypeId();

    void Setup(const LearnerContext& context) override { m_inner->Setup(context); }

    void BeginRound(uint32_t round) override;

    /** Perhaps on another thread: the call is recorded by Send(). */
    void Compute() override { m_inner->Compute(); }

    Outbox Send() override;
    void EndRound(const Inbox& inbox) override;
    void Abandon(bool transmitted) override;

    std::vector<RuleChannel> GetChannels() const override { return m_inner->GetChannels(); }

    bool NeedsCommonRounds() const override { return m_inner->NeedsCommonRounds(); }

    bool NeedsWholeVectors() const override { return m_inner->NeedsWholeVectors(); }

    const ModelVector& GetModel() const override { return m_inner->GetModel(); }

    uint64_t GetWork() const override { return m_inner->GetWork(); }

    bool CanContinue() const override { return m_inner->CanContinue(); }

    Ptr<const PrivacyAccount> GetLedger() const override { return m_inner->GetLedger(); }

    std::vector<std::string> GetWarnings() const override { return m_inner->GetWarnings(); }

    int64_t AssignStreams(int64_t stream) override { return m_inner->AssignStreams(stream); }

    /** @param inner does the work; to be set before anything else is called */
    void SetInner(Ptr<UpdateRule> inner) { m_inner = inner; }

    /** @return the calls so far, in order */
    const std::vector<RuleCall>& GetCalls() const { return m_calls; }

  protected:
    void DoDispose() override;

  private:
    void Note(RuleCall::Kind kind, const Inbox& inbox = {});

    Ptr<UpdateRule> m_inner;
    uint32_t m_round{0}; //!< of the last BeginRound()
    std::vector<RuleCall> m_calls;
};

/**
 * @ingroup dlearn
 * Make the same calls to another rule.
 *
 * @param calls of a RecordedRule
 * @param rule set up and not used yet
 * @param sent called with the result of Send(), and with every END and ABANDON
 */
void Replay(const std::vector<RuleCall>& calls,
            UpdateRule& rule,
            const std::function<void(const RuleCall&, Outbox)>& sent = {});

/** A message of a learner: its round and channel. */
using MessageId = std::pair<uint32_t, ModelChannel>;

/** The messages that left a learner, as receivers read them. */
using WireContents = std::map<MessageId, ModelVector>;

/** Collects the messages that leave a learner. @ingroup dlearn */
class WireRecorder
{
  public:
    /** @param exchange of the learner; must not outlive the recorder */
    explicit WireRecorder(MessageExchange& exchange);

    WireRecorder(const WireRecorder&) = delete;
    WireRecorder& operator=(const WireRecorder&) = delete;

    /** @return the messages so far */
    const WireContents& GetContents() const { return m_contents; }

    /** @return whether any message of a round left so far */
    bool HasLeft(uint32_t round) const;

    /** @return round and channel of the messages so far */
    std::set<MessageId> GetIds() const;

  private:
    void Take(const EncodedMessage& message, const std::vector<LearnerId>& recipients);

    WireContents m_contents;
};

/**
 * @ingroup dlearn
 * The way from a rule to the wire, once more and without a network: real message layer, compressor
 * and error feedback. A run whose secret differs in nothing but what was withdrawn must put the
 * same bytes on the wire; else the withdrawn vector has leaked.
 *
 * @param configure sets up a new message layer as that of the learner was, streams included
 * @param dimension entries of a model
 * @param left messages of which something left in the run that is audited
 * @param calls of the run that is audited
 * @param rule set up and not used yet; gets the calls
 * @return the messages that it put on the wire
 */
WireContents ReplayWire(const std::function<void(MessageExchange&)>& configure,
                        uint32_t dimension,
                        const std::set<MessageId>& left,
                        const std::vector<RuleCall>& calls,
                        UpdateRule& rule);

} // namespace ns3::dlearn

#endif // DLEARN_RECORDERS_H

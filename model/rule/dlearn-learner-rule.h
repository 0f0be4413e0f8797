/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LEARNER_RULE_H
#define DLEARN_LEARNER_RULE_H

#include "ns3/dlearn-privacy-account.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/dlearn-types.h"
#include "ns3/object.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What the rules of peers, clients and servers have in common: a model, the work that a round
 * costs, a privacy account, warnings. Derived interfaces add the steps of a round:
 * UpdateRule for peers, ClientRule and ServerRule for the two sides of a federation.
 */
class LearnerRule : public Object
{
  public:
    static TypeId GetTypeId();

    /** @return the learner's current model */
    virtual const ModelVector& GetModel() const = 0;

    /** @return samples whose gradient the open round, or the first one, evaluates; 0: unknown */
    virtual uint64_t GetWork() const = 0;

    /** @return false once the privacy budget forbids to send; true unless overridden */
    virtual bool CanContinue() const { return true; }

    /** @return the learner's privacy account; null, unless overridden, for none */
    virtual Ptr<const PrivacyAccount> GetLedger() const { return nullptr; }

    /** @return conditions of the algorithm's theory that the configuration violates, each
     *          with its name in the paper and the values; empty when all hold */
    virtual std::vector<std::string> GetWarnings() const;

    /**
     * Fix the random streams.
     * @param stream first stream number
     * @return number of streams used; 0 unless overridden
     */
    virtual int64_t AssignStreams(int64_t stream);

    /**
     * A Byzantine learner's behaviour does what it likes with the vectors that the rule makes. All
     * of them count as released then, whatever the network does.
     */
    void SetReleased() { m_released = true; }

    /** @return whether SetReleased() or SetObserved() was called */
    bool IsReleased() const { return m_released || m_observed; }

    /**
     * Attackers that know everything see the vectors that the rule makes before they leave the
     * node. All of them count as released then, and what a trusted server adds later hides nothing.
     */
    void SetObserved() { m_observed = true; }

    /** @return whether SetObserved() was called */
    bool IsObserved() const { return m_observed; }

    /** @return whether listeners of the trace Draw are being called */
    bool IsTracing() const { return m_tracing > 0; }

    /**
     * Signature of the trace Draw.
     * @param round the round
     * @param samples positions of its data
     */
    using DrawTracedCallback = void (*)(uint32_t round, const SampleIndices& samples);

  protected:
    /**
     * Tell the trace Draw that the data of a round have entered the learner's state: from now on
     * what the learner sends may depend on them. Only the first call for a round counts.
     *
     * @param round the round, not smaller than in any earlier call
     * @param samples positions of its data
     */
    void NoteDraw(uint32_t round, const SampleIndices& samples);

  private:
    bool m_released{false}; //!< whether all vectors count as released
    bool m_observed{false}; //!< whether attackers see all vectors
    uint64_t m_nextDraw{0}; //!< first round that NoteDraw() has not reported
    uint32_t m_tracing{0};  //!< whether listeners of the trace are being called
    CountedTrace<uint32_t, const SampleIndices&> m_drawTrace{m_tracing}; //!< Draw
};

} // namespace ns3::dlearn

#endif // DLEARN_LEARNER_RULE_H

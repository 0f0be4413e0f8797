/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIRE_REPLAY_H
#define DLEARN_WIRE_REPLAY_H

#include "dlearn-recorded-rule.h"

#include "ns3/dlearn-message-exchange.h"

#include <functional>
#include <map>
#include <set>
#include <utility>

namespace ns3::dlearn
{

/** A message of a learner: its round and channel. */
using MessageId = std::pair<uint32_t, ModelChannel>;

/** What left a learner, as receivers read it. */
using WireContents = std::map<MessageId, ModelVector>;

/**
 * @ingroup dlearn
 * Collects what leaves a learner.
 */
class WireRecorder
{
  public:
    /** @param exchange of the learner; must not outlive the recorder */
    explicit WireRecorder(MessageExchange& exchange);

    WireRecorder(const WireRecorder&) = delete;
    WireRecorder& operator=(const WireRecorder&) = delete;

    /** @return what left so far */
    const WireContents& GetContents() const { return m_contents; }

    /**
     * @param round a round
     * @return whether any message of it left so far
     */
    bool HasLeft(uint32_t round) const;

    /** @return round and channel of what left so far */
    std::set<MessageId> GetIds() const;

  private:
    /**
     * @param message whose first byte has left
     * @param recipients of the message
     */
    void Take(const EncodedMessage& message, const std::vector<LearnerId>& recipients);

    WireContents m_contents; //!< so far
};

/**
 * @ingroup dlearn
 * Tells a transport of a replay which messages left in the run that is audited; to be aggregated
 * to the node.
 */
class DepartureScript : public Object
{
  public:
    static TypeId GetTypeId();

    std::set<MessageId> left; //!< all others never left
};

/**
 * @ingroup dlearn
 * A transport without a network: of each message leaves what the node's DepartureScript says, and
 * nothing ever comes.
 */
class ScriptedTransport : public Transport
{
  public:
    static TypeId GetTypeId();

    void Open() override;
    void Close() override;
    void Send(const Message& message, const std::vector<LearnerId>& recipients) override;
    bool Settle(uint32_t round) override;

    uint32_t GetFragmentSize() const override { return 1440; }

  protected:
    uint16_t GetPort() const override;
};

/**
 * @ingroup dlearn
 * The way from what a rule sends to what is on the wire, once more and without a network: real
 * message layer, compressor and error feedback. A run whose secret differs in what was withdrawn
 * alone must put the same bytes on the wire; else what was withdrawn has leaked.
 */
class WireReplay
{
  public:
    /** Sets what the message layer of the learner has been set to, streams included. */
    using Configure = std::function<void(MessageExchange&)>;

    /**
     * @param configure called with a new message layer
     * @param dimension entries of a model
     * @param left messages of which something left in the run that is audited
     */
    WireReplay(Configure configure, uint32_t dimension, std::set<MessageId> left);

    /**
     * @param calls of the run that is audited
     * @param rule set up and not used yet; the calls are made to it
     * @return what it put on the wire
     */
    WireContents Run(const std::vector<RuleCall>& calls, UpdateRule& rule) const;

  private:
    Configure m_configure;      //!< sets a message layer
    uint32_t m_dimension;       //!< entries of a model
    std::set<MessageId> m_left; //!< what left
};

} // namespace ns3::dlearn

#endif // DLEARN_WIRE_REPLAY_H

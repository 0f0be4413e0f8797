/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_UPDATE_RULE_H
#define DLEARN_UPDATE_RULE_H

#include "ns3/dlearn-graph.h"
#include "ns3/dlearn-learner-rule.h"
#include "ns3/dlearn-message.h"
#include "ns3/dlearn-sample-stream.h"
#include "ns3/dlearn-task.h"

#include <map>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * With which learners a learner exchanges the vectors of a channel.
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
 * What a learner knows before the first round.
 */
struct LearnerContext
{
    LearnerId id{0};                             //!< the learner's number
    Ptr<const Task> task;                        //!< what is learned
    Ptr<SampleStream> stream;                    //!< the learner's own data
    std::map<ModelChannel, Neighbors> neighbors; //!< for each channel of the rule
    ModelVector initialModel; //!< theta_0; zero of the task's dimension when empty

    /**
     * @param channel a channel
     * @return the neighbours of that channel; none where there are none
     */
    const Neighbors& GetNeighbors(ModelChannel channel) const;
};

/**
 * @ingroup dlearn
 * Checks of a context that every rule needs: a task, samples, an initial model that fits,
 * positive weights, no learner that is its own neighbour.
 *
 * @param name of the rule, for the message
 * @param context what the rule was given
 * @throw std::invalid_argument naming what is wrong
 */
void CheckContext(const std::string& name, const LearnerContext& context);

/**
 * @ingroup dlearn
 * A peer's half of an algorithm without a server. It knows neither time nor packets: an application
 * calls it, round after round, in this order:
 *
 *  1. BeginRound(t): fetch the round's data (draws random numbers).
 *  2. Compute(): the expensive part, a pure function of the learner's own state. It touches
 *     no ns-3 object but the task, so that an application may run it on another thread.
 *  3. Send(): the vectors to send, noise included. Empty when the rule cannot go on within
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

    /**
     * The round ends without EndRound(), as in a crash. Does nothing unless overridden.
     *
     * @param transmitted whether any of the round's messages left this node
     */
    virtual void Abandon(bool transmitted);

    /**
     * After Setup() only; all learners that exchange must agree on the lengths.
     *
     * @return the channels that the rule sends and expects
     */
    virtual std::vector<RuleChannel> GetChannels() const = 0;

    /** @return sender and channel of every message that a round should bring, in order */
    std::vector<std::pair<LearnerId, ModelChannel>> GetExpected() const;

    /**
     * @param channel one of GetChannels()
     * @return entries of its vectors
     * @throw std::invalid_argument when the rule has no such channel
     */
    uint32_t GetLength(ModelChannel channel) const;

    /**
     * Whether the rule can use a whole vector, beyond what its encoding says; others count as
     * rejected.
     *
     * @param channel one of GetChannels()
     * @param values its entries, finite
     * @return true unless overridden
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

} // namespace ns3::dlearn

#endif // DLEARN_UPDATE_RULE_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MESSAGE_H
#define DLEARN_MESSAGE_H

#include "ns3/dlearn-types.h"

#include <map>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * What a vector means to the algorithm; one message carries one vector of one channel.
 */
enum class ModelChannel : uint8_t
{
    MODEL = 0,    //!< a server's model
    STATE = 1,    //!< a peer's (noisy) model
    TRACKER = 2,  //!< a peer's gradient tracker
    UPDATE = 3,   //!< what a worker returns to its server
    DROPOUTS = 4, //!< what a server asks in the second phase of a round, see ServerRule
    UNMASK = 5    //!< what a client answers to that
};

/** Number of channels: a channel byte from the wire must be smaller. */
constexpr uint8_t CHANNELS = 6;

/**
 * @ingroup dlearn
 * @param channel a channel
 * @return its name in lower case
 */
const char* ToString(ModelChannel channel);

/**
 * @ingroup dlearn
 * One vector for some neighbours.
 */
struct Outgoing
{
    ModelChannel channel{ModelChannel::STATE}; //!< what it is
    std::vector<LearnerId> recipients;         //!< in increasing order
    ModelVector values;                        //!< the vector

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(channel, recipients, values);
    }
};

/** Everything a rule sends in one round. */
using Outbox = std::vector<Outgoing>;

/**
 * @ingroup dlearn
 * One vector that arrived.
 */
struct Arrival
{
    ModelVector values;        //!< the vector; entries that did not arrive are 0
    uint32_t round{0};         //!< round in which the sender made it; older than the current
                               //!< one when it stands in for a missing message
    std::vector<bool> present; //!< which entries arrived; empty when all did

    /** @return whether every entry arrived */
    bool IsComplete() const
    {
        return present.empty();
    }

    /** @param archive saves or loads the values */
    template <typename Archive>
    void VisitState(Archive& archive)
    {
        archive(values, round, present);
    }
};

/**
 * @ingroup dlearn
 * What a round brought. A message that is missing is not in the map: that is a value, not an
 * error, and every rule must cope with an empty inbox. Ordered by sender, then channel, so
 * that sums have one order.
 */
struct Inbox
{
    std::map<std::pair<LearnerId, ModelChannel>, Arrival> arrivals; //!< by sender and channel
    bool transmitted{true}; //!< whether any of the round's own messages left this node

    /**
     * @param sender a neighbour
     * @param channel a channel
     * @return the vector that arrived from it, or null
     */
    const Arrival* Find(LearnerId sender, ModelChannel channel) const
    {
        const auto found = arrivals.find({sender, channel});
        return found == arrivals.end() ? nullptr : &found->second;
    }
};

} // namespace ns3::dlearn

#endif // DLEARN_MESSAGE_H

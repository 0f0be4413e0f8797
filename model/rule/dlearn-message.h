/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_MESSAGE_H
#define DLEARN_MESSAGE_H

#include "ns3/dlearn-types.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The meaning of a vector; one message carries one vector of one channel, and figures. Rules
 * outside of dlearn have their own channels, see MakeUserChannel().
 */
enum class ModelChannel : uint8_t
{
    MODEL = 0,   //!< a server's model
    STATE = 1,   //!< a peer's (noisy) model
    TRACKER = 2, //!< a peer's gradient tracker
    UPDATE = 3,  //!< a client's update
    REQUEST = 4, //!< what a server asks in a later step of a round, see ServerRule::Ask()
    ANSWER = 5,  //!< a client's answer to a request
    USER = 128   //!< first channel of users
};

/** Number of dlearn's own channels, which are the first ones. */
constexpr uint8_t CHANNELS = 6;

/** Channels of a server and its clients. */
constexpr ModelChannel FEDERATION_CHANNELS[] = {ModelChannel::MODEL,
                                                ModelChannel::UPDATE,
                                                ModelChannel::REQUEST,
                                                ModelChannel::ANSWER};

/** Number of users' channels, from ModelChannel::USER on. */
constexpr uint8_t USER_CHANNELS = 16;

/**
 * @ingroup dlearn
 * @param number less than USER_CHANNELS
 * @return a channel of users
 * @throw std::invalid_argument for a larger number
 */
ModelChannel MakeUserChannel(uint8_t number);

/** @return whether a byte from the wire is a channel */
constexpr bool
IsChannel(uint8_t byte)
{
    constexpr auto USER = static_cast<uint8_t>(ModelChannel::USER);
    return byte < CHANNELS || (byte >= USER && byte - USER < USER_CHANNELS);
}

/** @return the name of a channel in lower case */
const char* ToString(ModelChannel channel);

/**
 * @ingroup dlearn
 * Numbers of 64 bits that ride with a vector in its message, such as a number of samples or a loss.
 * They arrive as they were sent: nothing compresses, clips or hides them. Names do not travel:
 * senders and receivers agree on a MessageFormat.
 */
using Figures = std::vector<double>;

/** Most figures of a message. */
constexpr size_t LARGEST_FIGURES = 255;

/** @ingroup dlearn
 *  The contents of the messages of a channel. */
struct MessageFormat
{
    uint32_t length{0};               //!< entries of the vector
    std::vector<std::string> figures; //!< names, in the order of the Figures
};

/** @ingroup dlearn
 *  A vector and its figures. */
struct Message
{
    Message() = default;

    /** @param vector of the message @param riding its figures */
    Message(ModelVector vector, Figures riding = {})
        : values(std::move(vector)),
          figures(std::move(riding))
    {
    }

    ModelVector values; //!< the vector
    Figures figures;    //!< exact, finite
};

/** @ingroup dlearn
 *  A vector for some neighbours. */
struct Outgoing
{
    ModelChannel channel{ModelChannel::STATE}; //!< its channel
    std::vector<LearnerId> recipients;         //!< in increasing order
    ModelVector values;                        //!< the vector
    Figures figures{};                         //!< ride with it
};

/** All vectors that a rule sends in one round. */
using Outbox = std::vector<Outgoing>;

/** @ingroup dlearn
 *  A vector that arrived. */
struct Arrival
{
    ModelVector values;        //!< the vector; entries that did not arrive are 0
    uint32_t round{0};         //!< round in which the sender made it; older than the current
                               //!< one when it stands in for a missing message
    std::vector<bool> present; //!< which entries arrived; empty when all did
    Figures figures{};         //!< rode with the vector; none unless every entry arrived
    uint32_t bytes{0};         //!< of the encoded vector and figures

    /** @return whether every entry arrived */
    bool IsComplete() const { return present.empty(); }
};

/**
 * @ingroup dlearn
 * The messages of a round. Missing messages are not in the map; every rule must accept an empty
 * inbox. The order by sender, then channel, fixes the order of sums.
 */
struct Inbox
{
    std::map<std::pair<LearnerId, ModelChannel>, Arrival> arrivals; //!< by sender and channel
    bool transmitted{true}; //!< whether any of the round's own messages left the node

    /** @return the vector that arrived from a neighbour on a channel, or null */
    const Arrival* Find(LearnerId sender, ModelChannel channel) const
    {
        const auto found = arrivals.find({sender, channel});
        return found == arrivals.end() ? nullptr : &found->second;
    }
};

} // namespace ns3::dlearn

#endif // DLEARN_MESSAGE_H

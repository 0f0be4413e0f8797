/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_OLDEST_MESSAGE_H
#define DLEARN_OLDEST_MESSAGE_H

#include "ns3/dlearn-message.h"

#include <cstdint>
#include <tuple>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Find the message that makes room for another one of its sender.
 *
 * @param messages by sender, channel and round
 * @param sender of the messages to look at
 * @param limit messages that it may have, at least 1
 * @return that of its oldest round, if it has as many as it may have; else the end
 */
template <typename Messages>
typename Messages::iterator
FindOldest(Messages& messages, LearnerId sender, uint32_t limit)
{
    const auto first = messages.lower_bound({sender, static_cast<ModelChannel>(0), 0});
    uint32_t held = 0;
    auto oldest = first;
    for (auto it = first; it != messages.end() && std::get<0>(it->first) == sender; ++it, ++held)
    {
        if (std::get<2>(it->first) < std::get<2>(oldest->first))
        {
            oldest = it;
        }
    }
    return held < limit ? messages.end() : oldest;
}

} // namespace ns3::dlearn

#endif // DLEARN_OLDEST_MESSAGE_H

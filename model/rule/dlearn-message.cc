/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-message.h"

#include "ns3/dlearn-check.h"

namespace ns3::dlearn
{

ModelChannel
MakeUserChannel(uint8_t number)
{
    Require(number < USER_CHANNELS,
            "MakeUserChannel: number must be less than {}, got {}",
            uint32_t{USER_CHANNELS},
            uint32_t{number});
    return static_cast<ModelChannel>(static_cast<uint8_t>(ModelChannel::USER) + number);
}

const char*
ToString(ModelChannel channel)
{
    switch (channel)
    {
    case ModelChannel::MODEL:
        return "model";
    case ModelChannel::STATE:
        return "state";
    case ModelChannel::TRACKER:
        return "tracker";
    case ModelChannel::UPDATE:
        return "update";
    case ModelChannel::REQUEST:
        return "roster";
    case ModelChannel::ANSWER:
        return "correction";
    case ModelChannel::USER:
        break;
    }
    static const std::vector<std::string> names = [] {
        std::vector<std::string> all;
        for (uint32_t number = 0; number < USER_CHANNELS; ++number)
        {
            all.push_back("user" + std::to_string(number));
        }
        return all;
    }();
    const size_t number = static_cast<uint8_t>(channel) - static_cast<uint8_t>(ModelChannel::USER);
    return number < names.size() ? names[number].c_str() : "unknown";
}

} // namespace ns3::dlearn

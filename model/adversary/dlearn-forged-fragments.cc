/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-forged-fragments.h"

#include "ns3/dlearn-encoded-message.h"

namespace ns3::dlearn
{

std::vector<std::vector<uint8_t>>
ForgeFragments(LearnerId sender, uint32_t round, ModelChannel channel, const ModelVector& values)
{
    constexpr uint32_t FRAGMENT_SIZE = 1024; // bytes of payload
    return EncodedMessage(sender, round, channel, Encoding::FLOAT32, values, FRAGMENT_SIZE)
        .CopyFragments();
}

} // namespace ns3::dlearn

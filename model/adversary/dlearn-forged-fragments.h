/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_FORGED_FRAGMENTS_H
#define DLEARN_FORGED_FRAGMENTS_H

#include "ns3/dlearn-message.h"

#include <cstdint>
#include <vector>

namespace ns3::dlearn
{

/**
 * Fragments that an attacker makes itself, past its message layer. Their payload is as long as any
 * transport takes it.
 *
 * @param sender who they say sent the vector
 * @param round of the message
 * @param channel of the message
 * @param values the vector, in 32-bit numbers
 * @return all fragments of the vector
 */
std::vector<std::vector<uint8_t>> ForgeFragments(LearnerId sender,
                                                 uint32_t round,
                                                 ModelChannel channel,
                                                 const ModelVector& values);

} // namespace ns3::dlearn

#endif // DLEARN_FORGED_FRAGMENTS_H

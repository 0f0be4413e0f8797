/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-checksum.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ns3::dlearn
{

uint32_t
ComputeChecksum(const uint8_t* head, uint32_t headSize, const uint8_t* rest, uint32_t restSize)
{
    const XXH64_hash_t seed = XXH3_64bits(head, headSize);
    return static_cast<uint32_t>(XXH3_64bits_withSeed(rest, restSize, seed));
}

} // namespace ns3::dlearn

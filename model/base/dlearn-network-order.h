/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_NETWORK_ORDER_H
#define DLEARN_NETWORK_ORDER_H

/**
 * @file
 * Whole numbers in network byte order, for the formats of the wire.
 */

#include <cstdint>
#include <cstring>

namespace ns3::dlearn
{

// ns-3 runs on little-endian machines in practice; refuse to build rather than to be wrong.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "byte order is written for little-endian");

/** Write a value in 4 bytes, the highest first. */
inline void
Put32(uint8_t* bytes, uint32_t value)
{
    value = __builtin_bswap32(value);
    std::memcpy(bytes, &value, sizeof(value));
}

/** @return the value of 4 bytes, the highest first */
inline uint32_t
Get32(const uint8_t* bytes)
{
    uint32_t value;
    std::memcpy(&value, bytes, sizeof(value));
    return __builtin_bswap32(value);
}

} // namespace ns3::dlearn

#endif // DLEARN_NETWORK_ORDER_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_QSGD_ENCODING_H
#define DLEARN_QSGD_ENCODING_H

#include "ns3/dlearn-types.h"

namespace ns3::dlearn
{

/** Most levels of either sign: an entry then takes 24 bits. */
constexpr uint32_t MAX_QSGD_LEVELS = (1U << 23) - 1;

/** Bytes before the entries. */
constexpr uint32_t QSGD_PREFIX = 8;

/**
 * @ingroup dlearn
 * @param levels S, from 1 to MAX_QSGD_LEVELS
 * @return b = ceil(log2(2 S + 1)), bits per entry
 */
uint32_t GetQsgdBits(uint32_t levels);

/**
 * @ingroup dlearn
 * @param levels S, from 1 to MAX_QSGD_LEVELS
 * @param dimension d, entries of the vector
 * @return 8 + ceil(d b / 8), bytes of the vector on the wire
 */
uint64_t GetQsgdSize(uint32_t levels, uint64_t dimension);

/**
 * @ingroup dlearn
 * Write a vector of which every entry is a multiple of scale / S, from -S to S times. The
 * format, for d entries:
 *
 *     0                 4               8
 *     scale, binary32   S, whole number  d times b bits: S + multiple, the highest bit first
 *
 * filled up with zero bits to whole bytes.
 *
 * @param scale at least 0, the largest value that an entry can have
 * @param levels S, from 1 to MAX_QSGD_LEVELS
 * @param multiples of the entries, from -S to S
 * @return the bytes
 */
std::vector<uint8_t> EncodeQsgd(float scale,
                                uint32_t levels,
                                const std::vector<int32_t>& multiples);

/**
 * @ingroup dlearn
 * Read what EncodeQsgd() wrote. Trusts nothing.
 *
 * @param bytes the bytes
 * @param values result, of the vector's length
 * @return whether the bytes are such a vector: of the right number, with a scale that is finite
 *         and at least 0, levels and multiples in their range and zero bits at the end
 */
bool DecodeQsgd(const std::vector<uint8_t>& bytes, VectorRef values);

} // namespace ns3::dlearn

#endif // DLEARN_QSGD_ENCODING_H

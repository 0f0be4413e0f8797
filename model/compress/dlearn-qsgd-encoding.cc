/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-qsgd-encoding.h"

#include "ns3/dlearn-network-order.h"

#include <cmath>

namespace ns3::dlearn
{

uint32_t
GetQsgdBits(uint32_t levels)
{
    // The codes are 0 to 2 S: as many bits as the largest of them has.
    uint32_t bits = 0;
    for (uint32_t largest = 2 * levels; largest > 0; largest /= 2)
    {
        ++bits;
    }
    return bits;
}

uint64_t
GetQsgdSize(uint32_t levels, uint64_t dimension)
{
    return QSGD_PREFIX + (dimension * GetQsgdBits(levels) + 7) / 8;
}

std::vector<uint8_t>
EncodeQsgd(float scale, uint32_t levels, const std::vector<int32_t>& multiples)
{
    std::vector<uint8_t> bytes(GetQsgdSize(levels, multiples.size()));
    uint32_t scaleBits;
    std::memcpy(&scaleBits, &scale, sizeof(scaleBits));
    Put32(bytes.data(), scaleBits);
    Put32(bytes.data() + 4, levels);
    const uint32_t width = GetQsgdBits(levels);
    uint8_t* next = bytes.data() + QSGD_PREFIX;
    uint64_t waiting = 0; // the lowest `held` bits are still to be written
    uint32_t held = 0;
    for (const int32_t multiple : multiples)
    {
        waiting = waiting << width | static_cast<uint32_t>(multiple + static_cast<int32_t>(levels));
        held += width;
        for (; held >= 8; held -= 8)
        {
            *next++ = static_cast<uint8_t>(waiting >> (held - 8));
        }
    }
    if (held > 0)
    {
        *next = static_cast<uint8_t>(waiting << (8 - held));
    }
    return bytes;
}

bool
DecodeQsgd(const std::vector<uint8_t>& bytes, VectorRef values)
{
    if (bytes.size() < QSGD_PREFIX)
    {
        return false;
    }
    const uint32_t scaleBits = Get32(bytes.data());
    float scale;
    std::memcpy(&scale, &scaleBits, sizeof(scale));
    const uint32_t levels = Get32(bytes.data() + 4);
    if (!std::isfinite(scale) || std::signbit(scale) || levels < 1 || levels > MAX_QSGD_LEVELS ||
        bytes.size() != GetQsgdSize(levels, values.size()))
    {
        return false;
    }
    const uint32_t width = GetQsgdBits(levels);
    const uint64_t mask = (uint64_t{1} << width) - 1;
    const uint8_t* next = bytes.data() + QSGD_PREFIX;
    uint64_t waiting = 0;
    uint32_t held = 0;
    for (double& value : values)
    {
        for (; held < width; held += 8)
        {
            waiting = waiting << 8 | *next++;
        }
        held -= width;
        const auto code = static_cast<uint32_t>(waiting >> held & mask);
        if (code > 2 * levels)
        {
            return false;
        }
        const auto multiple = static_cast<int32_t>(code) - static_cast<int32_t>(levels);
        value = static_cast<double>(scale) * multiple / levels;
    }
    return (waiting & ((uint64_t{1} << held) - 1)) == 0;
}

} // namespace ns3::dlearn

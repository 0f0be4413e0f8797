/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PARTIAL_SHUFFLE_H
#define DLEARN_PARTIAL_SHUFFLE_H

#include "ns3/random-variable-stream.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The first steps of a shuffle (Fisher and Yates): afterwards the first entries are a uniform
 * draw without replacement, in random order, whatever the order was before.
 *
 * @param items what to draw from
 * @param count how many to draw, at most items.size(); as many numbers are drawn
 * @param random uniform random numbers
 */
inline void
ShuffleFirst(std::vector<uint32_t>& items, uint32_t count, UniformRandomVariable& random)
{
    const auto last = static_cast<uint32_t>(items.size()) - 1;
    for (uint32_t k = 0; k < count; ++k)
    {
        std::swap(items[k], items[random.GetInteger(k, last)]);
    }
}

} // namespace ns3::dlearn

#endif // DLEARN_PARTIAL_SHUFFLE_H

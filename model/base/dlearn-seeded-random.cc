/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-seeded-random.h"

#include <numeric>
#include <utility>

namespace ns3::dlearn
{

void
Shuffle(SampleIndices& indices, UniformRandomVariable& random)
{
    // Not std::shuffle, whose result differs between standard libraries.
    for (size_t left = indices.size(); left > 1; --left)
    {
        const uint32_t chosen = random.GetInteger(0, static_cast<uint32_t>(left - 1));
        std::swap(indices[left - 1], indices[chosen]);
    }
}

SampleIndices
RandomOrder(uint32_t size, UniformRandomVariable& random)
{
    SampleIndices order(size);
    std::iota(order.begin(), order.end(), 0U);
    Shuffle(order, random);
    return order;
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-sorting-network.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

/** @return the comparators that sort all places */
std::vector<Comparator>
MakeFullNetwork(uint32_t count)
{
    std::vector<Comparator> network;
    for (uint64_t p = 1; p < count; p *= 2)
    {
        for (uint64_t k = p; k >= 1; k /= 2)
        {
            for (uint64_t j = k % p; j + k < count; j += 2 * k)
            {
                for (uint64_t i = j; i < std::min<uint64_t>(j + k, count - k); ++i)
                {
                    if (i / (2 * p) == (i + k) / (2 * p))
                    {
                        network.push_back({static_cast<uint32_t>(i), static_cast<uint32_t>(i + k)});
                    }
                }
            }
        }
    }
    return network;
}

} // namespace

std::vector<Comparator>
MakeSortingNetwork(uint32_t count, uint32_t first, uint32_t last)
{
    const std::vector<Comparator> full = MakeFullNetwork(count);
    std::vector<bool> wanted(count, false);
    std::fill(wanted.begin() + first, wanted.begin() + last + 1, true);
    std::vector<Comparator> needed;
    for (auto comparator = full.rbegin(); comparator != full.rend(); ++comparator)
    {
        if (wanted[comparator->low] || wanted[comparator->high])
        {
            wanted[comparator->low] = true;
            wanted[comparator->high] = true;
            needed.push_back(*comparator);
        }
    }
    std::reverse(needed.begin(), needed.end());
    return needed;
}

} // namespace ns3::dlearn

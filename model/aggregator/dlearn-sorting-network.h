/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SORTING_NETWORK_H
#define DLEARN_SORTING_NETWORK_H

#include <cstdint>
#include <vector>

namespace ns3::dlearn
{

/** Puts the smaller of two places first. */
struct Comparator
{
    uint32_t low;  //!< place that gets the smaller number
    uint32_t high; //!< place that gets the larger number
};

/**
 * Batcher's odd-even merge sort for any number of places (Knuth, The Art of Computer Programming 3,
 * section 5.2.2, Algorithm M): comparators that sort any data in an order that does not depend on
 * the data, so that many columns are sorted at once.
 *
 * @param count number of places
 * @param first first place whose number is wanted
 * @param last last place whose number is wanted, at least first
 * @return comparators in order; those that move no number to a wanted place are left out
 */
std::vector<Comparator> MakeSortingNetwork(uint32_t count, uint32_t first, uint32_t last);

} // namespace ns3::dlearn

#endif // DLEARN_SORTING_NETWORK_H

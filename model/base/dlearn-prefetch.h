/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PREFETCH_H
#define DLEARN_PREFETCH_H

#include <cstddef>

namespace ns3::dlearn
{

/**
 * Have numbers brought from memory to the cache, while the program goes on with others.
 *
 * @tparam Number their type
 * @param numbers the first; those that do not exist do no harm
 * @param count how many
 */
template <typename Number>
void
Prefetch(const Number* numbers, std::ptrdiff_t count)
{
    constexpr std::ptrdiff_t NUMBERS_OF_LINE = 64 / sizeof(Number); // of the cache
    for (std::ptrdiff_t k = 0; k < count; k += NUMBERS_OF_LINE)
    {
        __builtin_prefetch(numbers + k);
    }
}

} // namespace ns3::dlearn

#endif // DLEARN_PREFETCH_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_WIDE_VECTORS_H
#define DLEARN_WIDE_VECTORS_H

#include <cstddef>

namespace ns3::dlearn
{

/**
 * @file
 * Loops that use the widest vectors of the processor, in a program compiled for any processor.
 */

#ifdef __x86_64__

template <auto Function, typename... Arguments>
[[gnu::target("avx2")]] auto
CallWith256Bits(Arguments... arguments)
{
    return Function(arguments...);
}

template <auto Function, typename... Arguments>
[[gnu::target("avx512f,avx512bw,avx512dq,avx512vl")]] auto
CallWith512Bits(Arguments... arguments)
{
    return Function(arguments...);
}

#endif

/**
 * Call a function that is compiled for several widths of vectors, for the widest of the processor.
 *
 * @tparam Function has plain loops that the compiler turns into vectors, and is always inlined
 *         (gnu::always_inline). It must not add products: with wide vectors come instructions that
 *         round such a sum once instead of twice, and results would depend on the processor.
 * @return the result of the function
 */
template <auto Function, typename... Arguments>
auto
CallWide(Arguments... arguments)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    {
        return CallWith512Bits<Function>(arguments...);
    }
    if (__builtin_cpu_supports("avx2"))
    {
        return CallWith256Bits<Function>(arguments...);
    }
#endif
    return Function(arguments...);
}

/** Load @p count numbers into the cache in the background; they need not exist. */
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

#endif // DLEARN_WIDE_VECTORS_H

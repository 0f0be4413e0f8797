/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-encoding.h"

#include "ns3/dlearn-wide-vectors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace ns3::dlearn
{

namespace
{

/// The largest finite binary16.
constexpr double LARGEST_HALF = 65504;

inline uint32_t
Swap(uint32_t bits)
{
    return __builtin_bswap32(bits);
}

inline uint64_t
Swap(uint64_t bits)
{
    return __builtin_bswap64(bits);
}

/// Called with CallWide(), because models are long.
template <typename Number, typename Bits>
[[gnu::always_inline]] inline void
EncodeAs(const double* numbers, Eigen::Index count, uint8_t* bytes)
{
    static_assert(sizeof(Number) == sizeof(Bits), "same size");
    for (Eigen::Index k = 0; k < count; ++k)
    {
        const auto number = static_cast<Number>(numbers[k]);
        Bits bits;
        std::memcpy(&bits, &number, sizeof(bits));
        bits = Swap(bits);
        std::memcpy(bytes + k * sizeof(bits), &bits, sizeof(bits));
    }
}

/// Called with CallWide().
template <typename Number, typename Bits>
[[gnu::always_inline]] inline bool
DecodeAs(const uint8_t* bytes, Eigen::Index count, double* numbers)
{
    static_assert(sizeof(Number) == sizeof(Bits), "same size");
    // Infinity and NaN are the numbers whose exponent bits are all set.
    constexpr int DIGITS = std::numeric_limits<Number>::digits;
    constexpr Bits EXPONENT = (~Bits{0} >> DIGITS) << (DIGITS - 1);
    Bits special = 0; // as wide as the numbers, for vectors
    for (Eigen::Index k = 0; k < count; ++k)
    {
        Bits bits;
        std::memcpy(&bits, bytes + k * sizeof(bits), sizeof(bits));
        bits = Swap(bits);
        special |= (bits & EXPONENT) == EXPONENT ? 1 : 0;
        Number number;
        std::memcpy(&number, &bits, sizeof(number));
        numbers[k] = number;
    }
    return special == 0;
}

/**
 * The float nearest to a number or next to it, such that rounding it again, to fewer digits,
 * gives what rounding the number once would give: an inexact result is made odd, so it is
 * never halfway between two shorter numbers (Boldo and Melquiond, "Emulation of a FMA and
 * correctly rounded sums", 2008).
 */
float
RoundToOdd(double number)
{
    const auto nearest = static_cast<float>(number);
    if (nearest == number || std::isnan(number))
    {
        return nearest;
    }
    uint32_t bits;
    std::memcpy(&bits, &nearest, sizeof(bits));
    bits -= std::abs(static_cast<double>(nearest)) > std::abs(number) ? 1 : 0; // truncate
    bits |= 1;
    float odd;
    std::memcpy(&odd, &bits, sizeof(odd));
    return odd;
}

void
EncodeHalves(const double* numbers, Eigen::Index count, uint8_t* bytes)
{
    for (Eigen::Index k = 0; k < count; ++k)
    {
        double number = numbers[k];
        if (std::isfinite(number))
        {
            number = std::max(-LARGEST_HALF, std::min(LARGEST_HALF, number));
        }
        const auto bits = Eigen::numext::bit_cast<uint16_t>(Eigen::half(RoundToOdd(number)));
        bytes[2 * k] = static_cast<uint8_t>(bits >> 8);
        bytes[2 * k + 1] = static_cast<uint8_t>(bits);
    }
}

bool
DecodeHalves(const uint8_t* bytes, Eigen::Index count, double* numbers)
{
    constexpr uint16_t EXPONENT = 0x7c00;
    bool finite = true;
    for (Eigen::Index k = 0; k < count; ++k)
    {
        const auto bits = static_cast<uint16_t>(bytes[2 * k] << 8 | bytes[2 * k + 1]);
        finite &= (bits & EXPONENT) != EXPONENT;
        numbers[k] = static_cast<float>(Eigen::numext::bit_cast<Eigen::half>(bits));
    }
    return finite;
}

} // namespace

bool
IsDense(Encoding encoding)
{
    return encoding <= Encoding::FLOAT16;
}

uint32_t
GetNumberSize(Encoding encoding)
{
    switch (encoding)
    {
    case Encoding::FLOAT16:
        return 2;
    case Encoding::FLOAT32:
        return 4;
    case Encoding::FLOAT64:
        return 8;
    default:
        return 0;
    }
}

void
EncodeVector(ConstVectorRef values, Encoding encoding, uint8_t* bytes)
{
    switch (encoding)
    {
    case Encoding::FLOAT16:
        return EncodeHalves(values.data(), values.size(), bytes);
    case Encoding::FLOAT32:
        return CallWide<EncodeAs<float, uint32_t>>(values.data(), values.size(), bytes);
    default:
        return CallWide<EncodeAs<double, uint64_t>>(values.data(), values.size(), bytes);
    }
}

bool
DecodeVector(const uint8_t* bytes, Encoding encoding, VectorRef values)
{
    switch (encoding)
    {
    case Encoding::FLOAT16:
        return DecodeHalves(bytes, values.size(), values.data());
    case Encoding::FLOAT32:
        return CallWide<DecodeAs<float, uint32_t>>(bytes, values.size(), values.data());
    default:
        return CallWide<DecodeAs<double, uint64_t>>(bytes, values.size(), values.data());
    }
}

} // namespace ns3::dlearn

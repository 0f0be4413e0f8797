/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-encoding.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-network-order.h"
#include "ns3/dlearn-wide-vectors.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
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
 * @return a float such that rounding it to fewer digits is the same as rounding the number once: an
 *         inexact result is odd, so never halfway between two shorter numbers (Boldo and Melquiond,
 *         "Emulation of a FMA and correctly rounded sums", 2008)
 */
float
RoundToOdd(double number)
{
    const auto nearest = static_cast<float>(number);
    if (nearest == number || std::isnan(number))
    {
        return nearest;
    }
    auto bits = Eigen::numext::bit_cast<uint32_t>(nearest);
    bits -= std::abs(static_cast<double>(nearest)) > std::abs(number) ? 1 : 0; // truncate
    return Eigen::numext::bit_cast<float>(bits | 1);
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

constexpr uint32_t INDEX_SIZE = 4; //!< bytes of an index

/// The sparse encodings are numbered as the dense ones of their values.
constexpr uint8_t FIRST_SPARSE = static_cast<uint8_t>(Encoding::SPARSE32);
static_assert(static_cast<uint8_t>(Encoding::SPARSE64) - FIRST_SPARSE ==
                      static_cast<uint8_t>(Encoding::FLOAT64) &&
                  static_cast<uint8_t>(Encoding::SPARSE16) - FIRST_SPARSE ==
                      static_cast<uint8_t>(Encoding::FLOAT16),
              "sparse and dense encodings have the same order");

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

bool
IsPackedSize(Encoding encoding, uint64_t dimension, uint64_t size)
{
    if (encoding == Encoding::QSGD)
    {
        return size >= GetQsgdSize(1, dimension) && size <= GetQsgdSize(MAX_QSGD_LEVELS, dimension);
    }
    const uint64_t entrySize = GetSparseSize(1, GetSparseNumbers(encoding));
    return size >= entrySize && size <= entrySize * dimension && size % entrySize == 0;
}

bool
UnpackVector(const PackedVector& packed, VectorRef values)
{
    return packed.encoding == Encoding::QSGD
               ? DecodeQsgd(packed.bytes, values)
               : DecodeSparse(packed.bytes, GetSparseNumbers(packed.encoding), values);
}

Encoding
GetSparseEncoding(Encoding numbers)
{
    return static_cast<Encoding>(static_cast<uint8_t>(numbers) + FIRST_SPARSE);
}

Encoding
GetSparseNumbers(Encoding encoding)
{
    return static_cast<Encoding>(static_cast<uint8_t>(encoding) - FIRST_SPARSE);
}

uint64_t
GetSparseSize(uint64_t count, Encoding numbers)
{
    return count * (INDEX_SIZE + GetNumberSize(numbers));
}

std::vector<uint8_t>
EncodeSparse(const std::vector<uint32_t>& indices, ConstVectorRef values, Encoding numbers)
{
    RequireSize("EncodeSparse", "values", values.size(), indices.size());
    Require(std::adjacent_find(indices.begin(), indices.end(), std::greater_equal<>()) ==
                indices.end(),
            "EncodeSparse: indices must ascend, each once");
    std::vector<uint8_t> bytes(GetSparseSize(indices.size(), numbers));
    uint8_t* next = bytes.data();
    for (const uint32_t index : indices)
    {
        Put32(next, index);
        next += INDEX_SIZE;
    }
    EncodeVector(values, numbers, next);
    return bytes;
}

bool
DecodeSparse(const std::vector<uint8_t>& bytes, Encoding numbers, VectorRef values)
{
    const uint64_t entrySize = GetSparseSize(1, numbers);
    const size_t count = bytes.size() / entrySize;
    if (bytes.size() % entrySize != 0 || count > static_cast<size_t>(values.size()))
    {
        return false;
    }
    ModelVector entries(count);
    DecodeVector(bytes.data() + count * INDEX_SIZE, numbers, entries);
    values.setZero();
    int64_t last = -1;
    for (size_t k = 0; k < count; ++k)
    {
        const int64_t index = Get32(bytes.data() + k * INDEX_SIZE);
        if (index <= last || index >= values.size())
        {
            return false;
        }
        values[index] = entries[static_cast<Eigen::Index>(k)];
        last = index;
    }
    return true;
}

uint32_t
GetQsgdBits(uint32_t levels)
{
    return 32 - __builtin_clz(2 * levels); // bits of the largest code, as these are 0 to 2 S
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
    Put32(bytes.data(), Eigen::numext::bit_cast<uint32_t>(scale));
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
    const auto scale = Eigen::numext::bit_cast<float>(Get32(bytes.data()));
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

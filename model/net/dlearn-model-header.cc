/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-model-header.h"

#define XXH_INLINE_ALL
#include <cstring>
#include <limits>
#include <xxhash.h>

namespace ns3
{
namespace dlearn
{

namespace
{

/// Bytes of the header that the checksum covers: all before the checksum itself.
constexpr uint32_t CHECKED_SIZE = ModelHeader::SIZE - 4;

void
Put32(uint8_t* bytes, uint32_t value)
{
    value = __builtin_bswap32(value);
    std::memcpy(bytes, &value, sizeof(value));
}

uint32_t
Get32(const uint8_t* bytes)
{
    uint32_t value;
    std::memcpy(&value, bytes, sizeof(value));
    return __builtin_bswap32(value);
}

// ns-3 runs on little-endian machines in practice; refuse to build rather than to be wrong.
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "byte order is written for little-endian");

/// Swaps the bytes of each of four 32-bit words; shifts, because every x86-64 has those for
/// vectors, and models are long.
using FourWords = uint32_t __attribute__((vector_size(16)));
using FourFloats = float __attribute__((vector_size(16)));

inline FourWords
Swap(FourWords bits)
{
    return (bits >> 24) | ((bits >> 8) & 0xff00) | ((bits << 8) & 0xff0000) | (bits << 24);
}

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

template <typename Number, typename Bits>
void
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

template <typename Number, typename Bits>
bool
DecodeAs(const uint8_t* bytes, Eigen::Index count, double* numbers)
{
    static_assert(sizeof(Number) == sizeof(Bits), "same size");
    // Infinity and NaN are the numbers whose exponent bits are all set.
    constexpr int DIGITS = std::numeric_limits<Number>::digits;
    constexpr Bits EXPONENT = (~Bits{0} >> DIGITS) << (DIGITS - 1);
    bool finite = true;
    for (Eigen::Index k = 0; k < count; ++k)
    {
        Bits bits;
        std::memcpy(&bits, bytes + k * sizeof(bits), sizeof(bits));
        bits = Swap(bits);
        finite &= (bits & EXPONENT) != EXPONENT;
        Number number;
        std::memcpy(&number, &bits, sizeof(number));
        numbers[k] = number;
    }
    return finite;
}

/// EncodeAs<float>, four numbers at a time.
void
EncodeFloats(const double* numbers, Eigen::Index count, uint8_t* bytes)
{
    const Eigen::Index fours = count / 4 * 4;
    for (Eigen::Index k = 0; k < fours; k += 4)
    {
        const FourFloats floats{static_cast<float>(numbers[k]),
                                static_cast<float>(numbers[k + 1]),
                                static_cast<float>(numbers[k + 2]),
                                static_cast<float>(numbers[k + 3])};
        const FourWords bits = Swap(reinterpret_cast<FourWords>(floats));
        std::memcpy(bytes + k * 4, &bits, sizeof(bits));
    }
    EncodeAs<float, uint32_t>(numbers + fours, count - fours, bytes + fours * 4);
}

/// DecodeAs<float>, four numbers at a time.
bool
DecodeFloats(const uint8_t* bytes, Eigen::Index count, double* numbers)
{
    const Eigen::Index fours = count / 4 * 4;
    FourWords special{0, 0, 0, 0};
    for (Eigen::Index k = 0; k < fours; k += 4)
    {
        FourWords bits;
        std::memcpy(&bits, bytes + k * 4, sizeof(bits));
        bits = Swap(bits);
        special |= reinterpret_cast<FourWords>((bits & 0x7f800000) == 0x7f800000);
        const auto floats = reinterpret_cast<FourFloats>(bits);
        for (int i = 0; i < 4; ++i)
        {
            numbers[k + i] = floats[i];
        }
    }
    const bool finite = (special[0] | special[1] | special[2] | special[3]) == 0;
    return DecodeAs<float, uint32_t>(bytes + fours * 4, count - fours, numbers + fours) && finite;
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(ModelHeader);

TypeId
ModelHeader::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::ModelHeader")
                            .SetParent<Header>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<ModelHeader>();
    return tid;
}

TypeId
ModelHeader::GetInstanceTypeId() const
{
    return GetTypeId();
}

void
ModelHeader::Print(std::ostream& os) const
{
    os << "round=" << round << " sender=" << sender << " channel=" << +static_cast<uint8_t>(channel)
       << " length=" << vectorLength << " bytes=[" << fragmentOffset << ","
       << fragmentOffset + payloadLength << ") of " << messageLength;
}

uint32_t
ModelHeader::GetSerializedSize() const
{
    return SIZE;
}

void
ModelHeader::Serialize(Buffer::Iterator start) const
{
    uint8_t bytes[SIZE];
    Write(bytes);
    start.Write(bytes, SIZE);
}

uint32_t
ModelHeader::Deserialize(Buffer::Iterator start)
{
    if (start.GetRemainingSize() < SIZE)
    {
        m_version = 0; // too short to be a header: IsValid() says no
        return 0;
    }
    uint8_t bytes[SIZE];
    start.Read(bytes, SIZE);
    Read(bytes);
    return SIZE;
}

void
ModelHeader::Write(uint8_t* bytes) const
{
    bytes[0] = m_version;
    bytes[1] = static_cast<uint8_t>(encoding);
    bytes[2] = static_cast<uint8_t>(channel);
    bytes[3] = m_reserved;
    Put32(bytes + 4, round);
    Put32(bytes + 8, sender);
    Put32(bytes + 12, vectorLength);
    Put32(bytes + 16, fragmentOffset);
    Put32(bytes + 20, payloadLength);
    Put32(bytes + 24, messageLength);
    Put32(bytes + CHECKED_SIZE, m_checksum);
}

void
ModelHeader::Read(const uint8_t* bytes)
{
    m_version = bytes[0];
    encoding = static_cast<Encoding>(bytes[1]);
    channel = static_cast<ModelChannel>(bytes[2]);
    m_reserved = bytes[3];
    round = Get32(bytes + 4);
    sender = Get32(bytes + 8);
    vectorLength = Get32(bytes + 12);
    fragmentOffset = Get32(bytes + 16);
    payloadLength = Get32(bytes + 20);
    messageLength = Get32(bytes + 24);
    m_checksum = Get32(bytes + CHECKED_SIZE);
}

bool
ModelHeader::IsValid() const
{
    if (m_version != VERSION || m_reserved != 0 || encoding > Encoding::FLOAT64 ||
        static_cast<uint8_t>(channel) >= CHANNELS)
    {
        return false;
    }
    const uint64_t size = GetNumberSize(encoding);
    return vectorLength > 0 && messageLength == vectorLength * size && payloadLength > 0 &&
           fragmentOffset % size == 0 && payloadLength % size == 0 &&
           uint64_t{fragmentOffset} + payloadLength <= messageLength;
}

uint32_t
ModelHeader::GetChecksum(const uint8_t* payload) const
{
    uint8_t bytes[SIZE];
    Write(bytes);
    const XXH64_hash_t seed = XXH3_64bits(bytes, CHECKED_SIZE);
    return static_cast<uint32_t>(XXH3_64bits_withSeed(payload, payloadLength, seed));
}

void
ModelHeader::Seal(const uint8_t* payload)
{
    m_checksum = GetChecksum(payload);
}

bool
ModelHeader::IsIntact(const uint8_t* payload) const
{
    return m_checksum == GetChecksum(payload);
}

uint32_t
GetNumberSize(Encoding encoding)
{
    return encoding == Encoding::FLOAT32 ? 4 : 8;
}

void
EncodeVector(ConstVectorRef values, Encoding encoding, uint8_t* bytes)
{
    if (encoding == Encoding::FLOAT32)
    {
        EncodeFloats(values.data(), values.size(), bytes);
    }
    else
    {
        EncodeAs<double, uint64_t>(values.data(), values.size(), bytes);
    }
}

bool
DecodeVector(const uint8_t* bytes, Encoding encoding, VectorRef values)
{
    return encoding == Encoding::FLOAT32
               ? DecodeFloats(bytes, values.size(), values.data())
               : DecodeAs<double, uint64_t>(bytes, values.size(), values.data());
}

} // namespace dlearn
} // namespace ns3

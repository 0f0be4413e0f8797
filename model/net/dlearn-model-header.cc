/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-model-header.h"

#define XXH_INLINE_ALL
#include <cstring>
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

template <typename Number, typename Bits>
void
EncodeAs(ConstVectorRef values, uint8_t* bytes, Bits (*swap)(Bits))
{
    static_assert(sizeof(Number) == sizeof(Bits), "same size");
    for (Eigen::Index k = 0; k < values.size(); ++k)
    {
        const auto number = static_cast<Number>(values[k]);
        Bits bits;
        std::memcpy(&bits, &number, sizeof(bits));
        bits = swap(bits);
        std::memcpy(bytes + k * sizeof(bits), &bits, sizeof(bits));
    }
}

template <typename Number, typename Bits>
void
DecodeAs(const uint8_t* bytes, VectorRef values, Bits (*swap)(Bits))
{
    static_assert(sizeof(Number) == sizeof(Bits), "same size");
    for (Eigen::Index k = 0; k < values.size(); ++k)
    {
        Bits bits;
        std::memcpy(&bits, bytes + k * sizeof(bits), sizeof(bits));
        bits = swap(bits);
        Number number;
        std::memcpy(&number, &bits, sizeof(number));
        values[k] = number;
    }
}

uint32_t
Swap32(uint32_t bits)
{
    return __builtin_bswap32(bits);
}

uint64_t
Swap64(uint64_t bits)
{
    return __builtin_bswap64(bits);
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
        EncodeAs<float>(values, bytes, Swap32);
    }
    else
    {
        EncodeAs<double>(values, bytes, Swap64);
    }
}

void
DecodeVector(const uint8_t* bytes, Encoding encoding, VectorRef values)
{
    if (encoding == Encoding::FLOAT32)
    {
        DecodeAs<float>(bytes, values, Swap32);
    }
    else
    {
        DecodeAs<double>(bytes, values, Swap64);
    }
}

} // namespace dlearn
} // namespace ns3

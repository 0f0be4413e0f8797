/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#define XXH_INLINE_ALL

#include "dlearn-model-header.h"

#include "ns3/dlearn-encoding.h"
#include "ns3/dlearn-network-order.h"
#include "ns3/dlearn-type-id.h"

#include <xxhash.h>

namespace ns3::dlearn
{

uint32_t
ComputeChecksum(const uint8_t* head, uint32_t headSize, const uint8_t* rest, uint32_t restSize)
{
    const XXH64_hash_t seed = XXH3_64bits(head, headSize);
    return static_cast<uint32_t>(XXH3_64bits_withSeed(rest, restSize, seed));
}

namespace
{

/// Bytes of the header that the checksum covers: all before the checksum itself.
constexpr uint32_t CHECKED_SIZE = ModelHeader::SIZE - 4;

} // namespace

DLEARN_TYPE_WITHOUT_ATTRIBUTES(ModelHeader, Header);

void
ModelHeader::Print(std::ostream& os) const
{
    os << "round=" << round << " sender=" << sender << " channel=" << +static_cast<uint8_t>(channel)
       << " encoding=" << +static_cast<uint8_t>(encoding) << " length=" << vectorLength
       << " bytes=[" << fragmentOffset << "," << fragmentOffset + payloadLength << ") of "
       << messageLength;
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
    bytes[3] = figures;
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
    figures = bytes[3];
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
    if (m_version != VERSION || static_cast<uint8_t>(encoding) >= ENCODINGS ||
        !IsChannel(static_cast<uint8_t>(channel)) || vectorLength == 0 || payloadLength == 0 ||
        FIGURE_SIZE * figures >= messageLength ||
        uint64_t{fragmentOffset} + payloadLength > messageLength)
    {
        return false;
    }
    if (!IsDense(encoding))
    {
        return IsPackedSize(encoding, vectorLength, GetBodyLength());
    }
    const uint64_t size = GetNumberSize(encoding);
    return GetBodyLength() == vectorLength * size && fragmentOffset % size == 0 &&
           payloadLength % size == 0;
}

uint32_t
ModelHeader::GetChecksum(const uint8_t* payload) const
{
    uint8_t bytes[SIZE];
    Write(bytes);
    return ComputeChecksum(bytes, CHECKED_SIZE, payload, payloadLength);
}

bool
ModelHeader::IsIntact(const uint8_t* payload) const
{
    return m_checksum == GetChecksum(payload);
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-parity-datagram.h"

#include "dlearn-checksum.h"

#include "ns3/dlearn-network-order.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

/// Where the checksum is.
constexpr uint32_t PARITY_CHECKSUM = ParityDatagram::SIZE - 4;

} // namespace

std::vector<uint8_t>
ParityDatagram::Write() const
{
    std::vector<uint8_t> bytes(SIZE + piece.size());
    bytes[0] = VERSION;
    bytes[1] = static_cast<uint8_t>(encoding);
    bytes[2] = static_cast<uint8_t>(channel);
    bytes[3] = row;
    Put32(bytes.data() + 4, round);
    Put32(bytes.data() + 8, vectorLength);
    Put32(bytes.data() + 12, messageLength);
    bytes[16] = static_cast<uint8_t>(fragmentSize >> 8);
    bytes[17] = static_cast<uint8_t>(fragmentSize);
    bytes[18] = blockFragments;
    Put32(bytes.data() + 20, block);
    std::copy(piece.begin(), piece.end(), bytes.begin() + SIZE);
    Put32(bytes.data() + PARITY_CHECKSUM,
          ComputeChecksum(bytes.data(), PARITY_CHECKSUM, bytes.size()));
    return bytes;
}

std::optional<ParityDatagram>
ParityDatagram::Read(const uint8_t* bytes, uint32_t size)
{
    if (size <= SIZE || bytes[0] != VERSION || bytes[1] >= ENCODINGS || !IsChannel(bytes[2]) ||
        bytes[19] != 0 || Get32(bytes + 24) != 0 ||
        Get32(bytes + PARITY_CHECKSUM) != ComputeChecksum(bytes, PARITY_CHECKSUM, size))
    {
        return std::nullopt;
    }
    ParityDatagram parity;
    parity.encoding = static_cast<Encoding>(bytes[1]);
    parity.channel = static_cast<ModelChannel>(bytes[2]);
    parity.row = bytes[3];
    parity.round = Get32(bytes + 4);
    parity.vectorLength = Get32(bytes + 8);
    parity.messageLength = Get32(bytes + 12);
    parity.fragmentSize = static_cast<uint16_t>(bytes[16] << 8 | bytes[17]);
    parity.blockFragments = bytes[18];
    parity.block = Get32(bytes + 20);
    parity.piece.assign(bytes + SIZE, bytes + size);
    const uint64_t first =
        uint64_t{parity.block} * parity.blockFragments * parity.fragmentSize; // byte of the block
    const bool fits = parity.piece.size() == parity.fragmentSize && parity.blockFragments > 0 &&
                      parity.blockFragments + parity.row < ErasureCode::LARGEST_BLOCK &&
                      first < parity.messageLength;
    return fits ? std::make_optional(std::move(parity)) : std::nullopt;
}

uint32_t
ParityDatagram::GetEnd() const
{
    const uint32_t fragments = (messageLength - 1) / fragmentSize + 1;
    return std::min(fragments - GetFirst(), uint32_t{blockFragments}) + GetFirst();
}

} // namespace ns3::dlearn

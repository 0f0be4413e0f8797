/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-repair-datagram.h"

#include "dlearn-checksum.h"

#include "ns3/dlearn-network-order.h"

namespace ns3::dlearn
{

namespace
{

/// Where the checksum is.
constexpr uint32_t REPAIR_CHECKSUM = RepairDatagram::SIZE - 4;

} // namespace

std::vector<uint8_t>
RepairDatagram::Write() const
{
    std::vector<uint8_t> bytes(SIZE + 4 * words.size());
    bytes[0] = VERSION;
    bytes[1] = static_cast<uint8_t>(kind);
    bytes[2] = static_cast<uint8_t>(channel);
    Put32(bytes.data() + 4, round);
    Put32(bytes.data() + 8, messageLength);
    Put32(bytes.data() + 16, static_cast<uint32_t>(words.size()));
    for (size_t k = 0; k < words.size(); ++k)
    {
        Put32(bytes.data() + SIZE + 4 * k, words[k]);
    }
    Put32(bytes.data() + REPAIR_CHECKSUM,
          ComputeChecksum(bytes.data(), REPAIR_CHECKSUM, bytes.size()));
    return bytes;
}

std::optional<RepairDatagram>
RepairDatagram::Read(const uint8_t* bytes, uint32_t size)
{
    const bool known = size >= SIZE && bytes[0] == VERSION && bytes[3] == 0 &&
                       (bytes[1] == static_cast<uint8_t>(Kind::POLL) ||
                        bytes[1] == static_cast<uint8_t>(Kind::REPORT)) &&
                       IsChannel(bytes[2]) && Get32(bytes + 12) == 0;
    if (!known || Get32(bytes + 16) * uint64_t{4} != size - SIZE ||
        Get32(bytes + REPAIR_CHECKSUM) != ComputeChecksum(bytes, REPAIR_CHECKSUM, size))
    {
        return std::nullopt;
    }
    RepairDatagram datagram;
    datagram.kind = static_cast<Kind>(bytes[1]);
    datagram.channel = static_cast<ModelChannel>(bytes[2]);
    datagram.round = Get32(bytes + 4);
    datagram.messageLength = Get32(bytes + 8);
    for (uint32_t place = SIZE; place < size; place += 4)
    {
        datagram.words.push_back(Get32(bytes + place));
    }
    const bool paired = datagram.kind == Kind::POLL || datagram.words.size() % 2 == 0;
    return paired && datagram.messageLength > 0 ? std::make_optional(datagram) : std::nullopt;
}

std::vector<ByteRange>
RepairDatagram::GetRanges() const
{
    std::vector<ByteRange> ranges;
    for (size_t k = 0; k + 1 < words.size(); k += 2)
    {
        const uint32_t from = ranges.empty() ? 0 : ranges.back().end;
        if (words[k] >= from && words[k] < words[k + 1] && words[k + 1] <= messageLength)
        {
            ranges.push_back({words[k], words[k + 1]});
        }
    }
    return ranges;
}

void
RepairDatagram::SetRanges(const std::vector<ByteRange>& ranges, uint32_t size)
{
    words.clear();
    for (const ByteRange& range : ranges)
    {
        if (SIZE + 4 * (words.size() + 2) > size)
        {
            return;
        }
        words.push_back(range.begin);
        words.push_back(range.end);
    }
}

} // namespace ns3::dlearn

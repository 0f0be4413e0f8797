/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-parity-decoder.h"

#include "dlearn-model-header.h"

#include "ns3/dlearn-network-order.h"

#include <algorithm>
#include <set>

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
    bytes[19] = figures;
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
        Get32(bytes + 24) != 0 ||
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
    parity.figures = bytes[19];
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

namespace
{

/** @return whether two pieces are of the same message, cut in the same way */
bool
AreOfOneMessage(const ParityDatagram& a, const ParityDatagram& b)
{
    return a.encoding == b.encoding && a.vectorLength == b.vectorLength &&
           a.messageLength == b.messageLength && a.fragmentSize == b.fragmentSize &&
           a.blockFragments == b.blockFragments && a.figures == b.figures;
}

/** @return the bytes of fragment @p k of the message of a piece */
ByteRange
GetRange(const ParityDatagram& parity, uint32_t k)
{
    const uint32_t begin = k * parity.fragmentSize;
    return {begin, begin + std::min<uint32_t>(parity.fragmentSize, parity.messageLength - begin)};
}

/** @return header and payload of fragment @p k, whose payload is the beginning of @p piece */
std::vector<uint8_t>
MakeFragment(LearnerId from,
             const ParityDatagram& parity,
             uint32_t k,
             const ErasureCode::Piece& piece)
{
    const ByteRange range = GetRange(parity, k);
    ModelHeader header;
    header.encoding = parity.encoding;
    header.channel = parity.channel;
    header.round = parity.round;
    header.sender = from;
    header.vectorLength = parity.vectorLength;
    header.fragmentOffset = range.begin;
    header.payloadLength = range.end - range.begin;
    header.messageLength = parity.messageLength;
    header.figures = parity.figures;
    header.Seal(piece.data());
    std::vector<uint8_t> bytes(ModelHeader::SIZE);
    header.Write(bytes.data());
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + header.payloadLength);
    return bytes;
}

/** @return numbers of the fragments of the block that are missing, at most 255 */
std::set<uint32_t>
GetMissing(const ParityDatagram& block, const std::vector<ByteRange>& ranges)
{
    std::set<uint32_t> missing;
    for (uint32_t k = block.GetFirst(); k < block.GetEnd(); ++k)
    {
        const ByteRange own = GetRange(block, k);
        const auto next = std::partition_point(ranges.begin(), ranges.end(), [own](ByteRange r) {
            return r.end <= own.begin;
        });
        if (next != ranges.end() && next->begin < own.end)
        {
            missing.insert(missing.end(), k);
        }
    }
    return missing;
}

/** @return ranges without the bytes of another one */
std::vector<ByteRange>
Subtract(const std::vector<ByteRange>& ranges, const ByteRange& other)
{
    std::vector<ByteRange> rest;
    for (const ByteRange& range : ranges)
    {
        for (const ByteRange& part : {ByteRange{range.begin, std::min(range.end, other.begin)},
                                      ByteRange{std::max(range.begin, other.end), range.end}})
        {
            if (part.begin < part.end)
            {
                rest.push_back(part);
            }
        }
    }
    return rest;
}

} // namespace

ParityDecoder::ParityDecoder(View view)
    : m_view(std::move(view))
{
}

ParityDecoder::Fragments
ParityDecoder::Add(LearnerId from, const ParityDatagram& parity)
{
    const Key key{from, parity.round, parity.channel};
    const auto missing = m_view.missing(from, parity.channel, parity.round, parity.messageLength);
    if (missing.empty())
    {
        const auto done = m_messages.find(key);
        if (done != m_messages.end())
        {
            for (const auto& [block, rows] : done->second.rows)
            {
                m_bytes[from] -= rows.size() * done->second.first.fragmentSize;
            }
            m_messages.erase(done);
        }
        return {};
    }
    const auto known = m_messages.find(key);
    if (known != m_messages.end() && !AreOfOneMessage(known->second.first, parity))
    {
        return {};
    }
    MakeRoom(from, parity.piece.size());
    Message& message = m_messages.try_emplace(key, Message{parity, {}}).first->second;
    message.first.piece.clear();
    if (message.rows[parity.block].emplace(parity.row, parity.piece).second)
    {
        m_bytes[from] += parity.piece.size();
    }
    return Decode(key, parity.block);
}

void
ParityDecoder::MakeRoom(LearnerId from, uint64_t bytes)
{
    while (m_bytes[from] + bytes > LARGEST)
    {
        const auto oldest =
            m_messages.lower_bound(Key{from, 0, static_cast<ModelChannel>(0)}); // its first round
        for (const auto& [block, rows] : oldest->second.rows)
        {
            m_bytes[from] -= rows.size() * oldest->second.first.fragmentSize;
        }
        m_messages.erase(oldest);
    }
}

ParityDecoder::Fragments
ParityDecoder::Retry(LearnerId from, const ModelHeader& header)
{
    const Key key{from, header.round, header.channel};
    const auto known = m_messages.find(key);
    if (known == m_messages.end())
    {
        return {};
    }
    const ParityDatagram& first = known->second.first;
    const uint32_t block = header.fragmentOffset / first.fragmentSize / first.blockFragments;
    return known->second.rows.count(block) > 0 ? Decode(key, block) : Fragments{};
}

ParityDecoder::Fragments
ParityDecoder::Decode(const Key& key, uint32_t block)
{
    const LearnerId from = std::get<0>(key);
    Message& message = m_messages.at(key);
    ParityDatagram parity = message.first;
    parity.block = block;
    const auto missing =
        GetMissing(parity,
                   m_view.missing(from, parity.channel, parity.round, parity.messageLength));
    const auto& rows = message.rows.at(block);
    if (missing.size() > rows.size())
    {
        return {};
    }
    Fragments fragments;
    if (!missing.empty())
    {
        std::vector<std::optional<ErasureCode::Piece>> data;
        for (uint32_t k = parity.GetFirst(); k < parity.GetEnd(); ++k)
        {
            data.emplace_back();
            if (missing.count(k) == 0)
            {
                data.back() = m_view.bytes(from, parity.channel, parity.round, GetRange(parity, k));
                data.back()->resize(parity.fragmentSize); // the last one is filled by zeros
            }
        }
        const bool solved = ErasureCode::Decode(data, rows);
        for (const uint32_t k : solved ? missing : std::set<uint32_t>{})
        {
            fragments.push_back(MakeFragment(from, parity, k, *data[k - parity.GetFirst()]));
        }
    }
    m_bytes[from] -= rows.size() * parity.fragmentSize;
    message.rows.erase(block);
    if (message.rows.empty())
    {
        m_messages.erase(key);
    }
    return fragments;
}

std::vector<ByteRange>
ParityDecoder::GetNeeds(LearnerId from,
                        ModelChannel channel,
                        uint32_t round,
                        const std::vector<ByteRange>& missing) const
{
    const auto known = m_messages.find({from, round, channel});
    if (known == m_messages.end())
    {
        return missing;
    }
    auto needs = missing;
    ParityDatagram block = known->second.first;
    for (const auto& [number, rows] : known->second.rows)
    {
        block.block = number;
        size_t spare = rows.size();
        for (const uint32_t k : GetMissing(block, missing))
        {
            if (spare-- == 0)
            {
                break;
            }
            needs = Subtract(needs, GetRange(block, k));
        }
    }
    return needs;
}

void
ParityDecoder::Clear()
{
    m_messages.clear();
    m_bytes.clear();
}

} // namespace ns3::dlearn

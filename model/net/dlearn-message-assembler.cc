/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-message-assembler.h"

#include "ns3/dlearn-check.h"

#include <algorithm>

namespace ns3
{
namespace dlearn
{

MessageAssembler::MessageAssembler(uint32_t limit)
    : m_limit(limit)
{
    Require(limit >= 1, "MessageAssembler: limit must be at least 1, got ", limit);
}

MessageAssembler::Result
MessageAssembler::Add(const ModelHeader& header, const uint8_t* payload)
{
    const Key key{header.sender, header.channel, header.round};
    auto found = m_messages.find(key);
    if (found == m_messages.end())
    {
        MakeRoom(header.sender);
        found = m_messages.emplace(key, Unfinished{}).first;
        found->second.header = header;
        if (IsDense(header.encoding))
        {
            found->second.values.resize(header.vectorLength);
        }
        else
        {
            found->second.packed.encoding = header.encoding;
            found->second.packed.bytes.resize(header.messageLength);
        }
    }
    Unfinished& message = found->second;
    if (header.messageLength != message.header.messageLength ||
        header.vectorLength != message.header.vectorLength ||
        header.encoding != message.header.encoding)
    {
        return Result::CONTRADICTORY;
    }
    if (!Mark(message, header.fragmentOffset, header.fragmentOffset + header.payloadLength))
    {
        return Result::DUPLICATE;
    }
    Store(message, header, payload);
    return message.count == header.messageLength ? Result::COMPLETE : Result::STORED;
}

void
MessageAssembler::Store(Unfinished& message, const ModelHeader& header, const uint8_t* payload)
{
    if (!IsDense(header.encoding))
    {
        std::copy_n(payload,
                    header.payloadLength,
                    message.packed.bytes.data() + header.fragmentOffset);
        if (message.count == header.messageLength)
        {
            Unpack(message);
        }
        return;
    }
    const uint32_t size = GetNumberSize(header.encoding);
    const bool finite = DecodeVector(
        payload,
        header.encoding,
        message.values.segment(header.fragmentOffset / size, header.payloadLength / size));
    if (!finite)
    {
        message.flaw = Flaw::NOT_FINITE;
    }
}

void
MessageAssembler::Unpack(Unfinished& message)
{
    message.values.resize(message.header.vectorLength);
    if (!UnpackVector(message.packed, message.values))
    {
        message.flaw = Flaw::UNDECODABLE;
    }
    else if (!message.values.allFinite())
    {
        message.flaw = Flaw::NOT_FINITE;
    }
}

bool
MessageAssembler::Mark(Unfinished& message, uint32_t begin, uint32_t end)
{
    // The usual case: a fragment continues the last part that came.
    if (!message.present.empty() && message.present.rbegin()->second == begin)
    {
        message.present.rbegin()->second = end;
        message.count += end - begin;
        return true;
    }
    // Merge [begin, end) with all parts that touch it.
    auto part = message.present.upper_bound(begin);
    if (part != message.present.begin() && std::prev(part)->second >= begin)
    {
        --part;
    }
    uint32_t overlap = 0;
    uint32_t newBegin = begin;
    uint32_t newEnd = end;
    while (part != message.present.end() && part->first <= end)
    {
        overlap += std::max(std::min(part->second, end), begin) -
                   std::min(std::max(part->first, begin), end);
        newBegin = std::min(newBegin, part->first);
        newEnd = std::max(newEnd, part->second);
        part = message.present.erase(part);
    }
    message.present.emplace(newBegin, newEnd);
    const uint32_t fresh = end - begin - overlap;
    message.count += fresh;
    return fresh > 0;
}

void
MessageAssembler::MakeRoom(LearnerId sender)
{
    const auto first = m_messages.lower_bound(Key{sender, static_cast<ModelChannel>(0), 0});
    uint32_t held = 0;
    auto oldest = first;
    for (auto it = first; it != m_messages.end() && std::get<0>(it->first) == sender; ++it, ++held)
    {
        if (std::get<2>(it->first) < std::get<2>(oldest->first))
        {
            oldest = it;
        }
    }
    if (held >= m_limit)
    {
        m_messages.erase(oldest);
        ++m_evicted;
    }
}

MessageAssembler::Flaw
MessageAssembler::GetFlaw(const Key& key) const
{
    const auto found = m_messages.find(key);
    return found == m_messages.end() ? Flaw::NONE : found->second.flaw;
}

std::optional<Arrival>
MessageAssembler::Take(const Key& key)
{
    const auto found = m_messages.find(key);
    if (found == m_messages.end())
    {
        return std::nullopt;
    }
    Unfinished& message = found->second;
    const ModelHeader& header = message.header;
    if (!IsDense(header.encoding) && message.count < header.messageLength)
    {
        m_messages.erase(found);
        return std::nullopt;
    }
    Arrival arrival;
    arrival.round = header.round;
    arrival.values = std::move(message.values);
    if (message.count < header.messageLength)
    {
        const uint32_t size = GetNumberSize(header.encoding);
        arrival.present.assign(header.vectorLength, false);
        for (const auto& [begin, end] : message.present)
        {
            std::fill(arrival.present.begin() + begin / size,
                      arrival.present.begin() + end / size,
                      true);
        }
        for (uint32_t k = 0; k < header.vectorLength; ++k)
        {
            arrival.values[k] = arrival.present[k] ? arrival.values[k] : 0;
        }
    }
    m_messages.erase(found);
    return arrival;
}

void
MessageAssembler::Clear()
{
    m_messages.clear();
}

uint64_t
MessageAssembler::GetEvicted() const
{
    return m_evicted;
}

} // namespace dlearn
} // namespace ns3

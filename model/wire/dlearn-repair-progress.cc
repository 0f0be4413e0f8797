/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-repair-progress.h"

#include "dlearn-erasure-code.h"
#include "dlearn-model-header.h"

#include "ns3/dlearn-network-order.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace ns3::dlearn
{

std::optional<RepairMethod>
RepairMethod::Parse(const std::string& text)
{
    const size_t colon = text.find(':');
    const std::string name = text.substr(0, colon);
    RepairMethod method;
    method.polls = name == "nack" || name == "both";
    method.parity = name == "fec" || name == "both";
    if (colon != std::string::npos)
    {
        method.share = ParseNumber(text.substr(colon + 1)).value_or(0);
        const bool fits = method.parity && method.share >= 0.001 && method.share <= 4;
        return fits ? std::make_optional(method) : std::nullopt;
    }
    const bool known = name == "none" || method.polls;
    return known ? std::make_optional(method) : std::nullopt;
}

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

RepairProgress::RepairProgress(uint32_t messageLength,
                               uint32_t fragmentSize,
                               const std::vector<LearnerId>& recipients,
                               const Limits& limits,
                               const Code& code)
    : m_messageLength(messageLength),
      m_fragmentSize(fragmentSize),
      m_limits(limits),
      m_code(code)
{
    for (const LearnerId recipient : recipients)
    {
        m_open.try_emplace(recipient);
    }
    for (uint32_t k = 0; k < (messageLength - 1) / fragmentSize + 1; ++k)
    {
        m_wanted.insert(m_wanted.end(), k);
        if (m_code.share > 0)
        {
            ++m_parity[k / m_code.blockFragments]; // fragments, first
        }
    }
    for (auto& [block, parity] : m_parity)
    {
        const auto pieces = static_cast<uint32_t>(std::ceil(m_code.share * parity));
        parity = std::min(pieces, ErasureCode::LARGEST_BLOCK - parity);
    }
}

RepairProgress::Part
RepairProgress::TakePart()
{
    const auto parity = m_parity.begin();
    if (parity != m_parity.end() &&
        (m_wanted.empty() || parity->first < *m_wanted.begin() / m_code.blockFragments))
    {
        const uint32_t block = parity->first;
        if (--parity->second == 0)
        {
            m_parity.erase(parity);
        }
        return {true, block, m_rows[block]++};
    }
    const uint32_t fragment = *m_wanted.begin();
    m_wanted.erase(m_wanted.begin());
    return {false, fragment, 0};
}

void
RepairProgress::Want(const std::set<uint32_t>& fragments)
{
    if (!m_code.repairs)
    {
        m_wanted.insert(fragments.begin(), fragments.end());
        return;
    }
    for (auto first = fragments.begin(); first != fragments.end();)
    {
        const uint32_t block = *first / m_code.blockFragments;
        const auto end = fragments.lower_bound((block + 1) * m_code.blockFragments);
        const auto count = static_cast<uint32_t>(std::distance(first, end));
        // Receivers take the rows of a whole block, also of the last one, which may be shorter.
        if (m_code.blockFragments + m_rows[block] + count <= ErasureCode::LARGEST_BLOCK)
        {
            uint32_t& parity = m_parity[block];
            parity = std::max(parity, count);
        }
        else
        {
            m_wanted.insert(first, end);
        }
        first = end;
    }
}

std::vector<LearnerId>
RepairProgress::BeginPoll()
{
    m_asked.clear();
    if (m_polls == m_limits.polls)
    {
        m_open.clear();
    }
    ++m_polls;
    for (const auto& [recipient, state] : m_open)
    {
        m_asked.insert(m_asked.end(), recipient);
    }
    return {m_asked.begin(), m_asked.end()};
}

bool
RepairProgress::TakeReport(LearnerId from, const std::vector<ByteRange>& missing)
{
    if (m_asked.erase(from) == 0)
    {
        return false;
    }
    Recipient& recipient = m_open.at(from);
    recipient.silent = 0;
    std::set<uint32_t> fragments;
    for (const ByteRange& range : missing)
    {
        for (uint32_t k = range.begin / m_fragmentSize; k <= (range.end - 1) / m_fragmentSize; ++k)
        {
            fragments.insert(fragments.end(), k);
        }
    }
    recipient.requested += fragments.size() * uint64_t{m_fragmentSize};
    const uint64_t most = uint64_t{m_limits.requests} * (m_messageLength + m_fragmentSize);
    if (fragments.empty() || recipient.requested > most)
    {
        Release(from);
    }
    else
    {
        Want(fragments);
    }
    return true;
}

std::vector<LearnerId>
RepairProgress::EndPoll()
{
    std::vector<LearnerId> givenUp;
    for (const LearnerId silent : std::set<LearnerId>(std::move(m_asked)))
    {
        if (++m_open.at(silent).silent == m_limits.silent)
        {
            Release(silent);
            givenUp.push_back(silent);
        }
    }
    m_asked.clear();
    return givenUp;
}

void
RepairProgress::Doubt(LearnerId recipient)
{
    const auto found = m_open.find(recipient);
    if (found != m_open.end())
    {
        found->second.silent = m_limits.silent - 1;
    }
}

void
RepairProgress::Release(LearnerId recipient)
{
    m_open.erase(recipient);
    m_asked.erase(recipient);
}

namespace
{

/** @return when the report in a place of a poll is sent, after the poll */
Time
GetReportTime(int64_t place, Time slot)
{
    return Min(slot * place, MilliSeconds(100));
}

} // namespace

Time
RepairReports::GetSpan(const RepairDatagram& poll, Time slot)
{
    return GetReportTime(static_cast<int64_t>(poll.words.size()), slot);
}

void
RepairReports::Schedule(LearnerId self, LearnerId from, const RepairDatagram& poll, Time slot)
{
    const auto place = std::find(poll.words.begin(), poll.words.end(), self);
    if (place == poll.words.end())
    {
        return;
    }
    RepairDatagram report;
    report.kind = RepairDatagram::Kind::REPORT;
    report.channel = poll.channel;
    report.round = poll.round;
    report.messageLength = poll.messageLength;
    EventId& event = m_events[{from, poll.channel}];
    event.Cancel(); // that of an older poll
    event = Simulator::Schedule(GetReportTime(place - poll.words.begin(), slot),
                                [this, from, report] { m_outlet(from, report); });
}

void
RepairReports::Clear()
{
    for (auto& [sender, event] : m_events)
    {
        event.Cancel();
    }
    m_events.clear();
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-fragment-log.h"

#include "dlearn-oldest-message.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <iterator>

namespace ns3::dlearn
{

FragmentLog::FragmentLog(uint32_t limit)
    : m_limit(limit)
{
    Require(limit >= 1, "FragmentLog: limit must be at least 1, got ", limit);
}

bool
FragmentLog::Add(const ModelHeader& header)
{
    const Key key{header.sender, header.channel, header.round};
    if (m_messages.count(key) == 0)
    {
        MakeRoom(header.sender);
    }
    Ranges& ranges = m_messages[key];
    uint32_t begin = header.fragmentOffset;
    uint32_t end = begin + header.payloadLength;
    auto next = ranges.upper_bound(begin);
    if (next != ranges.begin() && std::prev(next)->second >= begin)
    {
        --next; // it reaches this one
    }
    while (next != ranges.end() && next->first <= end)
    {
        begin = std::min(begin, next->first);
        end = std::max(end, next->second);
        next = ranges.erase(next);
    }
    if (ranges.size() < MOST_RANGES)
    {
        ranges.emplace(begin, end);
    }
    const bool whole = begin == 0 && end == header.messageLength;
    if (whole)
    {
        m_messages.erase(key);
    }
    return whole;
}

void
FragmentLog::MakeRoom(LearnerId sender)
{
    const auto oldest = FindOldest(m_messages, sender, m_limit);
    if (oldest != m_messages.end())
    {
        m_messages.erase(oldest);
    }
}

} // namespace ns3::dlearn

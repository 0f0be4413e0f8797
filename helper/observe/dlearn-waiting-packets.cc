/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-waiting-packets.h"

namespace ns3::dlearn
{

void
WaitingPackets::Enter(uint64_t uid, Time since)
{
    if (!m_alone && m_times.empty()) // as on most links most of the time
    {
        m_alone = {uid, since};
        return;
    }
    const auto [times, fresh] = m_times.try_emplace(uid);
    if (fresh)
    {
        times->second.first = since;
        return;
    }
    times->second.others.push_back(since);
}

std::optional<Time>
WaitingPackets::Leave(uint64_t uid)
{
    if (m_alone && m_alone->first == uid) // none has been here for longer
    {
        const Time since = m_alone->second;
        m_alone.reset();
        return since;
    }
    const auto found = m_times.find(uid);
    if (found == m_times.end())
    {
        return std::nullopt;
    }
    auto& [first, others] = found->second;
    const Time since = first;
    if (others.empty())
    {
        m_times.erase(found);
        return since;
    }
    first = others.front();
    others.erase(others.begin());
    return since;
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-waiting-packets.h"

namespace ns3::dlearn
{

void
WaitingPackets::Enter(uint64_t uid, Time since)
{
    m_times[uid].push(since);
}

std::optional<Time>
WaitingPackets::Leave(uint64_t uid)
{
    const auto found = m_times.find(uid);
    if (found == m_times.end())
    {
        return std::nullopt;
    }
    const Time since = found->second.front();
    found->second.pop();
    if (found->second.empty())
    {
        m_times.erase(found);
    }
    return since;
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-waiting-packets.h"

#include <algorithm>

namespace ns3::dlearn
{

void
WaitingPackets::Enter(uint64_t uid, Time since)
{
    m_packets.push_back({uid, since});
}

std::optional<Time>
WaitingPackets::Leave(uint64_t uid)
{
    const auto first = m_packets.begin() + static_cast<std::ptrdiff_t>(m_first);
    const auto found = std::find_if(first, m_packets.end(), [uid](const Packet& packet) {
        return packet.uid == uid;
    });
    if (found == m_packets.end())
    {
        return std::nullopt;
    }
    const Time since = found->since;
    if (found != first)
    {
        m_packets.erase(found);
        return since;
    }
    ++m_first; // most queues are in order: nothing has to be moved for each packet
    if (2 * m_first >= m_packets.size())
    {
        m_packets.erase(m_packets.begin(), found + 1);
        m_first = 0;
    }
    return since;
}

} // namespace ns3::dlearn

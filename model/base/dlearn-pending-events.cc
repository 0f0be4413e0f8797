/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-pending-events.h"

#include "dlearn-check.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

void
PendingEvents::Add(uint32_t uid, Time time, EventId& event, Scheduler schedule)
{
    m_entries.push_back({uid, time, &event, std::move(schedule)});
}

void
PendingEvents::Schedule()
{
    std::sort(m_entries.begin(), m_entries.end(), [](const Entry& a, const Entry& b) {
        return a.uid < b.uid;
    });
    for (const Entry& entry : m_entries)
    {
        Require(entry.time >= Simulator::Now(), "the saved state has an event in the past");
        *entry.event = entry.schedule(entry.time - Simulator::Now());
    }
    m_entries.clear();
}

} // namespace ns3::dlearn

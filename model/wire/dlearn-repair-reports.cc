/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-repair-reports.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/** @return when the report in a place of a poll is sent, after the poll */
Time
GetReportTime(int64_t place, Time slot)
{
    return Min(slot * place, MilliSeconds(100));
}

} // namespace

RepairReports::RepairReports(Outlet outlet)
    : m_outlet(std::move(outlet))
{
}

RepairReports::~RepairReports()
{
    Clear();
}

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

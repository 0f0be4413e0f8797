/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tcp-call-schedule.h"

#include "ns3/simulator.h"

#include <utility>

namespace ns3::dlearn
{

TcpCallSchedule::TcpCallSchedule(std::function<void()> call)
    : m_call(std::move(call))
{
}

void
TcpCallSchedule::NoteAnswer()
{
    m_failures = 0;
    m_last = 0;
}

void
TcpCallSchedule::Plan(Time interval, bool last)
{
    m_next.Cancel();
    if (!last)
    {
        m_last = 0;
        m_next = Simulator::Schedule(interval, m_call);
    }
    else if (m_last < LAST_CALLS)
    {
        m_next = Simulator::Schedule(interval * (1 << m_last++), m_call);
    }
}

void
TcpCallSchedule::Cancel()
{
    m_next.Cancel();
    m_last = 0;
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-medium-turn.h"

#include "ns3/simulator.h"

namespace ns3::dlearn
{

MediumTurn::MediumTurn(std::function<void()> granted)
    : m_granted(std::move(granted)),
      m_random(CreateObject<UniformRandomVariable>())
{
}

MediumTurn::~MediumTurn()
{
    Cancel();
}

int64_t
MediumTurn::AssignStreams(int64_t stream)
{
    m_random->SetStream(stream);
    return 1;
}

void
MediumTurn::Request()
{
    if (m_waiting)
    {
        return;
    }
    m_waiting = true;
    m_left = m_spread * int64x64_t(m_random->GetValue(0, 1));
    m_counted = Simulator::Now();
    Watch();
}

void
MediumTurn::Cancel()
{
    m_waiting = false;
    m_event.Cancel();
}

void
MediumTurn::SetBusy(Time span)
{
    const Time now = Simulator::Now();
    const Time quietSince = Max(m_counted, m_busyUntil);
    const bool sooner = now + span < m_busyUntil;
    if (m_waiting && now > quietSince)
    {
        m_left = Max(m_left - (now - quietSince), Time(0));
    }
    m_counted = now;
    m_busyUntil = now + span;
    if (m_waiting && sooner)
    {
        Watch();
    }
}

void
MediumTurn::Watch()
{
    const Time end = Max(m_counted, m_busyUntil) + m_left;
    m_event.Cancel();
    m_event = Simulator::Schedule(end - Simulator::Now(), &MediumTurn::Check, this);
}

void
MediumTurn::Check()
{
    if (Max(m_counted, m_busyUntil) + m_left > Simulator::Now())
    {
        Watch();
        return;
    }
    m_waiting = false;
    m_granted();
}

} // namespace ns3::dlearn

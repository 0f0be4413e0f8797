/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-node-activity.h"

#include "ns3/simulator.h"

namespace ns3::dlearn
{

NodeActivity::Phase
NodeActivity::GetPhase() const
{
    if (m_computing > m_last)
    {
        return COMPUTING;
    }
    for (const bool again : {false, true})
    {
        if (m_sending[again] > 0 || m_radio[again] > m_last)
        {
            return again ? SENDING_AGAIN : SENDING;
        }
    }
    return m_waiting > 0 ? QUEUEING : WAITING;
}

void
NodeActivity::Update()
{
    const Time now = Simulator::Now();
    while (m_last < now)
    {
        Time end = now;
        for (const Time& until : {m_computing, m_radio[0], m_radio[1]})
        {
            end = until > m_last ? Min(end, until) : end;
        }
        m_times[GetPhase()] += end - m_last;
        m_last = end;
    }
}

void
NodeActivity::AddWaiting(int count)
{
    Update();
    m_waiting += count;
}

void
NodeActivity::BeginSending(bool again)
{
    Update();
    ++m_sending[again];
}

void
NodeActivity::EndSending(bool again)
{
    Update();
    m_sending[again] -= m_sending[again] > 0 ? 1 : 0; // it may have begun before a state was loaded
}

void
NodeActivity::Send(Time duration, bool again)
{
    Update();
    m_radio[again] = Max(m_radio[again], Simulator::Now() + duration);
}

void
NodeActivity::Compute(Time duration)
{
    Update();
    m_computing = Simulator::Now() + duration;
}

const NodeActivity::Times&
NodeActivity::GetTimes()
{
    Update();
    return m_times;
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-alarm.h"

#include "ns3/simulator.h"

#include <utility>

namespace ns3::dlearn
{

Alarm::Alarm(std::function<void()> ring)
    : m_ring(std::move(ring))
{
}

Alarm::~Alarm()
{
    Cancel();
}

void
Alarm::Set(Time delay)
{
    Cancel();
    m_event = Simulator::Schedule(delay, m_ring);
}

bool
Alarm::PutOff(Time delay)
{
    const bool later = delay.IsStrictlyPositive();
    if (later)
    {
        Set(delay);
    }
    return later;
}

} // namespace ns3::dlearn

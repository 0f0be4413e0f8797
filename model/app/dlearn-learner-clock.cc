/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-learner-clock.h"

#include "ns3/dlearn-simulated-time.h"
#include "ns3/simulator.h"

#include <cmath>

namespace ns3::dlearn
{

void
LearnerClock::BeginRound()
{
    m_rate = m_nextRate;
    m_opened = Simulator::Now();
}

Time
LearnerClock::GetDuration() const
{
    return Simulator::Now() - m_opened;
}

Time
LearnerClock::GetElapsed() const
{
    return ToLocal(GetDuration());
}

Time
LearnerClock::GetLeft(const std::string& what, Time span) const
{
    return Max(ToSimulated(what, span) - GetDuration(), Time(0));
}

Time
LearnerClock::ToSimulated(const std::string& what, Time span) const
{
    if (m_rate != 1)
    {
        const double seconds = CheckSpan(what, Simulator::Now(), span).GetSeconds() / m_rate;
        CheckSpan(what, Simulator::Now(), MakeTime(what, seconds));
        span = Time(static_cast<int64_t>(std::ceil(span.GetTimeStep() / m_rate)));
    }
    return CheckSpan(what, Simulator::Now(), span);
}

Time
LearnerClock::ToLocal(Time span) const
{
    if (m_rate == 1)
    {
        return span;
    }
    return Time(static_cast<int64_t>(std::ceil(span.GetTimeStep() * m_rate)));
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-operation-counter.h"

#include "ns3/simulator.h"

namespace ns3::dlearn
{

void
OperationCounter::Begin(Time time, double operations)
{
    m_computation = Computation{Simulator::Now(), time, operations};
}

void
OperationCounter::End()
{
    m_done = GetDone();
    m_computation.reset();
}

double
OperationCounter::GetDone() const
{
    return m_done + (m_computation ? m_computation->GetDone() : 0);
}

double
OperationCounter::GetPower(double joules) const
{
    return m_computation && m_computation->time.IsStrictlyPositive()
               ? joules * m_computation->operations / m_computation->time.GetSeconds()
               : 0;
}

double
OperationCounter::Computation::GetDone() const
{
    const Time now = Simulator::Now();
    return now >= begin + time ? operations
                               : operations * ((now - begin).GetSeconds() / time.GetSeconds());
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-neighbor-watch.h"

#include "ns3/dlearn-check.h"

namespace ns3::dlearn
{

NeighborWatch::NeighborWatch(Time tolerance)
    : m_tolerance(tolerance)
{
    Require(tolerance.IsStrictlyPositive(),
            "NeighborWatch: tolerance must be greater than 0, got ",
            tolerance.GetSeconds(),
            " s");
}

void
NeighborWatch::Heard(LearnerId neighbor)
{
    m_waited.erase(neighbor);
}

void
NeighborWatch::Missed(LearnerId neighbor, Time waited)
{
    m_waited[neighbor] += waited;
}

bool
NeighborWatch::IsAlive(LearnerId neighbor) const
{
    const auto waited = m_waited.find(neighbor);
    return waited == m_waited.end() || waited->second < m_tolerance;
}

void
NeighborWatch::Reset()
{
    m_waited.clear();
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-neighbor-watch.h"

#include "ns3/dlearn-check.h"

namespace ns3
{
namespace dlearn
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
    m_absence.erase(neighbor);
}

void
NeighborWatch::HeardLate(LearnerId neighbor)
{
    if (!IsAlive(neighbor))
    {
        Absence& absence = m_absence.at(neighbor);
        absence.back = absence.chances < LATE_CHANCES;
    }
}

void
NeighborWatch::Missed(LearnerId neighbor, Time waited)
{
    Absence& absence = m_absence[neighbor];
    absence.waited += waited;
    if (absence.back && waited.IsStrictlyPositive())
    {
        absence.back = false;
        ++absence.chances;
    }
}

bool
NeighborWatch::IsAlive(LearnerId neighbor) const
{
    const auto found = m_absence.find(neighbor);
    return found == m_absence.end() || found->second.waited < m_tolerance || found->second.back;
}

void
NeighborWatch::Reset()
{
    m_absence.clear();
}

} // namespace dlearn
} // namespace ns3

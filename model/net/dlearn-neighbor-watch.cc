/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-neighbor-watch.h"

#include "ns3/dlearn-check.h"

namespace ns3
{
namespace dlearn
{

NeighborWatch::NeighborWatch(uint32_t tolerance)
    : m_tolerance(tolerance)
{
    Require(tolerance >= 1, "NeighborWatch: tolerance must be at least 1, got ", tolerance);
}

void
NeighborWatch::Heard(LearnerId neighbor)
{
    m_missed.erase(neighbor);
}

void
NeighborWatch::Missed(LearnerId neighbor)
{
    ++m_missed[neighbor];
}

bool
NeighborWatch::IsAlive(LearnerId neighbor) const
{
    const auto missed = m_missed.find(neighbor);
    return missed == m_missed.end() || missed->second < m_tolerance;
}

void
NeighborWatch::Reset()
{
    m_missed.clear();
}

} // namespace dlearn
} // namespace ns3

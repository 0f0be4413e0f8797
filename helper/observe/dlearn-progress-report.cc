/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-progress-report.h"

#include "ns3/dlearn-text-format.h"
#include "ns3/simulator.h"

#include <iostream>

namespace ns3::dlearn
{

bool
ProgressReport::IsDue() const
{
    return Clock::now() - m_last >= std::chrono::seconds(1);
}

void
ProgressReport::Write(uint64_t closed, uint64_t bytes)
{
    m_last = Clock::now();
    const std::chrono::duration<double> wall = m_last - m_start;
    std::cerr << "[" << static_cast<int>(wall.count()) << " s] simulated "
              << Simulator::Now().GetSeconds() << " s, " << closed << " of " << m_planned
              << " rounds closed, " << FormatRounded(bytes / 1e6, 3) << " MB received, "
              << FormatRounded(static_cast<double>(closed) / wall.count(), 3) << " rounds/s\n";
}

} // namespace ns3::dlearn

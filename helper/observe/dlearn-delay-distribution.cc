/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-delay-distribution.h"

#include <cmath>

namespace ns3::dlearn
{

namespace
{

constexpr double STEP = 1.01; //!< between the bins

} // namespace

void
DelayDistribution::Add(Time delay)
{
    ++m_count;
    if (!delay.IsStrictlyPositive()) // 0, as that of most packets
    {
        ++m_none;
        return;
    }
    const double milliseconds = delay.GetSeconds() * 1e3;
    m_total += milliseconds;
    // Bin b holds the delays from STEP^(b - 1) to STEP^b nanoseconds.
    ++m_bins[static_cast<int>(std::ceil(std::log(milliseconds * 1e6) / std::log(STEP)))];
}

double
DelayDistribution::GetWorst() const
{
    uint64_t below = m_none;
    double worst = 0;
    for (auto bin = m_bins.begin(); bin != m_bins.end() && below * 100 < m_count * 99; ++bin)
    {
        below += bin->second;
        worst = std::pow(STEP, bin->first) / 1e6;
    }
    return worst;
}

} // namespace ns3::dlearn

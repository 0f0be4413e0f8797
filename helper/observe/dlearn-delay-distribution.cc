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
    const double milliseconds = delay.GetSeconds() * 1e3;
    m_total += milliseconds;
    ++m_count;
    // Bin b holds the delays from STEP^(b - 1) to STEP^b nanoseconds.
    ++m_bins[milliseconds > 0
                 ? static_cast<int>(std::ceil(std::log(milliseconds * 1e6) / std::log(STEP)))
                 : -1];
}

double
DelayDistribution::GetMean() const
{
    return m_count > 0 ? m_total / static_cast<double>(m_count) : 0;
}

double
DelayDistribution::GetWorst() const
{
    uint64_t below = 0;
    for (const auto& [bin, delays] : m_bins)
    {
        below += delays;
        if (below * 100 >= m_count * 99)
        {
            return bin < 0 ? 0 : std::pow(STEP, bin) / 1e6;
        }
    }
    return 0;
}

} // namespace ns3::dlearn

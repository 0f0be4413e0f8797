/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-entry-totals.h"

#include <algorithm>
#include <limits>

namespace ns3::dlearn
{

void
EntryTotals::Add(double weight, const std::vector<bool>& present)
{
    if (m_arrived.size() == 0 && !present.empty())
    {
        m_arrived = ModelVector::Constant(present.size(), m_all);
    }
    m_all += weight;
    for (Eigen::Index k = 0; k < m_arrived.size(); ++k)
    {
        m_arrived[k] += present.empty() || present[k] ? weight : 0;
    }
}

double
EntryTotals::GetLeast(const std::vector<bool>& present) const
{
    if (m_arrived.size() == 0)
    {
        return m_all;
    }
    double least = std::numeric_limits<double>::infinity();
    for (Eigen::Index k = 0; k < m_arrived.size(); ++k)
    {
        if (present.empty() || present[k])
        {
            least = std::min(least, m_arrived[k]);
        }
    }
    return least;
}

void
EntryTotals::Renormalise(VectorRef mean) const
{
    for (Eigen::Index k = 0; k < m_arrived.size(); ++k)
    {
        mean[k] = m_arrived[k] > 0 ? mean[k] * (m_all / m_arrived[k]) : 0;
    }
}

} // namespace ns3::dlearn

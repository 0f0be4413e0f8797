/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-report.h"

#include "ns3/dlearn-text-format.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace ns3::dlearn
{

void
Spread::Add(double value)
{
    m_sum += value;
    ++m_count;
    m_low = std::isnan(value) ? value : std::min(m_low, value);
    m_high = std::isnan(value) ? value : std::max(m_high, value);
}

double
Spread::GetMean() const
{
    return m_sum / m_count;
}

double
Spread::GetLow() const
{
    return m_low;
}

double
Spread::GetHigh() const
{
    return m_high;
}

FigureSeries
MakeSeries(const std::string& name, const std::vector<double>& x, const std::vector<Spread>& y)
{
    FigureSeries series{name, x, {}};
    for (const Spread& value : y)
    {
        series.y.push_back(value.GetMean());
        series.low.push_back(value.GetLow());
        series.high.push_back(value.GetHigh());
    }
    return series;
}

std::string
FormatFields(const Spread& value)
{
    return "," + FormatShortest(value.GetMean()) + "," + FormatShortest(value.GetLow()) + "," +
           FormatShortest(value.GetHigh());
}

bool
Check(bool holds, const std::string& what)
{
    std::cout << (holds ? "  yes  " : "  NO   ") << what << "\n";
    return holds;
}

void
ForEachRun(uint32_t runs, const std::function<void()>& body)
{
    const uint64_t first = RngSeedManager::GetRun();
    for (uint32_t run = 0; run < runs; ++run)
    {
        RngSeedManager::SetRun(first + run);
        body();
    }
    RngSeedManager::SetRun(first);
}

} // namespace ns3::dlearn

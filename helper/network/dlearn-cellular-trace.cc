/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cellular-trace.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>

namespace ns3::dlearn
{

CellularTrace::CellularTrace(const std::string& path)
{
    LineReader reader(path);
    std::string line;
    while (reader.Next(line))
    {
        const auto time = ParseWholeNumber(line);
        Require(time.has_value(),
                reader.GetPlace(),
                ": time must be a whole number of milliseconds from 0 to 4294967295, got '",
                line.substr(0, 40),
                "'");
        Require(m_times.empty() || *time >= m_times.back(),
                reader.GetPlace(),
                ": time must be at least the one before it, ",
                m_times.empty() ? 0 : m_times.back(),
                ", got ",
                *time);
        m_times.push_back(*time);
    }
    Require(!m_times.empty(), path, ": a trace must have at least one packet opportunity");
    Require(m_times.back() > 0, path, ": a trace must have a time greater than 0, all are 0");
    m_times.shrink_to_fit();
}

Time
CellularTrace::GetPeriod() const
{
    return MilliSeconds(m_times.back());
}

Time
CellularTrace::GetTime(uint64_t k) const
{
    return MilliSeconds(k / GetCount() * m_times.back() + m_times[k % GetCount()]);
}

uint64_t
CellularTrace::FindFrom(Time time) const
{
    // A time of the trace is not before a given time when it is not before the next whole
    // millisecond. The end of a period belongs to it, so that its last opportunities are found
    // before the first ones of the next.
    const uint64_t nanoseconds = time.GetNanoSeconds();
    const uint64_t milliseconds = nanoseconds / 1000000 + (nanoseconds % 1000000 > 0);
    const uint64_t period = m_times.back();
    const uint64_t pass = milliseconds == 0 ? 0 : (milliseconds - 1) / period;
    const auto found =
        std::lower_bound(m_times.begin(), m_times.end(), milliseconds - pass * period);
    return pass * GetCount() + (found - m_times.begin());
}

} // namespace ns3::dlearn

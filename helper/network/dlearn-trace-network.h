/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_TRACE_NETWORK_H
#define DLEARN_TRACE_NETWORK_H

#include "ns3/nstime.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The times at which a cellular link can send packets: a recorded sequence of opportunities, each
 * for 1500 bytes.
 *
 * The format is that of Mahimahi (R. Netravali et al., USENIX ATC 2015) and of the traces of
 * K. Winstein, A. Sivaraman, H. Balakrishnan, "Stochastic forecasts achieve high throughput and
 * low delay over cellular networks", USENIX NSDI 2013: a text, plain or in gzip format, each
 * line of which is the time in whole milliseconds at which one packet of 1500 bytes can cross
 * the link; a time repeats when several can.
 *
 * The trace repeats for ever. As in Mahimahi its period is its last time: the opportunities at
 * time 0 of a repetition come together with the last ones of the repetition before.
 */
class CellularTrace
{
  public:
    /** Bytes that one opportunity lets through. */
    static constexpr uint32_t OPPORTUNITY_BYTES = 1500;

    /**
     * @param path the file
     * @throw std::runtime_error when the file cannot be read
     * @throw std::invalid_argument naming the file and the line when a line is not a whole
     *        number of milliseconds below 2^32 or less than the one before, and naming the file
     * when it has no line or no time above 0
     */
    explicit CellularTrace(const std::string& path);

    /** @return number of opportunities in a period, at least 1 */
    uint64_t GetCount() const { return m_times.size(); }

    /** @return time after which the trace repeats, more than 0 */
    Time GetPeriod() const { return MilliSeconds(m_times.back()); }

    /**
     * @param k number of an opportunity, from 0, counted on through the repetitions
     * @return when it occurs; not before the previous one
     */
    Time GetTime(uint64_t k) const;

    /**
     * @param time at least 0
     * @return the first opportunity that comes at that time or later
     */
    uint64_t FindFrom(Time time) const;

  private:
    std::vector<uint32_t> m_times; //!< milliseconds, non-decreasing, the last more than 0
};

} // namespace ns3::dlearn

#endif // DLEARN_TRACE_NETWORK_H

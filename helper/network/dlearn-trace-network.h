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
 * The recorded transmission opportunities of a cellular link, each for 1500 bytes.
 *
 * The format is that of Mahimahi (R. Netravali et al., USENIX ATC 2015) and of the traces of K.
 * Winstein, A. Sivaraman, H. Balakrishnan, "Stochastic forecasts achieve high throughput and low
 * delay over cellular networks", USENIX NSDI 2013: a text file, plain or compressed by gzip. Each
 * line is the time in whole milliseconds at which one packet of 1500 bytes can cross the link; a
 * time repeats if several packets can.
 *
 * The trace repeats without end. As in Mahimahi, its period is its last time: the opportunities at
 * time 0 of a repetition coincide with the last ones of the repetition before.
 */
class CellularTrace
{
  public:
    /** Bytes that can be sent at one opportunity. */
    static constexpr uint32_t OPPORTUNITY_BYTES = 1500;

    /**
     * @param path the file
     * @throw std::runtime_error when the file cannot be read
     * @throw std::invalid_argument naming the file and the line when a line is not a whole number
     *        of milliseconds below 2^32 or is less than the previous one, and naming the file when
     *        it has no line or no time above 0
     */
    explicit CellularTrace(const std::string& path);

    /** @return number of opportunities in a period, at least 1 */
    uint64_t GetCount() const { return m_times.size(); }

    /** @return the period of the trace, more than 0 */
    Time GetPeriod() const { return MilliSeconds(m_times.back()); }

    /**
     * @param k index of an opportunity, from 0, continuing through the repetitions
     * @return its time, non-decreasing in @p k
     */
    Time GetTime(uint64_t k) const;

    /**
     * @param time at least 0
     * @return index of the first opportunity at or after this time
     */
    uint64_t FindFrom(Time time) const;

  private:
    std::vector<uint32_t> m_times; //!< milliseconds, non-decreasing, the last more than 0
};

} // namespace ns3::dlearn

#endif // DLEARN_TRACE_NETWORK_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SIMULATED_TIME_H
#define DLEARN_SIMULATED_TIME_H

#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <string>

/**
 * @file
 * Simulated time that cannot overflow, and times and rates from text. ns-3 counts nanoseconds in 64
 * bits, which overflow at 292 years. Here times end at half of that, so that the sum of two of them
 * always fits. All functions throw std::invalid_argument that names the thing, the value and the
 * rule; ns-3's own parsers abort the program on a wrong unit.
 */

namespace ns3::dlearn
{

/** In nanoseconds; all times are less: about 146 years. */
inline constexpr double END_OF_TIME = 4.6e18;

/**
 * @param what owner of the time, for the message
 * @param seconds the time: at least 0 and below END_OF_TIME
 * @return the time
 */
Time MakeTime(const std::string& what, double seconds);

/**
 * Refuse to wait beyond the end of time.
 *
 * @param what owner of the time, for the message
 * @param now the simulated time
 * @param span time to wait, at least 0
 * @return the span
 */
Time CheckSpan(const std::string& what, Time now, Time span);

/** @return the delay from @p now until a time that is not in the past; @p what names it */
Time GetDelayUntil(const std::string& what, Time now, Time time);

/**
 * @param name of the time, for the message
 * @param text a number at least 0 and one of the units ns, us, ms, s, min, h: "1.5ms"
 * @return the time
 */
Time ParseTime(const std::string& name, const std::string& text);

/**
 * @param name of the rate, for the message
 * @param text a number greater than 0 and one of the units bps, kbps, Mbps, Gbps: "5Mbps"
 * @return the rate
 */
DataRate ParseDataRate(const std::string& name, const std::string& text);

} // namespace ns3::dlearn

#endif // DLEARN_SIMULATED_TIME_H

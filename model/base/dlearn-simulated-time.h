/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SIMULATED_TIME_H
#define DLEARN_SIMULATED_TIME_H

#include "ns3/nstime.h"

#include <string>

/**
 * @file
 * Simulated time that cannot overflow. ns-3 counts nanoseconds in 64 bits, which end at 292 years,
 * and goes on with negative times when a sum is beyond. Here times end at half of that, so that the
 * sum of two of them always fits.
 */

namespace ns3::dlearn
{

/** In nanoseconds; all times are less: about 146 years. */
inline constexpr double END_OF_TIME = 4.6e18;

/**
 * @param what has the time, for the message
 * @param seconds the time
 * @return it
 * @throw std::invalid_argument when it is negative, too long or no number
 */
Time MakeTime(const std::string& what, double seconds);

/**
 * Refuse to wait beyond the end of time.
 *
 * @param what lasts so long, for the message
 * @param now the simulated time
 * @param span how long from now on
 * @return the span
 * @throw std::invalid_argument when it is negative or ends too late
 */
Time CheckSpan(const std::string& what, Time now, Time span);

/**
 * @param what happens then, for the message
 * @param now the simulated time
 * @param time when it is to happen
 * @return how long from now on
 * @throw std::invalid_argument when it is in the past
 */
Time GetDelayUntil(const std::string& what, Time now, Time time);

} // namespace ns3::dlearn

#endif // DLEARN_SIMULATED_TIME_H

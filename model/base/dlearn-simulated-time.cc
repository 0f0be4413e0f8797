/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-simulated-time.h"

#include "dlearn-check.h"

namespace ns3::dlearn
{

Time
MakeTime(const std::string& what, double seconds)
{
    const double limit = END_OF_TIME / 1e9;
    Require(seconds >= 0 && seconds < limit,
            what,
            " must be from 0 to below ",
            limit,
            " s (146 years), got ",
            seconds,
            " s");
    return Seconds(seconds);
}

Time
CheckSpan(const std::string& what, Time now, Time span)
{
    Require(!span.IsStrictlyNegative(),
            what,
            " must last at least 0 s, got ",
            static_cast<double>(span.GetNanoSeconds()) / 1e9, // GetSeconds() shifts a negative one
            " s");
    // As floating-point numbers, because the sum may not fit.
    const double end = static_cast<double>(now.GetNanoSeconds()) + span.GetNanoSeconds();
    Require(end < END_OF_TIME,
            what,
            " of ",
            span.GetSeconds(),
            " s, begun at ",
            now.GetSeconds(),
            " s, must end before ",
            END_OF_TIME / 1e9,
            " s (146 years) of simulated time");
    return span;
}

Time
GetDelayUntil(const std::string& what, Time now, Time time)
{
    Require(time >= now,
            what,
            " at ",
            time.As(Time::S),
            " is in the past, as it is already ",
            now.As(Time::S));
    return time - now;
}

} // namespace ns3::dlearn

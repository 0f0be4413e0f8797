/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-simulated-time.h"

#include "dlearn-check.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <map>

namespace ns3::dlearn
{

namespace
{

/** @return number times unit; NaN unless the text is a number, at least 0, and a known unit */
double
ParseQuantity(const std::string& text, const std::map<std::string, double>& units)
{
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    const auto unit = units.find(std::string(stop, end));
    const bool good = problem == std::errc() && unit != units.end() && number >= 0;
    return good ? number * unit->second : std::numeric_limits<double>::quiet_NaN();
}

} // namespace

Time
MakeTime(const std::string& what, double seconds)
{
    const double limit = END_OF_TIME / 1e9;
    Require(seconds >= 0 && seconds < limit,
            "{} must be from 0 to below {} s (146 years), got {} s",
            what,
            limit,
            seconds);
    return Seconds(seconds);
}

Time
CheckSpan(const std::string& what, Time now, Time span)
{
    Require(!span.IsStrictlyNegative(),
            "{} must last at least 0 s, got {} s",
            what,
            static_cast<double>(span.GetNanoSeconds()) / 1e9); // GetSeconds() shifts a negative one
    // As floating-point numbers, because the sum may not fit.
    const double end = static_cast<double>(now.GetNanoSeconds()) + span.GetNanoSeconds();
    Require(end < END_OF_TIME,
            "{} of {} s, begun at {} s, must end before {} s (146 years) of simulated time",
            what,
            span.GetSeconds(),
            now.GetSeconds(),
            END_OF_TIME / 1e9);
    return span;
}

Time
GetDelayUntil(const std::string& what, Time now, Time time)
{
    Require(time >= now,
            "{} at {} is in the past, as it is already {}",
            what,
            time.As(Time::S),
            now.As(Time::S));
    return time - now;
}

Time
ParseTime(const std::string& name, const std::string& text)
{
    static const std::map<std::string, double> nanoseconds{{"ns", 1},
                                                           {"us", 1e3},
                                                           {"ms", 1e6},
                                                           {"s", 1e9},
                                                           {"min", 60e9},
                                                           {"h", 3600e9}};
    const double value = ParseQuantity(text, nanoseconds);
    Require(value < END_OF_TIME,
            "{} must be a time of at least 0 with a unit, such as 10ms or 2.5s, got '{}'",
            name,
            text);
    return NanoSeconds(static_cast<uint64_t>(std::llround(value)));
}

DataRate
ParseDataRate(const std::string& name, const std::string& text)
{
    static const std::map<std::string, double> bitsPerSecond{{"bps", 1},
                                                             {"kbps", 1e3},
                                                             {"Mbps", 1e6},
                                                             {"Gbps", 1e9}};
    const double value = ParseQuantity(text, bitsPerSecond);
    Require(value >= 1 && value < 1e18,
            "{} must be a rate of at least 1bps with a unit, such as 500kbps or 5Mbps, got '{}'",
            name,
            text);
    return DataRate(static_cast<uint64_t>(std::llround(value)));
}

} // namespace ns3::dlearn

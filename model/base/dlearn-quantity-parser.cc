/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-quantity-parser.h"

#include "dlearn-check.h"
#include "dlearn-simulated-time.h"

#include <charconv>
#include <map>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/**
 * Split a text in number and unit.
 *
 * @param text the text
 * @param units known units and what they are worth
 * @param value result: number times the unit's worth
 * @return whether the text is a number, at least 0 and finite, and a known unit
 */
bool
ParseQuantity(const std::string& text, const std::map<std::string, double>& units, double& value)
{
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    const auto unit = units.find(std::string(stop, end));
    if (problem != std::errc() || unit == units.end() || !std::isfinite(number) || number < 0)
    {
        return false;
    }
    value = number * unit->second;
    return true;
}

} // namespace

Time
ParseTime(const std::string& name, const std::string& text)
{
    static const std::map<std::string, double> nanoseconds{{"ns", 1},
                                                           {"us", 1e3},
                                                           {"ms", 1e6},
                                                           {"s", 1e9},
                                                           {"min", 60e9},
                                                           {"h", 3600e9}};
    double value = 0;
    Require(ParseQuantity(text, nanoseconds, value) && value < END_OF_TIME,
            name,
            " must be a time of at least 0 with a unit, such as 10ms or 2.5s, got '",
            text,
            "'");
    return NanoSeconds(static_cast<uint64_t>(std::llround(value)));
}

DataRate
ParseDataRate(const std::string& name, const std::string& text)
{
    static const std::map<std::string, double> bitsPerSecond{{"bps", 1},
                                                             {"kbps", 1e3},
                                                             {"Mbps", 1e6},
                                                             {"Gbps", 1e9}};
    double value = 0;
    Require(ParseQuantity(text, bitsPerSecond, value) && value >= 1 && value < 1e18,
            name,
            " must be a rate of at least 1bps with a unit, such as 500kbps or 5Mbps, got '",
            text,
            "'");
    return DataRate(static_cast<uint64_t>(std::llround(value)));
}

} // namespace ns3::dlearn

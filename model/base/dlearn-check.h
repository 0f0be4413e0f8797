/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CHECK_H
#define DLEARN_CHECK_H

/**
 * @file
 * Checks that stay in every build profile: NS_ASSERT is compiled out of the ns-3 that Debian ships,
 * so a wrong argument is refused with std::invalid_argument. The message names the thing, the value
 * and the rule: "LaplaceMechanism: BaseScale must be at least 0, got -1".
 */

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

namespace ns3::dlearn
{

/**
 * @param text with holes: {}
 * @param values fill the holes in order; the others are appended
 * @return the text with the values as streams write them
 */
template <typename Text, typename... Values>
std::string
FormatText(const Text& text, const Values&... values)
{
    std::ostringstream head;
    head << text;
    std::string result = head.str();
    size_t position = 0;
    [[maybe_unused]] const auto put = [&](const auto& value) {
        std::ostringstream piece;
        piece << value;
        const size_t hole = result.find("{}", position);
        if (hole == std::string::npos)
        {
            result += piece.str();
            return;
        }
        result.replace(hole, 2, piece.str());
        position = hole + piece.str().size();
    };
    (put(values), ...);
    return result;
}

/**
 * Refuse unless a condition holds.
 *
 * @param condition the rule
 * @param message text and values of FormatText()
 * @throw std::invalid_argument with the message when the condition is false
 */
template <typename... Parts>
void
Require(bool condition, const Parts&... message)
{
    if (!condition)
    {
        throw std::invalid_argument(FormatText(message...));
    }
}

/**
 * Refuse a number that is not finite and strictly positive.
 *
 * @param where the class or function that checks
 * @param name the argument or attribute
 * @param value its value
 */
inline void
RequirePositive(const std::string& where, const std::string& name, double value)
{
    Require(std::isfinite(value) && value > 0,
            "{}: {} must be finite and greater than 0, got {}",
            where,
            name,
            value);
}

/** Refuse a number that is not finite and at least zero; see RequirePositive(). */
inline void
RequireNonNegative(const std::string& where, const std::string& name, double value)
{
    Require(std::isfinite(value) && value >= 0,
            "{}: {} must be finite and at least 0, got {}",
            where,
            name,
            value);
}

/** Refuse an argument or attribute of a wrong size; see RequirePositive(). */
inline void
RequireSize(const std::string& where, const std::string& name, size_t got, size_t wanted)
{
    Require(got == wanted, "{}: {} must have {} entries, got {}", where, name, wanted, got);
}

} // namespace ns3::dlearn

#endif // DLEARN_CHECK_H

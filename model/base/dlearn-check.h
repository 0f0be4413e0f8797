/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CHECK_H
#define DLEARN_CHECK_H

/**
 * @file
 * Checks that stay in every build profile.
 *
 * NS_ASSERT is compiled out of the ns-3 that Debian ships, so a wrong argument is refused
 * with std::invalid_argument. The message names the thing, the value and the rule:
 * "LaplaceMechanism: BaseScale must be at least 0, got -1".
 */

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>

namespace ns3::dlearn
{

/**
 * Refuse unless a condition holds.
 *
 * @param condition what must be true
 * @param parts pieces of the message, streamed one after the other when it is not
 * @throw std::invalid_argument when the condition is false
 */
template <typename... Parts>
void
Require(bool condition, const Parts&... parts)
{
    if (!condition)
    {
        std::ostringstream message;
        (message << ... << parts);
        throw std::invalid_argument(message.str());
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
            where,
            ": ",
            name,
            " must be finite and greater than 0, got ",
            value);
}

/**
 * Refuse a number that is not finite and at least zero.
 *
 * @param where the class or function that checks
 * @param name the argument or attribute
 * @param value its value
 */
inline void
RequireNonNegative(const std::string& where, const std::string& name, double value)
{
    Require(std::isfinite(value) && value >= 0,
            where,
            ": ",
            name,
            " must be finite and at least 0, got ",
            value);
}

/**
 * Refuse two sizes that should agree and do not.
 *
 * @param where the class or function that checks
 * @param name what has the size
 * @param got the size it has
 * @param wanted the size it must have
 */
inline void
RequireSize(const std::string& where, const std::string& name, size_t got, size_t wanted)
{
    Require(got == wanted, where, ": ", name, " must have ", wanted, " entries, got ", got);
}

} // namespace ns3::dlearn

#endif // DLEARN_CHECK_H

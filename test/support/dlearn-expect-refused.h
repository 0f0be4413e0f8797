/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EXPECT_REFUSED_H
#define DLEARN_EXPECT_REFUSED_H

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace ns3::dlearn
{

/**
 * Expect that an action is refused with a message that says why.
 *
 * @tparam Error the exception it must throw
 * @param action what to try
 * @param message what the exception's message must contain
 */
template <typename Error = std::invalid_argument, typename Action>
void
ExpectRefused(Action action, const std::string& message)
{
    try
    {
        action();
        ADD_FAILURE() << "not refused; expected: " << message;
    }
    catch (const Error& error)
    {
        EXPECT_NE(std::string(error.what()).find(message), std::string::npos)
            << "message:  " << error.what() << "\nexpected: " << message;
    }
}

} // namespace ns3::dlearn

#endif // DLEARN_EXPECT_REFUSED_H

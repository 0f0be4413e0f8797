/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-run-guarded.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace ns3::dlearn
{
namespace
{

/** @return what RunGuarded() prints of a body that fails */
std::string
GetLine(const std::function<void()>& body)
{
    testing::internal::CaptureStderr();
    EXPECT_EQ(RunGuarded("a-program", body), 1);
    return testing::internal::GetCapturedStderr();
}

TEST(RunGuarded, MakesALineOfWhateverIsThrown)
{
    EXPECT_EQ(GetLine([] { throw std::invalid_argument("x must be 1"); }),
              "a-program: error: x must be 1\n");
    EXPECT_EQ(GetLine([] { throw 42; }),
              "a-program: error: an exception that is no std::exception\n");
    EXPECT_EQ(RunGuarded("a-program", [] {}), 0);
}

} // namespace
} // namespace ns3::dlearn

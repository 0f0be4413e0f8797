/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/abort.h"
#include "ns3/dlearn-process-guards.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

namespace ns3::dlearn
{

namespace
{

TEST(TerminateHandler, EndsTheProgramWithOneMoreLine)
{
    EXPECT_EXIT(
        {
            const TerminateHandler handler("a-program");
            NS_ABORT_MSG("out of range");
        },
        ::testing::ExitedWithCode(1),
        "out of range.*\na-program: error: ns-3 ended the program, for the reason in the line "
        "above\n$");
}

TEST(TerminateHandler, SavesWhatThereIs)
{
    EXPECT_EXIT(
        {
            const TerminateHandler outer("outer");
            const TerminateHandler inner("inner", [] { return "; saved"; });
            std::terminate();
        },
        ::testing::ExitedWithCode(1),
        "^inner: error: ns-3 ended .* above; saved\n$");
}

TEST(TerminateHandler, SurvivesWhatCanNotBeSaved)
{
    EXPECT_EXIT(
        {
            const TerminateHandler handler("a-program", []() -> std::string {
                throw std::runtime_error("disk full");
            });
            std::terminate();
        },
        ::testing::ExitedWithCode(1),
        "above; its results are lost: disk full");
    EXPECT_EXIT(
        {
            const TerminateHandler handler("a-program", []() -> std::string { std::terminate(); });
            std::terminate();
        },
        ::testing::ExitedWithCode(1),
        "^$");
}

TEST(TerminateHandler, EndsWithItsLife)
{
    const auto end = [] {
        const TerminateHandler outer("outer");
        {
            const TerminateHandler inner("inner");
        }
        std::terminate();
    };
    EXPECT_EXIT(end(), ::testing::ExitedWithCode(1), "^outer: error");
}

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

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/abort.h"
#include "ns3/dlearn-terminate-handler.h"

#include <cstdlib>
#include <gtest/gtest.h>
#include <stdexcept>

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
    EXPECT_EXIT(
        {
            {
                const TerminateHandler outer("outer");
                {
        const TerminateHandler inner("inner");
                }
                std::terminate();
}
} // namespace

,
        ::testing::ExitedWithCode(1),
        "^outer: error");
EXPECT_DEATH(
    {
        {
            const TerminateHandler handler("a-program");
        }
        std::terminate();
    },
    "terminate called");
} // namespace ns3::dlearn

} // namespace
} // namespace ns3::dlearn

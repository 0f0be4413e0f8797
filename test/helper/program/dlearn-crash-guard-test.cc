/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Programs that end in a signal because of an attribute.
 */

#include "ns3/dlearn-crash-guard.h"

#include <csignal>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

class CrashGuardTest : public testing::Test
{
  protected:
    void SetUp() override
    {
        struct sigaction now
        {
        };

        sigaction(SIGSEGV, nullptr, &now);
        if (now.sa_handler != SIG_DFL)
        {
            GTEST_SKIP() << "something else, such as a sanitizer, handles the signal";
        }
    }
};

TEST_F(CrashGuardTest, NamesTheAttributesInOneLine)
{
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE})
    {
        EXPECT_EXIT(
            {
                const CrashGuard guard("a-program", {{"ns3::A::B", "0"}, {"ns3::A::C", "x"}});
                raise(signal);
            },
            testing::ExitedWithCode(1),
            "^a-program: error: ns-3 fails with the attributes given "
            "\\(ns3::A::B=0, ns3::A::C=x\\): [^\n]*\n$");
    }
}

/** @return a number, after as much of the stack as there is */
int
Recurse(int depth)
{
    volatile char used[4096];
    used[depth % sizeof(used)] = 1;
    return depth < 0 ? 0 : Recurse(depth + 1) + used[depth % sizeof(used)];
}

TEST_F(CrashGuardTest, SurvivesAFullStack)
{
    EXPECT_EXIT(
        {
            const CrashGuard guard("a-program", {{"ns3::A::B", "0"}});
            exit(Recurse(0) == 7 ? 3 : 4);
        },
        testing::ExitedWithCode(1),
        "^a-program: error: ");
}

TEST_F(CrashGuardTest, LeavesFailuresOfItsOwnAlone)
{
    EXPECT_EXIT(
        {
            const CrashGuard guard("a-program", {});
            raise(SIGSEGV);
        },
        testing::KilledBySignal(SIGSEGV),
        "^$");
    EXPECT_EXIT(
        {
            {
                const CrashGuard guard("a-program", {{"ns3::A::B", "0"}});
            }
            raise(SIGSEGV);
        },
        testing::KilledBySignal(SIGSEGV),
        "^$");
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-program-arguments.h"
#include "ns3/rng-seed-manager.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace ns3::dlearn
{

namespace
{

/** Parse a command line with one option, a whole number. */
uint32_t
Parse(const std::string& word)
{
    uint32_t number = 7;
    ProgramArguments arguments("program.cc");
    arguments.AddValue("number", "A number.", number);
    std::vector<std::string> words{"program", word};
    std::vector<char*> pointers;
    for (std::string& text : words)
    {
        pointers.push_back(text.data());
    }
    arguments.Parse(static_cast<int>(pointers.size()), pointers.data());
    return number;
}

TEST(ProgramArguments, WholeNumbersAreQuotedAsWritten)
{
    EXPECT_EQ(Parse("--number=0"), 0U);
    EXPECT_EQ(Parse("--number=4294967295"), 4294967295U);
    ExpectRefused([] { Parse("--number=-1"); },
                  "number must be a whole number of at least 0, got '-1'");
    ExpectRefused([] { Parse("--number=4294967296"); },
                  "number must be at most 4294967295, got '4294967296'");
}

// The largest seed that ns-3 takes; it aborts on the next.
TEST(ProgramArguments, SeedsAreThoseOfTheGenerator)
{
    Parse("--RngSeed=4294944442");
    EXPECT_EQ(RngSeedManager::GetSeed(), 4294944442U);
    Parse("--RngSeed=1");
    for (const std::string seed : {"0", "4294944443", "4294967295"})
    {
        ExpectRefused([&seed] { Parse("--RngSeed=" + seed); },
                      "RngSeed must be a whole number from 1 to 4294944442, got '" + seed + "'");
    }
    ExpectRefused([] { Parse("--RngSeed=-1"); }, "RngSeed must be a whole number");
    ExpectRefused([] { Parse("--RngRun=x"); },
                  "RngRun must be a whole number from 0 to 18446744073709551615, got 'x'");
}

TEST(ProgramArguments, GlobalTypesMustBeOfTheKindOfTheDefault)
{
    for (const std::string type : {"ns3::Node", "ns3::Scheduler", "nope", ""})
    {
        ExpectRefused([&type] { Parse("--SchedulerType=" + type); },
                      "SchedulerType must be the name of a type derived from ns3::Scheduler that "
                      "can be made, got '" +
                          type + "'");
    }
    for (const std::string type : {"ns3::Node", "ns3::SimulatorImpl", "nope"})
    {
        ExpectRefused([&type] { Parse("--SimulatorImplementationType=" + type); },
                      "must be the name of a type derived from ns3::SimulatorImpl that can be "
                      "made, got '" +
                          type + "'");
    }
}

} // namespace

} // namespace ns3::dlearn

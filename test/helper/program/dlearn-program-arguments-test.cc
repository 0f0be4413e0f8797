/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/config.h"
#include "ns3/dlearn-compute-model.h"
#include "ns3/dlearn-program-arguments.h"
#include "ns3/double.h"
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
ParseWords(std::vector<std::string> words)
{
    uint32_t number = 7;
    ProgramArguments arguments("program.cc");
    arguments.AddValue("number", "A number.", number, {"count"});
    arguments.AddReader("file", "FILE", "Sets the number.", [](const std::string& text) {
        return std::vector<std::string>{"--number=" + text};
    });
    words.insert(words.begin(), "program");
    std::vector<char*> pointers;
    for (std::string& text : words)
    {
        pointers.push_back(text.data());
    }
    arguments.Parse(static_cast<int>(pointers.size()), pointers.data());
    return number;
}

/** Parse a command line of one word. */
uint32_t
Parse(const std::string& word)
{
    return ParseWords({word});
}

TEST(ProgramArguments, HaveOneDashOrTwo)
{
    EXPECT_EQ(Parse("-number=3"), 3U);
    for (const std::string word : {"---number=3", "---RngRun=5", "---ns3::Node::Id=1", "---"})
    {
        ExpectRefused([&word] { Parse(word); },
                      "unexpected '" + word + "': options are written --name=value");
    }
}

TEST(ProgramArguments, TheLastValueCounts)
{
    EXPECT_EQ(ParseWords({"--file=3", "--number=4"}), 4U);
    EXPECT_EQ(ParseWords({"--number=4", "--file=3"}), 3U);
    EXPECT_EQ(ParseWords({"--file=3", "--file=5"}), 5U);
    EXPECT_EQ(ParseWords({"--number=3", "--count=4"}), 4U);
    ParseWords({"--RngRun=3", "-RngRun=2"});
    EXPECT_EQ(RngSeedManager::GetRun(), 2U);
    ParseWords({"--RngRun=1"});
    const std::string flops = "ns3::dlearn::FlopsCompute::Flops";
    ParseWords({"--" + flops + "=1e7", "--" + flops + "=1e8"});
    DoubleValue value;
    CreateObject<FlopsCompute>()->GetAttribute("Flops", value);
    EXPECT_EQ(value.Get(), 1e8);
    Config::Reset();
    ExpectRefused([] { Parse("--file="); }, "file needs a value: --file=VALUE");
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
    ExpectRefused([] { Parse("--RngRun=18446744073709551616"); }, "RngRun must be a whole number");
    Parse("--RngRun=18446744073709551615");
    EXPECT_EQ(RngSeedManager::GetRun(), 18446744073709551615U);
    Parse("--RngRun=1");
}

} // namespace

} // namespace ns3::dlearn

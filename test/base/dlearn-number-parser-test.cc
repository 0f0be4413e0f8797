/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-text-format.h"

#include <gtest/gtest.h>

namespace
{

using ns3::dlearn::ParseNumber;
using ns3::dlearn::ParseWholeNumbers;

TEST(NumberParser, ReadsNumbersToTheLastBit)
{
    EXPECT_EQ(ParseNumber("0"), 0.0);
    EXPECT_EQ(ParseNumber("-74.00597"), -74.00597);
    EXPECT_EQ(ParseNumber("+.5"), 0.5);
    EXPECT_EQ(ParseNumber("1e-3"), 0.001);
    EXPECT_EQ(ParseNumber("0.1234567890123456789"), 0.1234567890123456789);
}

TEST(NumberParser, RefusesAllElse)
{
    for (const char* text : {"",
                             " ",
                             "x",
                             "1x",
                             "1 ",
                             " 1",
                             "1 2",
                             "1,5",
                             "--1",
                             "1e",
                             "1.2.3",
                             "nan",
                             "inf",
                             "1e999",
                             "++1",
                             "+-1",
                             "+"})
    {
        EXPECT_FALSE(ParseNumber(text).has_value()) << "'" << text << "'";
    }
}

TEST(NumberParser, ReadsListsOfWholeNumbers)
{
    using Numbers = std::vector<uint32_t>;
    EXPECT_EQ(ParseWholeNumbers("3", 'x'), Numbers{3});
    EXPECT_EQ(ParseWholeNumbers("3x28x28", 'x'), (Numbers{3, 28, 28}));
    EXPECT_EQ(ParseWholeNumbers("0-4294967295", '-'), (Numbers{0, 4294967295}));
    for (const char* text : {"", "x", "3x", "x3", "3xx3", "3-3", "3x-3", "3x4294967296", "3 x3"})
    {
        EXPECT_FALSE(ParseWholeNumbers(text, 'x').has_value()) << "'" << text << "'";
    }
}

TEST(NumberParser, ReadsRanges)
{
    using Numbers = std::vector<uint32_t>;
    EXPECT_EQ(ParseRanges("3"), Numbers{3});
    EXPECT_EQ(ParseRanges("1-1"), Numbers{1});
    EXPECT_EQ(ParseRanges("0-2,7,5-6"), (Numbers{0, 1, 2, 7, 5, 6}));
    EXPECT_EQ(ParseRanges("4294967294-4294967295"), (Numbers{4294967294, 4294967295}));
    EXPECT_EQ(ParseRanges("1-1000000")->size(), 1000000U);
    for (const char* text : {"",
                             "x",
                             "1-",
                             "-1",
                             "3-1",
                             "1-2-3",
                             " 1",
                             "1 ",
                             "1.5",
                             "+1",
                             "1,",
                             ",1",
                             "1,,2",
                             "0-1000000",
                             "1;2",
                             "1-2,x",
                             "1--2",
                             "4294967296"})
    {
        EXPECT_FALSE(ParseRanges(text).has_value()) << "'" << text << "'";
    }
}

TEST(NumberParser, ReadsLinks)
{
    for (const auto& [text, bothWays] : {std::pair("3-12", true), {"3to12", false}})
    {
        const auto ends = ParseLinkName(text);
        ASSERT_TRUE(ends.has_value()) << text;
        EXPECT_EQ(ends->from, 3U);
        EXPECT_EQ(ends->to, 12U);
        EXPECT_EQ(ends->bothWays, bothWays);
    }
    for (const char* text :
         {"", "3", "3-", "-3", "to", "3to", "3-3", "3to3", "3-4-5", "3to4to5", "3-4to5", "a-b"})
    {
        EXPECT_FALSE(ParseLinkName(text).has_value()) << "'" << text << "'";
    }
}

} // namespace

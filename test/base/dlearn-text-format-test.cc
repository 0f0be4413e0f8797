/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-text-format.h"

#include <clocale>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

TEST(TextFormat, ShortestNumbersReadBackUnchanged)
{
    EXPECT_EQ(FormatShortest(0.1), "0.1");
    EXPECT_EQ(FormatShortest(1.0 / 3), "0.3333333333333333");
    EXPECT_EQ(FormatShortest(0.1 + 0.2), "0.30000000000000004");
    EXPECT_EQ(FormatShortest(100), "100");
    EXPECT_EQ(FormatShortest(1e23), "1e+23");
    EXPECT_EQ(FormatShortest(-0.0), "-0");
    EXPECT_EQ(FormatShortest(5e-324), "5e-324");
    EXPECT_EQ(FormatShortest(std::numeric_limits<double>::infinity()), "inf");
    EXPECT_EQ(FormatShortest(-std::numeric_limits<double>::infinity()), "-inf");
    EXPECT_EQ(FormatShortest(std::numeric_limits<double>::quiet_NaN()), "");

    std::mt19937_64 bits(1);
    for (int k = 0; k < 10000; ++k)
    {
        // Any pattern of bits, so all exponents.
        const uint64_t pattern = bits();
        double value = 0;
        static_assert(sizeof(value) == sizeof(pattern), "doubles have 64 bits");
        std::memcpy(&value, &pattern, sizeof(value));
        if (std::isfinite(value))
        {
            EXPECT_EQ(std::strtod(FormatShortest(value).c_str(), nullptr), value);
        }
    }
}

TEST(TextFormat, RoundedNumbersForPeople)
{
    EXPECT_EQ(FormatRounded(0.123456), "0.1235");
    EXPECT_EQ(FormatRounded(12345.6), "1.235e+04");
    EXPECT_EQ(FormatRounded(12345.6, 6), "12345.6");
    EXPECT_EQ(FormatRounded(2.5, 9), "2.5");
    EXPECT_EQ(FormatRounded(std::numeric_limits<double>::infinity()), "inf");
    EXPECT_EQ(FormatRounded(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(TextFormat, TimesAreExactDecimals)
{
    EXPECT_EQ(FormatSeconds(Seconds(0)), "0");
    EXPECT_EQ(FormatSeconds(MilliSeconds(1250)), "1.25");
    EXPECT_EQ(FormatSeconds(NanoSeconds(1)), "0.000000001");
    EXPECT_EQ(FormatSeconds(NanoSeconds(10000000010)), "10.00000001");
    EXPECT_EQ(FormatSeconds(NanoSeconds(-1500000000)), "-1.5");
    EXPECT_EQ(FormatSeconds(NanoSeconds(-500000000)), "-0.5");
    // A double of seconds would have lost the last digits.
    EXPECT_EQ(FormatSeconds(NanoSeconds(123456789012345678)), "123456789.012345678");
}

TEST(TextFormat, NumbersDoNotFollowTheLocale)
{
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* name : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"})
    {
        if (std::setlocale(LC_ALL, name) != nullptr)
        {
            break;
        }
    }
    EXPECT_EQ(FormatShortest(1234.5), "1234.5");
    EXPECT_EQ(FormatRounded(1234.5, 5), "1234.5");
    std::setlocale(LC_ALL, before.c_str());
}

TEST(TextFormat, CsvIsQuotedOnlyWhereNeeded)
{
    EXPECT_EQ(EscapeCsv("peer"), "peer");
    EXPECT_EQ(EscapeCsv("a,b"), "\"a,b\"");
    EXPECT_EQ(EscapeCsv("say \"x\""), "\"say \"\"x\"\"\"");
}

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

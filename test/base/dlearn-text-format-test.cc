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

TEST(TextFormat, XmlIsEscaped)
{
    EXPECT_EQ(EscapeXml("a < b && \"c\" > 'd'"),
              "a &lt; b &amp;&amp; &quot;c&quot; &gt; &#39;d&#39;");
    EXPECT_EQ(EscapeXml("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
              "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    EXPECT_EQ(EscapeXml(std::string("a\0b\x1b", 4)), "a?b?");
    EXPECT_EQ(EscapeXml("\xff\xc3"), "??");           // no UTF-8, and a cut sequence
    EXPECT_EQ(EscapeXml("\xc0\xaf"), "??");           // overlong
    EXPECT_EQ(EscapeXml("\xed\xa0\x80"), "???");      // surrogate
    EXPECT_EQ(EscapeXml("\xf4\x90\x80\x80"), "????"); // above U+10FFFF
}

TEST(TextFormat, CsvIsQuotedOnlyWhereNeeded)
{
    EXPECT_EQ(EscapeCsv("peer"), "peer");
    EXPECT_EQ(EscapeCsv("a,b"), "\"a,b\"");
    EXPECT_EQ(EscapeCsv("say \"x\""), "\"say \"\"x\"\"\"");
}

} // namespace

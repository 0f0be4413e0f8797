/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-number-parser.h"

#include <gtest/gtest.h>

namespace
{

using ns3::dlearn::ParseNumber;

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
                             "1e999"})
    {
        EXPECT_FALSE(ParseNumber(text).has_value()) << "'" << text << "'";
    }
}

} // namespace

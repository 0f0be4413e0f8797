/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"

#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

RowMatrix<double>
Read(const std::string& text)
{
    const std::string path = testing::TempDir() + "dlearn-csv-rows-test.csv";
    WriteTextFile(path, text);
    return ReadCsvRows(path);
}

} // namespace

TEST(CsvRows, ReadsNumbers)
{
    RowMatrix<double> wanted(2, 3);
    wanted << 1, -2.5, 3e30, 0.1, 1e-300, 7;
    EXPECT_EQ(Read("1,-2.5,3e30\n0.1,1e-300,7\n"), wanted);
    EXPECT_EQ(Read("\n 1 ,-2.5,\t3e30\r\n\r\n0.1,1e-300,+7"), wanted);
    EXPECT_EQ(Read("\xEF\xBB\xBF" // a byte order mark
                   "1,-2.5,3e30\n0.1,1e-300,7\n"),
              wanted);
    const RowMatrix<double> special = Read("nan,inf,-inf");
    EXPECT_TRUE(std::isnan(special(0, 0)));
    EXPECT_EQ(special(0, 1), HUGE_VAL);
    EXPECT_EQ(special(0, 2), -HUGE_VAL);
}

TEST(CsvRows, SaysWhereItIsWrong)
{
    ExpectRefused([] { Read("1,2\n3, x\n"); }, "test.csv:2:4: 'x' is not a number");
    ExpectRefused([] { Read("1\n\xEF\xBB\xBF\x32\n"); },
                  "test.csv:2:1: '\xEF\xBB\xBF\x32' is not a");
    ExpectRefused([] { Read("1,,2\n"); }, "test.csv:1:3: '' is not a number");
    ExpectRefused([] { Read("1,2,\n"); }, "test.csv:1:5: '' is not a number");
    ExpectRefused([] { Read(",1\n"); }, "test.csv:1:1: '' is not a number");
    ExpectRefused([] { Read("1 2\n"); }, "test.csv:1:1: '1 2' is not a number");
    ExpectRefused([] { Read("1,1e999\n"); }, "test.csv:1:3: '1e999' is not a number that a double");
    ExpectRefused([] { Read("1,2\n\n3\n"); }, "test.csv:3: vectors must be of one length, got 1");
    ExpectRefused([] { Read("1\n2,3\n"); }, "got 2 numbers after vectors of 1");
    ExpectRefused([] { Read("\n \n"); }, "contains no vector");
    ExpectRefused<std::runtime_error>([] { ReadCsvRows("/no/such/file"); }, "/no/such/file");
}

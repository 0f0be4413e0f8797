/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-data-readers.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <locale>
#include <random>
#include <stdexcept>

namespace
{

using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

Dataset
ReadText(const std::string& text,
         LibsvmLabels labels = LibsvmLabels::CLASSES,
         uint32_t minFeatures = 0)
{
    return ReadLibsvm(TemporaryFile(text).GetPath(), labels, minFeatures);
}

/** Expect a message that starts with the path and goes on as given. */
void
ExpectTextRefused(const std::string& text,
                  const std::string& message,
                  LibsvmLabels labels = LibsvmLabels::CLASSES)
{
    const TemporaryFile file(text);
    ExpectRefused<std::runtime_error>([&] { ReadLibsvm(file.GetPath(), labels); },
                                      file.GetPath() + message);
}

TEST(LibsvmReader, WhatWasWrittenComesBack)
{
    std::mt19937_64 random(1);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    Eigen::MatrixXd features = Eigen::MatrixXd::Zero(30, 400);
    Eigen::VectorXd targets(400);
    std::string text;
    char number[64];
    for (int sample = 0; sample < 400; ++sample)
    {
        targets(sample) = normal(random);
        std::snprintf(number, sizeof(number), "%.17g", targets(sample)); // 17 digits suffice
        text += number;
        for (int row = 0; row < 30; ++row)
        {
            // The last feature is always there, some samples have no other one.
            if (row == 29 || uniform(random) < 0.1 * (sample % 5))
            {
                features(row, sample) = normal(random) * std::pow(10, 40 * normal(random));
                std::snprintf(number, sizeof(number), " %d:%.17g", row + 1, features(row, sample));
                text += number;
            }
        }
        text += '\n';
    }
    for (const bool compress : {false, true})
    {
        const TemporaryFile file(text, compress);
        const Dataset data = ReadLibsvm(file.GetPath(), LibsvmLabels::TARGETS);
        data.Validate();
        EXPECT_EQ(data.features, features);
        EXPECT_EQ(data.labels, targets);
        EXPECT_EQ(data.classes, 0U);
        EXPECT_TRUE(data.labelNames.empty());
        EXPECT_EQ(data.name, std::filesystem::path(file.GetPath()).filename());
    }
}

TEST(LibsvmReader, AcceptsTheWholeFormat)
{
    Eigen::MatrixXd features = Eigen::MatrixXd::Zero(3, 4);
    features(0, 0) = 0.5;
    features(2, 0) = -2e3;
    features(1, 2) = 4;
    for (const std::string end : {"\n", "\r\n"})
    {
        const std::string text = "# a heading" + end + "+1 1:.5 3:-2E+3 # why" + end + end + " \t" +
                                 end + "-1" + end + "1  2:+4.0\t 3:0 " + end + "-1#2:9";
        const Dataset data = ReadText(text);
        EXPECT_EQ(data.features, features);
        EXPECT_EQ(data.labels, Eigen::Vector4d(1, 0, 1, 0));
        EXPECT_EQ(data.labelNames, (std::vector<std::string>{"-1", "+1"}));
    }
    EXPECT_EQ(ReadText("1 2:1\n", LibsvmLabels::CLASSES, 5).GetFeatures(), 5U);
    EXPECT_EQ(ReadText("1 2:1\n", LibsvmLabels::CLASSES, 1).GetFeatures(), 2U);
    EXPECT_EQ(ReadText("1\n2\n", LibsvmLabels::CLASSES, 7).features, Eigen::MatrixXd::Zero(7, 2));
}

TEST(LibsvmReader, ClassesAreNumberedInNumericOrder)
{
    const Dataset data = ReadText("10 1:1\n9 1:1\n-3 1:1\n9.0 1:1\n1e1 1:1\n0 1:1\n-0 1:1\n");
    data.Validate();
    EXPECT_EQ(data.classes, 4U);
    EXPECT_EQ(data.labelNames, (std::vector<std::string>{"-3", "0", "9", "10"}));
    Eigen::VectorXd labels(7);
    labels << 3, 2, 0, 2, 3, 1, 1;
    EXPECT_EQ(data.labels, labels);

    std::string many;
    for (int label = 1000; label > 0; --label)
    {
        many += std::to_string(label) + " 1:1\n";
    }
    EXPECT_EQ(ReadText(many).classes, 1000U);
    EXPECT_EQ(ReadText(many).labels(0), 999);
    ExpectTextRefused(
        many + "7 1:1\n0 1:1\n",
        ":1002:1: label, got '0', there must be at most 1000 different classes (targets of "
        "a regression?)");
    EXPECT_EQ(ReadText(many + "0 1:1\n", LibsvmLabels::TARGETS).GetSize(), 1001U);
}

TEST(LibsvmReader, RefusesMalformedLines)
{
    const std::string number = "must be a finite decimal number that fits a double";
    const std::string index = "must be a whole number from 1 to 10000000";

    const struct
    {
        std::string text;
        std::string message;
    } cases[] = {
        {"one 1:1", ":1:1: label, got 'one', " + number},
        {"1:1 2:1", ":1:1: label, got '1:1', " + number},
        {"1,2 1:1", ":1:1: label, got '1,2', " + number},
        {"nan 1:1", ":1:1: label, got 'nan', " + number},
        {"+-1 1:1", ":1:1: label, got '+-1', " + number},
        {"1 1:1\r2 1:1", ":1:5: value, got '1?2', " + number},
        {"1 1:1\n\n1 1:2 2:x", ":3:9: value, got 'x', " + number},
        {"1 1:1\n1 1:nan", ":2:5: value, got 'nan', " + number},
        {"1 1:-inf", ":1:5: value, got '-inf', " + number},
        {"1 1:1e999", ":1:5: value, got '1e999', " + number},
        {"1 1:0x10", ":1:5: value, got '0x10', " + number},
        {"1 1:1,5", ":1:5: value, got '1,5', " + number},
        {"1 1:", ":1:5: value, got '', " + number},
        {"1 1: 2", ":1:5: value, got '', " + number},
        {"1 1:2:3", ":1:5: value, got '2:3', " + number},
        {"1 :2", ":1:3: index, got '', " + index},
        {"1 0:2", ":1:3: index, got '0', " + index},
        {"1 -1:2", ":1:3: index, got '-1', " + index},
        {"1 +1:2", ":1:3: index, got '+1', " + index},
        {"1 1.5:2", ":1:3: index, got '1.5', " + index},
        {"1 10000001:2", ":1:3: index, got '10000001', " + index},
        {"1 99999999999999999999:2", ":1:3: index, got '99999999999999999999', " + index},
        {"1 qid:7 1:1", ":1:3: index, got 'qid', " + index},
        {"1 3:1 2:1", ":1:7: index, got '2', must be greater than the one before it, 3"},
        {"1 3:1 3:1", ":1:7: index, got '3', must be greater than the one before it, 3"},
        {"1 3", ":1:3: feature, got '3', must have the form index:value"},
        {"1 1:1 junk", ":1:7: feature, got 'junk', must have the form index:value"},
        {std::string("\x7f\0\x80", 3), ":1:1: label, got '\?\?\?', " + number},
        {std::string(50, 'x'), ":1:1: label, got '" + std::string(40, 'x') + "...', " + number},
    };

    for (const auto& c : cases)
    {
        ExpectTextRefused(c.text, c.message);
    }
    const std::string whole = "a class must be a whole number of less than 2^53";
    ExpectTextRefused("1.5 1:1", ":1:1: label, got '1.5', " + whole);
    ExpectTextRefused("9007199254740993 1:1", ":1:1: label, got '9007199254740993', " + whole);
    EXPECT_EQ(ReadText("1.5 1:1", LibsvmLabels::TARGETS).labels(0), 1.5);
}

TEST(LibsvmReader, RefusesFilesWithoutSamples)
{
    ExpectTextRefused("", ": contains no sample");
    ExpectTextRefused("# nothing\n\n", ": contains no sample");
    ExpectTextRefused("1\n2\n", ": none of its 2 samples has a feature");
    ExpectRefused<std::runtime_error>([] { ReadLibsvm("no/such-file", LibsvmLabels::CLASSES); },
                                      "no/such-file: cannot open: No such file or directory");
    ExpectRefused<std::runtime_error>([] { ReadLibsvm(".", LibsvmLabels::CLASSES); },
                                      ".: cannot read: is a directory");

    std::string text;
    for (int k = 0; k < 30000; ++k) // longer than the reader's buffer
    {
        text += std::to_string(k % 7) + " 1:" + std::to_string(k) + "\n";
    }
    const std::string whole = TemporaryFile(text, true).GetBytes();
    ExpectTextRefused(whole.substr(0, whole.size() / 2),
                      ": cannot read: gzip data end too early, the file is truncated");
}

// The smallest files may have a dense matrix of 2^30 bytes, which are 13.4 x 10^7 doubles.
TEST(LibsvmReader, RefusesAMatrixThatIsTooLargeForItsFile)
{
    std::string text;
    for (int sample = 1; sample <= 14; ++sample)
    {
        text += sample == 3 ? "1 10000000:1\n" : "1 1:1\n";
    }
    const TemporaryFile file(text);
    ExpectRefused([&] { ReadLibsvm(file.GetPath(), LibsvmLabels::CLASSES); },
                  file.GetPath() +
                      ":14: 10000000 features x 14 samples are too many for a file of its size, "
                      "whose dense matrix must have at most 134217728 numbers");
}

/** A locale with a decimal comma, as many users have. */
struct CommaPunctuation : std::numpunct<char>
{
    char do_decimal_point() const override { return ','; }
};

TEST(LibsvmReader, IgnoresTheLocale)
{
    const std::locale before =
        std::locale::global(std::locale(std::locale::classic(), new CommaPunctuation));
    const Dataset data = ReadText("-1.5 1:0.25", LibsvmLabels::TARGETS);
    std::locale::global(before);
    EXPECT_EQ(data.labels(0), -1.5);
    EXPECT_EQ(data.features(0, 0), 0.25);
}

/** Public files whose counts are well known; the folder is $DLEARN_DATA/libsvm. */
class LibsvmReaderOnRealData : public testing::Test
{
  protected:
    void SetUp() override
    {
        const char* folder = std::getenv("DLEARN_DATA");
        if (!folder || !*folder)
        {
            GTEST_SKIP() << "set DLEARN_DATA to the folder of the real data to run this test";
        }
        m_folder = std::string(folder) + "/libsvm/";
    }

    /** Check a file of two classes. */
    void Check(const std::string& name,
               uint32_t features,
               const std::vector<std::string>& labelNames,
               uint32_t first,
               uint32_t second,
               uint32_t minFeatures = 0)
    {
        SCOPED_TRACE(name);
        const auto path = m_folder + name;
        if (!std::filesystem::exists(path))
        {
            GTEST_SKIP() << path << " is missing";
        }
        const Dataset data = ReadLibsvm(path, LibsvmLabels::CLASSES, minFeatures);
        data.Validate();
        EXPECT_EQ(data.GetSize(), first + second);
        EXPECT_EQ(data.GetFeatures(), features);
        EXPECT_EQ(data.classes, 2U);
        EXPECT_EQ(data.labelNames, labelNames);
        EXPECT_EQ(data.labels.sum(), second);
    }

    std::string m_folder; //!< ends in a slash
};

TEST_F(LibsvmReaderOnRealData, Mushrooms)
{
    Check("mushrooms", 112, {"1", "2"}, 3916, 4208);
    const Dataset data = ReadLibsvm(m_folder + "mushrooms", LibsvmLabels::CLASSES);
    EXPECT_EQ(data.features.colwise().sum(), Eigen::RowVectorXd::Constant(8124, 21));
    EXPECT_EQ(data.features.colwise().squaredNorm(), Eigen::RowVectorXd::Constant(8124, 21));
}

TEST_F(LibsvmReaderOnRealData, Adult)
{
    Check("a9a.gz", 123, {"-1", "+1"}, 24720, 7841);
    Check("a9a.t.gz", 122, {"-1", "+1"}, 12435, 3846);
    Check("a9a.t.gz", 123, {"-1", "+1"}, 12435, 3846, 123);
}

TEST_F(LibsvmReaderOnRealData, WebPages)
{
    Check("w8a.gz", 300, {"-1", "+1"}, 48270, 1479);
    Check("w8a.t.gz", 300, {"-1", "+1"}, 14497, 454);
}

TEST_F(LibsvmReaderOnRealData, Phishing)
{
    Check("phishing.gz", 68, {"0", "1"}, 4898, 6157);
}

TEST_F(LibsvmReaderOnRealData, AbaloneIsARegression)
{
    const auto path = m_folder + "abalone";
    if (!std::filesystem::exists(path))
    {
        GTEST_SKIP() << path << " is missing";
    }
    const Dataset data = ReadLibsvm(path, LibsvmLabels::TARGETS);
    EXPECT_EQ(data.GetSize(), 4177U);
    EXPECT_EQ(data.GetFeatures(), 8U);
    EXPECT_EQ(data.classes, 0U);
    EXPECT_EQ(data.labels.minCoeff(), 1);
    EXPECT_EQ(data.labels.maxCoeff(), 29);
    EXPECT_NEAR(data.labels.mean(), 9.9337, 5e-5) << "published with four decimals";
}

} // namespace

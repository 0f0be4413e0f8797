/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-data-readers.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <locale>
#include <random>
#include <stdexcept>

namespace
{

using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

Dataset
ReadText(const std::string& text, LabelKind labels = LabelKind::CLASSES, uint32_t minFeatures = 0)
{
    return ReadLibsvm(TemporaryFile(text).GetPath(), labels, minFeatures);
}

/** Expect a message that starts with the path and goes on as given. */
void
ExpectTextRefused(const std::string& text,
                  const std::string& message,
                  LabelKind labels = LabelKind::CLASSES)
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
        const Dataset data = ReadLibsvm(file.GetPath(), LabelKind::TARGETS);
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
    EXPECT_EQ(ReadText("1 2:1\n", LabelKind::CLASSES, 5).GetFeatures(), 5U);
    EXPECT_EQ(ReadText("1 2:1\n", LabelKind::CLASSES, 1).GetFeatures(), 2U);
    EXPECT_EQ(ReadText("1\n2\n", LabelKind::CLASSES, 7).features, Eigen::MatrixXd::Zero(7, 2));
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
    const TemporaryFile more(many + "7 1:1\n0 1:1\n");
    ExpectRefused([&] { ReadLibsvm(more.GetPath(), LabelKind::CLASSES); },
                  more.GetPath() + ": there must be at most 1000 different classes (targets of a "
                                   "regression?)");
    EXPECT_EQ(ReadText(many + "0 1:1\n", LabelKind::TARGETS).GetSize(), 1001U);
}

TEST(LibsvmReader, RefusesMalformedLines)
{
    const std::string number = "must be a finite decimal number that fits a double";
    const std::string index = "must be a whole number of at least 1";

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
    const std::string whole = "a class must be a whole number";
    ExpectTextRefused("1.5 1:1", ":1:1: label, got '1.5', " + whole);
    EXPECT_EQ(ReadText("1.5 1:1", LabelKind::TARGETS).labels(0), 1.5);
}

TEST(LibsvmReader, RefusesFilesWithoutSamples)
{
    ExpectTextRefused("", ": contains no sample");
    ExpectTextRefused("# nothing\n\n", ": contains no sample");
    ExpectTextRefused("1\n2\n", ": none of its 2 samples has a feature");
    ExpectRefused<std::runtime_error>([] { ReadLibsvm("no/such-file", LabelKind::CLASSES); },
                                      "no/such-file: cannot open: No such file or directory");
    ExpectRefused<std::runtime_error>([] { ReadLibsvm(".", LabelKind::CLASSES); },
                                      ".: cannot read: is a directory");

    std::string text;
    for (int k = 0; k < 30000; ++k) // longer than the reader's buffer
    {
        text += std::to_string(k % 7) + " 1:" + std::to_string(k) + "\n";
    }
    const std::string whole = TemporaryFile(text, true).GetBytes();
    ExpectTextRefused(whole.substr(0, whole.size() / 2), ": cannot read: unexpected end of file");
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
        const Dataset data = ReadLibsvm(path, LabelKind::CLASSES, minFeatures);
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
    const Dataset data = ReadLibsvm(m_folder + "mushrooms", LabelKind::CLASSES);
    EXPECT_EQ(data.features.colwise().sum(), Eigen::RowVectorXd::Constant(8124, 21));
    EXPECT_EQ(data.features.colwise().squaredNorm(), Eigen::RowVectorXd::Constant(8124, 21));
}

TEST_F(LibsvmReaderOnRealData, Adult)
{
    Check("a9a.gz", 123, {"-1", "+1"}, 24720, 7841);
    Check("a9a.t.gz", 122, {"-1", "+1"}, 12435, 3846);
    Check("a9a.t.gz", 123, {"-1", "+1"}, 12435, 3846, 123);
}

TEST_F(LibsvmReaderOnRealData, AbaloneIsARegression)
{
    const auto path = m_folder + "abalone";
    if (!std::filesystem::exists(path))
    {
        GTEST_SKIP() << path << " is missing";
    }
    const Dataset data = ReadLibsvm(path, LabelKind::TARGETS);
    EXPECT_EQ(data.GetSize(), 4177U);
    EXPECT_EQ(data.GetFeatures(), 8U);
    EXPECT_EQ(data.classes, 0U);
    EXPECT_EQ(data.labels.minCoeff(), 1);
    EXPECT_EQ(data.labels.maxCoeff(), 29);
    EXPECT_NEAR(data.labels.mean(), 9.9337, 5e-5) << "published with four decimals";
}

} // namespace

namespace ns3::dlearn
{
namespace
{

/** Two images of 2 x 3 pixels with the labels 0 and 2, as files. */
class IdxReader : public testing::Test
{
  protected:
    IdxReader()
        : images(testing::TempDir() + "dlearn-idx-images"),
          labels(testing::TempDir() + "dlearn-idx-labels")
    {
        Write(images, imageBytes);
        Write(labels, labelBytes);
    }

    ~IdxReader() override
    {
        std::remove(images.c_str());
        std::remove(labels.c_str());
    }

    static void Write(const std::string& path, const std::string& bytes)
    {
        std::ofstream(path, std::ios::binary) << bytes;
    }

    const std::string imageBytes{"\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x03"
                                 "\x00\x33\x66\x99\xcc\xff"
                                 "\x01\x02\x03\x04\x05\x06",
                                 28};
    const std::string labelBytes{"\0\0\x08\x01\0\0\0\x02\x00\x02", 10};
    std::string images;
    std::string labels;
};

TEST_F(IdxReader, ReadsPixelsRowByRow)
{
    const Dataset data = ReadIdx(images, labels, "tiny");
    EXPECT_EQ(data.name, "tiny");
    ASSERT_EQ(data.GetSize(), 2U);
    ASSERT_EQ(data.GetFeatures(), 6U);
    EXPECT_EQ(data.classes, 3U);
    EXPECT_EQ(data.labels, Eigen::Vector2d(0, 2));
    for (int pixel = 0; pixel < 6; ++pixel)
    {
        EXPECT_DOUBLE_EQ(data.features(pixel, 0), pixel * 0.2);
        EXPECT_DOUBLE_EQ(data.features(pixel, 1), (pixel + 1) / 255.0);
    }
}

TEST_F(IdxReader, RefusesWhatIsNoImagesOrLabels)
{
    const auto refused = [this](const std::string& message) {
        ExpectRefused<std::runtime_error>([this] { ReadIdx(images, labels, "tiny"); }, message);
    };
    std::string bytes = imageBytes;
    bytes[3] = 1;
    Write(images, bytes);
    refused(images + ": the magic number must be 2051, got 2049");
    Write(images, imageBytes.substr(0, 27));
    refused(images + ": ends too early: image 1 should have 6 bytes, got 5");
    Write(images, imageBytes.substr(0, 6));
    refused(images + ": ends too early: size 1 should have 4 bytes, got 2");
    Write(images, imageBytes + "x");
    refused(images + ": has more bytes than its sizes say");
    bytes = imageBytes;
    bytes[11] = 0;
    Write(images, bytes);
    refused(images + ": sizes must not be 0");
    bytes = imageBytes;
    bytes[9] = 2; // 2 x 131074 x 3 pixels are not even there, but could be in a gzip file
    Write(images, bytes);
    refused(images + ": ends too early: image 0");
    Write(images, imageBytes);
    Write(labels, imageBytes);
    refused(labels + ": the magic number must be 2049, got 2051");
    bytes = labelBytes;
    bytes[7] = 3;
    Write(labels, bytes + "\1");
    refused(labels + ": must have as many labels as " + images + " has images, 2; got 3");
    Write(labels, labelBytes.substr(0, 9));
    refused(labels + ": ends too early: the labels should have 2 bytes, got 1");
    labels = "none";
    refused("none");
}

TEST(IdxReaderOnRealData, ReadsMnist)
{
    const char* directory = std::getenv("DLEARN_DATA");
    const std::string root = std::string(directory ? directory : "") + "/mnist/t10k-";
    if (!directory || !std::filesystem::exists(root + "images-idx3-ubyte.gz"))
    {
        GTEST_SKIP() << "DLEARN_DATA does not name a folder with mnist/";
    }
    const Dataset data =
        ReadIdx(root + "images-idx3-ubyte.gz", root + "labels-idx1-ubyte.gz", "mnist");
    EXPECT_EQ(data.GetSize(), 10000U);
    EXPECT_EQ(data.GetFeatures(), 784U);
    EXPECT_EQ(data.classes, 10U);
    // As published: the numbers of each digit in the test set.
    const uint32_t counts[] = {980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009};
    for (uint32_t digit = 0; digit < 10; ++digit)
    {
        EXPECT_EQ((data.labels.array() == digit).count(), counts[digit]);
    }
}

using test::TemporaryFile;

/**
 * @param label of the image
 * @param red the red of every pixel; green is one more, blue two more
 * @return the bytes of an image
 */
std::string
Record(char label, char red)
{
    return std::string(1, label) + std::string(1024, red) + std::string(1024, char(red + 1)) +
           std::string(1024, char(red + 2));
}

TEST(ReadCifar10, ReadsPlanesFileAfterFile)
{
    std::string bytes = Record(9, 10) + Record(0, 20);
    bytes[1 + 1024 + 33] = char(255); // green, row 1, column 1 of the first image
    const TemporaryFile first(bytes);
    const TemporaryFile second(Record(4, 30), true);
    const Dataset data = ReadCifar10({first.GetPath(), second.GetPath()}, "tiny");
    EXPECT_NO_THROW(data.Validate());
    EXPECT_EQ(data.name, "tiny");
    EXPECT_EQ(data.classes, 10U);
    EXPECT_EQ(data.labelNames[9], "truck");
    EXPECT_EQ(data.labels, Eigen::Vector3d(9, 0, 4));
    EXPECT_EQ(data.shape.channels, 3U);
    EXPECT_EQ(data.shape.height, 32U);
    EXPECT_EQ(data.shape.width, 32U);
    ASSERT_EQ(data.GetFeatures(), 3072U);
    EXPECT_EQ(data.features(1024 + 33, 0), 1);
    EXPECT_EQ(data.features(1024 + 32, 0), 11 / 255.0);
    for (const int k : {1, 2})
    {
        for (const int channel : {0, 1, 2})
        {
            const double value = (10 * (k + 1) + channel) / 255.0;
            EXPECT_TRUE((data.features.col(k).segment(1024 * channel, 1024).array() == value).all())
                << k << " " << channel;
        }
    }
}

TEST(ReadCifar10, RefusesWhatIsNoBatch)
{
    const TemporaryFile good(Record(1, 1));
    const auto refused = [&good](const TemporaryFile& bad, const std::string& message) {
        ExpectRefused<std::runtime_error>(
            [&] {
                ReadCifar10({good.GetPath(), bad.GetPath()}, "tiny");
            },
            bad.GetPath() + ": " + message);
    };
    refused(TemporaryFile(Record(1, 1) + Record(2, 2).substr(1)),
            "ends too early: image 1 should have 3073 bytes, got 3072");
    refused(TemporaryFile(Record(1, 1) + "x", true),
            "ends too early: image 1 should have 3073 bytes, got 1");
    refused(TemporaryFile(Record(1, 1) + Record(10, 1)),
            "the label of image 1 must be from 0 to 9, got 10");
    refused(TemporaryFile(""), "contains no image");
    ExpectRefused<std::runtime_error>([] { ReadCifar10({"none.bin"}, "tiny"); },
                                      "none.bin: cannot open");
}

TEST(ReadCifar10, ReadsRealImages)
{
    const char* directory = std::getenv("DLEARN_DATA");
    const std::string file =
        std::string(directory ? directory : "") + "/cifar10/data_batch_1_first4000.bin.gz";
    if (!directory || !std::filesystem::exists(file))
    {
        GTEST_SKIP() << "DLEARN_DATA does not name a folder with "
                        "cifar10/data_batch_1_first4000.bin.gz";
    }
    const Dataset data = ReadCifar10({file}, "cifar10");
    EXPECT_EQ(data.GetSize(), 4000U);
    // As documented with the file.
    const uint32_t counts[] = {396, 366, 420, 384, 422, 393, 414, 385, 407, 413};
    for (uint32_t label = 0; label < 10; ++label)
    {
        EXPECT_EQ((data.labels.array() == label).count(), counts[label]);
    }
    // Natural images: neighbours in a row and in a column are alike, wherever planes and rows
    // begin; shuffled pixels would differ by sqrt(2) of the deviation, 1/4.
    const auto red = data.features.topRows(1024);
    const double across = (red.topRows(1023) - red.bottomRows(1023)).array().square().mean();
    const double down = (red.topRows(992) - red.bottomRows(992)).array().square().mean();
    EXPECT_LT(across, 0.02);
    EXPECT_LT(down, 0.02);
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "data/dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-data-readers.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

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
    ExpectRefused([] { ReadCifar10({}, "tiny"); }, "ReadCifar10: files must not be empty");
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

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-data-readers.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

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
    refused(images + ": ends too early: the number of images should have 4 bytes, got 2");
    Write(images, imageBytes + "x");
    refused(images + ": has more bytes than its sizes say");
    bytes = imageBytes;
    bytes[11] = 0;
    Write(images, bytes);
    refused(images + ": sizes must not be 0, got 2 x 0 x 3");
    bytes = imageBytes;
    bytes[9] = 2; // 2 x 131074 x 3 pixels are not even there, but could be in a gzip file
    Write(images, bytes);
    refused(images + ": ends too early: image 0");
    bytes[9] = 127;
    bytes[15] = 8; // 2 x 8323074 x 8 are too many
    Write(images, bytes);
    refused(images + ": should have 133169184 pixels, more than a file of its size unpacks to");
    Write(images, imageBytes);
    Write(labels, imageBytes);
    refused(labels + ": the magic number must be 2049, got 2051");
    bytes = labelBytes;
    bytes[7] = 3;
    Write(labels, bytes + "\1");
    refused(labels + ": must have as many labels as " + images + " has images, 2; got 3");
    Write(labels, labelBytes.substr(0, 9));
    refused(labels + ": ends too early: label 1 should have 1 bytes, got 0");
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

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-dataset.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** Two samples of two channels of 2 x 3 pixels; the second channel is 5 everywhere. */
Dataset
MakeImages()
{
    Dataset data;
    data.name = "tiny";
    data.shape = {2, 2, 3};
    data.classes = 2;
    data.labels = Eigen::Vector2d(1, 0);
    data.features = Eigen::MatrixXd::Constant(12, 2, 5);
    for (int k = 0; k < 6; ++k)
    {
        data.features(k, 0) = k;     // 0 to 5
        data.features(k, 1) = 6 + k; // 6 to 11
    }
    return data;
}

TEST(ChannelMoments, AreThoseOfAllPixelsOfAChannel)
{
    const ChannelMoments moments = MeasureChannels(MakeImages());
    // The numbers 0 to 11: mean 11/2, variance (12^2 - 1) / 12.
    EXPECT_DOUBLE_EQ(moments.means(0), 5.5);
    EXPECT_DOUBLE_EQ(moments.deviations(0), std::sqrt(143.0 / 12));
    EXPECT_EQ(moments.means(1), 5);
    EXPECT_EQ(moments.deviations(1), 0);
}

TEST(ChannelMoments, OfEqualPixelsAreExact)
{
    Dataset data = MakeImages();
    data.features.setConstant(0.1); // the mean of many is not 0.1 to the last bit
    NormalizeChannels(data, MeasureChannels(data));
    EXPECT_LE(data.features.cwiseAbs().maxCoeff(), 1e-15);
}

TEST(NormalizeChannels, UsesTheMomentsGiven)
{
    Dataset data = MakeImages();
    NormalizeChannels(data, MeasureChannels(data));
    const ChannelMoments after = MeasureChannels(data);
    // A few roundings of numbers of order 1.
    EXPECT_NEAR(after.means(0), 0, 1e-15);
    EXPECT_NEAR(after.deviations(0), 1, 1e-15);
    EXPECT_TRUE(data.features.bottomRows(6).isZero(0));

    Dataset other = MakeImages();
    NormalizeChannels(other, {Eigen::Vector2d(1, 4), Eigen::Vector2d(2, 0.5)});
    EXPECT_EQ(other.features(5, 0), 2);
    EXPECT_EQ(other.features(0, 1), 2.5);
    EXPECT_EQ(other.features(7, 1), 2);
}

TEST(MirrorImage, TurnsEachRowOfEachChannel)
{
    Eigen::VectorXd image(12);
    image << 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12;
    Eigen::VectorXd mirrored(12);
    mirrored << 3, 2, 1, 6, 5, 4, 9, 8, 7, 12, 11, 10;
    EXPECT_EQ(MirrorImage(image, {2, 2, 3}), mirrored);
    EXPECT_EQ(MirrorImage(mirrored, {2, 2, 3}), image);
    EXPECT_EQ(MirrorImage(image, {1, 12, 1}), image);
    ExpectRefused(
        [&] {
            MirrorImage(image, {1, 2, 3});
        },
        "MirrorImage: image must have 6 entries, got 12");
}

TEST(AppendMirrored, KeepsTheSamplesAndAppendsTheirCopies)
{
    const Dataset data = MakeImages();
    const Dataset both = AppendMirrored(data);
    EXPECT_NO_THROW(both.Validate());
    EXPECT_EQ(both.shape.GetSize(), 12U);
    EXPECT_EQ(both.classes, 2U);
    EXPECT_EQ(both.labels, Eigen::Vector4d(1, 0, 1, 0));
    EXPECT_EQ(both.features.leftCols(2), data.features);
    Eigen::VectorXd mirrored(12);
    mirrored << 8, 7, 6, 11, 10, 9, 5, 5, 5, 5, 5, 5;
    EXPECT_EQ(both.features.col(3), mirrored);
}

TEST(ImageTransforms, RefuseWhatIsNoImage)
{
    Dataset data = MakeImages();
    const ChannelMoments moments = MeasureChannels(data);
    ExpectRefused(
        [&] {
            NormalizeChannels(data, {Eigen::VectorXd::Zero(1), moments.deviations});
        },
        "NormalizeChannels: means must have 2 entries, got 1");
    ExpectRefused(
        [&] {
            NormalizeChannels(data, {moments.means, Eigen::VectorXd::Zero(3)});
        },
        "NormalizeChannels: deviations must have 2 entries, got 3");
    ExpectRefused(
        [&] {
            NormalizeChannels(data, {moments.means, Eigen::Vector2d(1, -1)});
        },
        "deviation must be finite and at least 0, got -1");
    data.truth = Eigen::VectorXd::Zero(12);
    ExpectRefused([&] { NormalizeChannels(data, moments); }, "'tiny' must not have a truth");
    data.shape = {};
    ExpectRefused([&] { MeasureChannels(data); },
                  "MeasureChannels: data must be images, got 'tiny'");
    ExpectRefused([&] { NormalizeChannels(data, moments); },
                  "NormalizeChannels: data must be images, got 'tiny'");
    ExpectRefused([&] { AppendMirrored(data); }, "AppendMirrored: data must be images, got 'tiny'");
    data.shape = {1, 3, 4};
    data.features.resize(12, 0);
    ExpectRefused([&] { MeasureChannels(data); }, "MeasureChannels: 'tiny' must have a sample");
}

TEST(Dataset, RefusesAShapeOfAnotherSize)
{
    Dataset data = MakeImages();
    EXPECT_NO_THROW(data.Validate());
    EXPECT_EQ(Subset(data, {1}).shape.GetSize(), 12U);
    data.shape.width = 4;
    ExpectRefused([&] { data.Validate(); },
                  "an image of 2 x 2 x 4 must have as many features, got 12");
}

} // namespace
} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-dataset.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace
{

using namespace ns3::dlearn;
using namespace ns3::dlearn::test;

/** Three samples of two features: (3, 4), (0, -1), (0, 0). */
Dataset
MakeSmall()
{
    Dataset data;
    data.name = "small";
    data.features.resize(2, 3);
    data.features << 3, 0, 0, 4, -1, 0;
    data.labels.resize(3);
    data.labels << 1, 0, 1;
    data.classes = 2;
    data.labelNames = {"-1", "+1"};
    data.truth.resize(2);
    data.truth << 0.5, -2;
    return data;
}

TEST(Dataset, ScalingGivesUnitNormAndKeepsWhatTheTruthSays)
{
    Dataset data = MakeSmall();
    EXPECT_EQ(data.GetSize(), 3U);
    EXPECT_EQ(data.GetFeatures(), 2U);
    EXPECT_DOUBLE_EQ(data.GetMaxNorm(), 5);
    data.ScaleToUnitNorm();
    EXPECT_DOUBLE_EQ(data.GetMaxNorm(), 1);
    EXPECT_DOUBLE_EQ(data.features(0, 0), 0.6);
    EXPECT_DOUBLE_EQ(data.features(1, 1), -0.2);
    // By hand: 3 * 0.5 - 4 * 2 and 1 * 2.
    EXPECT_DOUBLE_EQ(data.features.col(0).dot(data.truth), -6.5);
    EXPECT_DOUBLE_EQ(data.features.col(1).dot(data.truth), 2);
}

TEST(Dataset, TestSetsHaveTheClassesOfTheirTrainingSet)
{
    Dataset train = MakeSmall();
    train.classes = 3;
    train.labelNames = {"-1", "+1", "two"};
    Dataset test = MakeSmall();
    test.labelNames = {"1", "two"};
    AdoptClasses(test, train);
    EXPECT_EQ(test.labels, Eigen::Vector3d(2, 1, 2));
    EXPECT_EQ(test.classes, 3U);
    EXPECT_EQ(test.labelNames, train.labelNames);
    test.labelNames = {"-1", "two", "three"};
    ExpectRefused([&] { AdoptClasses(test, train); },
                  "small: class 'three' must be one of the training data, -1, +1, two");
    train.classes = test.classes = 0; // a regression
    train.labelNames = test.labelNames = {};
    AdoptClasses(test, train);
    EXPECT_EQ(test.labels, Eigen::Vector3d(2, 1, 2));
}

TEST(Dataset, NormsOfExtremeFeatures)
{
    Dataset data = MakeSmall();
    data.features *= 1e200; // squares overflow
    EXPECT_DOUBLE_EQ(data.GetMaxNorm(), 5e200);
    data.features.setZero();
    EXPECT_EQ(data.GetMaxNorm(), 0);
    data.ScaleToUnitNorm();
    EXPECT_TRUE(data.features.isZero(0));
    EXPECT_EQ(data.truth, MakeSmall().truth);
    EXPECT_EQ(Dataset().GetMaxNorm(), 0);
}

TEST(Dataset, SubsetTakesSamplesInTheOrderGiven)
{
    const Dataset data = MakeSmall();
    const Dataset subset = Subset(data, {1, 0, 1});
    Eigen::MatrixXd features(2, 3);
    features << 0, 3, 0, -1, 4, -1;
    EXPECT_EQ(subset.features, features);
    EXPECT_EQ(subset.labels, Eigen::Vector3d(0, 1, 0));
    EXPECT_EQ(subset.name, "small");
    EXPECT_EQ(subset.classes, 2U);
    EXPECT_EQ(subset.labelNames, data.labelNames);
    EXPECT_EQ(subset.truth, data.truth);
    EXPECT_EQ(Subset(data, {}).GetSize(), 0U);
    ExpectRefused(
        [&data] {
            Subset(data, {0, 3});
        },
        "Subset of 'small': index must be less than 3, got 3");
}

TEST(Dataset, DenseSizeIsLimited)
{
    EXPECT_NO_THROW(RequireDenseSize("X", 1 << 9, 1 << 20)); // 2^29 doubles are 4 GiB
    ExpectRefused(
        [] { RequireDenseSize("X", 1 << 10, 1 << 20); },
        "X: 1024 features x 1048576 samples need 8 GiB as a dense matrix, must be at most "
        "4 GiB");
    const auto huge = std::numeric_limits<uint64_t>::max(); // the product would wrap to 1
    EXPECT_THROW(RequireDenseSize("X", huge, huge), std::invalid_argument);
}

} // namespace

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

namespace
{

TEST(TrainTestSplit, EverySampleIsInOnePart)
{
    for (const uint32_t samples : {2U, 3U, 10U, 997U})
    {
        const auto split = SplitTrainTest(samples, 0.4, 3);
        EXPECT_EQ(split.test.size(), size_t(std::lround(0.4 * samples)));
        EXPECT_TRUE(std::is_sorted(split.train.begin(), split.train.end()));
        EXPECT_TRUE(std::is_sorted(split.test.begin(), split.test.end()));
        SampleIndices all(split.train);
        all.insert(all.end(), split.test.begin(), split.test.end());
        std::sort(all.begin(), all.end());
        ASSERT_EQ(all.size(), samples);
        for (uint32_t k = 0; k < samples; ++k)
        {
            EXPECT_EQ(all[k], k);
        }
    }
    EXPECT_EQ(SplitTrainTest(997, 0.2, 3).test, SplitTrainTest(997, 0.2, 3).test);
    EXPECT_NE(SplitTrainTest(997, 0.2, 3).test, SplitTrainTest(997, 0.2, 4).test);
}

/** Fails with probability of at most 10 x 4e-8 (normal approximation) for a random seed. */
TEST(TrainTestSplit, EverySampleIsEquallyLikelyToBeATest)
{
    constexpr int repetitions = 4000;
    std::vector<double> counts(10);
    for (int stream = 0; stream < repetitions; ++stream)
    {
        const auto split = SplitTrainTest(10, 0.3, stream);
        for (const auto sample : split.test)
        {
            ++counts[sample];
        }
    }
    const double deviation = std::sqrt(repetitions * 0.3 * 0.7);
    for (const double count : counts)
    {
        EXPECT_NEAR(count, 0.3 * repetitions, 5.5 * deviation);
    }
}

} // namespace

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-data-poisoning.h"
#include "ns3/double.h"
#include "ns3/uinteger.h"

#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

/** @return ten samples of classes 0, 1, 2, 0, ... whose features are their numbers; one is 99 */
Dataset
MakeNumbered(uint32_t features, const ImageShape& shape = {})
{
    Dataset data;
    data.features = Eigen::RowVectorXd::LinSpaced(10, 0, 9).replicate(features, 1);
    data.features(0, 9) = 99;
    data.labels = Eigen::VectorXd::NullaryExpr(10, [](Eigen::Index k) { return k % 3; });
    data.classes = 3;
    data.shape = shape;
    return data;
}

Ptr<BackdoorPoisoning>
MakeBackdoor(uint32_t target, double share, uint32_t size)
{
    const auto backdoor = CreateObject<BackdoorPoisoning>();
    backdoor->SetAttribute("Target", UintegerValue(target));
    backdoor->SetAttribute("Share", DoubleValue(share));
    backdoor->SetAttribute("Size", UintegerValue(size));
    return backdoor;
}

TEST(DataPoisoning, FlipsLabels)
{
    const Dataset data = MakeNumbered(1);
    const Dataset flipped = CreateObject<LabelFlipPoisoning>()->Poison(data, {3, 1, 5});
    EXPECT_EQ(flipped.features, Eigen::RowVector3d(3, 1, 5));
    EXPECT_EQ(flipped.labels, Eigen::Vector3d(2, 1, 0));
}

// Of a 4 x 5 image with two channels, 2 x 2 pixels: features 13, 14, 18, 19 and 20 more.
TEST(DataPoisoning, MarksTheLowerRightCornerOfImages)
{
    const Dataset data = MakeNumbered(40, {2, 4, 5});
    const Dataset marked = MakeBackdoor(2, 1, 2)->Poison(data, {4});
    Eigen::VectorXd wanted = Eigen::VectorXd::Constant(40, 4);
    for (const int feature : {13, 14, 18, 19, 33, 34, 38, 39})
    {
        wanted[feature] = 99;
    }
    EXPECT_EQ(marked.features.col(0), wanted);
    EXPECT_EQ(marked.labels[0], 2);
}

TEST(DataPoisoning, MarksAShareOfTheSamples)
{
    const Dataset data = MakeNumbered(3);
    const Dataset marked = MakeBackdoor(1, 0.4, 2)->Poison(data, {0, 2, 4, 6, 8});
    // 0.4, 0.8, 1.2, 1.6, 2.0: the third and the fifth
    for (const Eigen::Index k : {0, 1, 2, 3, 4})
    {
        const bool marks = k == 2 || k == 4;
        EXPECT_EQ(marked.features.col(k),
                  marks ? Eigen::Vector3d(2 * k, 99, 99) : Eigen::Vector3d(2 * k, 2 * k, 2 * k));
        EXPECT_EQ(marked.labels[k], marks ? 1 : 2 * k % 3);
    }
}

TEST(DataPoisoning, TestsWhatIsNotOfTheTarget)
{
    const Dataset data = MakeNumbered(2);
    const Dataset test = Subset(data, {0, 1, 2, 3});
    const auto marked = MakeBackdoor(0, 0, 1)->MakeTest(data, test);
    ASSERT_TRUE(marked);
    EXPECT_EQ(marked->features, (Eigen::MatrixXd(2, 2) << 1, 2, 99, 99).finished());
    EXPECT_EQ(marked->labels, Eigen::Vector2d(0, 0));
    EXPECT_FALSE(MakeBackdoor(0, 1, 1)->MakeTest(data, Subset(data, {0, 3})));
    EXPECT_FALSE(CreateObject<LabelFlipPoisoning>()->MakeTest(data, test));
}

TEST(DataPoisoning, RefusesWhatDoesNotFit)
{
    const Dataset data = MakeNumbered(6, {1, 2, 3});
    ExpectRefused([&] { MakeBackdoor(3, 1, 1)->Poison(data, {0}); },
                  "BackdoorPoisoning: Target must be less than the number of classes, 3, got 3");
    ExpectRefused([&] { MakeBackdoor(0, 1, 3)->Poison(data, {0}); },
                  "BackdoorPoisoning: Size must be at most 2, got 3");
    ExpectRefused([&] { CreateObject<LabelFlipPoisoning>()->Poison({}, {}); },
                  "ns3::dlearn::LabelFlipPoisoning needs a classification, as it changes classes");
}

} // namespace
} // namespace ns3::dlearn

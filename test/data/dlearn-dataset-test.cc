/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-data-test-support.h"
#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-dataset.h"

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

TEST(Dataset, ValidateNamesTheBrokenInvariant)
{
    const auto expectRefused = [](auto damage, const std::string& message) {
        Dataset data = MakeSmall();
        damage(data);
        ExpectRefused([&data] { data.Validate(); }, "Dataset 'small': " + message);
    };
    EXPECT_NO_THROW(MakeSmall().Validate());
    expectRefused([](Dataset& d) { d.labels.conservativeResize(2); },
                  "labels must have 3 entries, got 2");
    expectRefused([](Dataset& d) { d.features(1, 2) = INFINITY; },
                  "feature 1 of sample 2 must be finite, got inf");
    expectRefused([](Dataset& d) { d.labels(1) = NAN; },
                  "label of sample 1 must be finite, got nan");
    for (const char* label : {"2", "-1", "0.5"})
    {
        expectRefused([label](Dataset& d) { d.labels(2) = std::stod(label); },
                      std::string("label of sample 2 must be a whole number from 0 to 1, got ") +
                          label);
    }
    expectRefused([](Dataset& d) { d.labelNames.pop_back(); },
                  "labelNames must have 2 entries, got 1");
    expectRefused([](Dataset& d) { d.truth(0) = NAN; }, "truth must be finite");

    Dataset regression = MakeSmall();
    regression.classes = 0;
    regression.labelNames.clear();
    regression.labels(2) = -0.5;
    EXPECT_NO_THROW(regression.Validate());
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

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-data-generator.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

TEST(SineData, LabelsComeInPairs)
{
    for (const uint32_t samples : {1, 6, 7})
    {
        const Dataset data = MakeSineData({samples, 2, 3}, 5);
        EXPECT_NO_THROW(data.Validate());
        EXPECT_EQ(data.classes, 0U);
        EXPECT_EQ(data.truth, ModelVector::Zero(2));
        EXPECT_EQ(data.labels.sum(), 0) << "to the last bit";
        EXPECT_LE(data.labels.cwiseAbs().maxCoeff(), 3);
        EXPECT_EQ(data.labels.norm() > 0, samples > 1);
    }
    EXPECT_EQ(MakeSineData({9, 1, 0}, 5).labels.norm(), 0);
}

// Kolmogorov-Smirnov against Lap(1/2): as in the test of LaplaceMechanism, n = 50,000 draws are
// farther than 0.0147 from their distribution with probability at most 8.3e-10.
TEST(SineData, FeaturesHaveTheLaplaceDistribution)
{
    const Dataset data = MakeSineData({10000, 5, 1}, 6);
    Eigen::VectorXd draws = data.features.reshaped();
    std::sort(draws.begin(), draws.end());
    const double n = draws.size();
    double distance = 0;
    for (Eigen::Index k = 0; k < draws.size(); ++k)
    {
        const double tail = 0.5 * std::exp(-std::abs(draws[k]) / 0.5);
        const double cdf = draws[k] < 0 ? tail : 1 - tail;
        distance = std::max({distance, cdf - k / n, (k + 1) / n - cdf});
    }
    EXPECT_LT(distance, 0.0147);
}

TEST(SineData, MoreSamplesExtendFewer)
{
    const Dataset few = MakeSineData({10, 3, 1}, 8);
    const Dataset many = MakeSineData({40, 3, 1}, 8);
    EXPECT_EQ(many.features.leftCols(10), few.features);
    EXPECT_EQ(many.labels.head(10), few.labels);
    EXPECT_NE(MakeSineData({10, 3, 1}, 9).features, few.features);
}

TEST(SineData, RefusesWrongOptions)
{
    ExpectRefused(
        [] {
            MakeSineData({0, 1, 1}, 1);
        },
        "sine data: samples must be at least 1, got 0");
    ExpectRefused(
        [] {
            MakeSineData({1, 0, 1}, 1);
        },
        "sine data: features must be at least 1, got 0");
    ExpectRefused(
        [] {
            MakeSineData({1, 1, -1}, 1);
        },
        "sine data: shift must be finite and at least 0, got -1");
}

} // namespace

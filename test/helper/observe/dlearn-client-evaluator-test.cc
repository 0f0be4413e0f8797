/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-client-evaluator.h"

#include <cmath>
#include <gtest/gtest.h>

namespace ns3::dlearn
{
namespace
{

// The sums of 1, ..., n and of their squares.
TEST(MeasureSpread, HasTheClosedFormsOfWholeNumbers)
{
    for (const int n : {1, 2, 9, 10, 29, 200})
    {
        std::vector<double> scores;
        for (int k = 0; k < n; ++k)
        {
            scores.push_back(1 + (k * 7 + 3) % n); // 7 divides none of them: in another order
        }
        const int worst = std::max(n / 10, 1);
        for (const bool rising : {true, false})
        {
            const auto [mean, sd, tenth, jain] = MeasureSpread(scores, rising);
            EXPECT_DOUBLE_EQ(mean, (n + 1) / 2.0);
            EXPECT_NEAR(sd, std::sqrt((n * n - 1) / 12.0), 1e-13 * n);
            EXPECT_DOUBLE_EQ(tenth, rising ? (worst + 1) / 2.0 : n - (worst - 1) / 2.0);
            EXPECT_DOUBLE_EQ(jain, 3.0 * (n + 1) / (2 * (2 * n + 1)));
        }
    }
}

TEST(MeasureSpread, HasAnIndexOfTheShareThatGetsAll)
{
    EXPECT_DOUBLE_EQ(std::get<3>(MeasureSpread({0.3, 0, 0, 0.3, 0.3, 0, 0, 0}, true)), 3.0 / 8);
    EXPECT_DOUBLE_EQ(std::get<3>(MeasureSpread({7, 7, 7}, true)), 1);
    EXPECT_TRUE(std::isnan(std::get<3>(MeasureSpread({0, 0}, true))));
    for (const std::vector<double>& scores : {std::vector<double>{}, {1, Evaluation::NONE, 0}})
    {
        const auto [mean, sd, tenth, jain] = MeasureSpread(scores, true);
        EXPECT_TRUE(std::isnan(mean) && std::isnan(sd) && std::isnan(tenth) && std::isnan(jain));
    }
    EXPECT_EQ(std::get<2>(MeasureSpread({1, INFINITE}, false)), INFINITE);
}

} // namespace
} // namespace ns3::dlearn

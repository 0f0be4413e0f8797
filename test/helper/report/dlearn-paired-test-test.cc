/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-paired-test.h"

#include <cmath>
#include <gtest/gtest.h>

namespace
{

using namespace ns3::dlearn;

TEST(PairedTest, IsThatOfStudent)
{
    // Student (1908), "The probable error of a mean": additional hours of sleep of ten patients by
    // two drugs. R's t.test(extra ~ group, paired = TRUE): t = -4.0621, df = 9, p = 0.002833, 95 %
    // interval -2.4598858 to -0.7001142, mean -1.58.
    const std::vector<double> first{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
    const std::vector<double> second{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
    std::vector<double> differences;
    for (size_t k = 0; k < first.size(); ++k)
    {
        differences.push_back(first[k] - second[k]);
    }
    const auto test = TestPairs(differences);
    ASSERT_TRUE(test);
    EXPECT_EQ(test->pairs, 10U);
    EXPECT_NEAR(test->difference, -1.58, 1e-12);
    EXPECT_NEAR(test->low, -2.4598858, 1e-7);
    EXPECT_NEAR(test->high, -0.7001142, 1e-7);
    EXPECT_NEAR(test->p, 0.002833, 5e-7);
}

TEST(PairedTest, NeedsPairsThatDiffer)
{
    EXPECT_FALSE(TestPairs({}));
    EXPECT_FALSE(TestPairs({1}));
    EXPECT_FALSE(TestPairs({0.5, 0.5, 0.5}));
    EXPECT_FALSE(TestPairs({0.5, INFINITY}));
    EXPECT_NE(0.6 - 0.5, 0.4 - 0.3);
    EXPECT_FALSE(TestPairs({0.6 - 0.5, 0.4 - 0.3})) << "they differ by rounding";
    EXPECT_TRUE(TestPairs({1e-14, 3e-14})) << "small numbers may differ";
    // Of two pairs: t = 3, and p = 2 (1/2 - atan(3) / pi), the law of Cauchy.
    EXPECT_NEAR(TestPairs({1, 2})->p, 1 - 2 * std::atan(3.0) / M_PI, 1e-12);
}

} // namespace

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-model-error.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <sstream>

namespace ns3::dlearn
{
namespace
{

/** @return round 1 with three runs, round 2 with one, round 4 with two and no theory */
ModelError
MakeError()
{
    ModelError error({2.5, 7, 1});
    for (const double x : {1, 2, 6})
    {
        error.Add(1, x);
    }
    error.Add(4, 0.25);
    error.Add(2, 8);
    error.Add(4, 0.25);
    return error;
}

TEST(ModelError, MeanAndStandardErrorByHand)
{
    const auto points = MakeError().GetPoints();
    ASSERT_EQ(points.size(), 3U);
    EXPECT_EQ(points[0].round, 1U);
    EXPECT_EQ(points[0].runs, 3U);
    EXPECT_DOUBLE_EQ(points[0].mean, 3);
    EXPECT_DOUBLE_EQ(*points[0].error, std::sqrt((4 + 1 + 9) / 2.0 / 3)); // s / sqrt(n)
    EXPECT_EQ(points[0].theory, 2.5);
    EXPECT_EQ(points[1].round, 2U);
    EXPECT_EQ(points[1].mean, 8);
    EXPECT_FALSE(points[1].error);
    EXPECT_EQ(points[1].theory, 7);
    EXPECT_EQ(points[2].round, 4U);
    EXPECT_EQ(points[2].error, 0);
    EXPECT_FALSE(points[2].theory);
}

TEST(ModelError, MayBeUnknown)
{
    EXPECT_FALSE(ModelError({1}).HasMeans());
    ModelError error({});
    error.Add(1, std::nan(""));
    EXPECT_FALSE(error.HasMeans());
    error.Add(2, 0.5);
    EXPECT_TRUE(error.HasMeans());
}

TEST(ModelError, WritesATable)
{
    ModelError error({2.5, 7});
    error.Add(1, 2);
    error.Add(1, 4); // s = sqrt(2), standard error 1
    error.Add(2, 8);
    error.Add(3, 0.1);
    EXPECT_EQ(error.MakeCsv(), "round,mean,stderr,theory,runs\n1,3,1,2.5,2\n2,8,,7,1\n3,0.1,,,1\n");
    std::ostringstream out;
    error.Print(out);
    EXPECT_EQ(out.str(),
              "\n  round  runs  model error   std. error       theory  distance\n"
              "      1     2            3            1          2.5      0.50\n"
              "      2     1            8            -            7\n"
              "      3     1          0.1            -            -\n");
}

// Mean 3 and standard error sqrt(36 / 35) / 6 (18 runs of 2 and 18 of 4).
TEST(ModelError, FindsWhatChanceDoesNotExplain)
{
    const auto deviates = [](double theory, double first = 2, double second = 4) {
        ModelError error({theory});
        for (int k = 0; k < 18; ++k)
        {
            error.Add(1, first);
            error.Add(1, second);
        }
        return !error.FindDeviations().empty();
    };
    const double standardError = std::sqrt(36.0 / 35) / 6;
    EXPECT_FALSE(deviates(3));
    EXPECT_FALSE(deviates(3 + 4.9 * standardError));
    EXPECT_TRUE(deviates(3 + 5.1 * standardError));
    EXPECT_TRUE(deviates(3 - 5.1 * standardError));
    // Runs that agree to the last bit differ from theory by rounding only.
    EXPECT_FALSE(deviates(1 + 1e-9, 1, 1));
    EXPECT_TRUE(deviates(1 + 1e-8, 1, 1));
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(deviates(3, 2, std::nan("")));
    EXPECT_TRUE(deviates(3, 2, infinity));
    EXPECT_FALSE(deviates(infinity)) << "what theory says diverges is not compared";
    ModelError few({1});
    for (int k = 0; k < 29; ++k)
    {
        few.Add(1, 100 + k % 2);
    }
    EXPECT_TRUE(few.FindDeviations().empty());
    few.Add(1, 100);
    EXPECT_EQ(few.FindDeviations().size(), 1U);
    EXPECT_EQ(MakeError().FindDeviations().size(), 0U);
}

} // namespace
} // namespace ns3::dlearn

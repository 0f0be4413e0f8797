/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-ternary-quantizer.h"
#include "ns3/double.h"
#include "ns3/object-factory.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

Ptr<TernaryQuantizer>
MakeQuantizer(double scale, double growth = 0)
{
    const auto quantizer = CreateObjectWithAttributes<TernaryQuantizer>("BaseScale",
                                                                        DoubleValue(scale),
                                                                        "GrowthExponent",
                                                                        DoubleValue(growth));
    quantizer->AssignStreams(31);
    return quantizer;
}

// Q(x) / s sign(x) is 1 with probability |x| / s, else 0. By Hoeffding the share of ones among n
// is off by more than e with probability at most 2 exp(-2 n e^2); n = 100,000 and e = 0.0105 give
// 5.3e-10 for each of the four numbers. The stream is fixed, so it never flickers.
TEST(TernaryQuantizer, RoundsToThreeLevelsWithoutBias)
{
    const auto quantizer = MakeQuantizer(2, 0.5);
    const double scale = 6; // 2 * 9^(1/2)
    for (const double x : {0.3, -1.7, 5.4, -6.0})
    {
        ModelVector many = ModelVector::Constant(100000, x);
        quantizer->Perturb(8, many);
        double ones = 0;
        for (const double level : many)
        {
            EXPECT_TRUE(level == 0 || level == std::copysign(scale, x)) << level;
            ones += level != 0;
        }
        EXPECT_NEAR(ones / many.size(), std::abs(x) / scale, 0.0105) << x;
    }
    ModelVector zero = ModelVector::Zero(1000);
    quantizer->Perturb(8, zero);
    EXPECT_EQ(zero, ModelVector::Zero(1000));
    EXPECT_EQ(quantizer->GetSaturated(), 0U) << "6 is not larger than 6";
}

TEST(TernaryQuantizer, CutsOffAndCountsWhatIsTooLarge)
{
    const auto quantizer = MakeQuantizer(1);
    ModelVector vector(4);
    vector << 1.5, -700, 1, -std::numeric_limits<double>::max();
    quantizer->Perturb(0, vector);
    EXPECT_EQ(vector, Eigen::Vector4d(1, -1, 1, -1));
    EXPECT_EQ(quantizer->GetSaturated(), 3U);
}

TEST(TernaryQuantizer, ScaleZeroLeavesEverythingAsItIs)
{
    const auto quantizer = MakeQuantizer(0);
    ModelVector vector(3);
    vector << 0.1, -3, 1e9;
    const ModelVector before = vector;
    quantizer->Perturb(5, vector);
    EXPECT_EQ(vector, before);
    EXPECT_EQ(quantizer->GetSaturated(), 0U);
    EXPECT_EQ(quantizer->GetScale(5), 0);
}

// What is drawn later must not depend on what was rounded earlier.
TEST(TernaryQuantizer, DrawsOncePerEntry)
{
    const auto first = MakeQuantizer(1);
    const auto second = MakeQuantizer(1);
    ModelVector some = ModelVector::Zero(50);
    ModelVector others = ModelVector::Constant(50, 7);
    first->Perturb(0, some);
    second->Perturb(0, others);
    ModelVector a = ModelVector::LinSpaced(100, -1, 1);
    ModelVector b = a;
    first->Perturb(1, a);
    second->Perturb(1, b);
    EXPECT_EQ(a, b);
}

TEST(TernaryQuantizer, RefusesScalesThatAreNoScales)
{
    EXPECT_FALSE(MakeQuantizer(1)->SetAttributeFailSafe("BaseScale", DoubleValue(-1)));
    const auto endless = MakeQuantizer(1e300, 20);
    ExpectRefused([&] { endless->GetScale(9); },
                  "TernaryQuantizer: scale of round 9 must be finite and at least 0, got inf");
}

} // namespace

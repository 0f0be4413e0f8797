/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/dlearn-curve.h"

#include <cmath>
#include <gtest/gtest.h>
#include <tuple>

namespace
{

using namespace ns3;
using namespace ns3::dlearn;

constexpr CurveShape STRAIGHT = CurveShape::STRAIGHT;

/** @return an evaluated round with some losses */
EvaluatedRound
MakeRound(uint32_t number, Time time, const std::vector<double>& losses)
{
    EvaluatedRound round;
    round.round = number;
    round.time = time;
    round.txBytes = 100 * number;
    for (const double loss : losses)
    {
        round.metrics["loss"].Add(loss);
    }
    return round;
}

/** @return a curve through points */
Curve
Through(const std::vector<std::pair<double, double>>& points)
{
    Curve curve;
    for (const auto& [x, y] : points)
    {
        curve.push_back({x, y, y, y});
    }
    return curve;
}

TEST(Curve, HasMeanAndBandAgainstEachAxis)
{
    const std::vector<EvaluatedRound> rounds{MakeRound(0, Seconds(1), {1, 3}),
                                             MakeRound(5, Seconds(2), {INFINITY, 3}),
                                             MakeRound(7, Seconds(4), {4})};
    const std::vector<std::vector<double>> abscissae{{1, 4}, {0, 7}, {0, 700}};
    for (size_t axis = 0; axis < 3; ++axis)
    {
        const Curve curve = MakeCurve(rounds, "loss", GetCurveAxes()[axis]);
        ASSERT_EQ(curve.size(), 2U); // what is infinite has no place
        EXPECT_EQ(curve[0].x, abscissae[axis][0]);
        EXPECT_EQ(curve[1].x, abscissae[axis][1]);
        EXPECT_EQ(curve[0].mean, 2);
        EXPECT_EQ(curve[0].low, 1);
        EXPECT_EQ(curve[0].high, 3);
    }
    EXPECT_TRUE(MakeCurve(rounds, "accuracy", GetCurveAxes()[0]).empty());
    EXPECT_TRUE(MakeCurve(rounds, "epsilon", GetCurveAxes()[0]).empty());
}

TEST(Curve, NeverGoesBack)
{
    const Curve curve = MakeCurve({MakeRound(0, Seconds(1), {1}),
                                   MakeRound(1, Seconds(5), {2}),
                                   MakeRound(2, Seconds(3), {3})},
                                  "loss",
                                  GetCurveAxes()[0]);
    ASSERT_EQ(curve.size(), 2U);
    EXPECT_EQ(curve[1].x, 5);
    EXPECT_EQ(curve[1].mean, 3);
}

TEST(Curve, ThinningHidesNoExtreme)
{
    Curve curve;
    for (int k = 0; k < 1001; ++k)
    {
        const double y = k == 567 ? 100 : k == 568 ? -100 : 1;
        curve.push_back({static_cast<double>(k), y, y, y});
    }
    for (const size_t limit : {2U, 10U, 101U, 600U, 1001U})
    {
        const Curve thin = ThinCurve(curve, limit);
        EXPECT_LE(thin.size(), limit);
        EXPECT_EQ(thin.front().x, 0);
        EXPECT_EQ(thin.back().x, 1000);
        double low = 0;
        double high = 0;
        for (size_t k = 0; k < thin.size(); ++k)
        {
            low = std::min(low, thin[k].low);
            high = std::max(high, thin[k].high);
            EXPECT_TRUE(k == 0 || thin[k].x > thin[k - 1].x);
        }
        EXPECT_EQ(low, -100);
        EXPECT_EQ(high, 100);
    }
}

/** Compare two curves, point by point. */
void
ExpectSame(const Curve& curve, const Curve& expected)
{
    ASSERT_EQ(curve.size(), expected.size());
    for (size_t k = 0; k < curve.size(); ++k)
    {
        EXPECT_DOUBLE_EQ(curve[k].x, expected[k].x);
        EXPECT_DOUBLE_EQ(curve[k].mean, expected[k].mean);
        EXPECT_DOUBLE_EQ(curve[k].low, expected[k].low);
        EXPECT_DOUBLE_EQ(curve[k].high, expected[k].high);
    }
}

TEST(Curve, MergingAveragesAtTheSameAbscissa)
{
    const Curve merged =
        MergeCurves({Through({{0, 0}, {2, 4}, {4, 8}}), Through({{1, 1}, {3, 3}}), {}},
                    100,
                    STRAIGHT);
    const std::vector<CurvePoint> expected{{1, 1.5, 1, 2}, // from where both have begun
                                           {2, 3, 2, 4},
                                           {3, 4.5, 3, 6}}; // to where the second one ends
    ExpectSame(merged, expected);
    const Curve few = MergeCurves({Through({{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}})}, 3, STRAIGHT);
    ASSERT_EQ(few.size(), 3U);
    EXPECT_EQ(few.back().x, 4);
    EXPECT_TRUE(MergeCurves({{}, {}}, 3, STRAIGHT).empty());
    EXPECT_TRUE(
        MergeCurves({Through({{0, 0}, {1, 1}}), Through({{2, 2}, {3, 3}})}, 3, STRAIGHT).empty())
        << "there is no abscissa that both have";
}

// Of 1, 2 and 6 the mean is 3, the variance (4 + 1 + 9) / 2, and t = 4.302653 of two degrees of
// freedom.
TEST(Curve, BandsAreRangeDeviationOrInterval)
{
    const std::vector<Curve> curves{Through({{0, 1}}), Through({{0, 2}}), Through({{0, 6}})};
    const double width = 4.302653 * std::sqrt(7.0 / 3);
    for (const auto& [band, low, high] :
         {std::tuple(Band::RANGE, 1.0, 6.0),
          std::tuple(Band::DEVIATION, 3 - std::sqrt(7), 3 + std::sqrt(7)),
          std::tuple(Band::INTERVAL, 3 - width, 3 + width)})
    {
        const CurvePoint point = MergeCurves(curves, 9, STRAIGHT, band).at(0);
        EXPECT_EQ(point.mean, 3);
        EXPECT_NEAR(point.low, low, 1e-5);
        EXPECT_NEAR(point.high, high, 1e-5);
    }
    EXPECT_EQ(MergeCurves({curves[1]}, 9, STRAIGHT, Band::INTERVAL).at(0).low, 2);
}

TEST(Curve, OfWhatIsSpentJumps)
{
    EXPECT_EQ(GetCurveShape("epsilon"), CurveShape::JUMPS);
    EXPECT_EQ(GetCurveShape("epsilon_nominal"), CurveShape::JUMPS);
    EXPECT_EQ(GetCurveShape("loss"), CurveShape::STRAIGHT);
}

// The second run may have spent all of its 10 right after time 1.
TEST(Curve, MergingIsNeverBelowWhatHasJumped)
{
    const Curve merged = MergeCurves(
        {Through({{1, 2}, {2, 4}, {3, 6}, {4, 8}, {5, 9}}), Through({{1, 1}, {3, 10}, {5, 12}})},
        100,
        CurveShape::JUMPS);
    const std::vector<CurvePoint> expected{{1, 1.5, 1, 2},
                                           {2, 7, 4, 10},
                                           {3, 8, 6, 10},
                                           {4, 10, 8, 12},
                                           {5, 10.5, 9, 12}};
    ExpectSame(merged, expected);
}

TEST(Curve, OfWhatIsSpentNeverFalls)
{
    std::vector<EvaluatedRound> rounds{MakeRound(0, Seconds(1), {1}),
                                       MakeRound(1, Seconds(5), {2}),
                                       MakeRound(2, Seconds(3), {3})};
    rounds[0].epsilon = 1;
    rounds[1].epsilon = 4;
    rounds[2].epsilon = 3;
    const Curve curve = MakeCurve(rounds, "epsilon", GetCurveAxes()[0]);
    ASSERT_EQ(curve.size(), 2U);
    EXPECT_EQ(curve[1].x, 5);
    EXPECT_EQ(curve[1].mean, 4);
}

} // namespace

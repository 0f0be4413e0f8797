/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "support/dlearn-expect-refused.h"

#include "ns3/dlearn-data-generator.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace ns3::dlearn
{
namespace
{

/**
 * @param from its begin
 * @param to its end
 * @return one straight stroke
 */
std::vector<Stroke>
StraightStroke(const Eigen::Vector2d& from, const Eigen::Vector2d& to)
{
    std::vector<Stroke> strokes(1);
    strokes[0].resize(2, 2);
    strokes[0] << from, to;
    return strokes;
}

TEST(DrawStrokes, ShadesByTheDistanceFromALine)
{
    // Between the centres of two pixels.
    const Eigen::VectorXd image = DrawStrokes(StraightStroke({2.5, 3.5}, {6.5, 3.5}), 2, 10);
    const auto pixel = [&image](int row, int column) { return image(10 * row + column); };
    // Value 1.5 - D, cut to [0, 1].
    EXPECT_EQ(pixel(3, 4), 1);   // D = 0
    EXPECT_EQ(pixel(2, 4), 0.5); // D = 1, across
    EXPECT_EQ(pixel(4, 2), 0.5);
    EXPECT_EQ(pixel(3, 7), 0.5); // D = 1, beyond the end
    EXPECT_EQ(pixel(3, 1), 0.5);
    EXPECT_NEAR(pixel(4, 7), 1.5 - std::sqrt(2), 1e-15); // round end
    EXPECT_EQ(pixel(5, 4), 0);                           // D = 2
    EXPECT_EQ(pixel(3, 8), 0);
    // Five pixels of 1, twice five and two of 1/2, four round corners.
    EXPECT_NEAR(image.sum(), 5 + 6 + 4 * (1.5 - std::sqrt(2)), 1e-14);
}

TEST(DrawStrokes, DrawsADiagonal)
{
    const Eigen::VectorXd image = DrawStrokes(StraightStroke({-5, -5}, {15, 15}), 2, 10);
    for (int row = 0; row < 10; ++row)
    {
        for (int column = 0; column < 10; ++column)
        {
            const double value = 1.5 - std::abs(row - column) / std::sqrt(2);
            EXPECT_NEAR(image(10 * row + column), std::clamp(value, 0., 1.), 1e-14);
        }
    }
}

// Against distances to points that are at most 0.01 apart on the strokes. The nearest of them
// is at most 0.005 farther away than the nearest point of the stroke, and never nearer.
TEST(DrawStrokes, TakesTheNearestOfAllStrokes)
{
    constexpr int side = 12;
    std::mt19937 random(5);
    std::uniform_real_distribution<double> coordinate(-6, side + 6);
    std::vector<Stroke> strokes;
    std::vector<Eigen::Vector2d> points;
    for (int k = 0; k < 3; ++k)
    {
        strokes.emplace_back(2, 3);
        for (double& value : strokes.back().reshaped())
        {
            value = coordinate(random);
        }
        for (int piece = 0; piece < 2; ++piece)
        {
            constexpr int steps = 4000; // of a length below 34
            for (int step = 0; step <= steps; ++step)
            {
                const double share = double(step) / steps;
                points.emplace_back((1 - share) * strokes[k].col(piece) +
                                    share * strokes[k].col(piece + 1));
            }
        }
    }
    const Eigen::VectorXd image = DrawStrokes(strokes, 3, side);
    EXPECT_GT(image.maxCoeff(), 0.5);
    for (int k = 0; k < side * side; ++k)
    {
        double distance = std::numeric_limits<double>::infinity();
        for (const auto& point : points)
        {
            const Eigen::Vector2d centre(k % side + .5, k / side + .5);
            distance = std::min(distance, (centre - point).norm());
        }
        const double value = std::clamp(2 - distance, 0., 1.);
        EXPECT_GE(image(k), value - 1e-12);
        EXPECT_LE(image(k), value + 0.005);
    }
}

TEST(DrawStrokes, DrawsNothingOutside)
{
    EXPECT_TRUE(DrawStrokes(StraightStroke({9, 9}, {1e100, -1e100}), 2, 4).isZero(0));
    EXPECT_TRUE(DrawStrokes({}, 2, 4).isZero(0));
    EXPECT_EQ(DrawStrokes(StraightStroke({.5, .5}, {.5, .5}), 2, 4)(0), 1) << "a dot";
}

TEST(DrawStrokes, RefusesWhatItCanNotDraw)
{
    std::vector<Stroke> strokes = StraightStroke({0, 0}, {1, 1});
    for (const double width : {0., -1., std::nan(""), double{INFINITY}})
    {
        ExpectRefused([&] { DrawStrokes(strokes, width, 4); },
                      "DrawStrokes: width must be finite and greater than 0, got ");
    }
    ExpectRefused([&] { DrawStrokes(strokes, 1, 0); }, "side must be at least 1, got 0");
    strokes[0](1, 1) = NAN;
    ExpectRefused([&] { DrawStrokes(strokes, 1, 4); }, "points must be finite");
    strokes[0].resize(2, 0);
    ExpectRefused([&] { DrawStrokes(strokes, 1, 4); }, "must have at least 1 point");
}

TEST(GetGlyphStrokes, KnowsTenShapesOfFullHeight)
{
    for (uint32_t glyph = 0; glyph < GLYPHS; ++glyph)
    {
        double low = 1;
        double high = 0;
        for (const Stroke& stroke : GetGlyphStrokes(glyph))
        {
            EXPECT_GE(stroke.minCoeff(), -1e-12) << glyph;
            EXPECT_LE(stroke.maxCoeff(), 1 + 1e-12) << glyph;
            low = std::min(low, stroke.row(1).minCoeff());
            high = std::max(high, stroke.row(1).maxCoeff());
        }
        EXPECT_NEAR(low, 0, 0.02) << glyph;
        EXPECT_NEAR(high, 1, 0.02) << glyph;
    }
    ExpectRefused([] { GetGlyphStrokes(10); }, "glyph must be from 0 to 9, got 10");
}

} // namespace
} // namespace ns3::dlearn

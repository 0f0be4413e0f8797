/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-glyph-strokes.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

namespace ns3::dlearn
{

namespace
{

/**
 * @param points (x, y) of the corners
 * @return the stroke through them
 */
Stroke
Line(std::initializer_list<std::pair<double, double>> points)
{
    Stroke stroke(2, static_cast<Eigen::Index>(points.size()));
    Eigen::Index column = 0;
    for (const auto& [x, y] : points)
    {
        stroke.col(column++) << x, y;
    }
    return stroke;
}

/** Part of an ellipse whose axes are parallel to those of the image. */
struct Arc
{
    double x;       //!< of the centre
    double y;       //!< of the centre
    double radiusX; //!< half the width of the ellipse
    double radiusY; //!< half the height of the ellipse
    int from;       //!< degrees; 0 is to the right, 90 down
    int to;         //!< degrees; greater than from: clockwise

    /** @return the points, 15 degrees or less apart */
    Stroke GetStroke() const
    {
        const int steps = (std::abs(to - from) + 14) / 15;
        Stroke stroke(2, steps + 1);
        for (int k = 0; k <= steps; ++k)
        {
            const double angle = (from + (to - from) * double(k) / steps) * std::acos(-1) / 180;
            stroke.col(k) << x + radiusX * std::cos(angle), y + radiusY * std::sin(angle);
        }
        return stroke;
    }
};

/**
 * @param first a stroke
 * @param second another
 * @return both, with a line from the end of the first to the begin of the second
 */
Stroke
Join(const Stroke& first, const Stroke& second)
{
    Stroke joined(2, first.cols() + second.cols());
    joined << first, second;
    return joined;
}

/** @return the strokes of all glyphs */
std::vector<std::vector<Stroke>>
MakeGlyphShapes()
{
    const auto curve = [](double x, double y, double radiusX, double radiusY, int from, int to) {
        return Arc{x, y, radiusX, radiusY, from, to}.GetStroke();
    };
    return {
        {curve(.5, .5, .36, .5, 0, 360)},
        {Line({{.3, .22}, {.56, 0}, {.56, 1}})},
        {Join(curve(.5, .29, .37, .29, 185, 385), Line({{.12, 1}, {.9, 1}}))},
        {Join(curve(.44, .25, .36, .25, 200, 450), curve(.44, .74, .42, .26, 280, 520))},
        {Line({{.7, 1}, {.7, 0}, {.08, .68}, {.94, .68}})},
        {Join(Line({{.84, 0}, {.26, 0}, {.2, .46}}), curve(.46, .68, .4, .32, 230, 510))},
        {Join(Line({{.72, 0}, {.42, .2}}), curve(.5, .7, .36, .3, 195, 555))},
        {Line({{.1, 0}, {.9, 0}, {.42, 1}})},
        {curve(.5, .24, .29, .24, 90, 450), curve(.5, .74, .38, .26, 270, 630)},
        {Join(curve(.5, .3, .36, .3, 15, 375), Line({{.74, .68}, {.56, 1}}))},
    };
}

/**
 * Draw one piece of a stroke: raise the pixels near it to the value that it alone gives them.
 * The nearest piece gives the largest, so the order of the pieces does not matter.
 *
 * @param from its begin
 * @param to its end; the same as the begin: a dot
 * @param reach farthest distance at which a pixel is not 0
 * @param image columns of it are the rows of the picture
 */
void
DrawPiece(const Eigen::Vector2d& from,
          const Eigen::Vector2d& to,
          double reach,
          Eigen::Ref<Eigen::MatrixXd> image)
{
    const Eigen::Vector2d along = to - from;
    const double squared = along.squaredNorm();
    const double last = double(image.rows()) - 1;
    // Pixels outside of this box are too far away; clamped before they become whole numbers.
    const auto bound = [last](double value) {
        return static_cast<Eigen::Index>(std::clamp(value, -1.0, last + 1));
    };
    const Eigen::Vector2d low = from.cwiseMin(to).array() - reach - .5;
    const Eigen::Vector2d high = from.cwiseMax(to).array() + reach - .5;
    const Eigen::Index lastRow = std::min(bound(std::ceil(high.y())), image.cols() - 1);
    const Eigen::Index lastColumn = std::min(bound(std::ceil(high.x())), image.rows() - 1);
    for (Eigen::Index row = std::max<Eigen::Index>(bound(low.y()), 0); row <= lastRow; ++row)
    {
        for (Eigen::Index column = std::max<Eigen::Index>(bound(low.x()), 0); column <= lastColumn;
             ++column)
        {
            const Eigen::Vector2d offset = Eigen::Vector2d(column + .5, row + .5) - from;
            const double place =
                squared > 0 ? std::clamp(offset.dot(along) / squared, 0.0, 1.0) : 0.0;
            const double value = reach - (offset - place * along).norm();
            double& pixel = image(column, row);
            pixel = std::max(pixel, std::min(value, 1.0));
        }
    }
}

} // namespace

std::vector<Stroke>
GetGlyphStrokes(uint32_t glyph)
{
    static const std::vector<std::vector<Stroke>> shapes = MakeGlyphShapes();
    Require(glyph < GLYPHS,
            "GetGlyphStrokes: glyph must be from 0 to ",
            GLYPHS - 1,
            ", got ",
            glyph);
    return shapes[glyph];
}

Eigen::VectorXd
DrawStrokes(const std::vector<Stroke>& strokes, double width, uint32_t side)
{
    const std::string where = "DrawStrokes";
    RequirePositive(where, "width", width);
    Require(side >= 1, where, ": side must be at least 1, got ", side);
    Eigen::MatrixXd image = Eigen::MatrixXd::Zero(side, side);
    for (const Stroke& stroke : strokes)
    {
        Require(stroke.cols() >= 1, where, ": a stroke must have at least 1 point");
        Require(stroke.allFinite(), where, ": points must be finite");
        DrawPiece(stroke.col(0), stroke.col(0), width / 2 + .5, image);
        for (Eigen::Index k = 1; k < stroke.cols(); ++k)
        {
            DrawPiece(stroke.col(k - 1), stroke.col(k), width / 2 + .5, image);
        }
    }
    return image.reshaped();
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_GLYPH_STROKES_H
#define DLEARN_GLYPH_STROKES_H

#include "ns3/dlearn-types.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @file
 * Shapes made of strokes, and how they become pixels. Coordinates are (x, y) with x to the
 * right and y down, as the rows of an image go.
 */

/** A stroke: the points of a connected line, one column per point. */
using Stroke = Eigen::Matrix2Xd;

/** Number of different glyphs. */
constexpr uint32_t GLYPHS = 10;

/**
 * @ingroup dlearn
 * @param glyph which of the ten shapes, that of the decimal digit
 * @return its strokes, inside the unit square; curves are lines between close points
 * @throw std::invalid_argument when there is no such glyph
 */
std::vector<Stroke> GetGlyphStrokes(uint32_t glyph);

/**
 * @ingroup dlearn
 * Draw strokes with a round pen. With D the distance from the centre of a pixel to the nearest
 * point of any stroke, the pixel is
 *
 *     min(1, max(0, width / 2 + 1/2 - D)),
 *
 * so that its value falls from 1 to 0 over one pixel across the edge of the line.
 *
 * @param strokes of at least one point each, in pixels: the image is [0, side] x [0, side]
 *        and the pixel in row r and column c has its centre at (c + 1/2, r + 1/2); what is
 *        outside of it is not drawn
 * @param width of the pen in pixels, finite and greater than 0
 * @param side height and width of the image, at least 1
 * @return the side^2 pixels, row by row
 * @throw std::invalid_argument naming what breaks these rules
 */
Eigen::VectorXd DrawStrokes(const std::vector<Stroke>& strokes, double width, uint32_t side);

} // namespace ns3::dlearn

#endif // DLEARN_GLYPH_STROKES_H

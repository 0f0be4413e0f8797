/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SVG_STYLE_H
#define DLEARN_SVG_STYLE_H

#include <string>
#include <vector>

/**
 * @file
 * What all drawings share: colours, fonts, and how a legend looks.
 */

namespace ns3::dlearn
{

/** Colours in the palette: classes f0, f1, ... fill with them, c0, c1, ... stroke. */
constexpr int SVG_COLORS = 8;

/**
 * @ingroup dlearn
 * @return the style sheet (CSS) of all drawings, limited to elements of class dl-plot, for
 *         light and dark pages; plain properties only, so that converters to PDF and PNG
 *         understand it too
 */
const std::string& GetSvgStyle();

/**
 * @ingroup dlearn
 * @param x to the right
 * @param y downwards
 * @return the point as path data
 */
std::string FormatPoint(double x, double y);

/**
 * @ingroup dlearn
 * Legend of a drawing: swatches with names, broken into rows.
 */
struct SvgLegend
{
    /** One swatch with its name. */
    struct Entry
    {
        std::string name;   //!< plain text
        std::string swatch; //!< markup, 18 pixels wide, vertically centred on y = 0
    };

    std::vector<Entry> entries; //!< from left to right, then down

    /**
     * @param width room in pixels
     * @param x left edge
     * @param y middle of the first row
     * @param svg where to append the markup
     * @return height used in pixels; 0 without entries
     */
    double Draw(double width, double x, double y, std::string& svg) const;
};

} // namespace ns3::dlearn

#endif // DLEARN_SVG_STYLE_H

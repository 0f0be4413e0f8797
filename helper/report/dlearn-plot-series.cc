/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-plot-series.h"

#include "dlearn-line-thinning.h"

#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

constexpr size_t MARKER_LIMIT = 30; //!< a line of at most so many points shows them

/**
 * @param slot of the palette
 * @param x centre
 * @param y centre
 * @return path data of the marker of that slot: circle, square, triangle or diamond
 */
std::string
MarkerPath(int slot, double x, double y)
{
    switch (slot % 4)
    {
    case 0:
        return "M" + FormatPoint(x - 3.5, y) + "a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z";
    case 1:
        return "M" + FormatPoint(x - 3.2, y - 3.2) + "h6.4v6.4h-6.4z";
    case 2:
        return "M" + FormatPoint(x, y - 4.4) + "l4.2 7.2h-8.4z";
    default:
        return "M" + FormatPoint(x, y - 4.6) + "l4.6 4.6-4.6 4.6-4.6-4.6z";
    }
}

/**
 * @param series a series with its colour
 * @return class names of its line
 */
std::string
LineClass(const PlotSeries& series)
{
    std::string name = "l c" + std::to_string(series.color % SVG_COLORS);
    if (series.style == PlotSeries::Style::DASHED)
    {
        name += " d";
    }
    else if (series.style == PlotSeries::Style::THIN)
    {
        name += " thin";
    }
    return name;
}

/** Draw the area between low and high. */
void
DrawBand(const PlotFrame& frame, const PlotSeries& series, std::string& svg)
{
    // In columns, so that thousands of points stay a small path: the widest of each column.
    const bool area = series.style == PlotSeries::Style::AREA;
    const size_t size = area ? 1 : series.x.size() / (frame.pointBudget / 2) + 1;
    std::vector<std::array<double, 3>> columns; // x, low, high in pixels
    std::string path;
    auto flush = [&columns, &path]() {
        for (size_t k = 0; k < columns.size(); ++k)
        {
            path += (k == 0 ? "M" : "L") + FormatPoint(columns[k][0], columns[k][2]);
        }
        for (size_t k = columns.size(); k-- > 0;)
        {
            path += "L" + FormatPoint(columns[k][0], columns[k][1]);
        }
        path += columns.empty() ? "" : "z";
        columns.clear();
    };
    for (size_t k = 0; k < series.x.size(); ++k)
    {
        // A low end that a logarithmic axis can not show (0) is below its foot.
        if (!frame.CanShow(series.x[k], series.high[k]) || std::isnan(series.low[k]))
        {
            flush();
            continue;
        }
        const double x = frame.X(series.x[k]);
        const double low = frame.Y(series.low[k]);
        const double high = frame.Y(series.high[k]);
        const bool last = k + 1 == series.x.size();
        if (columns.empty() || k % size == 0 || last)
        {
            columns.push_back({x, low, high});
        }
        else
        {
            columns.back()[1] = std::max(columns.back()[1], low);
            columns.back()[2] = std::min(columns.back()[2], high);
        }
    }
    flush();
    svg += "<path class=\"" + std::string(area ? "area" : "band") + " f" +
           std::to_string(series.color % SVG_COLORS) + "\" d=\"" + path + "\"/>\n";
}

/** Draw a bar from low to high at each point. */
void
DrawErrorBars(const PlotFrame& frame, const PlotSeries& series, std::string& svg)
{
    std::string path;
    for (size_t k = 0; k < series.x.size(); ++k)
    {
        if (frame.CanShow(series.x[k], series.high[k]) && !std::isnan(series.low[k]))
        {
            const double x = frame.X(series.x[k]);
            const double low = frame.Y(series.low[k]);
            const double high = frame.Y(series.high[k]);
            path += "M" + FormatPoint(x - 3, high) + "h6m-3 0V" + FormatCoordinate(low) + "m-3 0h6";
        }
    }
    svg += "<path class=\"e c" + std::to_string(series.color % SVG_COLORS) + "\" d=\"" + path +
           "\"/>\n";
}

/** Draw a line through the points. */
void
DrawLine(const PlotFrame& frame, const PlotSeries& series, std::string& svg)
{
    std::vector<LinePoint> line;
    line.reserve(series.x.size());
    for (size_t k = 0; k < series.x.size(); ++k)
    {
        const bool shown = frame.CanShow(series.x[k], series.y[k]);
        line.push_back(shown ? LinePoint{frame.X(series.x[k]), frame.Y(series.y[k])}
                             : LinePoint{0, 0, true});
    }
    line = ThinLine(line, frame.pointBudget);
    std::string path;
    bool pen = false;
    for (size_t k = 0; k < line.size(); ++k)
    {
        if (line[k].gap)
        {
            pen = false;
            continue;
        }
        path += (pen ? "L" : "M") + FormatPoint(line[k].x, line[k].y);
        // A point between two gaps is a dot: a line of length 0 with round ends.
        const bool alone = !pen && (k + 1 == line.size() || line[k + 1].gap);
        path += alone ? "h0" : "";
        pen = true;
    }
    svg += "<path class=\"" + LineClass(series) + "\" d=\"" + path + "\"/>\n";
}

/** Draw a marker at each point. */
void
DrawPoints(const PlotFrame& frame, const PlotSeries& series, std::string& svg)
{
    std::string path;
    for (size_t k = 0; k < series.x.size(); ++k)
    {
        if (frame.CanShow(series.x[k], series.y[k]))
        {
            path += MarkerPath(series.color, frame.X(series.x[k]), frame.Y(series.y[k]));
        }
    }
    svg += "<path class=\"m f" + std::to_string(series.color % SVG_COLORS) + "\" d=\"" + path +
           "\"/>\n";
}

} // namespace

std::string
DrawSwatch(const PlotSeries& series)
{
    const std::string slot = std::to_string(series.color % SVG_COLORS);
    switch (series.style)
    {
    case PlotSeries::Style::AREA:
        return "<rect class=\"area f" + slot + "\" x=\"2\" y=\"-6\" width=\"14\" height=\"12\"/>";
    case PlotSeries::Style::POINTS:
        return "<path class=\"m f" + slot + "\" d=\"" + MarkerPath(series.color, 9, 0) + "\"/>";
    default:
        break;
    }
    std::string swatch;
    if (!series.low.empty() && !series.errorBars)
    {
        swatch = "<rect class=\"band f" + slot + "\" y=\"-6\" width=\"18\" height=\"12\"/>";
    }
    swatch += "<path class=\"" + LineClass(series) + "\" d=\"M0 0h18\"/>";
    if (series.style == PlotSeries::Style::LINE && series.x.size() <= MARKER_LIMIT)
    {
        swatch += "<path class=\"m f" + slot + "\" d=\"" + MarkerPath(series.color, 9, 0) + "\"/>";
    }
    return swatch;
}

void
DrawSeries(const PlotFrame& frame, const PlotSeries& series, std::string& svg)
{
    using Style = PlotSeries::Style;
    const bool points = series.style == Style::POINTS;
    if (series.style == Style::AREA)
    {
        DrawBand(frame, series, svg);
        return;
    }
    if (!series.low.empty())
    {
        points || series.errorBars ? DrawErrorBars(frame, series, svg)
                                   : DrawBand(frame, series, svg);
    }
    if (!points)
    {
        DrawLine(frame, series, svg);
    }
    if (points || (series.style == Style::LINE && series.x.size() <= MARKER_LIMIT))
    {
        DrawPoints(frame, series, svg);
    }
}

} // namespace ns3::dlearn

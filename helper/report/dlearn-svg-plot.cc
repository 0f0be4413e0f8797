/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-svg-plot.h"

#include "dlearn-line-thinning.h"
#include "dlearn-plot-axis.h"
#include "dlearn-svg-style.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace ns3::dlearn
{

namespace
{

constexpr double WIDTH = 640;          //!< of the image, pixels
constexpr double PLOT_HEIGHT = 270;    //!< of the area between the axes, pixels
constexpr size_t POINT_BUDGET = 16000; //!< points of all lines of a plot together
constexpr size_t MARKER_LIMIT = 30;    //!< a line of at most so many points shows them

/**
 * @param x to the right
 * @param y downwards
 * @return the pair as path data
 */
std::string
Pair(double x, double y)
{
    return FormatCoordinate(x) + " " + FormatCoordinate(y);
}

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
        return "M" + Pair(x - 3.5, y) + "a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0-7 0z";
    case 1:
        return "M" + Pair(x - 3.2, y - 3.2) + "h6.4v6.4h-6.4z";
    case 2:
        return "M" + Pair(x, y - 4.4) + "l4.2 7.2h-8.4z";
    default:
        return "M" + Pair(x, y - 4.6) + "l4.6 4.6-4.6 4.6-4.6-4.6z";
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

/**
 * @param series a series with its colour
 * @return its swatch in the legend
 */
std::string
Swatch(const PlotSeries& series)
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

} // namespace

/** Where things are in the image. */
struct SvgPlot::Frame
{
    PlotAxis xAxis;     //!< horizontal axis
    PlotAxis yAxis;     //!< vertical axis
    SvgLegend legend;   //!< names of the series
    double left;        //!< of the area between the axes, pixels from the left
    double top;         //!< of that area, pixels from the top
    double width;       //!< of that area
    size_t pointBudget; //!< points that one line may have

    /** @return @p x in pixels */
    double X(double x) const
    {
        return left + width * xAxis.GetShare(x);
    }

    /** @return @p y in pixels */
    double Y(double y) const
    {
        return top + PLOT_HEIGHT * (1 - yAxis.GetShare(y));
    }
};

SvgPlot::SvgPlot(std::string title, std::string xLabel, std::string yLabel)
    : m_title(std::move(title)),
      m_xLabel(std::move(xLabel)),
      m_yLabel(std::move(yLabel))
{
}

void
SvgPlot::SetLogX()
{
    m_logX = true;
}

void
SvgPlot::SetLogY()
{
    m_logY = true;
}

void
SvgPlot::SetWholeX()
{
    m_wholeX = true;
}

void
SvgPlot::SetYRange(double low, double high)
{
    Require(PlotAxis::CanShow(low, m_logY) && PlotAxis::CanShow(high, m_logY) && low < high,
            "SvgPlot: a range must be finite, increasing, and above 0 on a logarithmic axis, got ",
            low,
            " to ",
            high);
    m_yRange = {low, high};
}

void
SvgPlot::Add(PlotSeries series)
{
    const bool area = series.style == PlotSeries::Style::AREA;
    if (area && series.y.empty())
    {
        series.y = series.high;
    }
    const std::string where = "SvgPlot: series '" + series.name + "'";
    RequireSize(where, "y", series.y.size(), series.x.size());
    Require(series.low.size() == series.high.size(), where, ": low and high differ in length");
    if (area || !series.low.empty())
    {
        RequireSize(where, "low", series.low.size(), series.x.size());
    }
    if (series.color < 0)
    {
        series.color = m_nextColor++;
    }
    m_series.push_back(std::move(series));
}

bool
SvgPlot::CanShow(double x, double y) const
{
    return PlotAxis::CanShow(x, m_logX) && PlotAxis::CanShow(y, m_logY);
}

bool
SvgPlot::IsEmpty() const
{
    for (const auto& series : m_series)
    {
        for (size_t k = 0; k < series.x.size(); ++k)
        {
            if (CanShow(series.x[k], series.y[k]))
            {
                return false;
            }
        }
    }
    return true;
}

SvgPlot::Frame
SvgPlot::MakeFrame() const
{
    // The range of all that can be shown.
    const double infinity = std::numeric_limits<double>::infinity();
    double xLow = infinity;
    double xHigh = -infinity;
    double yLow = infinity;
    double yHigh = -infinity;
    SvgLegend legend;
    size_t lines = 0;
    for (const auto& series : m_series)
    {
        lines += series.style == PlotSeries::Style::POINTS ? 0 : 1;
        if (!series.name.empty())
        {
            legend.entries.push_back({series.name, Swatch(series)});
        }
        for (const auto* values : {&series.y, &series.low, &series.high})
        {
            for (size_t k = 0; k < values->size(); ++k)
            {
                if (CanShow(series.x[k], (*values)[k]))
                {
                    xLow = std::min(xLow, series.x[k]);
                    xHigh = std::max(xHigh, series.x[k]);
                    yLow = std::min(yLow, (*values)[k]);
                    yHigh = std::max(yHigh, (*values)[k]);
                }
            }
        }
    }
    if (!(xLow <= xHigh))
    {
        xLow = yLow = m_logX || m_logY ? 1 : 0;
        xHigh = yHigh = 1;
    }
    PlotAxis xAxis(xLow, xHigh, {m_logX, m_wholeX, true});
    PlotAxis yAxis(m_yRange.empty() ? yLow : m_yRange[0],
                   m_yRange.empty() ? yHigh : m_yRange[1],
                   {m_logY, false, !m_yRange.empty()});
    // Room on the left for the labels of the vertical axis.
    const double left = 40 + 6.6 * static_cast<double>(yAxis.GetLabelWidth());
    std::string ignored;
    const double legendHeight = legend.Draw(WIDTH - left - 20, 0, 0, ignored);
    return {std::move(xAxis),
            std::move(yAxis),
            std::move(legend),
            left,
            38 + legendHeight + (legendHeight > 0 ? 6 : 0),
            WIDTH - left - 20,
            std::clamp<size_t>(POINT_BUDGET / std::max<size_t>(lines, 1), 24, 1200)};
}

void
SvgPlot::DrawAxes(const Frame& frame, std::string& svg) const
{
    const double bottom = frame.top + PLOT_HEIGHT;
    std::string grid;
    std::string minor;
    std::string labels;
    for (const auto& tick : frame.yAxis.GetTicks())
    {
        const double y = frame.Y(tick.value);
        (tick.label.empty() ? minor : grid) +=
            "M" + Pair(frame.left, y) + "h" + FormatCoordinate(frame.width);
        if (!tick.label.empty())
        {
            labels += "<text x=\"" + FormatCoordinate(frame.left - 8) + "\" y=\"" +
                      FormatCoordinate(y + 4) + "\" text-anchor=\"end\">" + tick.label + "</text>";
        }
    }
    std::string marks;
    for (const auto& tick : frame.xAxis.GetTicks())
    {
        const double x = frame.X(tick.value);
        marks += "M" + Pair(x, bottom) + (tick.label.empty() ? "v3" : "v5");
        if (!tick.label.empty())
        {
            labels += "<text x=\"" + FormatCoordinate(x) + "\" y=\"" +
                      FormatCoordinate(bottom + 19) + "\" text-anchor=\"middle\">" + tick.label +
                      "</text>";
        }
    }
    svg += "<path class=\"minor\" d=\"" + minor + "\"/><path class=\"grid\" d=\"" + grid +
           "\"/><path class=\"axis\" d=\"M" + Pair(frame.left, bottom) + "h" +
           FormatCoordinate(frame.width) + marks + "\"/>" + labels;
    svg += "<text class=\"n\" x=\"" + FormatCoordinate(frame.left + frame.width / 2) + "\" y=\"" +
           FormatCoordinate(bottom + 40) + "\" text-anchor=\"middle\">" + EscapeXml(m_xLabel) +
           "</text>";
    const double middle = frame.top + PLOT_HEIGHT / 2;
    svg += "<text class=\"n\" transform=\"translate(17 " + FormatCoordinate(middle) +
           ") rotate(-90)\" text-anchor=\"middle\">" + EscapeXml(m_yLabel) + "</text>\n";
}

void
SvgPlot::DrawBand(const Frame& frame, const PlotSeries& series, std::string& svg) const
{
    // In columns, so that thousands of points stay a small path: the widest of each column.
    const bool area = series.style == PlotSeries::Style::AREA;
    const size_t size = area ? 1 : series.x.size() / (frame.pointBudget / 2) + 1;
    std::vector<std::array<double, 3>> columns; // x, low, high in pixels
    std::string path;
    auto flush = [&columns, &path]() {
        for (size_t k = 0; k < columns.size(); ++k)
        {
            path += (k == 0 ? "M" : "L") + Pair(columns[k][0], columns[k][2]);
        }
        for (size_t k = columns.size(); k-- > 0;)
        {
            path += "L" + Pair(columns[k][0], columns[k][1]);
        }
        path += columns.empty() ? "" : "z";
        columns.clear();
    };
    for (size_t k = 0; k < series.x.size(); ++k)
    {
        // A low end that a logarithmic axis can not show (0) is below its foot.
        if (!CanShow(series.x[k], series.high[k]) || std::isnan(series.low[k]))
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

void
SvgPlot::DrawErrorBars(const Frame& frame, const PlotSeries& series, std::string& svg) const
{
    std::string path;
    for (size_t k = 0; k < series.x.size(); ++k)
    {
        if (CanShow(series.x[k], series.high[k]) && !std::isnan(series.low[k]))
        {
            const double x = frame.X(series.x[k]);
            const double low = frame.Y(series.low[k]);
            const double high = frame.Y(series.high[k]);
            path += "M" + Pair(x - 3, high) + "h6m-3 0V" + FormatCoordinate(low) + "m-3 0h6";
        }
    }
    svg += "<path class=\"e c" + std::to_string(series.color % SVG_COLORS) + "\" d=\"" + path +
           "\"/>\n";
}

void
SvgPlot::DrawLine(const Frame& frame, const PlotSeries& series, std::string& svg) const
{
    std::vector<LinePoint> line;
    line.reserve(series.x.size());
    for (size_t k = 0; k < series.x.size(); ++k)
    {
        const bool shown = CanShow(series.x[k], series.y[k]);
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
        path += (pen ? "L" : "M") + Pair(line[k].x, line[k].y);
        // A point between two gaps is a dot: a line of length 0 with round ends.
        const bool alone = !pen && (k + 1 == line.size() || line[k + 1].gap);
        path += alone ? "h0" : "";
        pen = true;
    }
    svg += "<path class=\"" + LineClass(series) + "\" d=\"" + path + "\"/>\n";
}

void
SvgPlot::DrawPoints(const Frame& frame, const PlotSeries& series, std::string& svg) const
{
    std::string path;
    for (size_t k = 0; k < series.x.size(); ++k)
    {
        if (CanShow(series.x[k], series.y[k]))
        {
            path += MarkerPath(series.color, frame.X(series.x[k]), frame.Y(series.y[k]));
        }
    }
    svg += "<path class=\"m f" + std::to_string(series.color % SVG_COLORS) + "\" d=\"" + path +
           "\"/>\n";
}

std::string
SvgPlot::Draw(bool withStyle) const
{
    using Style = PlotSeries::Style;
    const Frame frame = MakeFrame();
    const std::string height = FormatCoordinate(frame.top + PLOT_HEIGHT + 52);
    const std::string title = EscapeXml(m_title);
    std::string svg = "<svg class=\"dl-plot\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " +
                      FormatCoordinate(WIDTH) + " " + height + "\" width=\"" +
                      FormatCoordinate(WIDTH) + "\" height=\"" + height +
                      "\" role=\"img\" aria-label=\"" + title + "\">\n";
    if (withStyle)
    {
        svg += "<style>" + GetSvgStyle() + "</style>\n";
    }
    svg += "<rect class=\"bg\" width=\"100%\" height=\"100%\"/><text class=\"t\" x=\"" +
           FormatCoordinate(frame.left) + "\" y=\"24\">" + title + "</text>\n";
    DrawAxes(frame, svg);
    frame.legend.Draw(frame.width, frame.left, 44, svg);
    // A nested svg cuts off what is outside without an id, which must be unique in a page.
    // It is a little larger than the area, so that lines along its edge keep their width.
    const double edge = 4;
    svg += "<svg x=\"" + FormatCoordinate(frame.left - edge) + "\" y=\"" +
           FormatCoordinate(frame.top - edge) + "\" width=\"" +
           FormatCoordinate(frame.width + 2 * edge) + "\" height=\"" +
           FormatCoordinate(PLOT_HEIGHT + 2 * edge) + "\" viewBox=\"" +
           Pair(frame.left - edge, frame.top - edge) + " " +
           Pair(frame.width + 2 * edge, PLOT_HEIGHT + 2 * edge) + "\">\n";
    for (const auto& series : m_series)
    {
        const bool points = series.style == Style::POINTS;
        if (series.style == Style::AREA)
        {
            DrawBand(frame, series, svg);
            continue;
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
    if (IsEmpty())
    {
        svg += "<text x=\"" + FormatCoordinate(frame.left + frame.width / 2) + "\" y=\"" +
               FormatCoordinate(frame.top + PLOT_HEIGHT / 2) +
               "\" text-anchor=\"middle\">nothing to show</text>\n";
    }
    return svg + "</svg></svg>\n";
}

void
SvgPlot::Write(const std::string& path) const
{
    WriteTextFile(path, Draw());
}

} // namespace ns3::dlearn

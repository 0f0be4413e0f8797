/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-svg-plot.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-output-file.h"
#include "ns3/dlearn-text-format.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ns3::dlearn
{

namespace
{

constexpr double WIDTH = 640;          //!< of the image, pixels
constexpr size_t POINT_BUDGET = 16000; //!< points of all lines of a plot together

} // namespace

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

PlotFrame
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
            legend.entries.push_back({series.name, DrawSwatch(series)});
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
SvgPlot::DrawAxes(const PlotFrame& frame, std::string& svg) const
{
    const double bottom = frame.top + PlotFrame::HEIGHT;
    std::string grid;
    std::string minor;
    std::string labels;
    for (const auto& tick : frame.yAxis.GetTicks())
    {
        const double y = frame.Y(tick.value);
        (tick.label.empty() ? minor : grid) +=
            "M" + FormatPoint(frame.left, y) + "h" + FormatCoordinate(frame.width);
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
        marks += "M" + FormatPoint(x, bottom) + (tick.label.empty() ? "v3" : "v5");
        if (!tick.label.empty())
        {
            labels += "<text x=\"" + FormatCoordinate(x) + "\" y=\"" +
                      FormatCoordinate(bottom + 19) + "\" text-anchor=\"middle\">" + tick.label +
                      "</text>";
        }
    }
    svg += "<path class=\"minor\" d=\"" + minor + "\"/><path class=\"grid\" d=\"" + grid +
           "\"/><path class=\"axis\" d=\"M" + FormatPoint(frame.left, bottom) + "h" +
           FormatCoordinate(frame.width) + marks + "\"/>" + labels;
    svg += "<text class=\"n\" x=\"" + FormatCoordinate(frame.left + frame.width / 2) + "\" y=\"" +
           FormatCoordinate(bottom + 40) + "\" text-anchor=\"middle\">" + EscapeXml(m_xLabel) +
           "</text>";
    const double middle = frame.top + PlotFrame::HEIGHT / 2;
    svg += "<text class=\"n\" transform=\"translate(17 " + FormatCoordinate(middle) +
           ") rotate(-90)\" text-anchor=\"middle\">" + EscapeXml(m_yLabel) + "</text>\n";
}

std::string
SvgPlot::Draw(bool withStyle) const
{
    const PlotFrame frame = MakeFrame();
    const std::string height = FormatCoordinate(frame.top + PlotFrame::HEIGHT + 52);
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
           FormatCoordinate(PlotFrame::HEIGHT + 2 * edge) + "\" viewBox=\"" +
           FormatPoint(frame.left - edge, frame.top - edge) + " " +
           FormatPoint(frame.width + 2 * edge, PlotFrame::HEIGHT + 2 * edge) + "\">\n";
    for (const auto& series : m_series)
    {
        DrawSeries(frame, series, svg);
    }
    if (IsEmpty())
    {
        svg += "<text x=\"" + FormatCoordinate(frame.left + frame.width / 2) + "\" y=\"" +
               FormatCoordinate(frame.top + PlotFrame::HEIGHT / 2) +
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

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PLOT_SERIES_H
#define DLEARN_PLOT_SERIES_H

#include "dlearn-plot-axis.h"
#include "dlearn-svg-style.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * One set of data of a plot. Values that the axes can not show (NaN, infinity, not above 0
 * on a logarithmic axis) are skipped and interrupt a line.
 */
struct PlotSeries
{
    /** How the data are drawn. */
    enum class Style
    {
        LINE,   //!< a line, with points when they are few
        DASHED, //!< a dashed line without points: theory, bounds
        THIN,   //!< a faint thin line without points: one of many
        POINTS, //!< points alone: measurements
        AREA    //!< the area between low and high: a layer of a stack; needs no y
    };

    std::string name;           //!< in the legend; empty for none
    std::vector<double> x;      //!< abscissae, in increasing order unless POINTS
    std::vector<double> y;      //!< ordinates, as many as x
    std::vector<double> low{};  //!< optional lower ends, as many as x
    std::vector<double> high{}; //!< optional upper ends, as many as x
    Style style{Style::LINE};   //!< how to draw; low to high is a band with LINE and DASHED,
                                //!< an error bar with POINTS
    bool errorBars{false};      //!< error bars rather than a band with LINE and DASHED, too
    int color{-1};              //!< slot of the palette, the same for all that belongs together;
                                //!< -1 takes the next one
};

/**
 * @ingroup dlearn
 * Where things are in the image of an SvgPlot.
 */
struct PlotFrame
{
    static constexpr double HEIGHT = 270; //!< of the area between the axes, pixels

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
        return top + HEIGHT * (1 - yAxis.GetShare(y));
    }

    /** @return whether the axes can show a point */
    bool CanShow(double x, double y) const
    {
        return xAxis.CanShow(x) && yAxis.CanShow(y);
    }
};

/**
 * @ingroup dlearn
 * @param series a series with its colour
 * @return its swatch in the legend
 */
std::string DrawSwatch(const PlotSeries& series);

/**
 * @ingroup dlearn
 * @param frame where things are
 * @param series a series with its colour
 * @param svg gets the elements that show it
 */
void DrawSeries(const PlotFrame& frame, const PlotSeries& series, std::string& svg);

} // namespace ns3::dlearn

#endif // DLEARN_PLOT_SERIES_H

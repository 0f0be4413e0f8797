/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_SVG_PLOT_H
#define DLEARN_SVG_PLOT_H

#include "dlearn-plot-series.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A plot as an SVG image.
 *
 * The text needs no script, font or file beside it, is legible on light and dark pages, and
 * uses colours that people with any common colour blindness can tell apart (after Okabe and
 * Ito, "Color universal design", 2008), backed by marker shapes. The same data give the same
 * bytes. Points of a line that are not visible are left out.
 *
 *     SvgPlot plot("Model error", "round", "squared distance to the optimum");
 *     plot.SetLogY();
 *     plot.Add({"simulated", rounds, means, lows, highs});
 *     plot.Add({"Theorem 1", rounds, theory, {}, {}, PlotSeries::Style::DASHED});
 *     plot.Write("error.svg");
 */
class SvgPlot
{
  public:
    /**
     * @param title what is shown; plain text, like all text given to a plot
     * @param xLabel name and unit of the horizontal axis
     * @param yLabel name and unit of the vertical axis
     */
    SvgPlot(std::string title, std::string xLabel, std::string yLabel);

    /** Make the horizontal axis logarithmic. */
    void SetLogX();

    /** Make the vertical axis logarithmic. */
    void SetLogY();

    /** Label the horizontal axis with whole numbers only: rounds, counts. */
    void SetWholeX();

    /**
     * Show this range only; what is outside is cut off. Without it all data are shown.
     *
     * @param low lower end, above 0 when the axis is logarithmic
     * @param high upper end, above @p low
     * @throw std::invalid_argument when that is not so
     */
    void SetYRange(double low, double high);

    /**
     * @param series data to draw, over what was added before
     * @throw std::invalid_argument when its vectors differ in length
     */
    void Add(PlotSeries series);

    /** @return whether there is nothing to show: no value that the axes can show */
    bool IsEmpty() const;

    /**
     * @param withStyle include the style sheet; a page with several plots includes
     *                  GetSvgStyle() once instead
     * @return the svg element
     */
    std::string Draw(bool withStyle = true) const;

    /**
     * @param path the .svg file, replaced when it exists
     * @throw std::runtime_error when it can not be written
     */
    void Write(const std::string& path) const;

  private:
    PlotFrame MakeFrame() const;
    void DrawAxes(const PlotFrame& frame, std::string& svg) const;
    bool CanShow(double x, double y) const;

    std::string m_title;              //!< title of the plot
    std::string m_xLabel;             //!< of the horizontal axis
    std::string m_yLabel;             //!< of the vertical axis
    bool m_logX{false};               //!< horizontal axis is logarithmic
    bool m_logY{false};               //!< vertical axis is logarithmic
    bool m_wholeX{false};             //!< whole numbers on the horizontal axis
    std::vector<double> m_yRange;     //!< low and high, or empty
    std::vector<PlotSeries> m_series; //!< in drawing order, with their colours
    int m_nextColor{0};               //!< for the next series without a colour
};

} // namespace ns3::dlearn

#endif // DLEARN_SVG_PLOT_H

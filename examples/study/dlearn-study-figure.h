/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STUDY_FIGURE_H
#define DLEARN_STUDY_FIGURE_H

#include <string>
#include <vector>

namespace ns3::dlearn
{

/** One set of data of a figure. */
struct FigureSeries
{
    /** How the data are drawn. */
    enum class Style
    {
        LINE,   //!< a line, in a band from low to high
        DASHED, //!< a dashed line: theory, bounds
        POINTS  //!< points alone, with bars from low to high: measurements
    };

    std::string name;           //!< in the legend
    std::vector<double> x;      //!< abscissae
    std::vector<double> y;      //!< ordinates, as many as x
    std::vector<double> low{};  //!< optional lower ends, as many as x
    std::vector<double> high{}; //!< optional upper ends, as many as x
    Style style{Style::LINE};   //!< how to draw
    int color{-1};              //!< the same for all that belongs together; -1 takes the next one
};

/** The data of a figure; dlearn-study-plot.py draws it. */
class StudyFigure
{
  public:
    /**
     * @param title of the figure
     * @param xLabel name and unit of the horizontal axis
     * @param yLabel name and unit of the vertical axis
     */
    StudyFigure(std::string title, std::string xLabel, std::string yLabel);

    /** Make the horizontal axis logarithmic. */
    void SetLogX();

    /** Make the vertical axis logarithmic. */
    void SetLogY();

    /**
     * Show this range only. Without it all data are shown.
     *
     * @param low lower end
     * @param high upper end
     */
    void SetYRange(double low, double high);

    /** @param series data to draw, over earlier series */
    void Add(FigureSeries series);

    /**
     * @param path a .figure.csv file: lines with title, labels, logarithmic axes and range; below a
     *        header series,style,color,x,y,low,high one for each point
     * @throw std::runtime_error when it cannot be written
     */
    void Write(const std::string& path) const;

  private:
    std::string m_title;                //!< what is shown
    std::string m_xLabel;               //!< of the horizontal axis
    std::string m_yLabel;               //!< of the vertical axis
    bool m_logX{false};                 //!< horizontal axis is logarithmic
    bool m_logY{false};                 //!< vertical axis is logarithmic
    std::vector<double> m_yRange;       //!< low and high, or empty
    std::vector<FigureSeries> m_series; //!< in drawing order, with their colours
    int m_nextColor{0};                 //!< for the next series without a colour
};

} // namespace ns3::dlearn

#endif // DLEARN_STUDY_FIGURE_H

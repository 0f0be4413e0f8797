/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-figure.h"

#include "ns3/dlearn-files.h"
#include "ns3/dlearn-text-format.h"

#include <utility>

namespace ns3::dlearn
{

namespace
{

/** @return the name of a style in a file */
std::string
ToString(FigureSeries::Style style)
{
    return style == FigureSeries::Style::LINE     ? "line"
           : style == FigureSeries::Style::DASHED ? "dashed"
                                                  : "points";
}

/** @return a number of a list as a field after a comma; empty where there is none */
std::string
FormatField(const std::vector<double>& list, size_t k)
{
    return "," + (k < list.size() ? FormatShortest(list[k]) : "");
}

} // namespace

StudyFigure::StudyFigure(std::string title, std::string xLabel, std::string yLabel)
    : m_title(std::move(title)),
      m_xLabel(std::move(xLabel)),
      m_yLabel(std::move(yLabel))
{
}

void
StudyFigure::SetLogX()
{
    m_logX = true;
}

void
StudyFigure::SetLogY()
{
    m_logY = true;
}

void
StudyFigure::SetYRange(double low, double high)
{
    m_yRange = {low, high};
}

void
StudyFigure::Add(FigureSeries series)
{
    if (series.color < 0)
    {
        series.color = m_nextColor;
    }
    m_nextColor = series.color + 1;
    m_series.push_back(std::move(series));
}

void
StudyFigure::Write(const std::string& path) const
{
    std::string csv = "title," + EscapeCsv(m_title) + "\nx," + EscapeCsv(m_xLabel) + "\ny," +
                      EscapeCsv(m_yLabel) + "\nlog," + (m_logX ? "x" : "") + (m_logY ? "y" : "") +
                      "\nrange" + FormatField(m_yRange, 0) + FormatField(m_yRange, 1) +
                      "\nseries,style,color,x,y,low,high\n";
    for (const FigureSeries& series : m_series)
    {
        for (size_t k = 0; k < series.x.size(); ++k)
        {
            csv += EscapeCsv(series.name) + "," + ToString(series.style) + "," +
                   std::to_string(series.color) + FormatField(series.x, k) +
                   FormatField(series.y, k) + FormatField(series.low, k) +
                   FormatField(series.high, k) + "\n";
        }
    }
    WriteTextFile(path, csv);
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_STUDY_REPORT_H
#define DLEARN_STUDY_REPORT_H

#include "dlearn-study-figure.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

/**
 * @file
 * What the programs of this folder share: repeating a run, and telling what came of it.
 */

namespace ns3::dlearn
{

/** Mean and extremes over runs. */
class Spread
{
  public:
    /** @param value of one more run; after a NaN, all are NaN */
    void Add(double value);

    /** @return the mean; NaN before the first run */
    double GetMean() const;

    /** @return the least */
    double GetLow() const;

    /** @return the greatest */
    double GetHigh() const;

  private:
    double m_sum{0};                                         //!< of the values
    uint32_t m_count{0};                                     //!< of the runs
    double m_low{std::numeric_limits<double>::infinity()};   //!< the least
    double m_high{-std::numeric_limits<double>::infinity()}; //!< the greatest
};

/**
 * One line of a figure, with the range over runs.
 *
 * @param name in the legend
 * @param x abscissae
 * @param y as many ordinates
 * @return the line
 */
FigureSeries MakeSeries(const std::string& name,
                        const std::vector<double>& x,
                        const std::vector<Spread>& y);

/**
 * @param value over the runs
 * @return fields of a CSV file, each after a comma: mean, least, greatest
 */
std::string FormatFields(const Spread& value);

/**
 * Print a check and its outcome.
 *
 * @param holds the outcome
 * @param what name of the check
 * @return the outcome
 */
bool Check(bool holds, const std::string& what);

/**
 * Call something with one ns-3 run after the other, from that of the command line on, and set
 * that one again.
 *
 * @param runs how many
 * @param body what to call
 */
void ForEachRun(uint32_t runs, const std::function<void()>& body);

} // namespace ns3::dlearn

#endif // DLEARN_STUDY_REPORT_H

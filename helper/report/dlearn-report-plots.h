/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_REPORT_PLOTS_H
#define DLEARN_REPORT_PLOTS_H

#include "ns3/dlearn-run-results.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A section of the report.
 */
struct ReportSection
{
    std::string title;                 //!< heading; plain text
    std::string note;                  //!< how to read the pictures; plain text, may be empty
    std::vector<std::string> pictures; //!< svg elements without a style sheet (GetSvgStyle);
                                       //!< may be empty: then the note says why
};

/**
 * @ingroup dlearn
 * The plots of a run: the metrics of the models (loss, accuracy, error, consensus; against
 * simulated time and against round), privacy, messages and time. Plots without data are omitted.
 *
 * Against round, a curve is the mean over the nodes that closed the round, in a band from the
 * smallest to the largest. Against time, it is the mean over the nodes of each one's newest
 * evaluation at that time, since nodes need not close their rounds together.
 *
 * @param rows of a run, in any order
 * @return the sections Learning, Privacy and Network
 */
std::vector<ReportSection> MakeReportSections(const std::vector<ResultRow>& rows);

} // namespace ns3::dlearn

#endif // DLEARN_REPORT_PLOTS_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_HTML_REPORT_H
#define DLEARN_HTML_REPORT_H

#include "dlearn-run-groups.h"

#include "ns3/dlearn-run-results.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The report of a run as one page that a browser opens from disk; it needs no other file and no
 * network. First what came out, in a sentence, and the command; then what the models achieved,
 * privacy, time, messages, learners, events and settings.
 *
 * It contains nothing that depends on the machine, so the same run gives the same bytes; the wall
 * time is in summary.json alone. Charts are drawn by a chart library, if one was found when dlearn
 * was built; without, the page has the tables and the other drawings.
 *
 * @param results of the run
 * @param name what to call the run beside others
 * @param compared other runs, which are drawn over this one; those of the same name differ in
 *        their random numbers only
 * @return the page
 * @throw std::invalid_argument when two runs of a name have the same seed and run
 */
std::string MakeHtmlReport(const RunResults& results,
                           const std::string& name = "this run",
                           const std::vector<NamedRun>& compared = {});

} // namespace ns3::dlearn

#endif // DLEARN_HTML_REPORT_H

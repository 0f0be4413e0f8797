/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_HTML_REPORT_H
#define DLEARN_HTML_REPORT_H

#include "ns3/dlearn-run-results.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The report of a run as one page that needs no other file, no script and no network: headline
 * figures, warnings, plots, topology, parameters, seed, versions.
 *
 * It contains nothing that depends on the machine, so the same run gives the same bytes; the wall
 * time is in summary.json alone.
 *
 * @param results of the run
 * @return the page: HTML that is well-formed XML, too
 */
std::string MakeHtmlReport(const RunResults& results);

} // namespace ns3::dlearn

#endif // DLEARN_HTML_REPORT_H

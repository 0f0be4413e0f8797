/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAGE_H
#define DLEARN_PAGE_H

#include "ns3/dlearn-run-results.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A run and its name beside others.
 */
struct NamedRun
{
    std::string name;   //!< runs of the same name differ in their random numbers only
    RunResults results; //!< of the run
};

/**
 * @ingroup dlearn
 * The report of a run as one page that a browser opens from disk; it needs no other file and no
 * network. It is the template of this folder (dlearn-page.html, .css and the scripts, which
 * cmake/dlearn-page.cmake joins) with the data of the runs as JSON; its scripts compute and draw
 * all that it shows.
 *
 * It contains nothing that depends on the machine, so the same run gives the same bytes; the wall
 * time is in summary.json alone. Charts are drawn by a chart library, if one was found when dlearn
 * was built; without, the page has the tables and the other drawings.
 *
 * @param runs the first one is reported, and is compared with the others
 * @return the page
 */
std::string MakePage(const std::vector<NamedRun>& runs);

} // namespace ns3::dlearn

#endif // DLEARN_PAGE_H

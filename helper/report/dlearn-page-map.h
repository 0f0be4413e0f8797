/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAGE_MAP_H
#define DLEARN_PAGE_MAP_H

#include "dlearn-page.h"
#include "dlearn-results-summary.h"

#include "ns3/dlearn-run-results.h"

namespace ns3::dlearn
{

/**
 * @param results of a run
 * @param summary of its rows
 * @return its learners and links, a part of type map; positions are left out where there are none
 */
PageJson MakeMapPart(const RunResults& results, const ResultsSummary& summary);

} // namespace ns3::dlearn

#endif // DLEARN_PAGE_MAP_H

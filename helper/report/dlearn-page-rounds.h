/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAGE_ROUNDS_H
#define DLEARN_PAGE_ROUNDS_H

#include "dlearn-page.h"

#include "ns3/dlearn-run-results.h"

#include <vector>

namespace ns3::dlearn
{

/**
 * @param numbered rows of a run, in any order
 * @return where the time of the rounds went: for each role computing and waiting by round, and the
 *         slowest round as a Gantt chart
 */
PageJson MakeTimeSection(const std::vector<ResultRow>& numbered);

/**
 * @param numbered rows of a run, in any order
 * @return what became of the messages: by round, and by learner and round
 */
PageJson MakeMessagesSection(const std::vector<ResultRow>& numbered);

} // namespace ns3::dlearn

#endif // DLEARN_PAGE_ROUNDS_H

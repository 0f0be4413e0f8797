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
 * Clients count the models that they get. Where these are not the rounds of the server, as without
 * lock-step, a client's round belongs to that of the server in which it ends.
 *
 * @param rows of a run, in any order
 * @return the same, with the numbers of the server's rounds
 */
std::vector<ResultRow> NumberByServer(std::vector<ResultRow> rows);

/**
 * @param rows of NumberByServer()
 * @return where the time of the rounds went: for each role computing and waiting by round, and the
 *         slowest round as a Gantt chart
 */
PageJson MakeTimeSection(const std::vector<ResultRow>& rows);

/**
 * @param rows of NumberByServer()
 * @return what became of the messages: by round, and by learner and round
 */
PageJson MakeMessagesSection(const std::vector<ResultRow>& rows);

} // namespace ns3::dlearn

#endif // DLEARN_PAGE_ROUNDS_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PAGE_OUTCOME_H
#define DLEARN_PAGE_OUTCOME_H

#include "dlearn-page.h"
#include "dlearn-results-summary.h"

#include "ns3/dlearn-run-results.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @param results of a run
 * @param summary of its rows
 * @return what came out, in sentences
 */
std::string DescribeOutcome(const RunResults& results, const ResultsSummary& summary);

/**
 * @ingroup dlearn
 * @param role as in rounds.csv
 * @return its name for readers of a page
 */
std::string NameRole(const std::string& role);

/**
 * @ingroup dlearn
 * @param results of a run
 * @return "5 learners", or "20 clients and a server"
 */
std::string DescribeLearners(const RunResults& results);

/**
 * @param summary of the rows of a run
 * @return the headline figures, each a value and its name; those that do not apply are left out
 */
PageJson MakeTiles(const ResultsSummary& summary);

/**
 * Warnings that differ in numbers only are one group.
 *
 * @param warnings of a run
 * @return for each group its first warning as `text`, and the others as `more`
 */
PageJson GroupWarnings(const std::vector<std::string>& warnings);

/**
 * @param rounds of a run
 * @return the evaluated rounds as the program prints them; at most 200 of them
 */
PageJson MakeRoundsTable(const std::vector<EvaluatedRound>& rounds);

/**
 * @param rounds of a run
 * @return when each accuracy of GetAccuracyLadder() was reached, and what that took
 */
PageJson MakeLadderTable(const std::vector<EvaluatedRound>& rounds);

/**
 * @param results of a run
 * @return its learners; of many those that did worst and best
 */
PageJson MakeLearnersTable(const RunResults& results);

} // namespace ns3::dlearn

#endif // DLEARN_PAGE_OUTCOME_H

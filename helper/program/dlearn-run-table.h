/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_TABLE_H
#define DLEARN_RUN_TABLE_H

#include "ns3/dlearn-monitor.h"
#include "ns3/dlearn-page.h"

#include <ostream>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * @param table gets the line of titles above those of PrintRound()
 */
void PrintRoundTitles(std::ostream& table);

/**
 * @ingroup dlearn
 * @param table gets one line; a value that does not apply is a dash
 * @param summary of an evaluated round
 */
void PrintRound(std::ostream& table, const RoundSummary& summary);

/**
 * @ingroup dlearn
 * Print what the learners of a run have spent, and which battery has the least left.
 *
 * @param table gets an empty line and one line; nothing where energy was not measured
 * @param results of a run
 */
void PrintEnergy(std::ostream& table, const RunResults& results);

/**
 * @ingroup dlearn
 * Print how many events of each kind the run had; nothing without any.
 *
 * @param table gets a line
 * @param results of a run
 */
void PrintEvents(std::ostream& table, const RunResults& results);

/**
 * @ingroup dlearn
 * Print what several runs came to: the last evaluated round of each. The name of a run that is not
 * complete is followed by how it ended.
 *
 * @param table gets an empty line, a line of titles, and one line for each run
 * @param runs what is compared
 */
void PrintComparison(std::ostream& table, const std::vector<NamedRun>& runs);

} // namespace ns3::dlearn

#endif // DLEARN_RUN_TABLE_H

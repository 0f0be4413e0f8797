/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUNDS_CSV_H
#define DLEARN_ROUNDS_CSV_H

#include "ns3/dlearn-run-results.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A figure of Evaluation that results files have.
 */
struct Metric
{
    std::string name;           //!< column of rounds.csv
    double Evaluation::*figure; //!< where it is
    bool rising;                //!< whether more is better
    std::string description;    //!< for people
    bool online{false};         //!< whether only runs of online learners have it
};

/**
 * @ingroup dlearn
 * @return loss, accuracy, error, consensus and regret, in the order of the columns of rounds.csv
 */
const std::vector<Metric>& GetMetrics();

/**
 * @ingroup dlearn
 * @param rows in any order
 * @return pointers into @p rows, sorted by time of closing, then node, then round
 */
std::vector<const ResultRow*> SortRows(const std::vector<ResultRow>& rows);

/**
 * @ingroup dlearn
 * @param row of a learner, which may have one more at the end: what it has spent or sent since
 * @return whether it is a round that was closed
 */
bool IsClosedRound(const ResultRow& row);

/**
 * @ingroup dlearn
 * @param rows of a run
 * @return those that are of closed rounds, see IsClosedRound()
 */
std::vector<ResultRow> FindClosedRounds(const std::vector<ResultRow>& rows);

/**
 * @ingroup dlearn
 * @param rows in any order
 * @return for each of them, the time since its node closed a round before, or for the first one the
 *         duration of the round: what computing and the phases of a row add up to, where they are
 *         known
 */
std::vector<Time> FindSpans(const std::vector<ResultRow>& rows);

/**
 * @ingroup dlearn
 * @param rows in any order
 * @return the text of rounds.csv: one row for each node and closed round, sorted by time, then
 * node; with the columns from energy_j on where a row has a number in them
 */
std::string MakeRoundsCsv(const std::vector<ResultRow>& rows);

/**
 * @ingroup dlearn
 * Read what MakeRoundsCsv() has written. Columns may have any order, there may be others, and those
 * from energy_j on may be absent. A learner closes a round once, and each line ends with a line
 * feed.
 *
 * @param path of a rounds.csv
 * @return its rows; those that were not evaluated have no evaluation
 * @throw std::runtime_error naming the file when it cannot be read
 * @throw std::invalid_argument naming the file, the line and the column of what is missing or is
 *        not as it must be
 */
std::vector<ResultRow> ReadRoundsCsv(const std::string& path);

} // namespace ns3::dlearn

#endif // DLEARN_ROUNDS_CSV_H

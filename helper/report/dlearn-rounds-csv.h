/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ROUNDS_CSV_H
#define DLEARN_ROUNDS_CSV_H

#include "ns3/dlearn-run-results.h"

#include <functional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A figure of Evaluation that results files have: a column of rounds.csv, members of results.jsonl
 * and of `final` in summary.json, a chart of the page.
 */
struct Metric
{
    std::string name;           //!< in all of them
    double Evaluation::*figure; //!< where it is
    std::string meaning;        //!< for the manual, in reStructuredText
    bool measured{false};       //!< whether only files with a number of it have it
};

/** @return all metrics, in the order of the columns of rounds.csv */
const std::vector<Metric>& GetMetrics();

/**
 * @ingroup dlearn
 * A column of rounds.csv: the one place where it is declared. The file, the page and the table of
 * the manual are made from these.
 */
struct RoundsColumn
{
    std::string name;                                   //!< in the header
    std::string unit;                                   //!< such as s; empty: none
    std::string meaning;                                //!< for the manual, in reStructuredText
    std::function<std::string(const ResultRow&)> write; //!< a field; empty: does not apply
    bool measured{false}; //!< whether only files with a number in it have the column
};

/** @return all columns, in their order */
const std::vector<RoundsColumn>& GetRoundsColumns();

/**
 * @ingroup dlearn
 * @param names of metrics of the user, which get columns behind GetRoundsColumns()
 * @throw std::invalid_argument for a name that results have already
 */
void RequireNewMetrics(const std::vector<std::string>& names);

/** @return pointers into @p rows, sorted by time of closing, then node, then round */
std::vector<const ResultRow*> SortRows(const std::vector<ResultRow>& rows);

/**
 * @ingroup dlearn
 * @param row of a learner, which may have one more at the end for spending and traffic since then
 * @return whether it is a round that was closed
 */
bool IsClosedRound(const ResultRow& row);

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
 * node. Times are in seconds and exact to the nanosecond; numbers are the shortest that read back
 * unchanged; a field that does not apply is empty; infinity is `inf`.
 */
std::string MakeRoundsCsv(const std::vector<ResultRow>& rows);

} // namespace ns3::dlearn

#endif // DLEARN_ROUNDS_CSV_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RESULTS_WRITER_H
#define DLEARN_RESULTS_WRITER_H

#include "ns3/dlearn-run-results.h"

#include <string>
#include <vector>

/**
 * @file
 * The results files of every program: rounds.csv, events.csv, summary.json, report.html. Their
 * schema is stable, scripts depend on it. The same run gives the same bytes, except for wall_s and
 * events_per_wall_s in summary.json.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Write one row per node and closed round, sorted by time, then node.
 *
 * Header: time_s,round,node,role,loss,accuracy,error,consensus,epsilon,epsilon_nominal,
 * expected,received,late,lost,rejected,tx_bytes,rx_bytes,compute_s,round_s. Times are in
 * seconds and exact to the nanosecond; numbers are the shortest that read back unchanged; a
 * field that does not apply (NaN, or a round not evaluated) is empty; infinity is `inf`.
 *
 * @param path the file, replaced when it exists
 * @param rows in any order
 * @throw std::runtime_error when the file can not be written
 */
void WriteRoundsCsv(const std::string& path, const std::vector<ResultRow>& rows);

/**
 * @ingroup dlearn
 * Write one row per event of the timeline: time_s,node,round,event,detail. Fields that do not apply
 * are empty.
 *
 * @param path the file, replaced when it exists
 * @param timeline by time
 * @throw std::runtime_error when the file can not be written
 */
void WriteEventsCsv(const std::string& path, const std::vector<RunEvent>& timeline);

/**
 * @ingroup dlearn
 * Write program, versions, seed, run, parameters, attributes, warnings, totals, final metrics,
 * simulated time, events and wall time.
 *
 * `totals` holds the sums over the rows, then the counters of RunResults::totals (which win where a
 * name is the same: they also count rounds that never closed); `conserved` says whether both laws
 * of RoundRecord hold in every row. `final` is the mean over nodes of each node's last evaluated
 * round; `final.epsilon` has each node's last value. The numbers of RunResults::figures follow,
 * each by its own name. JSON has neither NaN nor infinity: a value that does not apply or is not
 * finite is null, except that an infinite epsilon is the string "inf", which means that no privacy
 * is guaranteed.
 *
 * @param path the file, replaced when it exists
 * @param results of the run
 * @throw std::runtime_error when the file can not be written
 */
void WriteSummaryJson(const std::string& path, const RunResults& results);

/**
 * @ingroup dlearn
 * Make sure that there is a directory for results, before a run whose results would be lost.
 *
 * @param directory made, with its parents, when it does not exist
 * @throw std::runtime_error when that fails
 */
void MakeResultsDirectory(const std::string& directory);

/**
 * @ingroup dlearn
 * Write rounds.csv, events.csv, summary.json and report.html.
 *
 * @param directory where to; see MakeResultsDirectory()
 * @param results of the run
 * @throw std::runtime_error when the directory can not be made or a file not be written
 */
void WriteResults(const std::string& directory, const RunResults& results);

} // namespace ns3::dlearn

#endif // DLEARN_RESULTS_WRITER_H

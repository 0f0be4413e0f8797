/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RESULTS_WRITER_H
#define DLEARN_RESULTS_WRITER_H

#include "ns3/dlearn-run-results.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

/**
 * @file
 * The results files of every program: rounds.csv, results.jsonl, events.csv, links.csv,
 * pairs.csv, labels.csv, positions.csv, summary.json, report.html. Their schema is stable, scripts
 * depend on it. The same run gives the same bytes, except for wall_s and events_per_wall_s in
 * summary.json.
 */

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Write one row per node and closed round, sorted by time, then node.
 *
 * Header: time_s,round,node,role,loss,accuracy,error,consensus,epsilon,epsilon_nominal,
 * expected,received,late,lost,rejected,tx_bytes,rx_bytes,compute_s,round_s, and, where they were
 * measured, energy_j (joules since the node's row before), battery_j (joules left) and queue_s,
 * air_s, retransmission_s, wait_s (RoundPhases), and, of online learners, regret. Times are in
 * seconds and exact to the nanosecond;
 * numbers are the shortest that read back unchanged; a field that does not apply (NaN, or a round
 * not evaluated) is empty; infinity is `inf`.
 *
 * @param path the file, replaced when it exists
 * @param rows in any order
 * @throw std::runtime_error when the file cannot be written
 */
void WriteRoundsCsv(const std::string& path, const std::vector<ResultRow>& rows);

/**
 * @ingroup dlearn
 * Write program, versions, command, status, seed, run, parameters, which of them have no effect,
 * attributes, warnings, totals, final metrics, simulated time, events and wall time.
 *
 * `status` is complete, interrupted (by a signal) or failed; `reason` says why unless the run is
 * complete. `command` is the command line, for a shell.
 *
 * `totals` holds the sums over the rows, then the counters of RunResults::totals (which win where a
 * name is the same: they also count rounds that never closed); `conserved` says whether both laws
 * of RoundRecord hold in every row. `final` is the last evaluated round,
 * as the program prints it: the means over the learners that closed it; `final.delivered` is the
 * share of messages that came in time, of those that the rounds of servers and honest peers waited
 * for; `final.epsilon` has each node's last value. Where energy was measured, `totals.energy_j` is
 * the sum over the nodes and `final.energy_j` that of each node, until the end of the run, and
 * `final.battery_j` what is left. Online learners have `final.regret`. The numbers of
 * RunResults::figures follow, each by its own name. JSON has neither NaN nor infinity: a value that
 * does not apply or is not finite is null, except that an infinite epsilon is the string "inf",
 * which means that no privacy is guaranteed.
 *
 * @param path the file, replaced when it exists
 * @param results of the run
 * @throw std::runtime_error when the file cannot be written
 */
void WriteSummaryJson(const std::string& path, const RunResults& results);

/**
 * @ingroup dlearn
 * Texts of results files by name; nothing for a file of an earlier run that must not stay.
 */
using ResultsFiles = std::map<std::string, std::optional<std::string>>;

/**
 * @ingroup dlearn
 * @param results of a run
 * @return the files. labels.csv has a row for each learner and class of the data:
 * node,label,samples; events.csv has a row for each event of the timeline:
 * time_s,node,round,event,detail, where fields that do not apply are empty; pairs.csv one for each
 * PairRecord: from,to,expected,received,late,lost,latency_ms_mean, which is empty when no message
 * arrived; links.csv one for each LinkRecord:
 * link,from,to,tx_bytes,drops_queue,drops_loss,retransmissions,
 * queue_ms_mean,queue_ms_p99,busy_share, where drops_loss and retransmissions are empty when the
 * device does not tell them
 */
ResultsFiles MakeResultsFiles(const RunResults& results);

/**
 * @ingroup dlearn
 * Make sure that there is a directory for results.
 *
 * @param directory made, with its parents, when it does not exist
 * @throw std::runtime_error when that fails
 */
void MakeResultsDirectory(const std::string& directory);

/**
 * @ingroup dlearn
 * Directories for results while they are made: no other process that uses this class gets them, and
 * those that were made for it and are empty in the end are removed. File systems without locks
 * (flock()) do not keep others away.
 */
class ResultsDirectory
{
  public:
    /** Of nothing yet, see Add(). */
    ResultsDirectory();

    /** @param directory see Add() */
    explicit ResultsDirectory(const std::string& directory);

    /** Removes what was made and is empty. */
    ~ResultsDirectory();

    ResultsDirectory(const ResultsDirectory&) = delete;
    ResultsDirectory& operator=(const ResultsDirectory&) = delete;

    /**
     * @param directory see MakeResultsDirectory()
     * @throw std::runtime_error when that fails, or another process has the directory
     */
    void Add(const std::string& directory);

    /** Does what all destructors would do to folders; may be called by a handler of signals. */
    static void RemoveEmpty();

  private:
    /** @return whether the directory is locked, or cannot be; false when it is another one now */
    bool Lock(const std::string& directory);

    std::vector<std::string> m_made; //!< folders that were not there, the innermost first
    std::vector<int> m_locks;        //!< descriptors of directories, open until the end

    static inline std::vector<ResultsDirectory*> s_all; //!< all that there are
};

/**
 * @ingroup dlearn
 * Make sure that results can be written, before a run whose results would be lost. Nothing is left
 * behind.
 *
 * @param directory where they will be
 * @throw std::runtime_error naming what is wrong with it
 */
void TryResultsDirectory(const std::string& directory);

/**
 * @ingroup dlearn
 * Write results files, all or none.
 *
 * @param directory where to; see MakeResultsDirectory()
 * @param files by name
 * @throw std::runtime_error when the directory cannot be made or a file not be written
 */
void WriteResultsFiles(const std::string& directory, const ResultsFiles& files);

/**
 * @ingroup dlearn
 * Write what MakeResultsFiles() makes, all or none.
 *
 * @param directory where to; see MakeResultsDirectory()
 * @param results of the run
 * @throw std::runtime_error when the directory cannot be made or a file not be written
 */
void WriteResults(const std::string& directory, const RunResults& results);

} // namespace ns3::dlearn

#endif // DLEARN_RESULTS_WRITER_H

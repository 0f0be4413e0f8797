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
 * pairs.csv, labels.csv, positions.csv, model.npy, summary.json, report.html. Their schema is
 * stable, scripts depend on it. The same run gives the same bytes, except for wall_s and
 * events_per_wall_s in summary.json.
 */

namespace ns3::dlearn
{

/** Texts of results files by name; nothing for a file of an earlier run that is removed. */
using ResultsFiles = std::map<std::string, std::optional<std::string>>;

/**
 * @ingroup dlearn
 * @param results of a run
 * @return the files, see GetRoundsColumns() and the page of the manual about results. JSON has
 * neither NaN nor infinity: a value that does not apply or is not finite is null, except that an
 *         infinite metric or epsilon is the string "inf", which means of an epsilon that no privacy
 *         is guaranteed.
 */
ResultsFiles MakeResultsFiles(const RunResults& results);

/** Make a directory, with its parents, unless it exists. @throw std::runtime_error if that fails */
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

    /** Removes folders that were made and are empty. */
    ~ResultsDirectory();

    ResultsDirectory(const ResultsDirectory&) = delete;
    ResultsDirectory& operator=(const ResultsDirectory&) = delete;

    /**
     * @param directory see MakeResultsDirectory()
     * @throw std::runtime_error when that fails, or another process has the directory
     */
    void Add(const std::string& directory);

    /** Removes empty folders as all destructors would; may be called by a signal handler. */
    static void RemoveEmpty();

  private:
    /** @return whether the directory is locked, or cannot be; false when it is another one now */
    bool Lock(const std::string& directory);

    std::vector<std::string> m_made; //!< folders that were not there, the innermost first
    std::vector<int> m_locks;        //!< descriptors of directories, open until the end

    static inline std::vector<ResultsDirectory*> s_all; //!< existing objects
};

/**
 * @ingroup dlearn
 * Check before a run that its results can be written, leaving nothing behind.
 *
 * @param directory of the results
 * @throw std::runtime_error naming the fault
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

/** WriteResultsFiles() with the files of MakeResultsFiles(). */
void WriteResults(const std::string& directory, const RunResults& results);

} // namespace ns3::dlearn

#endif // DLEARN_RESULTS_WRITER_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_RUN_SERIES_H
#define DLEARN_RUN_SERIES_H

#include "dlearn-process-guards.h"
#include "dlearn-run.h"

#include "ns3/dlearn-files.h"
#include "ns3/dlearn-model-error.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-run-results.h"

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The runs of one configuration, with consecutive run numbers of ns-3. The results files are those
 * of the first run; the mean error over all runs after each round goes to model_error.csv.
 *
 * A run that fails or is interrupted ends the series, and the results so far are written.
 */
class RunSeries
{
  public:
    /** Settings of a program for all runs. */
    struct Setup
    {
        Run::NetworkMaker network;                 //!< empty: by the options
        Run::Hook begin;                           //!< before each simulation; may be empty
        Run::Hook finish;                          //!< after each simulation; may be empty
        std::shared_ptr<ResultsDirectory> folders; //!< claims results folders, or null
        std::vector<std::string> moreOptions;      //!< options of this program only, in order
        std::string name; //!< printed before warnings; empty: a single series
    };

    /**
     * @param spec options of the runs; must outlive this
     * @param setup settings of the program; must outlive this
     * @param interruption created when there are results to lose; must outlive this
     */
    RunSeries(const RunSpec& spec, const Setup& setup, std::optional<Interruption>& interruption);

    RunSeries(const RunSeries&) = delete;
    RunSeries& operator=(const RunSeries&) = delete;

    /**
     * Simulate all runs, print their tables and write the results files. Call once.
     *
     * @return whether no run failed and the mean error of undisturbed runs agrees with the theory;
     *         prints a message if not
     * @throw std::invalid_argument when a run is refused before its simulation
     */
    bool Execute();

    /** @return results of the first run, with the reason if the series ended early */
    const RunResults& GetResults() const { return *m_first; }

    /** @return the exception of a run, or null */
    std::exception_ptr GetFailure() const { return m_failure; }

  private:
    void Repeat();

    void RunOnce(uint32_t number);

    void BeginFirst(Run& run);

    void Conclude(const Run& run, uint32_t number);

    void ConcludeFirst(const RunResults& results);

    void TellIncomplete(const RunResults& results, uint32_t number);

    void Warn(const std::string& warning) const;

    void WriteFiles() const;

    /** @return whether the mean error agrees with the theory, if any; prints a message if not */
    bool AgreesWithTheory() const;

    const RunSpec& m_spec;
    const Setup& m_setup;
    std::optional<Interruption>& m_interruption; //!< set when there are results to lose
    std::optional<RunResults> m_first;           //!< results of the first run
    std::optional<ModelError> m_error;           //!< over all runs; with the theory of the first
    bool m_undisturbed{false};                   //!< whether the theory holds
    std::exception_ptr m_failure;                //!< exception that ended the series, or null
    std::shared_ptr<OutputFile> m_transcript;    //!< of the first run; may be null
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_SERIES_H

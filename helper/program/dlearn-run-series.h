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
 * The runs of one configuration, with ns-3 runs that follow each other. The results files are those
 * of the first run; the mean error over all of them after each round goes to model_error.csv.
 *
 * A run that fails or is interrupted ends the series, and what was done until then is written.
 */
class RunSeries
{
  public:
    /** What a program does in each run. */
    struct Setup
    {
        Run::NetworkMaker network;                 //!< empty: by the options
        Run::Hook begin;                           //!< before each simulation; may be empty
        Run::Hook finish;                          //!< after each simulation; may be empty
        std::shared_ptr<ResultsDirectory> folders; //!< of the results; null: not kept from others
        std::vector<std::string> moreOptions;      //!< options of the program alone, in order
        std::string name;                          //!< before warnings; empty: there are no others
    };

    /**
     * @param spec what to run; must outlive this
     * @param setup what the program does in each run; likewise
     * @param interruption made when there are results to lose; likewise
     */
    RunSeries(const RunSpec& spec, const Setup& setup, std::optional<Interruption>& interruption);

    RunSeries(const RunSeries&) = delete;
    RunSeries& operator=(const RunSeries&) = delete;

    /**
     * Simulate all runs, print their tables and write the results files. To be called once.
     *
     * @return whether no run failed and, where nothing disturbs the runs, their mean error is what
     *         theory expects; says so if not
     * @throw std::invalid_argument when a run is refused before it begins
     */
    bool Execute();

    /** @return results of the first run, with what ended the series early */
    const RunResults& GetResults() const { return *m_first; }

    /** @return what a run threw; null for nothing */
    std::exception_ptr GetFailure() const { return m_failure; }

  private:
    /** Simulate the runs one after the other. */
    void Repeat();

    void RunOnce(uint32_t number);

    void BeginFirst(Run& run);

    void Conclude(const Run& run, uint32_t number);

    void ConcludeFirst(const RunResults& results);

    void TellIncomplete(const RunResults& results, uint32_t number);

    void Warn(const std::string& warning) const;

    /** Write the results files. */
    void WriteFiles() const;

    /** @return whether the mean error is as expected, or nothing is; says so if not */
    bool AgreesWithTheory() const;

    const RunSpec& m_spec;                       //!< what to run
    const Setup& m_setup;                        //!< what the program does in each run
    std::optional<Interruption>& m_interruption; //!< from when on there are results to lose
    std::optional<RunResults> m_first;           //!< results of the first run
    std::optional<ModelError> m_error;           //!< over the runs; theory is that of the first
    bool m_undisturbed{false};                   //!< whether theory holds
    std::exception_ptr m_failure;                //!< what ended the runs early
    std::shared_ptr<OutputFile> m_transcript;    //!< of the first run; null for none
};

} // namespace ns3::dlearn

#endif // DLEARN_RUN_SERIES_H

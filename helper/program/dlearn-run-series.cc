/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-series.h"

#include "dlearn-federated-learners.h"
#include "dlearn-process-guards.h"
#include "dlearn-stored-config.h"

#include "ns3/rng-seed-manager.h"

#include <chrono>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

namespace ns3::dlearn
{

namespace
{

/** Prints the number of completed runs on stderr, at most once a second. */
class RunProgress
{
  public:
    explicit RunProgress(uint32_t runs)
        : m_runs(runs)
    {
    }

    void Report(uint32_t done)
    {
        const auto now = std::chrono::steady_clock::now();
        if (m_runs > 1 && now - m_last > std::chrono::seconds(1))
        {
            m_last = now;
            std::cerr << done << " of " << m_runs << " runs\n";
        }
    }

  private:
    uint32_t m_runs; //!< number of runs
    std::chrono::steady_clock::time_point m_last{
        std::chrono::steady_clock::now()}; //!< of the last report
};

std::string
MakeStalenessCsv(const std::map<uint32_t, uint64_t>& staleness)
{
    std::string csv = "staleness,updates\n";
    for (const auto& [versions, updates] : staleness)
    {
        csv += std::to_string(versions) + "," + std::to_string(updates) + "\n";
    }
    return csv;
}

} // namespace

RunSeries::RunSeries(const RunSpec& spec,
                     const Setup& setup,
                     std::optional<Interruption>& interruption)
    : m_spec(spec),
      m_setup(setup),
      m_interruption(interruption)
{
}

bool
RunSeries::Execute()
{
    Repeat();
    WriteFiles();
    if (m_failure)
    {
        return false;
    }
    if (m_spec.runs > 1)
    {
        m_error->Print(std::cout);
    }
    return AgreesWithTheory();
}

void
RunSeries::Repeat()
{
    RunProgress progress(m_spec.runs);
    const uint64_t firstRun = RngSeedManager::GetRun();
    for (uint32_t number = 0; number < m_spec.runs; ++number)
    {
        RngSeedManager::SetRun(firstRun + number);
        try
        {
            RunOnce(number);
        }
        catch (const std::invalid_argument& error)
        {
            if (number == 0)
            {
                throw;
            }
            // Its random draws make the options invalid: the runs before it count.
            m_failure = std::current_exception();
            RunResults refused;
            refused.status = "failed";
            refused.reason = error.what();
            TellIncomplete(refused, number);
        }
        if (m_first->status != "complete")
        {
            break;
        }
        progress.Report(number + 1);
    }
    RngSeedManager::SetRun(firstRun);
}

void
RunSeries::RunOnce(uint32_t number)
{
    const bool first = number == 0;
    RunSpec spec = m_spec;
    spec.transcript = spec.transcript && first; // results files describe the first run
    spec.netanim = first ? spec.netanim : "";
    Run run(spec, m_setup.network);
    if (first && m_setup.folders) // refused runs have no results
    {
        m_setup.folders->Add(spec.out);
    }
    if (m_setup.begin)
    {
        MakeResultsDirectory(spec.out); // hooks also write there
        m_setup.begin(run);
    }
    run.SetFinishHook(m_setup.finish);
    if (first)
    {
        BeginFirst(run);
    }
    const TerminateHandler handler(m_spec.program, [&] {
        run.Abandon("ns-3 ended the program");
        Conclude(run, number);
        WriteFiles();
        return "; what the run did until then is in " + m_spec.out;
    });
    std::ostringstream silence;
    try
    {
        run.Execute(first ? std::cout : silence);
    }
    catch (...)
    {
        if (run.GetResults().program.empty())
        {
            throw; // refused before its simulation: no results
        }
        m_failure = std::current_exception();
    }
    Conclude(run, number);
}

void
RunSeries::BeginFirst(Run& run)
{
    SaveStoredConfig();
    m_transcript = run.BeginTranscript();
    if (!m_interruption)
    {
        m_interruption.emplace();
    }
    std::vector<double> theory;
    if (m_spec.kind == RunKind::FEDERATION)
    {
        const auto& federation = run.Get<FederatedLearners>();
        theory = federation.GetTheory();
        m_undisturbed = federation.IsUndisturbed();
    }
    m_error.emplace(theory);
    run.SetWarningListener([this](const std::string& warning) { Warn(warning); });
}

void
RunSeries::Conclude(const Run& run, uint32_t number)
{
    const bool first = number == 0;
    const bool whole = run.GetResults().status == "complete";
    for (const RoundSummary& summary : run.GetSummaries())
    {
        // With an incomplete run, the first rounds would be means over more runs than the last
        // ones.
        if (first || whole)
        {
            m_error->Add(summary.round + 1, summary.mean.error);
        }
    }
    if (first)
    {
        ConcludeFirst(run.GetResults());
        if (m_spec.runs > 1 && whole && !m_error->HasMeans())
        {
            m_first->warnings.push_back(
                "runs " + std::to_string(m_spec.runs) +
                " has no use: it is for the mean of the model error in model_error.csv, and no "
                "error is known of what is learned here");
            Warn(m_first->warnings.back());
        }
    }
    else if (!whole)
    {
        TellIncomplete(run.GetResults(), number);
    }
}

void
RunSeries::ConcludeFirst(const RunResults& results)
{
    m_first = results;
    for (const std::string& option : m_setup.moreOptions)
    {
        m_first->parameters.emplace_back(option, m_spec.invocation.more.at(option));
    }
}

void
RunSeries::TellIncomplete(const RunResults& results, uint32_t number)
{
    const std::string all = std::to_string(m_spec.runs);
    m_first->status = results.status;
    m_first->reason = results.reason + ", in run " + std::to_string(number + 1) + " of " + all;
    m_first->warnings.push_back("only " + std::to_string(number) + " of " + all +
                                " runs are complete: " + m_first->reason);
    Warn(m_first->warnings.back());
}

void
RunSeries::Warn(const std::string& warning) const
{
    std::cerr << "warning: " << (m_setup.name.empty() ? "" : m_setup.name + ": ") << warning
              << std::endl;
}

void
RunSeries::WriteFiles() const
{
    ResultsFiles files = MakeResultsFiles(*m_first);
    // Files of an earlier run would not match these results.
    for (const char* name : {"model_error.csv", "staleness.csv", "transcript.csv"})
    {
        files[name] = std::nullopt;
    }
    if (m_spec.transcript)
    {
        files.erase("transcript.csv"); // already written under another name
    }
    if (m_spec.kind == RunKind::FEDERATION || m_spec.runs > 1)
    {
        files["model_error.csv"] = m_error->MakeCsv();
    }
    if (!m_first->staleness.empty())
    {
        files["staleness.csv"] = MakeStalenessCsv(m_first->staleness);
    }
    WriteResultsFiles(m_spec.out, files);
    if (m_transcript)
    {
        m_transcript->Commit();
    }
}

bool
RunSeries::AgreesWithTheory() const
{
    bool agrees = true;
    if (m_undisturbed)
    {
        for (const auto& point : m_error->FindDeviations())
        {
            agrees = false;
            std::cerr << m_spec.program << ": after round " << point.round
                      << " the mean model error is " << point.mean << ", theory says "
                      << *point.theory << ", more than 5 standard errors away\n";
        }
    }
    return agrees;
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-federated-program.h"

#include "dlearn-program.h"

#include "ns3/dlearn-model-error.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/rng-seed-manager.h"

#include <chrono>
#include <fstream>
#include <iostream>
#include <sstream>

namespace ns3::dlearn
{

namespace
{

/** Tells on stderr how many runs are done, at most once a second. */
class RunProgress
{
  public:
    /** @param runs how many there are */
    explicit RunProgress(uint32_t runs)
        : m_runs(runs)
    {
    }

    /** @param done runs so far */
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
    uint32_t m_runs; //!< how many there are
    std::chrono::steady_clock::time_point m_last{
        std::chrono::steady_clock::now()}; //!< of the last report
};

/** The sum over the runs. */
struct Study
{
    std::optional<RunResults> first; //!< results of the first run
    std::optional<ModelError> error; //!< over the runs; theory is that of the first
    bool undisturbed{false};         //!< whether theory holds
};

/**
 * @param options what to run
 * @param customize called with each scenario
 * @return what came of it
 */
Study
RunAll(const FederatedOptions& options, const std::function<void(FederatedScenario&)>& customize)
{
    Study study;
    RunProgress progress(options.runs);
    std::ostringstream silence;
    const uint64_t firstRun = RngSeedManager::GetRun();
    for (uint32_t run = 0; run < options.runs; ++run)
    {
        RngSeedManager::SetRun(firstRun + run);
        FederatedScenario scenario(options);
        if (customize)
        {
            customize(scenario);
        }
        if (run == 0)
        {
            study.error.emplace(scenario.GetTheory());
            study.undisturbed = scenario.IsUndisturbed();
        }
        RunResults results = scenario.Run(run == 0 ? std::cout : silence);
        silence.str("");
        for (const RoundSummary& summary : scenario.GetSummaries())
        {
            study.error->Add(summary.round + 1, summary.mean.error);
        }
        if (run == 0)
        {
            study.first = std::move(results);
        }
        progress.Report(run + 1);
    }
    RngSeedManager::SetRun(firstRun);
    return study;
}

/**
 * @param path the file
 * @param staleness how many updates of each staleness were aggregated
 */
void
WriteStaleness(const std::string& path, const std::map<uint32_t, uint64_t>& staleness)
{
    std::ofstream file(path, std::ios::binary);
    file << "staleness,updates\n";
    for (const auto& [versions, updates] : staleness)
    {
        file << versions << "," << updates << "\n";
    }
    file.close();
    if (!file)
    {
        throw std::runtime_error("cannot write " + path);
    }
}

} // namespace

int
RunFederated(const FederatedOptions& options,
             const std::function<void(FederatedScenario&)>& customize)
{
    bool deviates = false;
    const int status = RunGuarded(options.program, [&] {
        options.Validate();
        MakeResultsDirectory(options.out);
        const Study study = RunAll(options, customize);
        for (const std::string& warning : study.first->warnings)
        {
            std::cerr << "warning: " << warning << "\n";
        }
        WriteResults(options.out, *study.first);
        study.error->WriteCsv(options.out + "/model_error.csv");
        if (!study.first->staleness.empty())
        {
            WriteStaleness(options.out + "/staleness.csv", study.first->staleness);
        }
        if (options.runs > 1)
        {
            study.error->Print(std::cout);
        }
        if (study.undisturbed)
        {
            for (const auto& point : study.error->FindDeviations())
            {
                deviates = true;
                std::cerr << options.program << ": after round " << point.round
                          << " the mean model error is " << point.mean << ", theory says "
                          << *point.theory << ", more than 5 standard errors away\n";
            }
        }
        std::cout << "\nReport: " << options.out << "/report.html" << std::endl;
    });
    return deviates ? 1 : status;
}

} // namespace ns3::dlearn

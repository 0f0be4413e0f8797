/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-program.h"

#include "dlearn-federated-learners.h"
#include "dlearn-run-options.h"

#include "ns3/dlearn-model-error.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/rng-seed-manager.h"

#include <chrono>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

#ifdef __GLIBC__
#include <malloc.h>
#endif

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

/** All runs of a program. */
struct Study
{
    std::optional<RunResults> first; //!< results of the first run
    std::optional<ModelError> error; //!< over the runs; theory is that of the first
    bool undisturbed{false};         //!< whether theory holds
};

/** Learn from the first run what theory expects of all. */
void
ReadTheory(const Run& run, Study& study)
{
    std::vector<double> theory;
    if (run.GetSpec().kind == RunKind::FEDERATION)
    {
        const auto& federation = run.Get<FederatedLearners>();
        theory = federation.GetTheory();
        study.undisturbed = federation.IsUndisturbed();
    }
    study.error.emplace(theory);
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

/** @return whether theory holds and the runs agree with it, or nothing is known; says so if not */
bool
AgreesWithTheory(const std::string& program, const Study& study)
{
    bool agrees = true;
    if (study.undisturbed)
    {
        for (const auto& point : study.error->FindDeviations())
        {
            agrees = false;
            std::cerr << program << ": after round " << point.round << " the mean model error is "
                      << point.mean << ", theory says " << *point.theory
                      << ", more than 5 standard errors away\n";
        }
    }
    return agrees;
}

} // namespace

void
KeepFreedMemory()
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 1 << 30);
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
#endif
}

int
RunGuarded(const std::string& program, const std::function<void()>& body)
{
    KeepFreedMemory();
    try
    {
        body();
        return 0;
    }
    catch (const std::exception& error)
    {
        std::cerr << program << ": error: " << error.what() << std::endl;
        return 1;
    }
}

RunProgram::RunProgram(RunSpec preset)
    : m_spec(std::move(preset))
{
}

void
RunProgram::SetUsage(const std::string& usage)
{
    m_usage = usage;
}

void
RunProgram::SetBeginHook(Run::Hook hook)
{
    m_begin = std::move(hook);
}

void
RunProgram::SetFinishHook(Run::Hook hook)
{
    m_finish = std::move(hook);
}

void
RunProgram::Parse(int argc, char* argv[], const std::string& file)
{
    ProgramArguments arguments(file);
    arguments.Usage(m_usage);
    for (const RunOption& option : GetRunOptions(m_spec))
    {
        arguments.BeginGroup(option.group);
        arguments.AddOption(option.name, option.help, option.value, option.aliases);
    }
    for (const MoreOption& option : m_more)
    {
        arguments.AddOption(option.name, option.help, option.value);
    }
    arguments.Parse(argc, argv);
}

bool
RunProgram::RunAll() const
{
    m_spec.Validate();
    MakeResultsDirectory(m_spec.out);
    Study study;
    RunProgress progress(m_spec.runs);
    std::ostringstream silence;
    const uint64_t firstRun = RngSeedManager::GetRun();
    for (uint32_t number = 0; number < m_spec.runs; ++number)
    {
        RngSeedManager::SetRun(firstRun + number);
        Run run(m_spec);
        if (m_begin)
        {
            m_begin(run);
        }
        run.SetFinishHook(m_finish);
        if (number == 0)
        {
            ReadTheory(run, study);
            run.SetWarningListener([](const std::string& warning) {
                std::cerr << "warning: " << warning << std::endl;
            });
        }
        RunResults results = run.Execute(number == 0 ? std::cout : silence);
        silence.str("");
        for (const RoundSummary& summary : run.GetSummaries())
        {
            study.error->Add(summary.round + 1, summary.mean.error);
        }
        if (number == 0)
        {
            study.first = std::move(results);
        }
        progress.Report(number + 1);
    }
    RngSeedManager::SetRun(firstRun);
    WriteResults(m_spec.out, *study.first);
    if (m_spec.kind == RunKind::FEDERATION || m_spec.runs > 1)
    {
        study.error->WriteCsv(m_spec.out + "/model_error.csv");
    }
    if (!study.first->staleness.empty())
    {
        WriteStaleness(m_spec.out + "/staleness.csv", study.first->staleness);
    }
    if (m_spec.runs > 1)
    {
        study.error->Print(std::cout);
    }
    const bool agrees = AgreesWithTheory(m_spec.program, study);
    std::cout << "\nReport: " << m_spec.out << "/report.html" << std::endl;
    return agrees;
}

int
RunProgram::Main(int argc, char* argv[], const std::string& file)
{
    bool agrees = true;
    const int status = RunGuarded(m_spec.program, [&] {
        Parse(argc, argv, file);
        agrees = RunAll();
    });
    return agrees ? status : 1;
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-program.h"

#include "dlearn-checkpoint.h"
#include "dlearn-crash-guard.h"
#include "dlearn-federated-learners.h"
#include "dlearn-interruption.h"
#include "dlearn-run-config.h"
#include "dlearn-run-options.h"
#include "dlearn-terminate-handler.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-html-report.h"
#include "ns3/dlearn-model-error.h"
#include "ns3/dlearn-results-summary.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <exception>
#include <iomanip>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#if __has_include(<unistd.h>)
#include <fcntl.h>
#include <unistd.h>
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

} // namespace

/** The runs of one configuration. */
struct RunSeries
{
    const RunSpec& spec;                       //!< what to run
    std::optional<Interruption>& interruption; //!< from when on there are results to lose
    std::optional<RunResults> first{};         //!< results of the first run
    std::optional<ModelError> error{};         //!< over the runs; theory is that of the first
    bool undisturbed{false};                   //!< whether theory holds
    std::exception_ptr failure{};              //!< what ended the runs early
    std::shared_ptr<OutputFile> transcript{};  //!< of the first run; null for none
};

namespace
{

/** Tell a warning on stderr, as soon as it is known. */
void
PrintWarning(const std::string& warning)
{
    std::cerr << "warning: " << warning << std::endl;
}

/** Learn from the first run what theory expects of all. */
void
ReadTheory(const Run& run, RunSeries& series)
{
    std::vector<double> theory;
    if (run.GetSpec().kind == RunKind::FEDERATION)
    {
        const auto& federation = run.Get<FederatedLearners>();
        theory = federation.GetTheory();
        series.undisturbed = federation.IsUndisturbed();
    }
    series.error.emplace(theory);
}

/**
 * @param staleness how many updates of each staleness were aggregated
 * @return the text of staleness.csv
 */
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

/**
 * A run that is resumed is what it was.
 * @throw std::invalid_argument for words that would change it
 */
void
RequireResumable(int argc, char* argv[])
{
    const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const auto names = [](const std::string& word, const std::string& name) {
        return word.rfind("--" + name + "=", 0) == 0 || word.rfind("-" + name + "=", 0) == 0;
    };
    const auto resume = std::find_if(words.begin(), words.end(), [&](const std::string& word) {
        return names(word, "resume");
    });
    if (resume == words.end())
    {
        return;
    }
    for (auto word = words.begin(); word != words.end(); ++word)
    {
        const bool harmless =
            names(*word, "out") || names(*word, "threads") || names(*word, "checkpoint-every");
        Require(word == resume || (harmless && word > resume),
                "resume: the run goes on as it was, only out, threads and checkpoint-every may "
                "follow; got ",
                *word);
    }
}

/** Print a number of at most 10 characters; NaN does not apply. */
void
PrintCell(std::ostream& table, double value)
{
    table << std::setw(10) << (std::isnan(value) ? "-" : FormatRounded(value));
}

/** Print what several runs came to: the last evaluated round of each. */
void
PrintComparison(const std::vector<NamedRun>& runs, std::ostream& table)
{
    const std::vector<std::string> metrics{"loss", "accuracy", "error"};
    table << "\n" << std::setw(12) << "run";
    for (const char* column : {"time (s)", "rounds", "loss", "accuracy", "error", "epsilon"})
    {
        table << std::setw(10) << column;
    }
    for (const NamedRun& run : runs)
    {
        const ResultsSummary summary = Summarize(run.results.rows, run.results.epsilon);
        const EvaluatedRound& last = summary.last;
        table << "\n" << std::setw(12) << run.name;
        PrintCell(table, last.time.GetSeconds());
        table << std::setw(10) << summary.rounds;
        for (const std::string& metric : metrics)
        {
            const auto found = last.metrics.find(metric);
            PrintCell(table,
                      found == last.metrics.end() ? Evaluation::NONE : found->second.GetMean());
        }
        PrintCell(table, summary.epsilonMax);
    }
    table << std::endl;
}

/** @return whether theory holds and the runs agree with it, or nothing is known; says so if not */
bool
AgreesWithTheory(const std::string& program, const RunSeries& series)
{
    bool agrees = true;
    if (series.undisturbed)
    {
        for (const auto& point : series.error->FindDeviations())
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

namespace
{

/** A full disk and a closed pipe make writing fail, which says so; they must not end the program.
 */
void
IgnoreSignalsOfWriting()
{
#ifdef SIGPIPE
    std::signal(SIGPIPE, SIG_IGN);
#endif
#ifdef SIGXFSZ
    std::signal(SIGXFSZ, SIG_IGN);
#endif
}

/**
 * The first file that a program opens takes the place of a standard stream that is closed, and
 * would get what the program prints. A device that can only be read keeps the place: printing
 * fails.
 */
void
HoldStandardStreams()
{
#ifdef F_GETFD
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    {
        if (fcntl(stream, F_GETFD) == -1)
        {
            open("/dev/null", O_RDONLY); // gets the lowest number that is free
        }
    }
#endif
}

} // namespace

int
RunGuarded(const std::string& program, const std::function<void()>& body)
{
    const TerminateHandler handler(program);
    KeepFreedMemory();
    IgnoreSignalsOfWriting();
    HoldStandardStreams();
    try
    {
        body();
        std::cout.flush();
        if (!std::cout)
        {
            throw std::runtime_error("can not write to the standard output");
        }
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
RunProgram::CompareWith(const std::string& name, std::vector<RunVariant> variants)
{
    m_name = name;
    m_variants = std::move(variants);
    AddOption("compare", "run what the program compares with this run, too", m_compare);
}

void
RunProgram::SetNetwork(Run::NetworkMaker make)
{
    m_network = std::move(make);
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

std::vector<std::string>
RunProgram::ReadResumeWords(const std::string& directory)
{
    const Checkpoint checkpoint = ReadCheckpoint(directory);
    Require(checkpoint.program == m_spec.program,
            directory,
            ": resume must be of a run of ",
            m_spec.program,
            ", got one of ",
            checkpoint.program);
    Require(!checkpoint.complete, directory, ": the run is complete, there is nothing to resume");
    m_spec.resume = directory;
    std::vector<std::string> words = checkpoint.words;
    words.push_back("--out=" + directory);
    return words;
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
    arguments.AddReader(
        "config",
        "FILE",
        "what an earlier run was, from its summary.json; what follows on the command line wins",
        [this](const std::string& path) { return ReadRunConfig(path, m_spec.program); });
    arguments.AddReader(
        "resume",
        "DIR",
        "go on with the run whose checkpoint.bin is there; only out, threads and checkpoint-every "
        "may follow",
        [this](const std::string& path) { return ReadResumeWords(path); });
    RequireResumable(argc, argv);
    arguments.Parse(argc, argv);
    m_config = std::make_shared<StoredConfig>();
    arguments.ParseMore(m_config->ReadWords());
    m_spec.invocation = arguments.GetInvocation();
    for (const MoreOption& option : m_more)
    {
        m_spec.invocation.more[option.name] = PrintOption(option.value);
    }
}

std::vector<RunProgram::NamedSpec>
RunProgram::MakeSpecs() const
{
    m_spec.Validate();
    std::vector<NamedSpec> specs{{m_name, m_spec}};
    for (const RunVariant& variant : m_compare ? m_variants : std::vector<RunVariant>())
    {
        if (auto spec = MakeVariant(m_spec, variant))
        {
            try
            {
                spec->Validate();
            }
            catch (const std::invalid_argument& error)
            {
                throw std::invalid_argument("compared run " + variant.name + ": " + error.what() +
                                            "; --compare=false runs the first alone");
            }
            specs.push_back({variant.name, *spec});
        }
        else
        {
            std::cerr << "the options leave no difference between " << m_name << " and "
                      << variant.name << ", which is left out" << std::endl;
        }
    }
    return specs;
}

void
RunProgram::RunOnce(RunSeries& series, uint32_t number) const
{
    const bool first = number == 0;
    RunSpec spec = series.spec;
    spec.transcript = spec.transcript && first; // results files describe the first run
    Run run(spec, m_network);
    if (m_begin)
    {
        MakeResultsDirectory(spec.out); // hooks write there, too
        m_begin(run);
    }
    run.SetFinishHook(m_finish);
    if (first)
    {
        m_config->Save();
        series.transcript = run.BeginTranscript();
        if (!series.interruption)
        {
            series.interruption.emplace();
        }
        ReadTheory(run, series);
        run.SetWarningListener(PrintWarning);
    }
    const TerminateHandler handler(m_spec.program, [&] {
        run.Abandon("ns-3 ended the program");
        Conclude(run, number, series);
        WriteSeries(series);
        return "; what the run did until then is in " + series.spec.out;
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
            throw; // it was refused before it began, and has no results
        }
        series.failure = std::current_exception();
    }
    Conclude(run, number, series);
}

void
RunProgram::Conclude(const Run& run, uint32_t number, RunSeries& series) const
{
    const bool first = number == 0;
    const bool whole = run.GetResults().status == "complete";
    for (const RoundSummary& summary : run.GetSummaries())
    {
        // Of a run that was cut short the first rounds would count more than the last ones.
        if (first || whole)
        {
            series.error->Add(summary.round + 1, summary.mean.error);
        }
    }
    if (first)
    {
        series.first = run.GetResults();
        for (const MoreOption& option : m_more)
        {
            series.first->parameters.emplace_back(option.name,
                                                  series.spec.invocation.more.at(option.name));
        }
    }
    else if (!whole)
    {
        series.first->status = run.GetResults().status;
        series.first->reason = run.GetResults().reason + ", in run " + std::to_string(number + 1) +
                               " of " + std::to_string(series.spec.runs);
        series.first->warnings.push_back("only " + std::to_string(number) + " of " +
                                         std::to_string(series.spec.runs) +
                                         " runs are complete: " + series.first->reason);
        PrintWarning(series.first->warnings.back());
    }
}

void
RunProgram::Repeat(RunSeries& series) const
{
    RunProgress progress(series.spec.runs);
    const uint64_t firstRun = RngSeedManager::GetRun();
    for (uint32_t number = 0; number < series.spec.runs; ++number)
    {
        RngSeedManager::SetRun(firstRun + number);
        RunOnce(series, number);
        if (series.first->status != "complete")
        {
            break;
        }
        progress.Report(number + 1);
    }
    RngSeedManager::SetRun(firstRun);
}

void
RunProgram::WriteSeries(RunSeries& series) const
{
    ResultsFiles files = MakeResultsFiles(*series.first);
    // What an earlier run left would not fit these results.
    for (const char* name : {"model_error.csv", "staleness.csv", "transcript.csv"})
    {
        files[name] = std::nullopt;
    }
    if (series.spec.transcript)
    {
        files.erase("transcript.csv"); // which is there already, under another name
    }
    if (series.spec.kind == RunKind::FEDERATION || series.spec.runs > 1)
    {
        files["model_error.csv"] = series.error->MakeCsv();
    }
    if (!series.first->staleness.empty())
    {
        files["staleness.csv"] = MakeStalenessCsv(series.first->staleness);
    }
    WriteResultsFiles(series.spec.out, files);
    if (series.transcript)
    {
        series.transcript->Commit();
    }
}

void
RunProgram::WriteComparison(const std::vector<NamedRun>& runs) const
{
    const std::vector<NamedRun> others(runs.begin() + 1, runs.end());
    WriteResultsFiles(m_spec.out,
                      {{"report.html", MakeHtmlReport(runs[0].results, runs[0].name, others)}});
}

bool
RunProgram::RunSeriesOf(RunSeries& series) const
{
    Repeat(series);
    WriteSeries(series);
    if (series.failure)
    {
        return false;
    }
    if (series.spec.runs > 1)
    {
        series.error->Print(std::cout);
    }
    return AgreesWithTheory(m_spec.program, series);
}

bool
RunProgram::RunAll() const
{
    const std::vector<NamedSpec> specs = MakeSpecs();
    for (const NamedSpec& spec : specs)
    {
        TryResultsDirectory(spec.spec.out);
    }
    std::vector<NamedRun> runs;
    std::optional<Interruption> interruption;
    std::exception_ptr failure;
    bool agrees = true;
    for (auto spec = specs.begin(); spec != specs.end() && !failure; ++spec)
    {
        if (specs.size() > 1)
        {
            std::cout << (runs.empty() ? "" : "\n") << spec->name << " (" << runs.size() + 1
                      << " of " << specs.size() << ")" << std::endl;
        }
        RunSeries series{spec->spec, interruption};
        try
        {
            agrees = RunSeriesOf(series) && agrees;
        }
        catch (const std::exception& error) // what the runs before achieved is not lost
        {
            failure = runs.empty() ? std::current_exception()
                                   : std::make_exception_ptr(std::runtime_error(
                                         "compared run " + spec->name + ": " + error.what()));
            break;
        }
        failure = series.failure;
        runs.push_back({spec->name, *series.first});
        if (series.first->status != "complete")
        {
            break;
        }
    }
    if (runs.size() > 1)
    {
        WriteComparison(runs);
        PrintComparison(runs, std::cout);
    }
    if (failure)
    {
        std::rethrow_exception(failure);
    }
    std::cout << "\nReport: " << m_spec.out << "/report.html" << std::endl;
    return agrees;
}

int
RunProgram::Main(int argc, char* argv[], const std::string& file)
{
    bool agrees = true;
    const int status = RunGuarded(m_spec.program, [&] {
        Parse(argc, argv, file);
        const CrashGuard guard(m_spec.program, m_spec.invocation.attributes);
        agrees = RunAll();
    });
    if (const int signal = Interruption::GetSignal())
    {
        return 128 + signal;
    }
    return agrees ? status : 1;
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-program.h"

#include "dlearn-process-guards.h"
#include "dlearn-run-options.h"
#include "dlearn-run-ranks.h"
#include "dlearn-run-series.h"
#include "dlearn-run-table.h"
#include "dlearn-stored-config.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-page.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-results-writer.h"

#include <algorithm>
#include <exception>
#include <iostream>
#include <memory>
#include <optional>
#include <stdexcept>

namespace ns3::dlearn
{

std::optional<RunSpec>
MakeVariant(const RunSpec& first, const RunVariant& variant)
{
    RunSpec spec = first;
    const std::vector<RunOption> options = GetRunOptions(spec);
    bool differs = false;
    for (const std::string& word : variant.words)
    {
        const size_t equal = word.find('=');
        const std::string name = word.substr(0, equal);
        const auto option = std::find_if(options.begin(), options.end(), [&](const auto& other) {
            return "--" + other.name == name;
        });
        Require(option != options.end() && equal != std::string::npos,
                "variant ",
                variant.name,
                ": no option --NAME=VALUE of this run: '",
                word,
                "'");
        if (first.invocation.options.count(option->name) > 0)
        {
            continue;
        }
        const std::string before = PrintOption(option->value);
        ReadOption(option->value, option->name, word.substr(equal + 1));
        differs = differs || PrintOption(option->value) != before;
        spec.invocation.options.insert(option->name);
        spec.invocation.command += " " + QuoteForShell(word);
    }
    if (!differs)
    {
        return std::nullopt;
    }
    spec.out = first.out + "/" + variant.name;
    spec.netanim.clear(); // only the first run writes the file
    spec.invocation.strict = false;
    spec.invocation.more["compare"] = "false";
    spec.invocation.command += " --compare=false --out=" + QuoteForShell(spec.out);
    return spec;
}

namespace
{

/** @return the other programs that have an option, in words; empty if there are none */
std::string
FindOwner(RunSpec spec, const std::string& name)
{
    for (const auto& [kind, whose] :
         {std::pair(RunKind::PEERS, "peers, such as dlearn-ldp-online"),
          std::pair(RunKind::DIRECTED, "peers on directed graphs, as of dlearn-gradient-tracking"),
          std::pair(RunKind::FEDERATION, "a server with clients, such as dlearn-fedavg")})
    {
        spec.kind = kind;
        const auto options = GetRunOptions(spec);
        if (std::any_of(options.begin(), options.end(), [&name](const RunOption& option) {
                return option.name == name;
            }))
        {
            return whose;
        }
    }
    return "";
}

} // namespace

RunProgram::RunProgram(RunSpec preset)
    : m_spec(std::move(preset))
{
}

void
RunProgram::CompareWith(const std::string& name, std::vector<RunVariant> variants)
{
    m_name = name;
    m_variants = std::move(variants);
    AddOption("compare", "run what the program compares with this run, too", m_compare);
}

void
RunProgram::Parse(int argc, char* argv[], const std::string& file)
{
    ProgramArguments arguments(file);
    for (const RunOption& option : GetRunOptions(m_spec))
    {
        arguments.BeginGroup(option.group);
        arguments.AddOption(option.name, option.help, option.value, option.aliases, option.alone);
    }
    arguments.SetPresets("preset", GetPreset);
    arguments.SetOwnerFinder([this](const std::string& name) { return FindOwner(m_spec, name); });
    for (const MoreOption& option : m_more)
    {
        arguments.AddOption(option.name, option.help, option.value);
    }
    arguments.AddReader(
        "config",
        "FILE",
        "what an earlier run was, from its summary.json; what follows on the command line wins",
        [this](const std::string& path) { return ReadRunConfig(path, m_spec.program); });
    arguments.Parse(argc, argv);
    arguments.ParseMore(ReadStoredConfig());
    m_spec.invocation = arguments.GetInvocation();
    m_shared = arguments.MakeCommandWithout({"out", "compare"});
    m_setup.moreOptions.clear();
    if (!m_variants.empty() && m_spec.invocation.options.count("network") > 0)
    {
        m_name = m_spec.network; // differs from that of the program
    }
    for (const MoreOption& option : m_more)
    {
        m_setup.moreOptions.push_back(option.name);
        m_spec.invocation.more[option.name] = PrintOption(option.value);
    }
    const auto given = [this](const char* name) {
        return m_spec.invocation.options.count(name) > 0;
    };
    if (!m_spec.preset.empty() && !given("sample-fraction") &&
        (given("sample-count") || given("sample-plan") || given("sampling")))
    {
        m_spec.sampleFraction = 1; // that of the preset is another way to sample
    }
}

std::vector<RunProgram::NamedSpec>
RunProgram::MakeSpecs() const
{
    m_spec.Validate();
    Require(m_spec.mpi == Ranks::AreEnabled(),
            "mpi must be an option of the command line itself, once");
    Require(!m_spec.mpi || !m_compare || m_variants.empty(), "compare must be false with mpi");
    std::vector<NamedSpec> specs{{m_name, m_spec}};
    RunSpec first = m_spec;
    first.invocation.command = m_shared;
    for (const RunVariant& variant : m_compare ? m_variants : std::vector<RunVariant>())
    {
        if (auto spec = MakeVariant(first, variant))
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
RunProgram::WriteComparison(const std::vector<NamedRun>& runs) const
{
    WriteResultsFiles(m_spec.out, {{"report.html", MakePage(runs)}});
}

void
RunProgram::RunForRankZero(const RunSpec& spec) const
{
    const Interruption interruption;
    Run run(spec, m_setup.network);
    if (m_setup.begin)
    {
        m_setup.begin(run);
    }
    run.Execute(std::cout); // std::cout is silent
}

bool
RunProgram::RunAll() const
{
    const std::vector<NamedSpec> specs = MakeSpecs();
    if (Ranks::GetOwn() != 0)
    {
        RunForRankZero(specs.front().spec);
        return true;
    }
    std::for_each(specs.begin(), specs.end(), [](const NamedSpec& named) {
        TryResultsDirectory(named.spec.out);
    });
    RunSeries::Setup setup = m_setup;
    setup.folders = std::make_shared<ResultsDirectory>();
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
        setup.name = specs.size() > 1 ? spec->name : "";
        RunSeries series(spec->spec, setup, interruption);
        try
        {
            agrees = series.Execute() && agrees;
        }
        catch (const std::exception& error) // the results of earlier runs are kept
        {
            failure = runs.empty() ? std::current_exception()
                                   : std::make_exception_ptr(std::runtime_error(
                                         "compared run " + spec->name + ": " + error.what()));
            break;
        }
        failure = series.GetFailure();
        runs.push_back({spec->name, series.GetResults()});
        if (runs.back().results.status != "complete")
        {
            break;
        }
    }
    if (runs.size() > 1)
    {
        WriteComparison(runs);
        PrintComparison(std::cout, runs);
    }
    if (failure)
    {
        std::rethrow_exception(failure);
    }
    if (runs.size() == 1)
    {
        PrintEvents(std::cout, runs.front().results);
        PrintEnergy(std::cout, runs.front().results);
    }
    std::cout << "\nReport: " << m_spec.out << "/report.html" << std::endl;
    return agrees;
}

int
RunProgram::Main(int argc, char* argv[], const std::string& file)
{
    bool agrees = true;
    const int status = RunGuarded(m_spec.program, [&] {
        const RankedProgram ranks(argc, argv);
        ranks.Do(m_spec.program, [&] {
            Parse(argc, argv, file);
            RefuseSeveralWholeRuns(m_spec.invocation);
            try
            {
                agrees = RunAll();
            }
            catch (const std::invalid_argument& error)
            {
                throw std::invalid_argument(NameOption(m_spec, error.what()));
            }
        });
    });
    if (const int signal = Interruption::GetSignal())
    {
        return 128 + signal;
    }
    return agrees ? status : 1;
}

} // namespace ns3::dlearn

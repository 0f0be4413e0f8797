/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-study-parameters.h"

#include "ns3/config.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-program.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <iostream>

namespace ns3::dlearn
{

StudyParameters::StudyParameters(std::string name)
    : program(std::move(name)),
      out("results/" + program.substr(program.find('-') + 1))
{
}

void
StudyParameters::AddCommon(ProgramArguments& arguments,
                           const std::string& quickHelp,
                           const std::string& runsHelp)
{
    arguments.AddValue("quick", quickHelp, quick);
    if (!runsHelp.empty())
    {
        arguments.AddValue("runs", "runs of a setting, from --RngRun on; 0: " + runsHelp, runs);
    }
    arguments.AddValue("out", "directory of the results", out);
}

void
StudyParameters::AddFull(ProgramArguments& arguments, const std::string& help)
{
    arguments.AddValue("full", help, full);
}

void
StudyParameters::AddData(ProgramArguments& arguments, const std::string& help)
{
    arguments.AddValue("data", help, data);
    arguments.AddValue("data-dir", "where data sets are; default DLEARN_DATA", dataDir);
}

void
StudyParameters::AddNetwork(ProgramArguments& arguments)
{
    arguments.AddValue("network", "see dlearn-fedavg --help", network);
    arguments.AddValue("transport",
                       "tcp, udp or broadcast; empty: " +
                           (idealTransport == "tcp" ? "" : idealTransport + " over ideal, else ") +
                           "tcp",
                       transport);
    arguments.AddValue("deadline",
                       "longest time of a round, such as 2s; empty: wait for all",
                       deadline);
}

void
StudyParameters::Parse(ProgramArguments& arguments, int argc, char* argv[])
{
    arguments.Parse(argc, argv);
    Require(!(quick && full), "quick and full exclude each other");
    Require(runs <= 1000000, "runs must be at most 1000000, got ", runs);
    Require(!out.empty(), "out must name a directory");
}

void
StudyParameters::ParsePlain(const Plain& study, int argc, char* argv[])
{
    ProgramArguments arguments(study.file);
    arguments.Usage(study.usage);
    AddCommon(arguments,
              study.quickHelp,
              std::to_string(study.runs) + ", or " + std::to_string(study.quickRuns) + " if quick");
    Parse(arguments, argc, argv);
    ChooseRuns(study.runs, study.quickRuns);
}

void
StudyParameters::ChooseRuns(uint32_t usual, uint32_t ifQuick)
{
    runs = runs > 0 ? runs : (quick ? ifQuick : usual);
}

void
StudyParameters::Apply(RunSpec& options) const
{
    options.program = program;
    options.data = data;
    options.dataDir = dataDir;
    options.network = network;
    options.transport =
        !transport.empty() ? transport : (network == "ideal" ? idealTransport : "tcp");
    options.deadline = deadline;
}

StudyFigures::StudyFigures(std::string option,
                           std::vector<std::pair<std::string, std::function<bool()>>> figures)
    : m_option(std::move(option)),
      m_figures(std::move(figures))
{
}

bool
StudyFigures::Run(const std::string& chosen, const StudyParameters& p) const
{
    std::vector<std::string> names;
    for (const auto& [name, run] : m_figures)
    {
        names.push_back(name);
    }
    const bool known = std::find(names.begin(), names.end(), chosen) != names.end();
    Require(known || chosen == "all",
            "{} must be {} or all, got '{}'",
            m_option,
            JoinNames(names),
            chosen);
    const ResultsDirectory made(p.out);
    bool good = true;
    for (const auto& [name, run] : m_figures)
    {
        if (chosen == "all" || chosen == name)
        {
            good &= run();
            std::cout << std::endl;
        }
    }
    std::cout << "Tables and figures: " << p.out << "\n";
    return good;
}

int
RunStudy(const std::string& program, const std::function<bool()>& body)
{
    // A round of large models over Wi-Fi takes longer than what the defaults wait for a neighbour.
    const std::string peer = "ns3::dlearn::PeerApplication::";
    Config::SetDefault(peer + "ResponseTimeout", TimeValue(Minutes(20)));
    Config::SetDefault(peer + "SuspicionTimeout", TimeValue(Minutes(40)));
    bool good = true;
    const int status = RunGuarded(program, [&] { good = body(); });
    return status != 0 ? status : (good ? 0 : 1);
}

} // namespace ns3::dlearn

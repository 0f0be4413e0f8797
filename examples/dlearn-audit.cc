/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Whether privacy accounts are true: runs an algorithm many times over networks that lose, delay
 * and repair, computes what its messages revealed, and compares. Prints comma-separated values,
 * one line an algorithm: the smallest ratio of account and truth, the median over the runs, and for
 * FedAvg the largest one. The exit status is 1 when an account says less than the truth, or
 * FedAvg's more than 1.05 times as much.
 *
 *   dlearn-audit
 *   dlearn-audit --algorithm=dola --runs=1000 --RngRun=2
 */

#include "audit/dlearn-audit.h"

#include "ns3/dlearn-program-arguments.h"
#include "ns3/dlearn-program.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/rng-seed-manager.h"

#include <cmath>
#include <iostream>

using namespace ns3;
using namespace ns3::dlearn;

int
main(int argc, char* argv[])
{
    const std::string program = "dlearn-audit";
    std::string algorithm = "all";
    uint32_t runs = 60;
    bool faults = false;
    ProgramArguments arguments(__FILE__);
    std::string names;
    for (const std::string& name : GetAuditedAlgorithms())
    {
        names += name + ", ";
    }
    arguments.Usage(
        "Run algorithms over random networks, compute what their messages told, and compare "
        "it with their privacy accounts. Prints account / truth, to nine digits: at least 1 "
        "unless an account is too small, and at most 1.05 for fedavg, whose accounts are exact; "
        "else the exit status is 1.");
    arguments.AddValue("algorithm", names + "or all", algorithm);
    arguments.AddValue("runs", "audited runs of each algorithm", runs);
    arguments.AddValue("faults",
                       "add random faults to the runs: partitions, bursts of losses, flipped bits, "
                       "copies, wrong clocks, crashes",
                       faults);
    bool good = true;
    const int status = RunGuarded(program, [&] {
        arguments.Parse(argc, argv);
        const uint64_t run = RngSeedManager::GetRun();
        std::vector<std::string> chosen =
            algorithm == "all" ? GetAuditedAlgorithms() : std::vector<std::string>{algorithm};
        bool first = true;
        for (const std::string& name : chosen)
        {
            const AuditResult result = AuditAlgorithm(name, runs, run, faults);
            std::cout << (first ? "algorithm,runs,worst,median,largest\n" : "") << result.algorithm
                      << "," << result.runs << "," << FormatRounded(result.worst, 9) << ","
                      << FormatRounded(result.median, 9) << ","
                      << (std::isnan(result.largest) ? "" : FormatRounded(result.largest, 9))
                      << std::endl;
            good = good && result.IsGood();
            first = false;
        }
    });
    return status != 0 || !good ? 1 : 0;
}

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The effect of faults on learning: random schedules of partitions, links down, bursts of losses,
 * flipped bits, copies, packets out of order, crashes and wrong clocks, on four kinds of network by
 * turns. Each run is compared with the same run without faults.
 *
 *   dlearn-study-faults            (100 schedules of each algorithm)
 *   dlearn-study-faults --quick    (10 schedules)
 *
 * Writes faults.csv, one line a run, and the schedules. Exit status: 0 when all runs have ended
 * with all rounds closed, none longer than the round policy allows, conserved messages, finite
 * models and an error near that without faults; 1 when one has not, or after an error with one line
 * on stderr.
 */

#include "audit/dlearn-random-faults.h"
#include "dlearn-study-parameters.h"
#include "dlearn-study-report.h"

#include "ns3/dlearn-files.h"
#include "ns3/dlearn-program.h"
#include "ns3/dlearn-results-writer.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/rng-seed-manager.h"

#include <algorithm>
#include <iomanip>
#include <iostream>
#include <sstream>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

const std::string PROGRAM = "dlearn-study-faults";

/** @return one line of faults.csv */
std::string
FormatTrial(const std::string& algorithm, const FaultTrial& trial)
{
    return algorithm + "," + std::to_string(RngSeedManager::GetRun()) + "," +
           EscapeCsv(trial.description) + "," + std::to_string(trial.faults) + "," +
           std::to_string(trial.packets) + "," + std::to_string(trial.complete) + "," +
           std::to_string(trial.conserved) + "," + std::to_string(trial.finite) + "," +
           FormatSeconds(trial.longest) + "," + FormatShortest(trial.error) + "," +
           FormatShortest(trial.calm) + "\n";
}

/** @return median and largest of some ratios, which are sorted */
std::string
FormatRatios(std::vector<double>& ratios)
{
    if (ratios.empty())
    {
        return "";
    }
    std::sort(ratios.begin(), ratios.end());
    std::ostringstream text;
    text << std::setw(10) << FormatRounded(ratios[ratios.size() / 2]) << std::setw(10)
         << FormatRounded(ratios.back());
    return text.str();
}

/** Try one algorithm; csv gets its lines. */
bool
StudyAlgorithm(const FaultScenario& scenario, const StudyParameters& p, std::string& csv)
{
    std::vector<double> ratios;
    std::vector<double> overTcp;
    Time longest;
    uint64_t packets = 0;
    uint32_t bad = 0;
    ForEachRun(p.runs, [&] {
        const std::string path = p.out + "/" + scenario.spec.algorithm + "-" +
                                 std::to_string(RngSeedManager::GetRun()) + ".faults";
        const FaultTrial trial = TryFaults(scenario.spec, path);
        csv += FormatTrial(scenario.spec.algorithm, trial);
        (trial.tcp ? overTcp : ratios).push_back(trial.GetRatio());
        longest = Max(longest, trial.longest);
        packets += trial.packets;
        bad += trial.complete && trial.conserved && trial.finite ? 0 : 1;
    });
    std::cout << std::setw(12) << scenario.spec.algorithm << std::setw(7) << p.runs << std::setw(10)
              << packets << std::setw(14) << FormatRounded(longest.GetSeconds())
              << FormatRatios(ratios) << FormatRatios(overTcp) << std::endl;
    bool good = Check(bad == 0, "all rounds closed, messages conserved, models finite");
    good &= Check(longest <= scenario.longest,
                  "no round longer than " + FormatSeconds(scenario.longest) + " s");
    good &=
        Check((ratios.empty() || ratios.back() <= scenario.factor) &&
                  (overTcp.empty() || overTcp.back() <= scenario.tcpFactor),
              "after the faults, the error is at most " + FormatRounded(scenario.factor) +
                  " (UDP) and " + FormatRounded(scenario.tcpFactor) + " (TCP) times that without");
    return good;
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunStudy(PROGRAM, [&] {
        StudyParameters p(PROGRAM);
        p.ParsePlain({__FILE__,
                      "Random faults in runs of LDP-OL, DP-GT, FedAvg and CafCor.",
                      "10 schedules of each algorithm",
                      100,
                      10},
                     argc,
                     argv);
        const ResultsDirectory made(p.out);
        std::string csv = "algorithm,run,network,faults,packets,complete,conserved,finite,"
                          "longest_round_s,error,error_without\n";
        std::cout
            << "                                              error over that without faults\n"
               "                                            UDP:                TCP:\n"
               "   algorithm   runs   packets   longest (s)    median     worst    median     "
               "worst\n";
        bool good = true;
        for (const FaultScenario& scenario : GetFaultScenarios(PROGRAM))
        {
            good &= StudyAlgorithm(scenario, p, csv);
        }
        WriteTextFile(p.out + "/faults.csv", csv);
        return good;
    });
}

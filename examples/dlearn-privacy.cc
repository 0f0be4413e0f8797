/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The privacy loss of a planned run. Prints the epsilon that a planned run
 * spends, before it is run:
 *
 *   dlearn-privacy --algorithm=ldp-online --rounds=2000 --noise=0.1
 *   dlearn-privacy --algorithm=cafcor --sigma-cor=0.6 --sigma-ind=0
 *   dlearn-privacy fedavg --learners=50 --noise-multiplier=2
 *   dlearn-privacy --algorithm=gradient-tracking --scheme=s1 --rounds=2000
 *
 * or, the other way round, the noise that meets a target:
 *
 *   dlearn-privacy --algorithm=ldp-online --target-epsilon=5
 *   dlearn-privacy --algorithm=cafcor --target-epsilon=27.8 --model=byzldp
 *
 * The name of the algorithm may also come first, without --algorithm=. Options and output differ
 * between algorithms; --algorithm=NAME --help lists them, and dlearn-privacy-NAME.cc explains. Exit
 * status: 0, or 1 with one line on stderr when an option is wrong.
 */

#include "dlearn-privacy-planner.h"

#include "ns3/dlearn-check.h"

#include <map>

namespace ns3::dlearn
{

uint32_t
RequireCount(const std::string& name, int64_t value, int64_t least, int64_t most)
{
    Require(value >= least && value <= most,
            "--{} must be between {} and {}, got {}",
            name,
            least,
            most,
            value);
    return static_cast<uint32_t>(value);
}

void
RequireAtLeastZero(const std::string& name, double value)
{
    Require(std::isfinite(value) && value >= 0,
            "--{} must be finite and at least 0, got {}",
            name,
            value);
}

} // namespace ns3::dlearn

using namespace ns3::dlearn;

namespace
{

/** @return the value of the last --algorithm, which decides what other options there are */
std::string
FindAlgorithm(int argc, char* argv[])
{
    std::string algorithm = "ldp-online";
    for (int k = 1; k < argc; ++k)
    {
        const std::string word = argv[k];
        for (const std::string prefix : {"-algorithm=", "--algorithm="})
        {
            if (word.rfind(prefix, 0) == 0)
            {
                algorithm = word.substr(prefix.size());
            }
        }
    }
    return algorithm;
}

} // namespace

int
main(int argc, char* argv[])
{
    const std::map<std::string, std::unique_ptr<PrivacyPlanner> (*)()> planners{
        {"cafcor", &MakeCafCorPlanner},
        {"fedavg", &MakeFedAvgPlanner},
        {"gradient-tracking", &MakeGradientTrackingPlanner},
        {"ldp-online", &MakeLdpOnlinePlanner},
    };
    return RunGuarded("dlearn-privacy", [&] {
        std::string first = argc > 1 ? argv[1] : "-";
        if (first[0] != '-')
        {
            first = "--algorithm=" + first; // dlearn-privacy fedavg
            argv[1] = first.data();
        }
        std::string algorithm = FindAlgorithm(argc, argv);
        // The programs that run it call it dp-gt.
        const auto maker = planners.find(algorithm == "dp-gt" ? "gradient-tracking" : algorithm);
        Require(maker != planners.end(),
                "algorithm must be one of ldp-online, fedavg, cafcor and dp-gt, got '{}'",
                algorithm);
        const std::unique_ptr<PrivacyPlanner> planner = maker->second();
        ProgramArguments arguments(__FILE__);
        arguments.Usage(
            "Plan the privacy of a run: epsilon of a noise, or the noise of an epsilon.");
        arguments.AddValue(
            "algorithm",
            "ldp-online, fedavg, cafcor or gradient-tracking; decides about the rest",
            algorithm);
        planner->AddOptions(arguments);
        arguments.Parse(argc, argv);
        for (const auto& [option, missing] : planner->FindUseless())
        {
            RefuseWithoutEffect(arguments.GetInvocation(), option, missing);
        }
        planner->Print();
    });
}

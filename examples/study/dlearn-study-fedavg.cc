/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * FedAvg, as its theory says and over networks that the theory knows nothing of:
 *
 *   dlearn-study-fedavg --figure=1            (also 2 and 3: those of Ju, Yang, Liu et al.)
 *   dlearn-study-fedavg --figure=deadline     (ours: unequal devices, lossy links)
 *   dlearn-study-fedavg --figure=straggler    (ours: synchronous or not)
 *   dlearn-study-fedavg --quick               (all of them, small)
 *
 * doc/reproduction.rst discusses what comes out.
 *
 * Writes tables (CSV) and figures (SVG). Exit status: 0 when what the figures are to show
 * shows, 1 when it does not, or after an error with one line on stderr.
 */

#include "dlearn-study-devices.h"
#include "dlearn-study-theory.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-program.h"
#include "ns3/dlearn-results-writer.h"

#include <functional>
#include <iostream>
#include <utility>
#include <vector>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

const std::string PROGRAM = "dlearn-study-fedavg";

/** What the command line can say. */
struct Parameters
{
    std::string figure{"all"};
    bool quick{false};
    bool full{false};
    uint32_t runs{0};
    double stepSize1{TheoryParameters().stepSize1};
    double stepSize2{TheoryParameters().stepSize2};
    std::string out{"results/study-fedavg"};

    void Parse(int argc, char* argv[]);
    TheoryParameters GetTheory() const;
    DeviceParameters GetDevices() const;
};

void
Parameters::Parse(int argc, char* argv[])
{
    ProgramArguments arguments(__FILE__);
    arguments.Usage("FedAvg: three figures of its theory, and two of unequal devices.");
    arguments.AddValue("figure", "1, 2, 3, deadline, straggler or all", figure);
    arguments.AddValue("quick", "fewer points and runs", quick);
    arguments.AddValue("full", "all points and runs (the default)", full);
    arguments.AddValue("runs",
                       "runs of a point, from --RngRun on; 0: 20 for the theory, 5 for devices, "
                       "8 and 2 if quick",
                       runs);
    arguments.AddValue("step-size-1", "alpha of figure 1", stepSize1);
    arguments.AddValue("step-size-2", "alpha of figure 2", stepSize2);
    arguments.AddValue("out", "directory of the results", out);
    arguments.Parse(argc, argv);
    Require(!(quick && full), "quick and full exclude each other");
    Require(runs == 0 || (runs >= 2 && runs <= 1000000),
            "runs must be 0 or from 2 to 1000000, got ",
            runs);
    Require(!out.empty(), "out must name a directory");
}

TheoryParameters
Parameters::GetTheory() const
{
    TheoryParameters theory;
    theory.quick = quick;
    theory.runs = runs > 0 ? runs : (quick ? 8 : 20);
    theory.stepSize1 = stepSize1;
    theory.stepSize2 = stepSize2;
    theory.out = out;
    theory.program = PROGRAM;
    return theory;
}

DeviceParameters
Parameters::GetDevices() const
{
    DeviceParameters devices;
    devices.quick = quick;
    devices.runs = runs > 0 ? runs : (quick ? 2 : 5);
    devices.out = out;
    devices.program = PROGRAM;
    return devices;
}

/** @return whether everything shows that is to show */
bool
RunFigures(const Parameters& p)
{
    const std::vector<std::pair<std::string, std::function<bool()>>> figures{
        {"1", [&] { return RunStartFigure(p.GetTheory()); }},
        {"2", [&] { return RunLocalStepsFigure(p.GetTheory()); }},
        {"3", [&] { return RunDimensionFigure(p.GetTheory()); }},
        {"deadline", [&] { return RunDeadlineFigure(p.GetDevices()); }},
        {"straggler", [&] { return RunStragglerFigure(p.GetDevices()); }}};
    bool known = p.figure == "all";
    for (const auto& [name, run] : figures)
    {
        known |= name == p.figure;
    }
    Require(known, "figure must be 1, 2, 3, deadline, straggler or all, got '", p.figure, "'");
    MakeResultsDirectory(p.out);
    bool good = true;
    for (const auto& [name, run] : figures)
    {
        if (p.figure == "all" || p.figure == name)
        {
            good &= run();
            std::cout << std::endl;
        }
    }
    std::cout << "Tables and figures: " << p.out << "\n";
    return good;
}

} // namespace

int
main(int argc, char* argv[])
{
    Parameters parameters;
    bool good = true;
    const int status = RunGuarded(PROGRAM, [&] {
        parameters.Parse(argc, argv);
        good = RunFigures(parameters);
    });
    return status != 0 ? status : (good ? 0 : 1);
}

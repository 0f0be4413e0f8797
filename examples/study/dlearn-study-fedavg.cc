/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * FedAvg, compared with its theory, and over networks, which are not part of the theory:
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

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

const std::string PROGRAM = "dlearn-study-fedavg";

/** Read the command line. */
void
Parse(int argc, char* argv[], TheoryParameters& p, std::string& figure)
{
    ProgramArguments arguments(__FILE__);
    arguments.Usage("FedAvg: three figures of its theory, and two of unequal devices.");
    arguments.AddValue("figure", "1, 2, 3, deadline, straggler or all", figure);
    p.AddCommon(arguments,
                "fewer points and runs: half a minute of one core",
                "20 for the theory, 5 for devices, 8 and 2 if quick");
    p.AddFull(arguments, "all points and runs (the default)");
    arguments.AddValue("step-size-1", "alpha of figure 1", p.stepSize1);
    arguments.AddValue("step-size-2", "alpha of figure 2", p.stepSize2);
    p.Parse(arguments, argc, argv);
    Require(p.runs != 1, "runs must be 0 or from 2 to 1000000, got ", p.runs);
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunStudy(PROGRAM, [&] {
        TheoryParameters theory(PROGRAM);
        std::string figure = "all";
        Parse(argc, argv, theory, figure);
        StudyParameters devices = theory;
        theory.ChooseRuns(20, 8);
        devices.ChooseRuns(5, 2);
        const StudyFigures figures("figure",
                                   {{"1", [&] { return RunStartFigure(theory); }},
                                    {"2", [&] { return RunLocalStepsFigure(theory); }},
                                    {"3", [&] { return RunDimensionFigure(theory); }},
                                    {"deadline", [&] { return RunDeadlineFigure(devices); }},
                                    {"straggler", [&] { return RunStragglerFigure(devices); }}});
        return figures.Run(figure, theory);
    });
}

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * CafCor: workers that do not trust the server share noise that cancels in the sum, and the
 * server aggregates robustly, because some workers lie.
 *
 *   dlearn-cafcor
 *   dlearn-cafcor --attack=Alie --aggregator=TrimmedMean --pre=Nnm
 *   dlearn-cafcor --data=mnist --workers=100 --byzantine=5 --attack=SignFlipping --network=tree:16
 *   dlearn-cafcor --model=ldp
 *   dlearn-cafcor --help
 */

#include "ns3/dlearn-cafcor-scenario.h"
#include "ns3/dlearn-program.h"

using namespace ns3;
using namespace ns3::dlearn;

int
main(int argc, char* argv[])
{
    CafCorOptions options("dlearn-cafcor");
    ProgramArguments arguments(__FILE__);
    options.AddTo(arguments);
    if (RunGuarded(options.program, [&] { arguments.Parse(argc, argv); }) != 0)
    {
        return 1;
    }
    return RunGuarded(options.program, [&] {
        CafCorScenario scenario(options);
        RunToFiles(scenario);
    });
}

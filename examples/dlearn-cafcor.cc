/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * CafCor: workers that do not trust the server share noise that cancels in the sum, and the
 * server aggregates robustly, because some workers are Byzantine.
 *
 *   dlearn-cafcor
 *   dlearn-cafcor --attack=Alie --aggregator=TrimmedMean --pre-aggregator=Nnm
 *   dlearn-cafcor --data=mnist --learners=100 --byzantine=5 --attack=SignFlipping --network=tree:16
 *   dlearn-cafcor --threat-model=ldp
 *   dlearn-cafcor --help
 */

#include "ns3/dlearn-program.h"
#include "ns3/dlearn-run-spec.h"

using namespace ns3::dlearn;

int
main(int argc, char* argv[])
{
    return RunProgram(CafCorPreset("dlearn-cafcor")).Main(argc, argv, __FILE__);
}

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Private gradient tracking over directed graphs (Chen, Wang and Zhang), and the algorithms it is
 * compared with, over any network:
 *
 *   dlearn-gradient-tracking
 *   dlearn-gradient-tracking --algorithm=gt --scheme=free --samples=800 --rounds=1500
 *       --task=least-squares --learners=8 --network=p2p --loss=0.2 --deadline=20ms
 *       --compensation=running-sum
 *   dlearn-gradient-tracking --help
 */

#include "ns3/dlearn-program.h"
#include "ns3/dlearn-run-spec.h"

using namespace ns3::dlearn;

int
main(int argc, char* argv[])
{
    return RunProgram(GradientTrackingPreset("dlearn-gradient-tracking"))
        .Main(argc, argv, __FILE__);
}

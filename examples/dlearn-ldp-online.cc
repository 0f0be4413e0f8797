/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Locally private online learning among peers: the mushrooms set-up of Chen and Wang (a ring
 * of five learners, weight 0.3, labels split between them) on generated data, over any
 * network.
 *
 *   dlearn-ldp-online
 *   dlearn-ldp-online --data=mushrooms --network=p2p --loss=0.3
 *   dlearn-ldp-online --help
 */

#include "ns3/dlearn-program.h"
#include "ns3/dlearn-run-spec.h"

using namespace ns3::dlearn;

int
main(int argc, char* argv[])
{
    return RunProgram(LdpOnlinePreset("dlearn-ldp-online")).Main(argc, argv, __FILE__);
}

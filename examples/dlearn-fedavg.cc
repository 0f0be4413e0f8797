/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * A server and its clients learn a linear regression by FedAvg; or anything else, over any
 * network. With the defaults the expected error is known, and the program checks itself:
 *
 *   dlearn-fedavg --runs=200
 *   dlearn-fedavg --local-steps=inf --dimension=60 --samples=25 --runs=200
 *   dlearn-fedavg --network=wifi-infra --learners=20 --mode=buffered --client-flops=lognormal:1e8:1
 *   dlearn-fedavg --data=generated --learners=1000 --network=tree:32 --rounds=10 --samples=0
 *   dlearn-fedavg --help
 */

#include "ns3/dlearn-program.h"
#include "ns3/dlearn-run-spec.h"

using namespace ns3::dlearn;

int
main(int argc, char* argv[])
{
    return RunProgram(FedAvgPreset("dlearn-fedavg")).Main(argc, argv, __FILE__);
}

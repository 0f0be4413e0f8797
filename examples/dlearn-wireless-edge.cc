/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Twenty devices on Wi-Fi learn to tell images of digits apart, without sharing them:
 * each trains on its own images, of some digits more than of others, and the access point averages
 * the models (federated averaging). One command runs this over the Wi-Fi, over ideal links, and
 * over the Wi-Fi of a crowd, with losses and a device that is switched off; then over the Wi-Fi
 * with differential privacy. One report lays all of them over one another.
 *
 *   dlearn-wireless-edge
 *   dlearn-wireless-edge --learners=30 --partition=label --out=results/uneven
 *   dlearn-wireless-edge --network=lte --compare=false
 *   dlearn-wireless-edge --help
 */

#include "ns3/dlearn-program.h"
#include "ns3/dlearn-run-spec.h"

using namespace ns3::dlearn;

int
main(int argc, char* argv[])
{
    // What is learned: ten digits, by a small convolutional network.
    RunSpec spec = FedAvgPreset("dlearn-wireless-edge");
    spec.data = "glyphs";
    spec.normalize = true;
    spec.partition = "dirichlet:0.5";
    spec.task = "net:conv8x5,relu,pool4,fc10";
    spec.stepSize = 0.1;
    spec.rounds = 15;

    // Who learns, and over what.
    spec.learners = 20;
    spec.clientFlops = "1e10";
    spec.network = "wifi-infra";
    spec.evaluationSamples = 2000;

    // What the run is compared with. FedAvg has no account of single images: the private run sends
    // gradients instead of models, clipped and with noise.
    RunProgram program(spec);
    program.CompareWith(
        "wifi",
        {{"ideal", {"--network=ideal"}},
         {"crowd", {"--cross-traffic=onoff:1Mbps:*to0", "--loss=0.1", "--churn=crash:1@500ms"}},
         {"private",
          {"--algorithm=cafcor",
           "--aggregator=Average",
           "--threat-model=cdp",
           "--privacy-unit=sample",
           "--target-epsilon=8",
           "--clip=0.5",
           "--step-size=8",
           "--momentum=0.5",
           "--batch-size=100",
           "--rounds=80",
           "--evaluate-every=4"}}});
    return program.Main(argc, argv, __FILE__);
}

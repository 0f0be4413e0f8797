/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * A first script: six learners on a ring of lossy links learn a classifier together,
 * and one of them tells what arrives. The parts are those that every script needs: data and
 * task, graph, network, learners, simulation, results.
 */

#include "ns3/core-module.h"
#include "ns3/dlearn-module.h"

#include <iostream>

using namespace ns3;
using namespace ns3::dlearn;

static void
ShowRound(const RoundRecord& round)
{
    if (round.round % 20 == 0)
    {
        std::cout << "t=" << round.closed.GetSeconds() << " s, round " << round.round << ": "
                  << round.received << " of " << round.expected << " models arrived\n";
    }
}

int
main(int argc, char* argv[])
{
    CommandLine cmd(__FILE__);
    cmd.Parse(argc, argv);

    // What is learned: two classes of categorical data. Features of norm at most 1 bound the
    // gradients, on which the privacy account relies.
    Dataset samples = MakeCategorical({}, 0);
    samples.ScaleToUnitNorm();
    const auto data = std::make_shared<const Dataset>(samples);
    const auto task = CreateObject<LogisticTask>();
    task->SetData(data, nullptr);

    // The learners that exchange vectors, with a link for each edge.
    const Graph graph = MetropolisWeights(MakeRing(6));
    const auto network = CreateNetwork("p2p,loss=0.1,rate=1Mbps");
    network->Build(graph, {});
    network->AssignStreams(100);

    // Who learns, from which share of the data, and by which rules.
    Config::SetDefault("ns3::dlearn::LaplaceMechanism::BaseScale", DoubleValue(0.1));
    Config::SetDefault("ns3::dlearn::DeadlinePolicy::Deadline", TimeValue(MilliSeconds(30)));
    const auto streams = PeerHelper::CreateStreams(PartitionIid(*data, 6, 10), 8, 20);
    PeerHelper helper;
    helper.SetAttribute("Rounds", UintegerValue(100));
    helper.SetAttribute("RoundPolicy", TypeIdValue(DeadlinePolicy::GetTypeId()));
    const auto learners = helper.Install(*network, graph, task, streams);
    PeerHelper::AssignStreams(learners, 1000);
    learners[0]->TraceConnectWithoutContext("RoundEnd", MakeCallback(&ShowRound));

    // Say what goes wrong, such as a learner that gets no message.
    RunWatch watch({learners.begin(), learners.end()});
    watch.GetWarnings().SetListener(
        [](const std::string& warning) { std::cerr << "warning: " << warning << std::endl; });

    // Run, and print the result.
    Simulator::Run();
    watch.Finish();
    const Ptr<UpdateRule> rule = learners[0]->GetRule();
    std::cout << "accuracy: " << task->GetAccuracy(rule->GetModel())
              << ", epsilon spent: " << rule->GetLedger()->GetEpsilon() << std::endl;
    Simulator::Destroy();
    return 0;
}

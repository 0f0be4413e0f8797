/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Clients whose updates add up on the air: the access point sends its model in packets of Wi-Fi,
 * and all clients answer at the same time on a band of their own. With less power (--power=-60) the
 * noise of the receiver shows.
 */

#include "ns3/core-module.h"
#include "ns3/dlearn-module.h"

#include <iostream>

using namespace ns3;
using namespace ns3::dlearn;

static void
ShowRound(const RoundRecord& round)
{
    std::cout << "t=" << round.closed.GetSeconds() << " s, round " << round.round << ": sum of "
              << round.used << " updates, " << round.truncated << " truncated\n";
}

int
main(int argc, char* argv[])
{
    constexpr uint32_t CLIENTS = 12;
    double power = 20;
    CommandLine cmd(__FILE__);
    cmd.AddValue("power", "largest power of a client in dBm", power);
    cmd.Parse(argc, argv);

    // What is learned, and how the samples are divided.
    Dataset samples = MakeCategorical({}, 0);
    samples.ScaleToUnitNorm();
    const auto data = std::make_shared<const Dataset>(samples);
    const auto task = CreateObject<LogisticTask>();
    task->SetData(data, nullptr);
    std::vector<Ptr<LocalData>> shards;
    for (const SampleIndices& shard : PartitionIid(*data, CLIENTS, 10))
    {
        const auto own = CreateObject<ShardData>();
        own->SetShard(task, shard, 0);
        shards.push_back(own);
    }

    // Learner 0 is the access point, and serves the others.
    NetworkSetup setup;
    setup.server = 0;
    const auto network = CreateNetwork("wifi-infra");
    network->Build(MakeStar(CLIENTS + 1), setup);
    network->AssignStreams(100);

    const auto air = CreateObject<MultipleAccessChannel>();
    air->SetAttribute("Power", DoubleValue(power));
    air->SetAttribute("Clip", DoubleValue(1));

    FederatedHelper helper;
    helper.SetServerAttribute("Rounds", UintegerValue(20));
    helper.SetClientAttribute("Rule",
                              StringValue("ns3::dlearn::LocalSgd[BatchSize=20|StepSize=0.5]"));
    const Federation federation = helper.Create(*network);
    for (const auto& learner : federation.GetLearners())
    {
        learner->GetExchange()->SetAttribute("Air", PointerValue(air));
    }
    FederatedHelper::Connect(federation, *network, shards, task->DrawInitialModel(200));
    FederatedHelper::AssignStreams(federation, 1000);
    federation.server->TraceConnectWithoutContext("RoundEnd", MakeCallback(&ShowRound));
    Simulator::Stop(Seconds(5)); // beacons have no end
    Simulator::Run();
    const ModelVector& model = federation.server->GetRule()->GetModel();
    std::cout << "accuracy: " << task->GetAccuracy(model) << std::endl;
    Simulator::Destroy();
    return 0;
}

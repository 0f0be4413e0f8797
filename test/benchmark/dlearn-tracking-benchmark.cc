/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * Gradient tracking at scale: 200 learners, directed exponential graph (8 neighbours each),
 * models of 10,000 numbers, states and trackers by UDP over point-to-point links, without
 * noise and with it; against ns-3's own UdpClients that send as many zero-filled datagrams of
 * the same size over the same links, as fast as the links allow. Processor time beyond theirs is
 * counted as outside ns-3's own event handling; it includes what longer queues and real bytes cost
 * ns-3.
 *
 *   dlearn-tracking-benchmark [--rounds=...] [--learners=...] [--dimension=...]
 */

#include "dlearn-benchmark-row.h"

#include "ns3/config.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-data-generator.h"
#include "ns3/dlearn-gradient-tracking.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-linear-tasks.h"
#include "ns3/dlearn-mixing-matrix.h"
#include "ns3/dlearn-model-header.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-partitioner.h"
#include "ns3/dlearn-peer-helper.h"
#include "ns3/dlearn-program.h"
#include "ns3/double.h"
#include "ns3/inet-socket-address.h"
#include "ns3/simulator.h"
#include "ns3/udp-client-server-helper.h"
#include "ns3/udp-server.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

constexpr uint32_t SHARD = 4;      // samples of each learner
constexpr uint32_t PAYLOAD = 1440; // bytes of numbers in a datagram

uint32_t g_rounds = 100;
uint32_t g_learners = 200;
uint32_t g_dimension = 10000;

/** What Simulator::Run took. */
struct Cost
{
    double wall{0};       //!< seconds
    double processor{0};  //!< seconds
    uint64_t events{0};   //!< of the simulator
    uint64_t messages{0}; //!< vectors, or datagrams, that arrived
};

Ptr<Network>
MakeNetwork(const Graph& graph)
{
    auto network = CreateNetwork("p2p");
    network->Build(graph, {});
    network->AssignStreams(1);
    return network;
}

Cost
TimeRun()
{
    Cost cost;
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t clock = std::clock();
    Simulator::Run();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    cost.wall = wall.count();
    cost.processor = static_cast<double>(std::clock() - clock) / CLOCKS_PER_SEC;
    cost.events = Simulator::GetEventCount();
    return cost;
}

/** Gradient tracking; with noise when its scale is more than 0. */
Cost
Track(const Graph& graph, double noise)
{
    LinearGaussianOptions data;
    data.samples = g_learners * SHARD;
    data.features = g_dimension;
    Dataset samples = MakeLinearGaussian(data, 10);
    samples.ScaleToUnitNorm();
    const auto task = CreateObject<LeastSquaresTask>();
    task->SetData(std::make_shared<const Dataset>(std::move(samples)), nullptr);
    const auto streams =
        PeerHelper::CreateStreams(PartitionIid(task->GetTrain(), g_learners, 20), SHARD, 30);
    const auto network = MakeNetwork(graph);
    PeerHelper helper;
    helper.SetAttribute("Rounds", UintegerValue(g_rounds));
    helper.SetAttribute("Rule", TypeIdValue(GradientTracking::GetTypeId()));
    const auto learners = helper.Create(*network);
    for (const auto& learner : learners)
    {
        const auto rule = DynamicCast<GradientTracking>(learner->GetRule());
        rule->SetAttribute("PrivacyLedger", TypeIdValue(PrivacyAccount::GetTypeId()));
        rule->GetStateNoise()->SetAttribute("BaseScale", DoubleValue(noise));
        rule->GetTrackerNoise()->SetAttribute("BaseScale", DoubleValue(noise));
    }
    const Graph states = InDegreeWeights(graph);
    PeerHelper::Connect(learners, *network, states, OutDegreeWeights(graph), task, streams);
    PeerHelper::AssignStreams(learners, 1000);
    Cost cost = TimeRun();
    for (const auto& learner : learners)
    {
        for (const RoundRecord& record : learner->GetRecords())
        {
            cost.messages += record.used;
        }
    }
    Simulator::Destroy();
    return cost;
}

/** As many datagrams, of zeros, from every learner to its neighbours. */
Cost
SendZeros(const Graph& graph)
{
    const auto network = MakeNetwork(graph);
    const uint32_t packets = 2 * g_rounds * ((g_dimension * 4 + PAYLOAD - 1) / PAYLOAD);
    ApplicationContainer servers;
    for (LearnerId id = 0; id < g_learners; ++id)
    {
        servers.Add(UdpServerHelper(9).Install(network->GetNodes().Get(id)));
        for (const auto& [neighbor, weight] : graph.GetOutNeighbors(id))
        {
            UdpClientHelper client(InetSocketAddress(network->GetAddress(id, neighbor), 9));
            client.SetAttribute("PacketSize", UintegerValue(PAYLOAD + ModelHeader::SIZE));
            client.SetAttribute("MaxPackets", UintegerValue(packets));
            client.SetAttribute("Interval", TimeValue(MicroSeconds(120))); // rate of the link
            client.Install(network->GetNodes().Get(id)).Start(MilliSeconds(1));
        }
    }
    Cost cost = TimeRun();
    for (uint32_t k = 0; k < servers.GetN(); ++k)
    {
        cost.messages += DynamicCast<UdpServer>(servers.Get(k))->GetReceived();
    }
    Simulator::Destroy();
    return cost;
}

void
Print(const std::string& name, const Cost& cost, const Cost& zeros)
{
    BenchmarkRow row(name, "s of a processor", "zeros by UdpClient");
    row.Add(cost.processor, cost.processor / zeros.processor);
    row.Print();
    BenchmarkRow events(name + ": events", "1/s");
    events.Add(static_cast<double>(cost.events) / cost.processor);
    events.Print();
}

/** Parse the command line and measure. */
void
Benchmark(int argc, char* argv[])
{
    ProgramArguments arguments(__FILE__);
    arguments.AddValue("rounds", "How many rounds.", g_rounds);
    arguments.AddValue("learners", "How many learners.", g_learners);
    arguments.AddValue("dimension", "Numbers of a model.", g_dimension);
    arguments.Parse(argc, argv);
    Require(g_rounds >= 1 && g_learners >= 2 && g_dimension >= 1,
            "rounds and dimension must be at least 1, learners at least 2");
    const Graph graph = MakeExponential(g_learners);
    BenchmarkRow::PrintHeader();
    const Cost zeros = SendZeros(graph);
    Print("zeros by UdpClient", zeros, zeros);
    Print("gradient tracking", Track(graph, 0), zeros);
    Print("the same with noise", Track(graph, 0.01), zeros);
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunGuarded("dlearn-tracking-benchmark", [&] { Benchmark(argc, argv); });
}

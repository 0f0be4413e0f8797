/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * What real model bytes cost: the wall time of moving models from each of 20 learners to a
 * hub, over point-to-point links, against ns-3's own applications moving as many zero-filled
 * bytes over the same links (UdpClient with datagrams of the same size; BulkSend with writes
 * of 16 kB and segments of 1448 bytes). Once with a long model, a neural network's 431,080
 * numbers, which no cache holds; once with many rounds of a short one of 7,838.
 *
 * The two are timed in turn, pair by pair (BenchmarkRow). Wall time is that of Simulator::Run.
 *
 *   dlearn-transport-benchmark [--pairs=...]
 */

#include "dlearn-benchmark-row.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/config.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-message-exchange.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-program.h"
#include "ns3/dlearn-tcp-transport.h"
#include "ns3/dlearn-udp-transport.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/udp-client-server-helper.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::dlearn;

namespace
{

constexpr uint32_t LEAVES = 20;
constexpr uint32_t BYTES = 431080 * 4; // from each learner, in one message or in 55

/** What each learner sends: rounds x dimension numbers of 4 bytes, BYTES in all. */
struct Load
{
    uint32_t dimension; //!< of a model
    uint32_t rounds;    //!< how many, one after the other
};

/** Hub 0 and its leaves, on links of 100 Mbit/s and 1 ms. */
Ptr<Network>
MakeStarNetwork()
{
    auto network = CreateNetwork("p2p");
    network->Build(MakeStar(LEAVES + 1), {});
    network->AssignStreams(1);
    return network;
}

/** @return wall seconds of Simulator::Run */
double
TimeRun()
{
    const auto start = std::chrono::steady_clock::now();
    Simulator::Run();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
    Simulator::Destroy();
    return wall.count();
}

void
CheckCount(const char* what, uint64_t got, uint64_t wanted)
{
    if (got != wanted)
    {
        std::fprintf(stderr, "benchmark: %s: %lu of %lu arrived\n", what, got, wanted);
        std::exit(1);
    }
}

/** Models over a transport of dlearn. */
double
MoveModels(TypeId transport, const Load& load)
{
    const auto network = MakeStarNetwork();
    uint64_t models = 0;
    std::vector<Ptr<MessageExchange>> exchanges;
    const auto classify = [](const MessageExchange::Source&, uint32_t) {
        return MessageDisposition::ON_TIME;
    };
    const auto offer =
        [&models](const MessageExchange::Source&, uint32_t, std::optional<Arrival>& arrival) {
            models += arrival && arrival->values[1] == 1 ? 1 : 0;
        };
    for (LearnerId id = 0; id <= LEAVES; ++id)
    {
        Transport::Peers peers;
        for (LearnerId peer = id == 0 ? 1 : 0; peer <= (id == 0 ? LEAVES : 0); ++peer)
        {
            peers[peer] = network->GetAddress(id, peer);
        }
        const auto exchange = CreateObject<MessageExchange>();
        exchange->SetAttribute("Transport", TypeIdValue(transport));
        exchange->Setup(network->GetNodes().Get(id), id, peers, load.dimension);
        exchange->SetSink(MessageExchange::ClassifyCallback(classify),
                          MessageExchange::OfferCallback(offer));
        Simulator::Schedule(Seconds(0), &MessageExchange::Open, exchange);
        exchanges.push_back(exchange);
    }
    // The vectors exist before, as an algorithm's results do; a round fills the link.
    const Outgoing model{ModelChannel::UPDATE,
                         {0},
                         ModelVector::LinSpaced(load.dimension, 0, load.dimension - 1)};
    std::vector<Outgoing> outgoing(LEAVES + 1, model);
    const Time interval = MicroSeconds(120) * ((load.dimension * 4 + 1439) / 1440);
    for (uint32_t round = 0; round < load.rounds; ++round)
    {
        for (LearnerId id = 1; id <= LEAVES; ++id)
        {
            Simulator::Schedule(MilliSeconds(1) + interval * round, [&, id, round] {
                const bool last = round + 1 == load.rounds;
                exchanges[id]->Send(round, last ? std::move(outgoing[id]) : outgoing[id]);
            });
        }
    }
    const double wall = TimeRun();
    CheckCount(transport.GetName().c_str(), models, uint64_t{LEAVES} * load.rounds);
    return wall;
}

/** As many bytes by UdpClient, in datagrams as long as those of UdpTransport. */
double
MoveUdpClientBytes()
{
    const auto network = MakeStarNetwork();
    UdpServerHelper server(9);
    ApplicationContainer servers = server.Install(network->GetNodes().Get(0));
    servers.Start(Seconds(0));
    const uint32_t packets = (BYTES + 1439) / 1440;
    for (LearnerId id = 1; id <= LEAVES; ++id)
    {
        UdpClientHelper client(InetSocketAddress(network->GetAddress(id, 0), 9));
        client.SetAttribute("PacketSize", UintegerValue(1440 + ModelHeader::SIZE));
        client.SetAttribute("MaxPackets", UintegerValue(packets));
        client.SetAttribute("Interval", TimeValue(MicroSeconds(120))); // rate of the link
        client.Install(network->GetNodes().Get(id)).Start(MilliSeconds(1));
    }
    const auto sink = DynamicCast<UdpServer>(servers.Get(0));
    const double wall = TimeRun();
    CheckCount("UdpClient", sink->GetReceived(), uint64_t{packets} * LEAVES);
    return wall;
}

/** As many bytes by BulkSend. */
double
MoveBulkSendBytes()
{
    const auto network = MakeStarNetwork();
    PacketSinkHelper sinkHelper("ns3::TcpSocketFactory",
                                InetSocketAddress(Ipv4Address::GetAny(), 9));
    ApplicationContainer sinks = sinkHelper.Install(network->GetNodes().Get(0));
    sinks.Start(Seconds(0));
    for (LearnerId id = 1; id <= LEAVES; ++id)
    {
        BulkSendHelper client("ns3::TcpSocketFactory",
                              InetSocketAddress(network->GetAddress(id, 0), 9));
        client.SetAttribute("MaxBytes", UintegerValue(BYTES));
        client.SetAttribute("SendSize", UintegerValue(16384));
        client.Install(network->GetNodes().Get(id)).Start(MilliSeconds(1));
    }
    const auto sink = DynamicCast<PacketSink>(sinks.Get(0));
    const double wall = TimeRun();
    CheckCount("BulkSend", sink->GetTotalRx(), uint64_t{BYTES} * LEAVES);
    return wall;
}

template <typename Ours, typename Theirs>
void
Compare(BenchmarkRow row, uint32_t pairs, Ours ours, Theirs theirs)
{
    ours(); // warm up
    theirs();
    for (uint32_t pair = 0; pair < pairs; ++pair)
    {
        const double time = ours();
        row.Add(time, time / theirs());
    }
    row.Print();
}

/** Parse the command line and measure. */
void
Benchmark(int argc, char* argv[])
{
    uint32_t pairs = 11;
    ProgramArguments arguments(__FILE__);
    arguments.AddValue("pairs", "How often both are measured, at least 1.", pairs);
    arguments.Parse(argc, argv);
    Require(pairs >= 1, "pairs must be at least 1, got 0");
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    BenchmarkRow::PrintHeader();
    for (const Load& load : {Load{431080, 1}, Load{7838, 55}})
    {
        const std::string what =
            " " + std::to_string(load.rounds) + " x " + std::to_string(load.dimension) + " numbers";
        BenchmarkRow udp("UDP" + what, "s", "UdpClient");
        udp.SetWanted(1.05);
        Compare(
            udp,
            pairs,
            [&] { return MoveModels(UdpTransport::GetTypeId(), load); },
            MoveUdpClientBytes);
        Compare(
            BenchmarkRow("TCP" + what, "s", "BulkSend"),
            pairs,
            [&] { return MoveModels(TcpTransport::GetTypeId(), load); },
            MoveBulkSendBytes);
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    return RunGuarded("dlearn-transport-benchmark", [&] { Benchmark(argc, argv); });
}

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-option-groups.h"

#include "ns3/dlearn-baselines.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-directed-graph-by-name.h"
#include "ns3/dlearn-graph-by-name.h"
#include "ns3/dlearn-learner-mobility.h"
#include "ns3/dlearn-link-queues.h"
#include "ns3/dlearn-network-factory.h"
#include "ns3/dlearn-qsgd-compressor.h"
#include "ns3/dlearn-radio-routing.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-wifi-radio.h"

namespace ns3::dlearn
{

using namespace run_kinds;
using namespace run_needs;

namespace
{

/** @return whether the option float-bits says how numbers are sent with a compression */
bool
SendsFloats(const std::string& compression)
{
    return compression != "fp16" &&
           !IsComponentOf(GetCompressorFamily(), compression, QsgdCompressor::GetTypeId());
}

void
AddTopologyOptions(RunSpec& s, OptionTable& table)
{
    table.Add("network", P | D | F, &s.network, GetNetworkNames());
    table
        .Add("transport",
             P | D | F,
             &s.transport,
             "udp, broadcast (UDP; shared media only; of a server, its model once to all) or tcp")
        .Governs({"MessageExchange::Transport"})
        .Theory(TheoryEffect::NONE);
    table
        .Add("reliable",
             P | D | F,
             &s.reliable,
             "broadcast: what is done about lost packets: none, nack (receivers report what they "
             "miss, and it is broadcast again), fec:RATE (so much parity for each packet), both or "
             "both:RATE (parity repairs)")
        .Governs({"UdpBroadcastTransport::Reliability",
                  "UdpBroadcastTransport::Unicast",
                  "UdpBroadcastTransport::NewerLimit"})
        .Needs(s.transport == "broadcast", "transport broadcast");
    table.Add("graph", P, &s.graph, GetGraphNames());
    table.Add("edge-weight", P, &s.edgeWeight, "metropolis, max-degree or the weight of every edge")
        .Alias({"weight"})
        .Needs(!IsComponentOf(GetPeerRuleFamily(), s.algorithm, PushSumSgd::GetTypeId()),
               "another algorithm than push-sum, which has weights of its own");
    table.Add("state-graph",
              D,
              &s.stateGraph,
              "which learner sends its state to which: " + GetDirectedGraphNames());
    table
        .Add("tracker-graph",
             D,
             &s.trackerGraph,
             "which learner sends its tracker to which: as state-graph, or same")
        .Needs(s.IsTracking(), TRACKING);
    table.Add("powers",
              D,
              &s.powers,
              "radio: power of the learners in dBm, or LOW:HIGH to draw them from");
}

void
AddLinkOptions(RunSpec& s, OptionTable& table)
{
    table.Add("loss", P | D | F, &s.loss, "probability that a packet is lost, [0, 1)").OfNetworks();
    table.Add("delay", P | D | F, &s.delay, "propagation delay of a wired link").OfNetworks();
    table.Add("rate", P | D | F, &s.rate, "rate of a wired link").OfNetworks();
    table
        .Add("trunk-rate",
             P | D | F,
             &s.trunkRate,
             "rate between routers, on networks that have them")
        .OfNetworks();
    table
        .Add("mtu",
             P | D | F,
             &s.mtu,
             "largest IP packet in bytes; 0: the network's own, mostly 1500; more, on wired links: "
             "fewer packets to simulate")
        .Theory(TheoryEffect::NONE);
    table
        .Add("access-points",
             P | D | F,
             &s.accessPoints,
             "of wifi-infra, on a grid in the square; several are joined by a wired bus, on which "
             "a server is a host of its own")
        .OfNetworks();
    table
        .Add("base-stations",
             F,
             &s.baseStations,
             "of lte, on a grid in the square; clients that move are handed over between them")
        .OfNetworks();
    table
        .Add(
            "cross-traffic",
            P | D | F,
            &s.crossTraffic,
            "background traffic: constant:RATE:AtoB,onoff:RATE:AtoB,bulk:AtoB,... from A to B, "
            "which are "
            "learners, routers (router4) or other nodes (node12); * for A or B: all other learners")
        .OfNetworks();
    table.Add("side", P | D | F, &s.side, "radio: side in metres of the square of positions")
        .OfNetworks();
    table
        .Add(
            "mobility",
            P | D | F,
            &s.mobility,
            "radio: how learners move: none, csv:FILE (a positions.csv), ns2:FILE, with 'offset=1' "
            "behind a comma for files in which node k is learner k + 1, or " +
                ListTypes(GetMobilityFamily()))
        .Alone("random-waypoint")
        .Describes(GetMobilityFamily());
}

void
AddMessageOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    table.Add("float-bits", P | D | F, &s.floatBits, "")
        .Sets({"MessageExchange::FloatBits"})
        .Needs(SendsFloats(s.compress) || (federation && SendsFloats(s.compressModel)) ||
                   s.noiseRecovery,
               "vectors of floats, which fp16 and qsgd replace by numbers of their own")
        .Theory(s.floatBits < 32 ? TheoryEffect::DISTURBS : TheoryEffect::NONE);
    table
        .Add("compress",
             P | D | F,
             &s.compress,
             std::string(federation ? "of the clients' updates" : "of what is sent") +
                 ": none, fp16, or one of " + ListTypes(GetCompressorFamily()) +
                 " with a number: qsgd:LEVELS, topk:ENTRIES")
        .Describes(GetCompressorFamily())
        .Governs({"MessageExchange::Compressor"})
        .Theory(TheoryEffect::VOIDS);
    table
        .Add("compress-model",
             F,
             &s.compressModel,
             "of the server's model: none, fp16, or, with a number, one that drops no entries: " +
                 JoinNames(GetWholeCompressors()))
        .Describes(GetCompressorFamily())
        .Theory(TheoryEffect::VOIDS);
}

void
AddQueueOptions(RunSpec& s, OptionTable& table)
{
    const bool bulk = s.crossTraffic.find("bulk:") != std::string::npos;
    table
        .Add("tcp-stack",
             P | D | F,
             &s.tcpStack,
             "host (recovers from losses as the TCP of Linux does) or ns3 (TcpSocketBase)")
        .Needs(s.transport == "tcp" || bulk, "transport tcp or cross traffic by TCP");
    table
        .Add("tcp",
             P | D | F,
             &s.tcp,
             "congestion control: " + ListTypes(GetCongestionControlFamily()) + "; empty for CUBIC")
        .Describes(GetCongestionControlFamily())
        .Needs(s.transport == "tcp" || bulk, "transport tcp or cross traffic by TCP");
    table
        .Add("queue-disc",
             P | D | F,
             &s.queueDisc,
             "of every interface: none, " + ListTypes(GetQueueDiscFamily()) +
                 "; empty for none on p2p and trace, else fq-codel")
        .Describes(GetQueueDiscFamily())
        .OfNetworks();
    table
        .Add("queue-size",
             P | D | F,
             &s.queueSize,
             "of the queue disc or, without one, of the device: 100p, 64kB, unlimited; empty for "
             "ns-3's")
        .OfNetworks();
}

void
AddRadioOptions(RunSpec& s, OptionTable& table)
{
    table
        .Add("wifi",
             P | D | F,
             &s.wifi,
             "Wi-Fi, by preset: n (20 MHz), ac, ax (80 MHz): two streams, A-MPDU, block "
             "acknowledgement, ideal rates; legacy: 802.11n at a constant rate without A-MPDU; "
             "empty: n on wifi-infra, legacy on others. The channel has no OFDMA, so that ax is "
             "not faster with many stations, and no MU-MIMO; 802.11be is not there")
        .OfNetworks();
    table
        .Add("wifi-standard",
             P | D | F,
             &s.wifiStandard,
             "Wi-Fi: " + GetWifiStandardNames() + ", instead of that of the preset (wifi)")
        .OfNetworks();
    table
        .Add("wifi-width",
             P | D | F,
             &s.wifiWidth,
             "Wi-Fi: of the channel in MHz, 20 to 160, instead of that of the preset (wifi)")
        .OfNetworks();
    table
        .Add("rate-manager",
             P | D | F,
             &s.rateManager,
             "Wi-Fi: chooses rates, instead of that of the preset (wifi): " +
                 ListTypes(GetRateManagerFamily()))
        .Describes(GetRateManagerFamily())
        .OfNetworks();
    table
        .Add("path-loss",
             P | D | F,
             &s.pathLoss,
             "Wi-Fi: by distance: " + ListTypes(GetPathLossFamily()))
        .Describes(GetPathLossFamily())
        .OfNetworks();
    table.Add("fading", P | D | F, &s.fading, "Wi-Fi: besides: none, or a path loss")
        .Describes(GetPathLossFamily())
        .OfNetworks();
    table
        .Add("routing",
             P | D | F,
             &s.routing,
             "wifi-adhoc: over several radio hops: none, or " + ListTypes(GetRadioRoutingFamily()))
        .Describes(GetRadioRoutingFamily())
        .OfNetworks();
}

void
AddDeviceOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    const std::string whose = federation ? "of the clients' " : "of the learners' ";
    table.Add("devices",
              P | D | F,
              &s.devices,
              std::string("CSV file of unequal devices: ") + (federation ? "client" : "learner") +
                  ",rate,delay,loss,flops,battery,joules-per-operation");
    table.Add("client-rate",
              P | D | F,
              &s.clientRate,
              whose + "links: a value, uniform:A:B, lognormal:MEDIAN:SIGMA or exponential:MEAN" +
                  (federation ? "" : "; not on links that two learners share"));
    table.Add("client-delay", P | D | F, &s.clientDelay, whose + "links, as client-rate");
    table.Add("client-loss", P | D | F, &s.clientLoss, whose + "links: a value or uniform:A:B");
    table
        .Add("client-flops",
             P | D | F,
             &s.clientFlops,
             "operations a second " + whose + "devices, as client-rate")
        .Theory(TheoryEffect::NONE);
}

void
AddRankOptions(RunSpec& s, OptionTable& table)
{
    table
        .Add("mpi",
             P | D | F,
             &s.mpi,
             "simulate on all ranks that mpirun starts, over networks with point-to-point links: "
             "tree, backbone, p2p; needs an ns-3 with its module mpi")
        .Alone("true")
        .Theory(TheoryEffect::NONE);
    table
        .Add("partition-of-ranks",
             P | D | F,
             &s.partitionOfRanks,
             "which rank simulates which node: auto, or a CSV file with columns node,rank")
        .Needs(s.mpi, "mpi")
        .Theory(TheoryEffect::NONE);
}

} // namespace

void
AddNetworkOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Network", TheoryEffect::DISTURBS);
    AddTopologyOptions(s, table);
    AddLinkOptions(s, table);
    AddMessageOptions(s, table);
    AddQueueOptions(s, table);
    AddRadioOptions(s, table);
    AddDeviceOptions(s, table);
    AddRankOptions(s, table);
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

/**
 * @file
 * The options of the system: network, energy, time, faults and output.
 */

#include "dlearn-run-options.h"

#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-graph-generators.h"
#include "ns3/dlearn-link-options.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-placement.h"
#include "ns3/dlearn-radio-routing.h"
#include "ns3/dlearn-wifi-network.h"

namespace ns3::dlearn
{

using namespace run_kinds;

namespace
{

const std::string BILLION = "[1, 1e+09]"; //!< range of rounds

void
AddTopologyOptions(RunSpec& s, OptionTable& table)
{
    table.Add("network",
              P | D | F,
              &s.network,
              ListTypes(GetNetworkFamily()) +
                  "; tree:FANOUT, backbone:FILE.graphml, trace:FILE; attributes follow behind "
                  "commas");
    table.Add("transport",
              P | D | F,
              &s.transport,
              "udp, broadcast (UDP; shared media only; of a server, its model once to all) or tcp");
    table
        .Add("reliable",
             P | D | F,
             &s.reliable,
             "broadcast: what is done about lost packets: none, nack (receivers report what they "
             "miss, and it is broadcast again), fec:RATE (so much parity for each packet), both or "
             "both:RATE (parity repairs)")
        .For("transport", "broadcast");
    table.Add("graph", P, &s.graph, GetGraphNames());
    table.Add("edge-weight", P, &s.edgeWeight, "metropolis, max-degree or the weight of every edge")
        .Alias({"weight"})
        .For("algorithm", "other than push-sum and push-diging, which have their own weights");
    table.Add("state-graph",
              D,
              &s.stateGraph,
              "which learner sends its state to which: " + GetDirectedGraphNames());
    table
        .Add("tracker-graph",
             D,
             &s.trackerGraph,
             "which learner sends its tracker to which: as state-graph, or same")
        .For("algorithm", "dp-gt or gt");
    table
        .Add("powers",
             D,
             &s.powers,
             "radio: power of the learners in dBm, or LOW:HIGH to draw them from")
        .For("state-graph", "radio");
}

void
AddLinkOptions(RunSpec& s, OptionTable& table)
{
    const auto add =
        [&](const char* name, OptionValue value, const char* attribute) -> OptionTable& {
        return table.Add(name, P | D | F, value, "").Sets({attribute});
    };
    add("loss", &s.loss, "Network::Loss")
        .In("[0, 1)")
        .For("network", "whose links have the losses of the run");
    add("delay", &s.delay, "Network::Delay").For("network", "with wired links");
    add("rate", &s.rate, "Network::Rate").For("network", "with wired links");
    add("trunk-rate", &s.trunkRate, "Network::TrunkRate")
        .For("network", "with links between routers");
    add("mtu", &s.mtu, "Network::Mtu").For("network", "that dlearn builds");
    add("access-points", &s.accessPoints, "WifiInfraNetwork::AccessPoints")
        .For("network", "wifi-infra");
    table.Add("base-stations", F, &s.baseStations, "")
        .Alias({"cells"})
        .Sets({"CellularNetwork::BaseStations"})
        .For("network", "lte and nr");
    table
        .Add(
            "cross-traffic",
            P | D | F,
            &s.crossTraffic,
            "background traffic: constant:RATE:AtoB,onoff:RATE:AtoB,bulk:AtoB,... from A to B, "
            "which are "
            "learners, routers (router4) or other nodes (node12); * for A or B: all other learners")
        .For("network", "that carry other traffic");
    table.Add("side", P | D | F, &s.side, "radio:")
        .Sets({"Network::Side"})
        .For("network", "of radios");
    table
        .Add("mobility",
             P | D | F,
             &s.mobility,
             "radio: how learners move: none, csv:FILE (a positions.csv), ns2:FILE, fcd:FILE (of "
             "SUMO), with 'offset=1' behind a comma for files in which node k is learner k + 1, "
             "several with '+' in between; or " +
                 ListTypes(GetMobilityFamily()))
        .Alone("random-waypoint")
        .Sets({"Network::Mobility"})
        .For("network", "of radios");
}

void
AddMessageOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    table.Add("float-bits", P | D | F, &s.floatBits, "")
        .Sets({"MessageExchange::FloatBits"})
        .For("compress", "that sends vectors of floats");
    table.Add("compress",
              P | D | F,
              &s.compress,
              std::string(federation ? "of the clients' updates" : "of what is sent") +
                  ": none, fp16, or one of " + ListTypes(GetCompressorFamily()) +
                  " with a number: qsgd:LEVELS, topk:ENTRIES");
    std::string whole;
    for (const std::string& name : GetWholeCompressors())
    {
        whole += (whole.empty() ? "" : ", ") + name;
    }
    table.Add("compress-model",
              F,
              &s.compressModel,
              "of the server's model: none, fp16, or, with a number, one that drops no entries: " +
                  whole);
}

void
AddAirOptions(RunSpec& s, OptionTable& table)
{
    table.Add("uplink",
              F,
              &s.uplink,
              "how updates travel: packets, or air: all at the same time on a band without other "
              "traffic, where they add up");
    const auto add = [&](const char* name, double& value, const char* attribute) {
        table.Add(name, F, &value, "air:")
            .Sets({std::string("MultipleAccessChannel::") + attribute})
            .For("uplink", "air");
    };
    add("air-bandwidth", s.airBandwidth, "Bandwidth");
    add("air-power", s.airPower, "Power");
    add("air-clip", s.airClip, "Clip");
    add("air-projection", s.airProjection, "Projection");
    table
        .Add("air-control",
             F,
             &s.airControl,
             "air: how strongly clients send, with attributes: " +
                 ListTypes(GetPowerControlFamily()))
        .For("uplink", "air");
}

void
AddQueueOptions(RunSpec& s, OptionTable& table)
{
    const std::string users = "tcp, or cross-traffic by TCP";
    table
        .Add("tcp-stack",
             P | D | F,
             &s.tcpStack,
             "host (recovers from losses as the TCP of Linux does) or ns3 (TcpSocketBase)")
        .For("transport", users);
    table
        .Add("tcp",
             P | D | F,
             &s.tcp,
             "congestion control: " + ListTypes(GetCongestionControlFamily()) + "; empty for CUBIC")
        .For("transport", users);
    table
        .Add("queue-disc",
             P | D | F,
             &s.queueDisc,
             "of every interface: none, " + ListTypes(GetQueueDiscFamily()) +
                 "; empty for none on p2p and trace, else fq-codel")
        .Sets({"Network::QueueDisc"})
        .For("network", "with queue discs");
    table.Add("queue-size", P | D | F, &s.queueSize, "")
        .Sets({"Network::QueueSize"})
        .For("network", "with queues");
}

void
AddRadioOptions(RunSpec& s, OptionTable& table)
{
    const auto add =
        [&](const char* name, OptionValue value, const char* attribute, const std::string& help) {
            table.Add(name, P | D | F, value, "Wi-Fi:" + help)
                .Sets({std::string("WifiNetwork::") + attribute})
                .For("network", "of Wi-Fi");
        };
    add("wifi", &s.wifi, "Preset", "");
    add("wifi-standard",
        &s.wifiStandard,
        "Standard",
        " " + GetWifiStandardNames() + ", instead of that of the preset (wifi)");
    add("wifi-width", &s.wifiWidth, "Width", "");
    add("rate-manager",
        &s.rateManager,
        "RateManager",
        " chooses rates, instead of that of the preset (wifi): " +
            ListTypes(GetRateManagerFamily()));
    add("path-loss", &s.pathLoss, "PathLoss", " by distance: " + ListTypes(GetPathLossFamily()));
    add("fading", &s.fading, "Fading", " besides: none, or a path loss");
    table
        .Add("routing",
             P | D | F,
             &s.routing,
             "wifi-adhoc: over several radio hops: none, or " + ListTypes(GetRadioRoutingFamily()))
        .Sets({"WifiAdhocNetwork::Routing"})
        .For("network", "wifi-adhoc");
}

void
AddDeviceOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    const std::string whose = federation ? "of the clients' " : "of the learners' ";
    const auto add = [&](const char* name, std::string& value, const std::string& help) {
        table.Add(name, P | D | F, &value, help).For("devices", "empty");
    };
    table.Add("devices",
              P | D | F,
              &s.devices,
              std::string("CSV file of unequal devices: ") + (federation ? "client" : "learner") +
                  ",rate,delay,loss,flops,battery,joules-per-operation,sample-time");
    add("client-rate",
        s.clientRate,
        whose + "links: a value, uniform:A:B, lognormal:MEDIAN:SIGMA or exponential:MEAN" +
            (federation ? "" : "; not on links that two learners share"));
    add("client-delay", s.clientDelay, whose + "links, as client-rate");
    add("client-loss", s.clientLoss, whose + "links: a value or uniform:A:B");
    add("client-flops", s.clientFlops, "operations a second " + whose + "devices, as client-rate");
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
        .Alone("true");
    table
        .Add("partition-of-ranks",
             P | D | F,
             &s.partitionOfRanks,
             "which rank simulates which node: auto, or a CSV file with columns node,rank")
        .For("mpi", "true");
}

void
AddRoundOptions(RunSpec& s, OptionTable& table)
{
    const bool federation = s.kind == RunKind::FEDERATION;
    const std::string users =
        "synchronous rounds that do not wait for all messages, without planner";
    table
        .Add("deadline",
             P | D | F,
             &s.deadline,
             "longest time of a round, such as 200ms; empty: as long as timeout says")
        .For("", users);
    table
        .Add("quorum",
             P | D | F,
             &s.quorum,
             "share of the expected messages that closes a round, (0, 1]")
        .In("(0, 1]")
        .Neutral("1")
        .For("", users);
    table
        .Add("timeout",
             P | D | F,
             &s.responseTimeout,
             std::string(federation
                             ? "longest wait for the answer to a model; empty: four times the "
                               "slowest answer so far, at most 30 s or four times the "
                               "forecast or the usual answer, and not less than forecast"
                             : "longest wait for neighbours after sending; empty: four "
                               "times the forecast of it") +
                 ", but at least 1 s; a learner that is waited for twice as long is suspected to "
                 "have failed")
        .Alias({"patience"})
        .For("", "rounds that wait for others, and attackers that do");
    table
        .Add("on-missing",
             P | D,
             &s.onMissing,
             "what a missing message means: " + ListTypes(GetMissingFamily()))
        .Alias({"missing"});
    table.Add("synchrony",
              P | D,
              &s.synchrony,
              "rounds: learners go through them together; async: each at its own pace, without "
              "waiting; async:PERIOD: also, but a round takes at least this time");
}

void
AddScheduleOptions(RunSpec& s, OptionTable& table)
{
    table.Add("mode", F, &s.mode, "sync, async (FedAsync) or buffered (FedBuff)");
    table
        .Add("sampling",
             F,
             &s.sampling,
             "sync: who takes part in a round, with attributes (" + ListTypes(GetSamplingFamily()) +
                 " or a type of your own); empty: plan with a sample-plan, else uniform")
        .For(s.planner.empty() ? "mode" : "planner", s.planner.empty() ? "sync" : "empty");
    table.Add("sample-fraction", F, &s.sampleFraction, "sync:")
        .Sets({"CountedSampling::Fraction"})
        .In("(0, 1]")
        .Neutral("1");
    table.Add("sample-count", F, &s.sampleCount, "sync:").Sets({"CountedSampling::Count"});
    table.Add("over-selection", F, &s.overSelection, "sync:")
        .Sets({"CountedSampling::OverSelection"})
        .Neutral("1");
    table.Add("min-updates", F, &s.minUpdates, "sync:")
        .Sets({"SynchronousSchedule::MinUpdates"})
        .Neutral("1");
    table
        .Add("uplink-allocation",
             F,
             &s.uplinkAllocation,
             "sync: how the server divides a band among the uplinks of a round, whose rates are "
             "those with the whole band, or the air of Wi-Fi: " +
                 ListTypes(GetUplinkAllocationFamily()) + "; empty: each has its rate")
        .For("", "mode sync, network p2p, tree or wifi-infra, and uplink packets");
    table
        .Add("uplink-power",
             F,
             &s.uplinkPower,
             "sync: with which power clients of a round send: " +
                 ListTypes(GetUplinkPowerFamily()) + "; empty: all they have")
        .For("", "mode sync, network wifi-infra, and uplink packets");
    table.Add("sample-plan", F, &s.samplePlan, "sync:").Sets({"ScheduledSampling::Plan"});
    table
        .Add("planner",
             F,
             &s.planner,
             "sync: your own program that plans each round, in place of sampling and of what "
             "closes rounds:")
        .Sets({"ExternalSchedule::Command"})
        .For("mode", "sync");
    table.Add("buffer-size", F, &s.bufferSize, "buffered: updates that make a new model")
        .In("[1, 100000]")
        .For("mode", "buffered");
    table.Add("concurrency", F, &s.concurrency, "async, buffered:")
        .Sets({"BufferedSchedule::Concurrency"})
        .For("mode", "async or buffered");
    table.Add("staleness",
              F,
              &s.staleness,
              "weight of an update of an old model: " + ListTypes(GetStalenessFamily()) +
                  " with numbers, such as polynomial:A, (1+t)^-A, or hinge:B:A; or auto: discard "
                  "when sync, else constant with an aggregator and polynomial:0.5 without");
}

} // namespace

void
AddNetworkOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Network");
    AddTopologyOptions(s, table);
    AddLinkOptions(s, table);
    AddMessageOptions(s, table);
    AddAirOptions(s, table);
    AddQueueOptions(s, table);
    AddRadioOptions(s, table);
    AddDeviceOptions(s, table);
    AddRankOptions(s, table);
}

void
AddEnergyOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Energy");
    table.Add("energy",
              P | D | F,
              &s.energy,
              "count joules, of radios by ns-3's energy model of Wi-Fi: columns energy_j and "
              "battery_j of rounds.csv");
    table.Add(
        "battery",
        P | D | F,
        &s.battery,
        "joules of a learner's battery, not of a server's; the learner ends when it is empty: "
        "a value, uniform:A:B, lognormal:MEDIAN:SIGMA or exponential:MEAN; empty: none");
    table.Add("harvest", P | D | F, &s.harvest, "")
        .Sets({"Battery::HarvestedPower"})
        .For("", "learners with a battery");
    table.Add("joules-per-operation", P | D | F, &s.joulesPerOperation, "")
        .Sets({"EnergyMeter::JoulesPerOperation"})
        .For("", "runs with energy or battery");
    table.Add("radio-efficiency", P | D | F, &s.radioEfficiency, "")
        .Sets({"EnergyMeter::RadioEfficiency"})
        .For("", "runs with energy or battery");
    const std::string bits = "runs with energy or battery, and devices without an energy model";
    table.Add("tx-joules-per-bit", P | D | F, &s.txJoulesPerBit, "")
        .Sets({"EnergyMeter::TxJoulesPerBit"})
        .For("", bits);
    table.Add("rx-joules-per-bit", P | D | F, &s.rxJoulesPerBit, "")
        .Sets({"EnergyMeter::RxJoulesPerBit"})
        .For("", bits);
}

void
AddTimingOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Timing");
    AddRoundOptions(s, table);
    AddScheduleOptions(s, table);
}

void
AddFaultOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Faults");
    table.Add(
        "churn",
        P | D | F,
        &s.churn,
        "crash:LEARNER@TIME,leave:LEARNER@TIME,restart:LEARNER@TIME,...; times: see time-from");
    table.Add(
        "links",
        P | D | F,
        &s.links,
        "down:A-B@TIME,up:A-B@TIME,loss=P:A-B@TIME,... on the link of learners A and B, where "
        "neighbours have links of their own, as on p2p; AtoB: only what A sends to B; or "
        "windows:FILE: "
        "links that are up only in the windows A,B,BEGIN,END,DELAY of the file, such as those of "
        "satellites");
    table.Add("faults",
              P | D | F,
              &s.faults,
              "file of faults, one a line: partitions, links down, bursts of losses, flipped bits, "
              "copies, other orders, crashes, wrong clocks; see doc/faults.rst");
}

void
AddOutputOptions(RunSpec& s, OptionTable& table)
{
    table.Begin("Output");
    table
        .Add("runs",
             P | D | F,
             &s.runs,
             "independent runs, from --RngRun on; their mean error goes to model_error.csv")
        .In("[1, 1000000]");
    table.Add("evaluate-every", P | D | F, &s.evaluateEvery, "evaluate every so many rounds")
        .In(BILLION);
    table
        .Add("evaluation-samples",
             P | D | F,
             &s.evaluationSamples,
             "evaluate the loss on so many random training samples, the same in every round, and "
             "the accuracy on so many random test samples; 0: on all")
        .In("[0, 1e+09]")
        .For("data", "of a data set");
    table
        .Add("threads",
             P | D | F,
             &s.threads,
             "threads that compute gradients; results do not depend on it")
        .In("[1, 256]");
    table.Add("out", P | D | F, &s.out, "directory of the results");
    table.Add("time-from",
              P | D | F,
              &s.timeFrom,
              "zero of times and joules in results, and of times in options (churn, faults, files "
              "of mobility): ready, when all learners are (ready_s in summary.json), or start, of "
              "the simulation");
    table.Add("transcript",
              P | D | F,
              &s.transcript,
              "write transcript.csv: whose data entered which state, which messages left and came");
    table.Add("keep-model",
              P | D | F,
              &s.keepModel,
              "model.npy has the server's model, or the mean of the models of honest peers that "
              "have not left or crashed: final, "
              "best (of the evaluated rounds: accuracy, else error, else loss) or none; every:N: "
              "models.npy has those of the rounds 0, N, 2N, ... and of the last one, too");
    table.Add("keep-personal",
              P | D | F,
              &s.keepPersonal,
              "write personal.npy: the models of all peers or clients at the end, one a row");
    table.Add("netanim",
              P | D | F,
              &s.netanim,
              "file for NetAnim, with the states of learners and every packet: large; of several "
              "runs, of the first");
    table.Add("unused",
              P | D | F,
              &s.unused,
              "what an option that the run does not use is: error, or warn for a warning");
}

} // namespace ns3::dlearn

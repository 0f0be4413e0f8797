/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-run-network.h"

#include "dlearn-run-options.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-component-parser.h"
#include "ns3/dlearn-network.h"
#include "ns3/dlearn-radio-routing.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/dlearn-udp-transport.h"
#include "ns3/node-list.h"
#include "ns3/tcp-l4-protocol.h"

#include <algorithm>
#include <string>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t USUAL_MTU = 1500;     //!< bytes of the largest IP packet
constexpr uint32_t UDP_HEADERS = 20 + 8; //!< bytes, of IPv4 and UDP

/** @throw std::invalid_argument for an option that a user gave and that has no effect */
void
CheckNetworkOptions(const RunSpec& spec, const Network& network)
{
    for (const RunOption& option : GetRunOptions(const_cast<RunSpec&>(spec))) // only read
    {
        const bool given = spec.invocation.options.count(option.name) > 0;
        // Some graphs are drawn in the square.
        const bool heard = spec.stateGraph == "radio" || spec.trackerGraph == "radio";
        const bool drawn = (option.name == "side" && spec.graph.rfind("rgg:", 0) == 0) ||
                           ((option.name == "side" || option.name == "path-loss") && heard);
        if (option.ofNetworks && given && !drawn && spec.invocation.strict)
        {
            network.RequireEffect(option.name);
        }
    }
    Require(spec.transport != "broadcast" || spec.routing == "none",
            "transport broadcast reaches only whose radios hear it, so it cannot be used with "
            "routing ",
            spec.routing);
    Require(spec.transport != "broadcast" || network.HasBroadcast(),
            "transport broadcast needs a shared medium with IPv4, such as csma, network is ",
            spec.network);
}

/** @return how the links are, as options, learners and graph say */
NetworkOptions
MakeNetworkOptions(const RunSpec& spec, const RunLearners& learners)
{
    NetworkOptions options = learners.GetNetworkOptions();
    options.ignoreUseless = true; // CheckNetworkOptions() refuses what a user gave
    options.loss = spec.loss;
    options.delay = ParseTime("delay", spec.delay);
    options.rate = ParseDataRate("rate", spec.rate);
    options.accessPoints = spec.accessPoints;
    options.baseStations = spec.baseStations;
    options.trunkRate = ParseDataRate("trunk-rate", spec.trunkRate);
    options.learnersLeave = !spec.churn.empty() || !spec.faults.empty() || !spec.battery.empty() ||
                            (spec.energy && !spec.devices.empty());
    options.radio = WifiRadio::Parse(spec.wifi,
                                     spec.wifiStandard,
                                     spec.wifiWidth,
                                     spec.rateManager,
                                     spec.pathLoss,
                                     spec.fading);
    if (spec.routing != "none")
    {
        Require(IsComponent(GetRadioRoutingFamily(), spec.routing),
                "routing must be none or one of ",
                JoinNames(GetComponentNames(GetRadioRoutingFamily())),
                "; got '",
                spec.routing,
                "'");
        options.routing = ParseComponent(GetRadioRoutingFamily(), spec.routing);
    }
    Require(spec.tcpStack == "host" || spec.tcpStack == "ns3",
            "tcp-stack must be host or ns3; got '",
            spec.tcpStack,
            "'");
    options.hostTcp = spec.tcpStack == "host";
    options.queues = LinkQueues::Parse(spec.queueDisc, spec.queueSize);
    if (spec.mtu > 0)
    {
        options.mtu = spec.mtu;
    }
    options.side = spec.side;
    options.mobility = LearnerMobility::Parse(spec.mobility);
    options.timesFromReady = spec.timeFrom == "ready";
    options.schedule = LinkSchedule::Parse(spec.links);
    return options;
}

/**
 * @param options get the ranks of all nodes
 * @return the shortest delay between two ranks
 */
Time
ChooseRanks(const RunSpec& spec,
            const RunLearners& learners,
            const Network& network,
            NetworkOptions& options)
{
    const uint32_t ranks = Ranks::GetCount();
    if (!Ranks::AreEnabled())
    {
        return Time::Max();
    }
    const RankGraph graph = network.GetRankGraph(learners.GetGraph(), options);
    const auto together = learners.GetColluders();
    const bool automatic = spec.partitionOfRanks == "auto";
    if (!graph.given.empty())
    {
        Require(automatic,
                "option partition-of-ranks has no effect on network ",
                network.GetName(),
                ", whose nodes are where the program has made them");
        options.rankOf = KeepRanks(graph, ranks, together);
    }
    else
    {
        options.rankOf = automatic ? DivideAmongRanks(graph, ranks, together)
                                   : ReadRanks(spec.partitionOfRanks, graph, ranks, together);
    }
    return FindLookAhead(graph, options.rankOf);
}

/** @throw std::invalid_argument for a congestion control that would end the program */
void
RequireStable(const TypeId& type)
{
    TypeId::AttributeInformation variant;
    Require(type.GetName() != "ns3::TcpWestwood" ||
                !type.LookupAttributeByName("ProtocolType", &variant) ||
                variant.initialValue->SerializeToString(variant.checker) == "WestwoodPlus",
            "tcp westwood needs --ns3::TcpWestwood::ProtocolType=WestwoodPlus, as ns-3 ends the "
            "program when plain Westwood gets two acknowledgements at the same time");
}

/** @param tcp congestion control of all nodes, as others than learners may send cross traffic */
void
SetCongestionControl(const std::string& tcp)
{
    const TypeId type = ParseComponent(GetCongestionControlFamily(), tcp).GetTypeId();
    RequireStable(type);
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        if (const auto protocol = (*node)->GetObject<TcpL4Protocol>())
        {
            protocol->SetAttribute("SocketType", TypeIdValue(type));
        }
    }
}

} // namespace

std::unique_ptr<Network>
MakeRunNetwork(RunSpec& spec, uint32_t learners, const RunNetworkMaker& make)
{
    auto network = make ? make(learners) : CreateNetwork(spec.network);
    Require(network != nullptr, "Run: there must be a network, got none");
    if (make)
    {
        const std::string name = network->GetName();
        Require(spec.network == name || spec.invocation.options.count("network") == 0,
                "network must be ",
                name,
                ", which this program makes; got '",
                spec.network,
                "'");
        spec.network = name;
    }
    return network;
}

Time
BuildRunNetwork(const RunSpec& spec, const RunLearners& learners, Network& network)
{
    NetworkOptions options = MakeNetworkOptions(spec, learners);
    const Time lookAhead = ChooseRanks(spec, learners, network, options);
    network.Build(learners.GetGraph(), options);
    CheckNetworkOptions(spec, network);
    network.AssignStreams(RunStreams::NETWORK);
    if (!spec.tcp.empty())
    {
        SetCongestionControl(spec.tcp);
    }
    return lookAhead;
}

Time
GetOrigin(const RunSpec& spec, const Network& network)
{
    return spec.timeFrom == "ready" ? network.GetReadyTime() : Time(0);
}

void
RequireMtuCounts(const RunSpec& spec, const std::vector<Ptr<LearnerApplication>>& learners)
{
    if (spec.mtu <= USUAL_MTU || !spec.crossTraffic.empty() || !spec.invocation.strict)
    {
        return;
    }
    Require(std::any_of(learners.begin(),
                        learners.end(),
                        [](const auto& learner) {
                            const auto transport = learner->GetExchange()->GetTransport();
                            const auto udp = DynamicCast<const UdpTransport>(transport);
                            return !udp || udp->GetPacketSize() + UDP_HEADERS > USUAL_MTU;
                        }),
            "option mtu has no effect: with UDP no packet is larger than ",
            USUAL_MTU,
            " bytes; set ns3::dlearn::UdpTransport::FragmentSize, too");
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cross-traffic.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-host-tcp-socket.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/node-container.h"
#include "ns3/on-off-helper.h"
#include "ns3/onoff-application.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/simulator.h"
#include "ns3/string.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

namespace ns3::dlearn
{

namespace
{

const std::map<std::string, CrossTraffic::Kind> KINDS{{"constant", CrossTraffic::Kind::CONSTANT},
                                                      {"onoff", CrossTraffic::Kind::ON_OFF},
                                                      {"bulk", CrossTraffic::Kind::BULK}};

constexpr int64_t ON_OFF_STREAMS = 2; //!< that an OnOffApplication uses

/** @return the type of the sockets of a flow that begins or ends at a node */
std::string
GetProtocol(CrossTraffic::Kind kind, const Node& node)
{
    const bool host = node.GetObject<HostTcpSocketFactory>() != nullptr;
    return kind != CrossTraffic::Kind::BULK ? "ns3::UdpSocketFactory"
           : host                           ? "ns3::dlearn::HostTcpSocketFactory"
                                            : "ns3::TcpSocketFactory";
}

void
CountSent(std::shared_ptr<std::vector<CrossTraffic::Counters>> all,
          size_t pair,
          Ptr<const Packet> packet)
{
    CrossTraffic::Counters& counters = (*all)[pair];
    counters.sent += packet->GetSize();
    counters.first = Min(counters.first, Simulator::Now());
}

std::optional<CrossTraffic::End>
ReadEnd(const std::string& text)
{
    using Kind = CrossTraffic::EndKind;
    if (text == "*")
    {
        return CrossTraffic::End{Kind::ALL, 0};
    }
    const size_t letters = std::min(text.find_first_of("0123456789"), text.size());
    const std::map<std::string, Kind> kinds{{"", Kind::LEARNER},
                                            {"router", Kind::ROUTER},
                                            {"node", Kind::NODE}};
    const auto kind = kinds.find(text.substr(0, letters));
    const auto number = ParseWholeNumber(text.substr(letters));
    return kind != kinds.end() && number
               ? std::make_optional<CrossTraffic::End>({kind->second, *number})
               : std::nullopt;
}

bool
ReadLink(const std::string& text, CrossTraffic::Flow& flow)
{
    const size_t middle = text.find("to");
    if (middle == std::string::npos)
    {
        return false;
    }
    const auto from = ReadEnd(text.substr(0, middle));
    const auto to = ReadEnd(text.substr(middle + 2));
    if (!from || !to || (from->kind == CrossTraffic::EndKind::ALL && from->kind == to->kind))
    {
        return false;
    }
    Require(from->kind != to->kind || from->number != to->number,
            "cross-traffic: a flow must have two ends, got '{}'",
            text);
    flow.from = *from;
    flow.to = *to;
    return true;
}

CrossTraffic::Flow
ParseFlow(const std::string& text)
{
    const auto words = SplitText(text, ':');
    CrossTraffic::Flow flow;
    const auto kind = KINDS.find(words.front());
    bool good = kind != KINDS.end();
    if (good)
    {
        flow.kind = kind->second;
        const bool bulk = flow.kind == CrossTraffic::Kind::BULK;
        good = words.size() == (bulk ? 2 : 3) && ReadLink(words.back(), flow);
        if (good && !bulk)
        {
            flow.rate = ParseDataRate("cross-traffic: rate of '" + text + "'", words[1]);
        }
    }
    Require(good,
            "cross-traffic: a flow must be constant:RATE:AtoB, onoff:RATE:AtoB or bulk:AtoB; A and "
            "B are learners like 2, routers like router4, other nodes like node12, or one of them "
            "* (all other learners); got '{}'",
            text);
    return flow;
}

} // namespace

/** A node at an end of a flow. */
struct CrossTraffic::Place
{
    Ptr<Node> node;
    std::optional<LearnerId> learner; //!< on the node
    std::string name;                 //!< in messages
};

void
CrossTraffic::Counters::Add(const Counters& other)
{
    sent += other.sent;
    received += other.received;
    first = Min(first, other.first);
}

CrossTraffic
CrossTraffic::Parse(const std::string& text)
{
    CrossTraffic traffic;
    const auto flows = text.empty() ? std::vector<std::string>() : SplitText(text, ',');
    std::transform(flows.begin(), flows.end(), std::back_inserter(traffic.m_flows), ParseFlow);
    return traffic;
}

std::vector<CrossTraffic::Place>
CrossTraffic::FindPlaces(const Network& network, const End& end)
{
    const NodeContainer& learners = network.GetNodes();
    if (end.kind == EndKind::ALL)
    {
        std::vector<Place> places;
        for (LearnerId id = 0; id < learners.GetN(); ++id)
        {
            places.push_back({learners.Get(id), id, std::to_string(id)});
        }
        return places;
    }
    const NodeContainer nodes = end.kind == EndKind::LEARNER  ? learners
                                : end.kind == EndKind::ROUTER ? network.GetRouters()
                                                              : NodeContainer::GetGlobal();
    const std::string kind = end.kind == EndKind::LEARNER  ? "learner"
                             : end.kind == EndKind::ROUTER ? "router"
                                                           : "node";
    const uint32_t count = nodes.GetN();
    Require(count > 0, "cross-traffic: network {} has no {}s", network.GetName(), kind);
    Require(end.number < count,
            "cross-traffic: {} must be less than {}, got {}",
            kind,
            count,
            end.number);
    const Ptr<Node> node = nodes.Get(end.number);
    if (end.kind == EndKind::LEARNER)
    {
        return {{node, end.number, std::to_string(end.number)}};
    }
    const auto learner = std::find(learners.Begin(), learners.End(), node);
    Require(learner == learners.End(),
            "cross-traffic: node {} is that of learner {}, which flows call by its number alone",
            end.number,
            std::distance(learners.Begin(), learner));
    return {{node, std::nullopt, kind + " " + std::to_string(end.number)}};
}

int64_t
CrossTraffic::Install(Network& network, int64_t stream)
{
    const auto starts = CreateSeeded<UniformRandomVariable>(stream, 0);
    int64_t next = stream + 1;
    for (const Flow& flow : m_flows)
    {
        for (const Place& from : FindPlaces(network, flow.from))
        {
            for (const Place& to : FindPlaces(network, flow.to))
            {
                if (from.name == to.name)
                {
                    continue; // one of all learners
                }
                Require(from.learner || from.node != to.node,
                        "cross-traffic: {} and {} must be two nodes",
                        from.name,
                        to.name);
                const Time start = network.GetReadyTime() + Seconds(starts->GetValue(0, 0.1));
                Require(PORT + m_pairs.size() <= 65535,
                        "cross-traffic: there must be at most {} pairs of nodes, each with its own "
                        "port",
                        65536 - PORT);
                const auto port = static_cast<uint16_t>(PORT + m_pairs.size());
                const Endpoint endpoint = *Endpoint::Find(FindAddress(network, from, to), port);
                m_pairs.push_back("from " + from.name + " to " + to.name);
                m_counters->emplace_back();
                AddSender(flow, from.node, endpoint, start, next);
                AddReceiver(flow, to.node, endpoint);
                next += flow.kind == Kind::BULK ? 0 : ON_OFF_STREAMS;
            }
        }
    }
    return next - stream;
}

Address
CrossTraffic::FindAddress(Network& network, const Place& from, const Place& to)
{
    if (from.learner && to.learner)
    {
        return network.GetIpAddress(*from.learner, *to.learner);
    }
    network.MakeReachable(from.node); // for answers of the receiver
    return network.MakeReachable(to.node);
}

void
CrossTraffic::AddSender(const Flow& flow,
                        const Ptr<Node>& node,
                        const Endpoint& endpoint,
                        Time start,
                        int64_t stream)
{
    if (!IsOnThisRank(*node))
    {
        return;
    }
    const Address address = endpoint.ToSocketAddress();
    ApplicationContainer sender;
    if (flow.kind == Kind::BULK)
    {
        sender = BulkSendHelper(GetProtocol(flow.kind, *node), address).Install(node);
    }
    else
    {
        OnOffHelper helper(GetProtocol(flow.kind, *node), address);
        helper.SetAttribute("DataRate", DataRateValue(flow.rate));
        if (flow.kind == Kind::CONSTANT)
        {
            helper.SetAttribute("OnTime",
                                StringValue("ns3::ConstantRandomVariable[Constant=1000]"));
            helper.SetAttribute("OffTime", StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        }
        sender = helper.Install(node);
        DynamicCast<OnOffApplication>(sender.Get(0))->AssignStreams(stream);
    }
    sender.Start(start);
    sender.Get(0)->TraceConnectWithoutContext(
        "Tx",
        MakeBoundCallback(&CountSent, m_counters, m_pairs.size() - 1));
}

void
CrossTraffic::AddReceiver(const Flow& flow, const Ptr<Node>& node, const Endpoint& endpoint)
{
    if (IsOnThisRank(*node))
    {
        const Endpoint any = Endpoint::AtAny(endpoint.ip.IsIpv6(), endpoint.port);
        PacketSinkHelper sink(GetProtocol(flow.kind, *node), any.ToSocketAddress());
        m_receivers[m_pairs.size() - 1] = sink.Install(node).Get(0);
    }
}

std::vector<CrossTraffic::Counters>
CrossTraffic::GetCounters() const
{
    std::vector<Counters> counters = *m_counters;
    for (const auto& [pair, receiver] : m_receivers)
    {
        counters[pair].received += DynamicCast<PacketSink>(receiver)->GetTotalRx();
    }
    return counters;
}

void
CrossTraffic::AddCounters(const std::vector<Counters>& counters)
{
    for (size_t pair = 0; pair < counters.size(); ++pair)
    {
        m_counters->at(pair).Add(counters[pair]);
    }
}

} // namespace ns3::dlearn

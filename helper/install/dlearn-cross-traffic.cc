/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cross-traffic.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/dlearn-quantity-parser.h"
#include "ns3/dlearn-ranks.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/node-list.h"
#include "ns3/on-off-helper.h"
#include "ns3/onoff-application.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/string.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace ns3::dlearn
{

namespace
{

const std::map<std::string, CrossTraffic::Kind> KINDS{{"constant", CrossTraffic::Kind::CONSTANT},
                                                      {"onoff", CrossTraffic::Kind::ON_OFF},
                                                      {"bulk", CrossTraffic::Kind::BULK}};

constexpr int64_t ON_OFF_STREAMS = 2; //!< that an OnOffApplication uses

/** @return the type of the sockets of a flow */
std::string
GetProtocol(CrossTraffic::Kind kind)
{
    return kind == CrossTraffic::Kind::BULK ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
}

/** The trace Tx of a sender. */
void
CountSent(std::shared_ptr<uint64_t> sent, Ptr<const Packet> packet)
{
    *sent += packet->GetSize();
}

/**
 * @param text an end of a flow
 * @return the same as a value; nothing when it is none
 */
std::optional<CrossTraffic::End>
ReadEnd(const std::string& text)
{
    using Kind = CrossTraffic::EndKind;
    if (text == "*")
    {
        return CrossTraffic::End{Kind::ALL, 0};
    }
    const std::string prefix = "node";
    const bool node = text.compare(0, prefix.size(), prefix) == 0;
    const auto number = ParseWholeNumber(node ? text.substr(prefix.size()) : text);
    return number
               ? std::make_optional<CrossTraffic::End>({node ? Kind::NODE : Kind::LEARNER, *number})
               : std::nullopt;
}

/**
 * @param text a LINK
 * @param flow gets its ends
 * @return whether it is one
 */
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
    if (!from || !to || (from->kind == to->kind && from->number == to->number))
    {
        return false;
    }
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
            flow.rate = ParseDataRate("CrossTraffic: rate of '" + text + "'", words[1]);
        }
    }
    Require(good,
            "CrossTraffic: a flow must be constant:RATE:LINK, onoff:RATE:LINK or bulk:LINK, with a "
            "LINK like 1to2, *to0 (from all others) or 1tonode12 (to a node of ns-3), got '",
            text,
            "'");
    return flow;
}

} // namespace

/** A node at an end of a flow. */
struct CrossTraffic::Place
{
    Ptr<Node> node;                   //!< the node
    std::optional<LearnerId> learner; //!< on it; nothing if there is none

    /** @return whether both are the same */
    bool operator==(const Place& other) const
    {
        return node == other.node && learner == other.learner;
    }

    /** @return how messages call it */
    std::string GetName() const
    {
        return learner ? std::to_string(*learner) : "node " + std::to_string(node->GetId());
    }
};

uint64_t
CrossTraffic::Counters::GetReceived() const
{
    return std::accumulate(received.begin(), received.end(), uint64_t{0});
}

void
CrossTraffic::Counters::Add(const Counters& other)
{
    sent += other.sent;
    received.resize(std::max(received.size(), other.received.size()));
    for (size_t k = 0; k < other.received.size(); ++k)
    {
        received[k] += other.received[k];
    }
}

CrossTraffic
CrossTraffic::Parse(const std::string& text)
{
    CrossTraffic traffic;
    if (!text.empty())
    {
        for (const std::string& flow : SplitText(text, ','))
        {
            traffic.m_flows.push_back(ParseFlow(flow));
        }
    }
    return traffic;
}

std::vector<CrossTraffic::Place>
CrossTraffic::FindPlaces(const Network& network, const End& end)
{
    const NodeContainer& nodes = network.GetNodes();
    const bool node = end.kind == EndKind::NODE;
    const uint32_t number = node ? NodeList::GetNNodes() : nodes.GetN();
    Require(end.number < number,
            "CrossTraffic: ",
            node ? "node" : "learner",
            " must be less than ",
            number,
            ", got ",
            end.number);
    std::vector<Place> places;
    for (LearnerId id = 0; id < nodes.GetN(); ++id)
    {
        const uint32_t own = node ? nodes.Get(id)->GetId() : id;
        if (end.kind == EndKind::ALL || (own == end.number && places.empty()))
        {
            places.push_back({nodes.Get(id), id});
        }
    }
    if (places.empty())
    {
        places.push_back({NodeList::GetNode(end.number), std::nullopt});
    }
    return places;
}

int64_t
CrossTraffic::Install(Network& network, int64_t stream)
{
    const auto starts = CreateSeeded<UniformRandomVariable>(stream, 0);
    int64_t next = stream + 1;
    for (const Flow& flow : m_flows)
    {
        const bool all = flow.from.kind == EndKind::ALL || flow.to.kind == EndKind::ALL;
        for (const Place& from : FindPlaces(network, flow.from))
        {
            for (const Place& to : FindPlaces(network, flow.to))
            {
                Require(all || !(from == to),
                        "CrossTraffic: both ends of a flow are node ",
                        from.node->GetId());
                if (from == to)
                {
                    continue;
                }
                const Time start = network.GetReadyTime() + Seconds(starts->GetValue(0, 0.1));
                const auto port = static_cast<uint16_t>(PORT + m_pairs.size());
                const Endpoint endpoint = *Endpoint::Find(FindAddress(network, from, to), port);
                m_pairs.push_back({start, "from " + from.GetName() + " to " + to.GetName()});
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
    network.MakeReachable(from.node); // for what the receiver answers
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
        sender = BulkSendHelper(GetProtocol(flow.kind), address).Install(node);
    }
    else
    {
        OnOffHelper helper(GetProtocol(flow.kind), address);
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
    sender.Get(0)->TraceConnectWithoutContext("Tx", MakeBoundCallback(&CountSent, m_sent));
}

void
CrossTraffic::AddReceiver(const Flow& flow, const Ptr<Node>& node, const Endpoint& endpoint)
{
    if (IsOnThisRank(*node))
    {
        const Endpoint any = Endpoint::AtAny(endpoint.ip.IsIpv6(), endpoint.port);
        PacketSinkHelper sink(GetProtocol(flow.kind), any.ToSocketAddress());
        m_receivers[m_pairs.size() - 1] = sink.Install(node).Get(0);
    }
}

CrossTraffic::Counters
CrossTraffic::GetCounters() const
{
    Counters counters{*m_sent, std::vector<uint64_t>(m_pairs.size())};
    for (const auto& [pair, receiver] : m_receivers)
    {
        counters.received[pair] = DynamicCast<PacketSink>(receiver)->GetTotalRx();
    }
    return counters;
}

} // namespace ns3::dlearn

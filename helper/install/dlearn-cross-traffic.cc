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
#include "ns3/on-off-helper.h"
#include "ns3/onoff-application.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/string.h"

#include <map>

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
 * Read an end of a flow.
 *
 * @param text a learner's number, or * for all
 * @param learner gets it; nothing for all
 * @return whether it is one of these
 */
bool
ReadEnd(const std::string& text, std::optional<LearnerId>& learner)
{
    learner = ParseWholeNumber(text);
    return learner || text == "*";
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
        const std::string& link = words.back();
        const size_t middle = link.find("to");
        good = words.size() == (bulk ? 2 : 3) && middle != std::string::npos &&
               ReadEnd(link.substr(0, middle), flow.from) &&
               ReadEnd(link.substr(middle + 2), flow.to) && flow.from != flow.to;
        if (good && !bulk)
        {
            flow.rate = ParseDataRate("CrossTraffic: rate of '" + text + "'", words[1]);
        }
    }
    Require(good,
            "CrossTraffic: a flow must be constant:RATE:LINK, onoff:RATE:LINK or bulk:LINK, with a "
            "LINK like 1to2 or *to0 (from all others), got '",
            text,
            "'");
    return flow;
}

} // namespace

void
CrossTraffic::Counters::Add(const Counters& other)
{
    sent += other.sent;
    received += other.received;
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

int64_t
CrossTraffic::Install(const Network& network, int64_t stream)
{
    const auto starts = CreateSeeded<UniformRandomVariable>(stream, 0);
    const LearnerId learners = network.GetNodes().GetN();
    int64_t next = stream + 1;
    uint16_t port = PORT;
    for (const Flow& flow : m_flows)
    {
        for (const auto& end : {flow.from, flow.to})
        {
            Require(!end || *end < learners,
                    "CrossTraffic: learner must be less than ",
                    learners,
                    ", got ",
                    end.value_or(0));
        }
        for (LearnerId other = 0; other < learners; ++other)
        {
            const LearnerId from = flow.from.value_or(other);
            const LearnerId to = flow.to.value_or(other);
            const bool all = !flow.from || !flow.to;
            if (from != to && (all || other == 0))
            {
                const Time start = network.GetReadyTime() + Seconds(starts->GetValue(0, 0.1));
                const Endpoint endpoint = *Endpoint::Find(network.GetIpAddress(from, to), port++);
                m_starts.emplace_back(start,
                                      "from " + std::to_string(from) + " to " + std::to_string(to));
                AddSender(flow, network.GetNodes().Get(from), endpoint, start, next);
                AddReceiver(flow, network.GetNodes().Get(to), endpoint);
                next += flow.kind == Kind::BULK ? 0 : ON_OFF_STREAMS;
            }
        }
    }
    return next - stream;
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
        m_receivers.Add(sink.Install(node));
    }
}

CrossTraffic::Counters
CrossTraffic::GetCounters() const
{
    Counters counters{*m_sent, 0};
    for (uint32_t k = 0; k < m_receivers.GetN(); ++k)
    {
        counters.received += DynamicCast<PacketSink>(m_receivers.Get(k))->GetTotalRx();
    }
    return counters;
}

} // namespace ns3::dlearn

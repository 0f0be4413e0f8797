/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cross-traffic.h"

#include "ns3/bulk-send-helper.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-number-parser.h"
#include "ns3/dlearn-quantity-parser.h"
#include "ns3/dlearn-seeded-random.h"
#include "ns3/dlearn-text-format.h"
#include "ns3/on-off-helper.h"
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
                const Time start = Seconds(starts->GetValue(0, 0.1));
                InstallOne(network, flow, from, to, network.GetReadyTime() + start);
            }
        }
    }
    int64_t used = 1;
    for (uint32_t k = 0; k < m_senders.GetN(); ++k)
    {
        if (const auto sender = DynamicCast<OnOffApplication>(m_senders.Get(k)))
        {
            used += sender->AssignStreams(stream + used);
        }
    }
    return used;
}

void
CrossTraffic::InstallOne(const Network& network,
                         const Flow& flow,
                         LearnerId from,
                         LearnerId to,
                         Time start)
{
    const auto port = static_cast<uint16_t>(PORT + m_senders.GetN());
    const Endpoint endpoint = *Endpoint::Find(network.GetIpAddress(from, to), port);
    const Address address = endpoint.ToSocketAddress();
    const bool bulk = flow.kind == Kind::BULK;
    const std::string protocol = bulk ? "ns3::TcpSocketFactory" : "ns3::UdpSocketFactory";
    ApplicationContainer sender;
    if (bulk)
    {
        sender = BulkSendHelper(protocol, address).Install(network.GetNodes().Get(from));
    }
    else
    {
        OnOffHelper helper(protocol, address);
        helper.SetAttribute("DataRate", DataRateValue(flow.rate));
        if (flow.kind == Kind::CONSTANT)
        {
            helper.SetAttribute("OnTime",
                                StringValue("ns3::ConstantRandomVariable[Constant=1000]"));
            helper.SetAttribute("OffTime", StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        }
        sender = helper.Install(network.GetNodes().Get(from));
    }
    sender.Start(start);
    sender.Get(0)->TraceConnectWithoutContext("Tx", MakeBoundCallback(&CountSent, m_sent));
    m_senders.Add(sender);
    PacketSinkHelper sink(protocol, Endpoint::AtAny(endpoint.ip.IsIpv6(), port).ToSocketAddress());
    m_receivers.Add(sink.Install(network.GetNodes().Get(to)));
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

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-link-network.h"

#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/log.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/simple-net-device-helper.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnLinkNetwork");

NS_OBJECT_ENSURE_REGISTERED(LinkNetwork);

TypeId
LinkNetwork::GetTypeId()
{
    static TypeId tid = AddAttributes(MakeTypeId<LinkNetwork, Network>("ns3::dlearn::LinkNetwork"),
                                      {"Loss", "Mtu"});
    return tid;
}

NS_OBJECT_ENSURE_REGISTERED(P2pNetwork);

TypeId
P2pNetwork::GetTypeId()
{
    static TypeId tid =
        AddAttributes(MakeTypeId<P2pNetwork, LinkNetwork>("ns3::dlearn::P2pNetwork"),
                      {"Rate", "Delay", "QueueDisc", "QueueSize"});
    return tid;
}

NetDeviceContainer
MakeP2pLink(Ptr<Node> a,
            Ptr<Node> b,
            const LinkQuality& link,
            uint16_t mtu,
            const LinkQueues& queues)
{
    PointToPointHelper helper;
    helper.SetDeviceAttribute("DataRate", DataRateValue(link.rate));
    helper.SetDeviceAttribute("Mtu", UintegerValue(mtu));
    helper.SetChannelAttribute("Delay", TimeValue(link.delay));
    queues.Prepare(helper);
    return helper.Install(a, b);
}

Ipv4Address
LinkNetwork::GetAddress(LearnerId from, LearnerId to) const
{
    CheckLearner(from);
    CheckLearner(to);
    const auto entry = m_addresses.find({from, to});
    Check(entry != m_addresses.end(),
          "learners " + std::to_string(from) + " and " + std::to_string(to) +
              " are not neighbours, so there is no link between them");
    return entry->second;
}

void
LinkNetwork::CheckFits(const Graph& graph) const
{
    const auto pairs = graph.GetPairs();
    Check(pairs.size() <= MAX_LINKS,
          "there are addresses for " + std::to_string(MAX_LINKS) + " links, the graph has " +
              std::to_string(pairs.size()));
    for (const auto& event : m_setup.schedule.GetEvents())
    {
        const std::pair link(std::min(event.from, event.to), std::max(event.from, event.to));
        Check(std::binary_search(pairs.begin(), pairs.end(), link),
              "the schedule of links has one of learners " + std::to_string(event.from) + " and " +
                  std::to_string(event.to) + ", which are not neighbours");
    }
    if (m_setup.links.empty())
    {
        return;
    }
    Check(m_setup.server.has_value(),
          "links of a learner's own (client-rate, client-delay, client-loss, devices) need a "
          "server; without one each link belongs to two learners");
    const LinkOptions& server = m_setup.links[*m_setup.server];
    Check(!server.rate && !server.delay && !server.loss,
          "the links of server " + std::to_string(*m_setup.server) +
              " are those of its clients, it has none of its own");
}

void
LinkNetwork::Connect(const Graph& graph)
{
    NS_LOG_FUNCTION(this << graph.GetSize());
    uint32_t subnet = Ipv4Address("10.0.0.0").Get();
    for (const auto& [a, b] : graph.GetPairs())
    {
        const LinkQuality quality = GetLink(a == m_setup.server ? b : a);
        const NetDeviceContainer ends = MakeLink(m_nodes.Get(a), m_nodes.Get(b), quality);
        const LearnerId learners[] = {a, b};
        for (uint32_t end = 0; end < 2; ++end)
        {
            const Ipv4Address address(subnet + 1 + end);
            AddInterface(ends.Get(end), address, Ipv4Mask("255.255.255.252"));
            m_addresses[{learners[1 - end], learners[end]}] = address;
            AddLoss(ends.Get(end),
                    quality.loss,
                    m_setup.schedule.GetLosses(learners[1 - end], learners[end], quality.loss));
        }
        for (const LinkSchedule::Event& event : m_setup.schedule.GetEvents())
        {
            if (event.delay && event.from == a && event.to == b)
            {
                Simulator::Schedule(
                    GetDelayUntil("a change of delay", Simulator::Now(), event.time),
                    [channel = ends.Get(0)->GetChannel(), delay = *event.delay] {
                        channel->SetAttribute("Delay", TimeValue(delay));
                    });
            }
        }
        subnet += 4;
    }
}

double
LinkNetwork::GetLoss(LearnerId from, LearnerId to) const
{
    const double usual = GetLink(from == m_setup.server ? to : from).loss; // that of the client
    return m_setup.schedule.GetLargestLoss(from, to, usual);
}

NetDeviceContainer
P2pNetwork::MakeLink(Ptr<Node> a, Ptr<Node> b, const LinkQuality& link)
{
    return MakeP2pLink(a, b, link, GetMtu(), GetQueues());
}

RankGraph
P2pNetwork::GetRankGraph(const Graph& graph, const NetworkSetup& setup) const
{
    RankGraph ranks = MakeRankGraph(graph);
    for (const auto& [a, b] : graph.GetPairs())
    {
        ranks.links.push_back({a, b, GetLink(setup, a == setup.server ? b : a).delay});
    }
    return ranks;
}

namespace
{

/**
 * Ideal links, without delay, rate limit or loss.
 *
 * Every pair of neighbours has a separate channel with two SimpleNetDevices, so the cost of a
 * packet does not depend on the size of the graph. If loss is configured, received packets are
 * dropped. Rates and delays of single learners are refused.
 */
class IdealNetwork : public LinkNetwork
{
  public:
    static TypeId GetTypeId();

    std::string GetName() const override { return "ideal"; }

  protected:
    /** @return the largest possible MTU, because packets cost nothing */
    MtuRange GetMtuRange() const override { return {65535, 65535}; }

    void CheckFits(const Graph& graph) const override
    {
        LinkNetwork::CheckFits(graph);
        RequireLossOnly();
    }

    NetDeviceContainer MakeLink(Ptr<Node> a, Ptr<Node> b, const LinkQuality& /* link */) override
    {
        SimpleNetDeviceHelper helper;
        helper.SetNetDevicePointToPointMode(true); // no ARP
        helper.DisableFlowControl();
        // Unbounded, even at infinite rate: a whole model is sent in one event and waits here for
        // the next event.
        const QueueSize unbounded(QueueSizeUnit::PACKETS, UINT32_MAX);
        helper.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(unbounded));
        NetDeviceContainer devices = helper.Install(NodeContainer(a, b));
        devices.Get(0)->SetMtu(GetMtu());
        devices.Get(1)->SetMtu(GetMtu());
        return devices;
    }
};

DLEARN_TYPE_WITHOUT_ATTRIBUTES(IdealNetwork, LinkNetwork);

} // namespace

} // namespace ns3::dlearn

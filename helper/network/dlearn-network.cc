/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-host-tcp-socket-factory.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnNetwork");

namespace
{

/**
 * Refuse a server around which the graph is no star.
 * @param name the network
 * @param graph the learners that exchange messages
 * @param server the learner that all others exchange with
 */
void
CheckServer(const std::string& name, const Graph& graph, LearnerId server)
{
    Require(server < graph.GetSize(),
            name,
            ": server must be a learner, less than ",
            graph.GetSize(),
            ", got ",
            server);
    std::vector<bool> joined(graph.GetSize());
    joined[server] = true;
    for (const auto& [a, b] : graph.GetPairs())
    {
        Require(a == server || b == server,
                name,
                ": with a server the graph must be a star around it, but learners ",
                a,
                " and ",
                b,
                " are joined");
        joined[a == server ? b : a] = true;
    }
    const auto lonely = std::find(joined.begin(), joined.end(), false);
    Require(lonely == joined.end(),
            name,
            ": with a server the graph must be a star around it, but learner ",
            lonely - joined.begin(),
            " is not joined with server ",
            server);
}

/**
 * Refuse links out of range.
 * @param name the network
 * @param links of each learner, or empty
 * @param learners number of learners
 */
void
CheckLinks(const std::string& name, const std::vector<LinkOptions>& links, uint32_t learners)
{
    if (links.empty())
    {
        return;
    }
    RequireSize(name, "links", links.size(), learners);
    for (LearnerId id = 0; id < learners; ++id)
    {
        const LinkOptions& link = links[id];
        Require(!link.rate || link.rate->GetBitRate() > 0,
                name,
                ": rate of learner ",
                id,
                " must be greater than 0, got 0 bit/s");
        Require(!link.delay || !link.delay->IsStrictlyNegative(),
                name,
                ": delay of learner ",
                id,
                " must be at least 0, got ",
                link.delay.value_or(Time(0)).As(Time::S));
        Require(!link.loss || (*link.loss >= 0 && *link.loss < 1),
                name,
                ": loss of learner ",
                id,
                " must be in [0, 1), got ",
                link.loss.value_or(0));
    }
}

/**
 * Refuse options that no network can give.
 * @param name the network
 * @param graph the learners that exchange messages
 * @param options what the user asked for
 */
void
CheckOptions(const std::string& name, const Graph& graph, const NetworkOptions& options)
{
    // Written so that NaN is refused too.
    Require(options.loss >= 0 && options.loss < 1,
            name,
            ": loss must be in [0, 1), got ",
            options.loss);
    Require(!options.delay.IsStrictlyNegative(),
            name,
            ": delay must be at least 0, got ",
            options.delay.As(Time::S));
    Require(options.rate.GetBitRate() > 0,
            name,
            ": rate must be greater than 0, got ",
            options.rate.GetBitRate(),
            " bit/s");
    Require(options.trunkRate.GetBitRate() > 0,
            name,
            ": trunk rate must be greater than 0, got ",
            options.trunkRate.GetBitRate(),
            " bit/s");
    RequirePositive(name, "side", options.side);
    if (options.mobility.IsOn())
    {
        RequirePositive(name, "speed", options.speed);
    }
    if (options.server)
    {
        CheckServer(name, graph, *options.server);
    }
    CheckLinks(name, options.links, graph.GetSize());
}

/**
 * @param name the network
 * @param range what it can give
 * @param options what the user asked for
 * @return largest IP packet in bytes
 */
uint16_t
ChooseMtu(const std::string& name, const MtuRange& range, const NetworkOptions& options)
{
    if (!options.mtu)
    {
        return range.usual;
    }
    Require(*options.mtu >= MtuRange::LEAST && *options.mtu <= range.largest,
            name,
            ": mtu must be from ",
            MtuRange::LEAST,
            " to ",
            range.largest,
            ", got ",
            *options.mtu);
    return static_cast<uint16_t>(*options.mtu);
}

} // namespace

void
Network::Build(const Graph& graph, const NetworkOptions& options)
{
    NS_LOG_FUNCTION(this << GetName() << graph.GetSize());
    Require(m_nodes.GetN() == 0, GetName(), ": a network can be built only once");
    CheckOptions(GetName(), graph, options);
    Require(options.schedule.GetEvents().empty() || HasPairLinks(),
            GetName(),
            ": a schedule of links needs a network in which neighbours have links of their own, "
            "such as p2p");
    CheckFits(graph, options);
    m_mtu = ChooseMtu(GetName(), GetMtuRange(), options);
    m_server = options.server;
    m_queues = options.queues;
    if (!m_queues.disc)
    {
        m_queues.disc = HasPairLinks() ? ObjectFactory() : ObjectFactory("ns3::FqCoDelQueueDisc");
    }
    m_ownOfAll = {"rate", "delay", "loss"};
    for (LearnerId id = 0; id < graph.GetSize(); ++id)
    {
        m_losses.push_back(GetLink(options, id).loss);
        const LinkOptions own = options.links.empty() ? LinkOptions() : options.links[id];
        for (const auto& [option, given] : {std::pair("rate", own.rate.has_value()),
                                            std::pair("delay", own.delay.has_value()),
                                            std::pair("loss", own.loss.has_value())})
        {
            if (!given && id != m_server)
            {
                m_ownOfAll.erase(option);
            }
        }
    }
    Simulator::ScheduleDestroy([span = m_span] {
        span->discs.clear();
        span->over = true;
    });
    m_nodes = MakeNodes(graph.GetSize(), options);
    Connect(graph, options);
    if (options.hostTcp)
    {
        HostTcpSocketFactory::Install(m_nodes);
        HostTcpSocketFactory::Install(GetRouters()); // from which others may send
    }
    if (!options.ignoreUseless)
    {
        for (const std::string& option : options.ListChanged())
        {
            RequireEffect(option);
        }
    }
    NS_LOG_INFO(GetName() << ": " << m_nodes.GetN() << " learners, " << graph.GetPairs().size()
                          << " pairs of neighbours, MTU " << m_mtu);
}

void
Network::CheckNotOver() const
{
    Require(!m_span->over,
            GetName(),
            ": the network has ended with Simulator::Destroy(); build another one");
}

const NodeContainer&
Network::GetNodes() const
{
    CheckNotOver();
    return m_nodes;
}

NodeContainer
Network::MakeNodes(uint32_t learners, const NetworkOptions& options)
{
    const NodeContainer nodes = CreateNodes(options, 0, learners);
    InstallStack(nodes);
    return nodes;
}

NodeContainer
Network::CreateNodes(const NetworkOptions& options, uint32_t first, uint32_t number)
{
    NodeContainer nodes;
    for (uint32_t node = first; node < first + number; ++node)
    {
        nodes.Create(1, options.rankOf.empty() ? 0 : options.rankOf.at(node));
    }
    return nodes;
}

RankGraph
Network::MakeRankGraph(const Graph& graph)
{
    RankGraph ranks;
    ranks.learners = graph.GetSize();
    ranks.nodes = graph.GetSize();
    ranks.work.assign(graph.GetSize(), 0);
    for (const auto& [a, b] : graph.GetPairs())
    {
        ++ranks.work[a];
        ++ranks.work[b];
    }
    return ranks;
}

RankGraph
Network::GetRankGraph(const Graph& /* graph */, const NetworkOptions& /* options */) const
{
    Require(false,
            "network ",
            GetName(),
            " cannot be divided among ranks, which needs point-to-point links with a delay: use "
            "tree, backbone or p2p");
    return {};
}

void
Network::InstallStack(const NodeContainer& nodes)
{
    // Static routing only: positions in the topology never change, and a second protocol would
    // double the time of every look-up.
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
    stack.Install(nodes);
}

NodeContainer
Network::GetRouters() const
{
    return {};
}

Address
Network::MakeReachable(const Ptr<Node>& node)
{
    const auto places = ListAddresses(*node);
    const auto place =
        std::find_if(places.begin(), places.end(), [](const NodeAddress& p) { return p.up; });
    Require(place != places.end(),
            GetName(),
            ": node ",
            node->GetId(),
            " has no address, so it can neither send nor receive");
    return place->ip;
}

bool
Network::HasEffect(const std::string& /* option */) const
{
    return true;
}

void
Network::RequireEffect(const std::string& option) const
{
    // A server's own link loses as the option says, where it has one.
    const bool useless = option == "loss" && !m_server && HaveAllTheirOwn(option);
    Require(HasEffect(option) && !useless,
            "option ",
            option,
            " has no effect on network ",
            GetName(),
            HaveAllTheirOwn(option) ? ", where every link has a " + option + " of its own" : "");
}

double
Network::GetLoss(LearnerId /* from */, LearnerId /* to */) const
{
    return 0;
}

SiteMap
Network::GetSiteMap() const
{
    return {};
}

uint32_t
Network::CountRadioHops(LearnerId /* from */, LearnerId /* to */) const
{
    return 1;
}

Time
Network::GetReadyTime() const
{
    return Time(0);
}

int64_t
Network::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    CheckNotOver();
    Require(m_nodes.GetN() > 0, GetName(), ": AssignStreams must be called after Build");
    int64_t next = stream;
    next += InternetStackHelper().AssignStreams(m_nodes, next);
    for (const auto& model : m_lossModels)
    {
        next += model->AssignStreams(next);
    }
    next += AssignQueueStreams(m_span->discs, next);
    return next - stream;
}

Address
Network::GetIpAddress(LearnerId from, LearnerId to) const
{
    return GetAddress(from, to);
}

uint32_t
Network::AddInterface(Ptr<NetDevice> device, Ipv4Address address, Ipv4Mask mask)
{
    NS_LOG_FUNCTION(device << address << mask);
    // By hand: Ipv4AddressHelper would remember the address for the whole process, so that a second
    // network in it could not use the same range.
    Ptr<Ipv4> ipv4 = device->GetNode()->GetObject<Ipv4>();
    const uint32_t interface = ipv4->AddInterface(device);
    ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, mask));
    ipv4->SetMetric(interface, 1);
    ipv4->SetUp(interface);
    const auto discs = GetQueues().InstallDisc(device);
    m_span->discs.insert(m_span->discs.end(), discs.begin(), discs.end());
    return interface;
}

Ptr<ErrorModel>
Network::MakeLossModel(double loss)
{
    Ptr<RateErrorModel> model = CreateObject<RateErrorModel>();
    model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    model->SetRate(loss);
    m_lossModels.push_back(model);
    return model;
}

void
Network::AddLoss(Ptr<NetDevice> device,
                 double loss,
                 const std::vector<std::pair<Time, double>>& changes)
{
    NS_LOG_FUNCTION(this << device << loss << changes.size());
    if (loss == 0 && changes.empty())
    {
        return;
    }
    device->SetAttribute("ReceiveErrorModel", PointerValue(MakeLossModel(loss)));
    for (const auto& [time, rate] : changes)
    {
        Simulator::Schedule(GetDelayUntil("a change of loss", Simulator::Now(), time),
                            &RateErrorModel::SetRate,
                            m_lossModels.back(),
                            rate);
    }
}

LinkQuality
Network::GetLink(const NetworkOptions& options, LearnerId id)
{
    const LinkOptions own = options.links.empty() ? LinkOptions() : options.links[id];
    return {own.rate.value_or(options.rate),
            own.delay.value_or(options.delay),
            own.loss.value_or(options.loss)};
}

void
Network::RequireLossOnly(const NetworkOptions& options) const
{
    for (LearnerId id = 0; id < options.links.size(); ++id)
    {
        const LinkOptions& link = options.links[id];
        Require(!link.rate && !link.delay,
                GetName(),
                ": learner ",
                id,
                " can have a loss of its own, but no ",
                link.rate ? "rate" : "delay");
    }
}

void
Network::CheckLearner(LearnerId id) const
{
    CheckNotOver();
    Require(id < m_nodes.GetN(),
            GetName(),
            ": learner must be less than ",
            m_nodes.GetN(),
            ", got ",
            id);
}

} // namespace ns3::dlearn

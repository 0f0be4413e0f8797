/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-routed-network.h"

#include "dlearn-p2p-link.h"
#include "dlearn-prefix-plan.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-shortest-paths.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4-static-routing.h"
#include "ns3/log.h"

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnRoutedNetwork");

namespace
{

/**
 * @param node a node
 * @return its routing table
 */
Ptr<Ipv4StaticRouting>
GetTable(Ptr<Node> node)
{
    return Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<Ipv4>());
}

/**
 * @param router number of a router
 * @return the address that it has on all of its links
 */
Ipv4Address
GetRouterAddress(uint32_t router)
{
    return Ipv4Address(Ipv4Address("172.16.0.0").Get() + router + 1);
}

/**
 * @param plan routers and the links between them
 * @param targets where paths lead to
 * @return the paths of least delay
 */
ShortestPaths
FindPaths(const RouterPlan& plan, const std::vector<uint32_t>& targets)
{
    std::vector<CostedLink> links;
    links.reserve(plan.trunks.size());
    for (const Trunk& trunk : plan.trunks)
    {
        links.push_back({trunk.a, trunk.b, trunk.delay.GetTimeStep()});
    }
    return FindShortestPaths(plan.routers, links, targets);
}

} // namespace

Ipv4Address
RoutedNetwork::GetAddress(LearnerId from, LearnerId to) const
{
    CheckLearner(from);
    CheckLearner(to);
    return m_addresses[to];
}

Address
RoutedNetwork::MakeReachable(const Ptr<Node>& node)
{
    for (uint32_t target = 0; target < m_plan.routers; ++target)
    {
        if (m_routers.Get(target) == node && m_reachable.insert(target).second)
        {
            AddRoutesTo(target);
        }
    }
    return Network::MakeReachable(node);
}

void
RoutedNetwork::AddRoutesTo(uint32_t target) const
{
    const Ipv4Address address = GetRouterAddress(target);
    const ShortestPaths paths = FindPaths(m_plan, {target});
    for (uint32_t router = 0; router < m_plan.routers; ++router)
    {
        if (router != target)
        {
            const uint32_t hop = paths.next.front()[router];
            GetTable(m_routers.Get(router))->AddHostRouteTo(address, m_interfaces[router].at(hop));
        }
    }
    for (auto learner = m_nodes.Begin(); learner != m_nodes.End(); ++learner)
    {
        GetTable(*learner)->AddHostRouteTo(address, 1); // after loopback their only interface
    }
}

MtuRange
RoutedNetwork::GetMtuRange() const
{
    return WIRED_MTU;
}

int64_t
RoutedNetwork::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    const int64_t used = Network::AssignStreams(stream);
    return used + InternetStackHelper().AssignStreams(m_routers, stream + used);
}

RankGraph
RoutedNetwork::GetRankGraph(const Graph& graph, const NetworkOptions& options) const
{
    const RouterPlan plan = MakePlan(graph.GetSize(), options);
    RankGraph ranks = MakeRankGraph(graph);
    ranks.nodes += plan.routers;
    for (const Trunk& trunk : plan.trunks)
    {
        ranks.links.push_back({ranks.learners + trunk.a, ranks.learners + trunk.b, trunk.delay});
    }
    for (LearnerId id = 0; id < ranks.learners; ++id)
    {
        ranks.access.push_back(
            {id, ranks.learners + plan.routerOf[id], GetLink(options, id).delay});
    }
    return ranks;
}

void
RoutedNetwork::CheckFits(const Graph& graph, const NetworkOptions& options) const
{
    Require(!options.mobility.IsOn(), GetName(), ": mobility needs a radio network");
    const RouterPlan plan = MakePlan(graph.GetSize(), options);
    Require(plan.routers <= MAX_ROUTERS,
            GetName(),
            ": there are addresses for ",
            MAX_ROUTERS,
            " routers, got ",
            plan.routers);
    PrefixPlan(GetName(), plan.routerOf);
}

void
RoutedNetwork::Connect(const Graph& graph, const NetworkOptions& options)
{
    NS_LOG_FUNCTION(this << graph.GetSize());
    m_plan = MakePlan(graph.GetSize(), options);
    m_routers = CreateNodes(options, graph.GetSize(), m_plan.routers);
    InstallStack(m_routers);
    ConnectRouters();
    const PrefixPlan addresses(GetName(), m_plan.routerOf);
    for (LearnerId id = 0; id < graph.GetSize(); ++id)
    {
        m_addresses.push_back(addresses.GetAddress(id));
    }
    ConnectLearners(options);
    AddRoutes(addresses);
}

uint32_t
RoutedNetwork::AddRouterInterface(uint32_t router, Ptr<NetDevice> device)
{
    return AddInterface(device, GetRouterAddress(router), Ipv4Mask::GetOnes());
}

void
RoutedNetwork::ConnectRouters()
{
    m_interfaces.resize(m_plan.routers);
    for (const Trunk& trunk : m_plan.trunks)
    {
        const NetDeviceContainer ends = MakeP2pLink(m_routers.Get(trunk.a),
                                                    m_routers.Get(trunk.b),
                                                    trunk.rate,
                                                    trunk.delay,
                                                    GetMtu(),
                                                    GetQueues());
        m_interfaces[trunk.a][trunk.b] = AddRouterInterface(trunk.a, ends.Get(0));
        m_interfaces[trunk.b][trunk.a] = AddRouterInterface(trunk.b, ends.Get(1));
    }
}

void
RoutedNetwork::ConnectLearners(const NetworkOptions& options)
{
    for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
    {
        LinkQuality link = GetLink(options, id);
        if (id == options.server && (options.links.empty() || !options.links[id].rate))
        {
            link.rate = options.trunkRate;
        }
        const uint32_t router = m_plan.routerOf[id];
        const NetDeviceContainer ends = MakeP2pLink(m_nodes.Get(id),
                                                    m_routers.Get(router),
                                                    link.rate,
                                                    link.delay,
                                                    GetMtu(),
                                                    GetQueues());
        AddInterface(ends.Get(0), m_addresses[id], PrefixPlan::GetMask());
        const uint32_t interface = AddRouterInterface(router, ends.Get(1));
        GetTable(m_routers.Get(router))->AddHostRouteTo(m_addresses[id], interface);
        AddLoss(ends.Get(0), link.loss);
        AddLoss(ends.Get(1), link.loss);
        // The 64 routers of the default are too few for a chain of them.
        m_nodes.Get(id)->GetObject<Ipv4L3Protocol>()->SetDefaultTtl(MAX_HOPS + 1);
    }
}

void
RoutedNetwork::AddRoutes(const PrefixPlan& addresses) const
{
    const auto& targets = addresses.GetRouters();
    const ShortestPaths paths = FindPaths(m_plan, targets);
    Require(paths.mostLinks < MAX_HOPS,
            GetName(),
            ": a path must not have more than ",
            MAX_HOPS,
            " routers, got ",
            paths.mostLinks + 1);
    std::vector<uint32_t> hops(targets.size());
    for (uint32_t router = 0; router < m_plan.routers; ++router)
    {
        for (uint32_t k = 0; k < targets.size(); ++k)
        {
            // Packets for the router's own learners have host routes.
            hops[k] = targets[k] == router ? PrefixPlan::ANY : paths.next[k][router];
        }
        const Ptr<Ipv4StaticRouting> table = GetTable(m_routers.Get(router));
        for (const PrefixRoute& route : addresses.Aggregate(hops))
        {
            table->AddNetworkRouteTo(route.network, route.mask, m_interfaces[router].at(route.hop));
        }
    }
}

bool
RoutedNetwork::HasEffect(const std::string& option) const
{
    // The link of a server has the trunk rate.
    return IsQueueOption(option) || (option == "rate" && !HaveAllTheirOwn(option)) ||
           option == "delay" || option == "loss" ||
           (option == "trunk-rate" && (m_server || !m_plan.trunks.empty()));
}

double
RoutedNetwork::GetLoss(LearnerId from, LearnerId to) const
{
    return 1 - (1 - m_losses[from]) * (1 - m_losses[to]); // routers lose nothing
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-routed-network.h"

#include "dlearn-link-network.h"

#include "ns3/dlearn-shortest-paths.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4-static-routing.h"
#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

constexpr uint32_t FIRST_ADDRESS = 10U << 24; //!< 10.0.0.0
constexpr uint32_t ALL_BITS = 24;

} // namespace

PrefixPlan::PrefixPlan(const std::string& name, const std::vector<uint32_t>& routerOf)
{
    std::map<uint32_t, uint32_t> learners; // one count per router
    uint32_t most = 0;
    for (const uint32_t router : routerOf)
    {
        most = std::max(most, ++learners[router]);
    }
    while ((uint64_t{1} << m_hostBits) < uint64_t{most} + 2) // the first and last are reserved
    {
        ++m_hostBits;
    }
    Require(m_hostBits <= ALL_BITS && learners.size() <= uint64_t{1} << (ALL_BITS - m_hostBits),
            name + ": there are no addresses for " + std::to_string(learners.size()) +
                " routers with up to " + std::to_string(most) + " learners each");

    std::map<uint32_t, uint32_t> next; // address of the next learner of each router
    for (const auto& [router, count] : learners)
    {
        next[router] = FIRST_ADDRESS + (m_routers.size() << m_hostBits) + 1;
        m_routers.push_back(router);
    }
    m_addresses.reserve(routerOf.size());
    for (const uint32_t router : routerOf)
    {
        m_addresses.emplace_back(next[router]++);
    }
}

void
PrefixPlan::Cover(const std::vector<uint32_t>& hops,
                  uint32_t common,
                  uint32_t first,
                  uint32_t bits,
                  std::vector<PrefixRoute>& routes) const
{
    const uint32_t last = std::min<uint64_t>(first + (uint64_t{1} << bits), hops.size());
    uint32_t hop = ANY;
    for (uint32_t prefix = first; prefix < last; ++prefix)
    {
        if (hop != ANY && hops[prefix] != ANY && hops[prefix] != hop)
        {
            Cover(hops, common, first, bits - 1, routes);
            Cover(hops, common, first + (1U << (bits - 1)), bits - 1, routes);
            return;
        }
        hop = hops[prefix] == ANY ? hop : hops[prefix];
    }
    if (hop != ANY && hop != common)
    {
        const uint32_t size = bits + m_hostBits;
        routes.push_back({Ipv4Address(FIRST_ADDRESS + (first << m_hostBits)),
                          Ipv4Mask(~((1U << size) - 1)),
                          hop});
    }
}

std::vector<PrefixRoute>
PrefixPlan::Aggregate(const std::vector<uint32_t>& hops) const
{
    RequireSize("PrefixPlan", "next hops", hops.size(), m_routers.size());
    std::map<uint32_t, uint32_t> uses; // number of prefixes per hop
    for (const uint32_t hop : hops)
    {
        if (hop != ANY)
        {
            ++uses[hop];
        }
    }
    std::vector<PrefixRoute> routes;
    if (uses.empty())
    {
        return routes;
    }
    const uint32_t common =
        std::max_element(uses.begin(), uses.end(), [](const auto& a, const auto& b) {
            return a.second < b.second;
        })->first;
    uint32_t bits = 0;
    while ((uint64_t{1} << bits) < hops.size())
    {
        ++bits;
    }
    Cover(hops, common, 0, bits, routes);
    routes.push_back({Ipv4Address::GetZero(), Ipv4Mask::GetZero(), common});
    return routes;
}

NS_LOG_COMPONENT_DEFINE("DlearnRoutedNetwork");

NS_OBJECT_ENSURE_REGISTERED(RoutedNetwork);

TypeId
RoutedNetwork::GetTypeId()
{
    static TypeId tid =
        AddAttributes(MakeTypeId<RoutedNetwork, Network>("ns3::dlearn::RoutedNetwork"),
                      {"Loss", "Delay", "Rate", "TrunkRate", "QueueDisc", "QueueSize", "Mtu"});
    return tid;
}

namespace
{

Ptr<Ipv4StaticRouting>
GetTable(Ptr<Node> node)
{
    return Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<Ipv4>());
}

/** @return the address of a router on all of its links */
Ipv4Address
GetRouterAddress(uint32_t router)
{
    return Ipv4Address(Ipv4Address("172.16.0.0").Get() + router + 1);
}

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
        GetTable(*learner)->AddHostRouteTo(address, 1); // their only interface besides loopback
    }
}

int64_t
RoutedNetwork::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    const int64_t used = Network::AssignStreams(stream);
    return used + InternetStackHelper().AssignStreams(m_routers, stream + used);
}

RankGraph
RoutedNetwork::GetRankGraph(const Graph& graph, const NetworkSetup& setup) const
{
    const RouterPlan plan = MakePlan(graph.GetSize(), setup);
    RankGraph ranks = MakeRankGraph(graph);
    ranks.nodes += plan.routers;
    for (const Trunk& trunk : plan.trunks)
    {
        ranks.links.push_back({ranks.learners + trunk.a, ranks.learners + trunk.b, trunk.delay});
    }
    for (LearnerId id = 0; id < ranks.learners; ++id)
    {
        ranks.access.push_back({id, ranks.learners + plan.routerOf[id], GetLink(setup, id).delay});
    }
    return ranks;
}

void
RoutedNetwork::CheckFits(const Graph& graph) const
{
    const RouterPlan plan = MakePlan(graph.GetSize(), m_setup);
    Check(plan.routers <= MAX_ROUTERS,
          "there are addresses for " + std::to_string(MAX_ROUTERS) + " routers, got " +
              std::to_string(plan.routers));
    PrefixPlan(GetName(), plan.routerOf);
}

void
RoutedNetwork::Connect(const Graph& graph)
{
    NS_LOG_FUNCTION(this << graph.GetSize());
    m_plan = MakePlan(graph.GetSize(), m_setup);
    m_routers = CreateNodes(graph.GetSize(), m_plan.routers);
    InstallStack(m_routers);
    ConnectRouters();
    const PrefixPlan addresses(GetName(), m_plan.routerOf);
    m_addresses = addresses.GetAddresses();
    ConnectLearners();
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
        const LinkQuality link{trunk.rate, trunk.delay, 0};
        const Ptr<Node> a = m_routers.Get(trunk.a);
        const auto ends = MakeP2pLink(a, m_routers.Get(trunk.b), link, GetMtu(), GetQueues());
        m_interfaces[trunk.a][trunk.b] = AddRouterInterface(trunk.a, ends.Get(0));
        m_interfaces[trunk.b][trunk.a] = AddRouterInterface(trunk.b, ends.Get(1));
    }
}

void
RoutedNetwork::ConnectLearners()
{
    for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
    {
        LinkQuality link = GetLink(id);
        if (id == m_setup.server && (m_setup.links.empty() || !m_setup.links[id].rate))
        {
            link.rate = m_trunkRate;
        }
        const uint32_t router = m_plan.routerOf[id];
        const auto ends =
            MakeP2pLink(m_nodes.Get(id), m_routers.Get(router), link, GetMtu(), GetQueues());
        AddInterface(ends.Get(0), m_addresses[id], PrefixPlan::GetMask());
        const uint32_t interface = AddRouterInterface(router, ends.Get(1));
        GetTable(m_routers.Get(router))->AddHostRouteTo(m_addresses[id], interface);
        AddLoss(ends.Get(0), link.loss);
        AddLoss(ends.Get(1), link.loss);
        // The default of 64 is too small for long chains of routers.
        m_nodes.Get(id)->GetObject<Ipv4L3Protocol>()->SetDefaultTtl(MAX_HOPS + 1);
    }
}

void
RoutedNetwork::AddRoutes(const PrefixPlan& addresses) const
{
    const auto& targets = addresses.GetRouters();
    const ShortestPaths paths = FindPaths(m_plan, targets);
    Check(paths.mostLinks < MAX_HOPS,
          "a path must not have more than " + std::to_string(MAX_HOPS) + " routers, got " +
              std::to_string(paths.mostLinks + 1));
    std::vector<uint32_t> hops(targets.size());
    for (uint32_t router = 0; router < m_plan.routers; ++router)
    {
        for (uint32_t k = 0; k < targets.size(); ++k)
        {
            // There are host routes to the router's own learners.
            hops[k] = targets[k] == router ? PrefixPlan::ANY : paths.next[k][router];
        }
        const Ptr<Ipv4StaticRouting> table = GetTable(m_routers.Get(router));
        for (const PrefixRoute& route : addresses.Aggregate(hops))
        {
            table->AddNetworkRouteTo(route.network, route.mask, m_interfaces[router].at(route.hop));
        }
    }
}

std::vector<std::pair<Ptr<Node>, std::vector<LearnerId>>>
RoutedNetwork::FindEdges(const std::string& place) const
{
    Check(place == "routers", "edge servers can be at its routers, got ", place);
    std::map<uint32_t, std::vector<LearnerId>> clients;
    for (LearnerId id = 0; id < m_plan.routerOf.size(); ++id)
    {
        if (id != m_setup.server)
        {
            clients[m_plan.routerOf[id]].push_back(id);
        }
    }
    std::vector<std::pair<Ptr<Node>, std::vector<LearnerId>>> edges;
    for (const auto& [router, own] : clients)
    {
        edges.emplace_back(m_routers.Get(router), own);
    }
    return edges;
}

bool
RoutedNetwork::IsIdle(const std::string& attribute) const
{
    // The server's link has the trunk rate.
    return Network::IsIdle(attribute) || (attribute == "Rate" && HaveAllTheirOwn(attribute)) ||
           (attribute == "TrunkRate" && !m_setup.server && m_plan.trunks.empty());
}

double
RoutedNetwork::GetLoss(LearnerId from, LearnerId to) const
{
    return 1 - (1 - GetLink(from).loss) * (1 - GetLink(to).loss); // routers lose nothing
}

Time
GetFibreDelay(const std::pair<double, double>& from, const std::pair<double, double>& to)
{
    const double radius = 6371008.8;              // metres
    const double speed = 299792458.0 * 2.0 / 3.0; // metres a second
    const auto radians = [](double degrees) { return degrees * std::acos(-1.0) / 180; };
    const double north = std::sin(radians(to.second - from.second) / 2);
    const double east = std::sin(radians(to.first - from.first) / 2);
    const double haversine =
        north * north + std::cos(radians(from.second)) * std::cos(radians(to.second)) * east * east;
    // Rounding may raise it above 1 for antipodal points.
    const double metres = 2 * radius * std::asin(std::sqrt(std::min(1.0, haversine)));
    return NanoSeconds(std::llround(metres / speed * 1e9));
}

namespace
{

/** @return the number of routers with a fan-out for things below them, at least one */
uint32_t
CountRouters(uint32_t things, uint32_t fanout)
{
    return things <= fanout ? 1 : (things - 1) / fanout + 1;
}

/** @return the first node with the most neighbours */
uint32_t
FindHub(const Graph& graph)
{
    uint32_t hub = 0;
    for (uint32_t node = 1; node < graph.GetSize(); ++node)
    {
        if (graph.GetInNeighbors(node).size() > graph.GetInNeighbors(hub).size())
        {
            hub = node;
        }
    }
    return hub;
}

/**
 * A tree of aggregation routers, with the server at the root and the clients at the leaves.
 *
 * The tree is as shallow as a fan-out of F allows: each router has F clients or F routers below it,
 * in order, except for the last router of each level, which may have fewer. All clients have the
 * same distance from the root. Router 0 is the root, and routers are numbered level by level. If
 * there is no server, all learners are clients. Every link has the delay; those between routers
 * have the trunk rate.
 *
 * A tree is also an efficient alternative to a large star, because ns-3's time per sent packet
 * grows with the number of interfaces of the sender. 100 MB by UDP from the server to 1000 clients
 * took 3.2 s of computing time over `p2p` and 1.3 s over `tree:32`; in the other direction, where
 * the hub only receives, 0.6 s and 1.3 s, because each packet crosses three links instead of one.
 */
class TreeNetwork : public RoutedNetwork
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = MakeTypeId<TreeNetwork, RoutedNetwork>("ns3::dlearn::TreeNetwork")
                                .AddAttribute("Fanout",
                                              "Largest number of clients or routers below a router",
                                              UintegerValue(32),
                                              MakeUintegerAccessor(&TreeNetwork::m_fanout),
                                              MakeUintegerChecker<uint32_t>(2));
        return tid;
    }

    std::string GetName() const override { return "tree:" + std::to_string(m_fanout); }

  protected:
    RouterPlan MakePlan(uint32_t learners, const NetworkSetup& setup) const override
    {
        const uint32_t clients = learners - (setup.server ? 1 : 0);
        std::vector<uint32_t> levels{CountRouters(clients, m_fanout)}; // leaves first
        while (levels.back() > 1)
        {
            levels.push_back(CountRouters(levels.back(), m_fanout));
        }
        std::reverse(levels.begin(), levels.end());

        RouterPlan plan;
        plan.routers = 1;
        uint32_t above = 0; // first router of the level above; after the loop, the first leaf
        for (size_t level = 1; level < levels.size(); ++level)
        {
            const uint32_t first = plan.routers;
            for (uint32_t k = 0; k < levels[level]; ++k)
            {
                plan.trunks.push_back({above + k / m_fanout, first + k, m_trunkRate, m_delay});
            }
            above = first;
            plan.routers += levels[level];
        }
        uint32_t placed = 0;
        for (LearnerId id = 0; id < learners; ++id)
        {
            plan.routerOf.push_back(id == setup.server ? 0 : above + placed++ / m_fanout);
        }
        return plan;
    }

  private:
    uint32_t m_fanout{32};
};

/**
 * Learners at the nodes of a real topology, from a GraphML file (ReadGraphml()) such as those of
 * the Internet Topology Zoo.
 *
 * The routers are the nodes, in the order of the file. The rate of a link is that of the file
 * (`LinkSpeedRaw`), otherwise TrunkRate; of parallel links only the fastest is used. Its delay is
 * that of light in fibre along the great circle between the coordinates of its ends or, if one of
 * them is unknown, Delay.
 *
 * The server is attached to the first node with the most neighbours, and the other learners to the
 * other nodes in turn, in the order of the file. Without a server, learners are attached to all
 * nodes in turn. Access links are those of RoutedNetwork.
 */
class BackboneNetwork : public RoutedNetwork
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            MakeTypeId<BackboneNetwork, RoutedNetwork>("ns3::dlearn::BackboneNetwork")
                .AddAttribute("File",
                              "GraphML file of the routers",
                              StringValue(""),
                              MakeStringAccessor(&BackboneNetwork::Read, &BackboneNetwork::GetFile),
                              MakeStringChecker());
        return tid;
    }

    /**
     * @param path a GraphML file; empty: none
     * @throw std::runtime_error when it cannot be read
     * @throw std::invalid_argument for a file that ReadGraphml() refuses, a graph that is not
     *        connected, coordinates outside their range, and a speed outside [1, 1e15] bit/s
     */
    void Read(std::string path)
    {
        m_path = path;
        if (path.empty())
        {
            return;
        }
        m_content = ReadGraphml(path);
        const auto& names = m_content.graph.names;
        const auto unreachable = m_content.graph.GetUnreachable();
        Require(unreachable.empty(),
                path + ": node '" + names[unreachable.empty() ? 0 : unreachable.front()],
                "' cannot be reached from node '" + names.front() + "'");
        for (uint32_t node = 0; node < names.size(); ++node)
        {
            const auto [longitude, latitude] =
                m_content.coordinates[node].value_or(std::make_pair(0., 0.));
            const std::string name = " of node '" + names[node] + "' must be in ";
            Require(std::abs(latitude) <= 90,
                    path + ": latitude" + name + "[-90, 90], got ",
                    latitude);
            Require(std::abs(longitude) <= 360,
                    path + ": longitude" + name + "[-360, 360], got ",
                    longitude);
        }
        for (const GraphmlEdge& edge : m_content.edges)
        {
            Require(!edge.speed || (*edge.speed >= 1 && *edge.speed <= 1e15),
                    path + ": speed of the link from '" + names[edge.source] + "' to '" +
                        names[edge.target] + "' must be in [1, 1e15] bit/s, got ",
                    edge.speed.value_or(0));
        }
    }

    std::string GetFile() const { return m_path; }

    std::string GetName() const override { return "backbone:" + m_path; }

    /** @return the routers with the names and coordinates of the file */
    SiteMap GetSiteMap() const override
    {
        SiteMap map;
        for (uint32_t k = 0; k < GetRouters().GetN(); ++k)
        {
            map.sites.push_back(
                {m_content.graph.names[k], GetRouters().Get(k)->GetId(), m_content.coordinates[k]});
        }
        for (const Trunk& trunk : GetPlan().trunks)
        {
            map.trunks.emplace_back(trunk.a, trunk.b);
        }
        map.siteOf = GetPlan().routerOf;
        return map;
    }

  protected:
    RouterPlan MakePlan(uint32_t learners, const NetworkSetup& setup) const override
    {
        Require(!m_path.empty(), "network must be backbone:FILE.graphml, got 'backbone:'");
        RouterPlan plan;
        plan.routers = m_content.graph.GetSize();
        std::map<std::pair<uint32_t, uint32_t>, Trunk> fastest;
        for (const GraphmlEdge& edge : m_content.edges)
        {
            const Trunk trunk = MakeTrunk(edge);
            const auto [other, fresh] = fastest.try_emplace({trunk.a, trunk.b}, trunk);
            if (!fresh && other->second.rate < trunk.rate)
            {
                other->second = trunk;
            }
        }
        for (const auto& [ends, trunk] : fastest)
        {
            plan.trunks.push_back(trunk);
        }

        const uint32_t hub = FindHub(m_content.graph);
        std::vector<uint32_t> sites; // routers of the clients
        for (uint32_t router = 0; router < plan.routers; ++router)
        {
            if (!setup.server || router != hub || plan.routers == 1)
            {
                sites.push_back(router);
            }
        }
        uint32_t placed = 0;
        for (LearnerId id = 0; id < learners; ++id)
        {
            plan.routerOf.push_back(id == setup.server ? hub : sites[placed++ % sites.size()]);
        }
        return plan;
    }

  private:
    /** @return an edge as a link between routers */
    Trunk MakeTrunk(const GraphmlEdge& edge) const
    {
        const auto& from = m_content.coordinates[edge.source];
        const auto& to = m_content.coordinates[edge.target];
        return {std::min(edge.source, edge.target),
                std::max(edge.source, edge.target),
                edge.speed ? DataRate(std::llround(*edge.speed)) : m_trunkRate,
                from && to ? GetFibreDelay(*from, *to) : m_delay};
    }

    std::string m_path;
    GraphmlContent m_content{Graph(1)};
};

NS_OBJECT_ENSURE_REGISTERED(TreeNetwork);
NS_OBJECT_ENSURE_REGISTERED(BackboneNetwork);

} // namespace

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-backbone-network.h"

#include "dlearn-network-factory.h"

#include "ns3/dlearn-check.h"

#include <algorithm>
#include <cmath>

namespace ns3::dlearn
{

namespace
{

const NetworkRegistration g_backbone("backbone:FILE.graphml", [](const std::string& argument) {
    return std::make_unique<BackboneNetwork>(argument);
});

/**
 * @param degrees an angle
 * @return the same in radians
 */
double
ToRadians(double degrees)
{
    return degrees * std::acos(-1.0) / 180;
}

} // namespace

BackboneNetwork::BackboneNetwork(const std::string& path)
    : m_path(path),
      m_content(ReadGraphml(path))
{
    const auto& names = m_content.graph.names;
    const auto unreachable = m_content.graph.GetUnreachable();
    Require(unreachable.empty(),
            path,
            ": node '",
            names[unreachable.empty() ? 0 : unreachable.front()],
            "' cannot be reached from node '",
            names.front(),
            "'");
    for (uint32_t node = 0; node < names.size(); ++node)
    {
        const auto [longitude, latitude] =
            m_content.coordinates[node].value_or(std::make_pair(0., 0.));
        Require(std::abs(latitude) <= 90,
                path,
                ": latitude of node '",
                names[node],
                "' must be in [-90, 90], got ",
                latitude);
        Require(std::abs(longitude) <= 360,
                path,
                ": longitude of node '",
                names[node],
                "' must be in [-360, 360], got ",
                longitude);
    }
    for (const GraphmlEdge& edge : m_content.edges)
    {
        Require(!edge.speed || (*edge.speed >= 1 && *edge.speed <= 1e15),
                path,
                ": speed of the link from '",
                names[edge.source],
                "' to '",
                names[edge.target],
                "' must be in [1, 1e15] bit/s, got ",
                edge.speed.value_or(0));
    }
}

SiteMap
BackboneNetwork::GetSiteMap() const
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

Time
BackboneNetwork::GetFibreDelay(const std::pair<double, double>& from,
                               const std::pair<double, double>& to)
{
    const double radius = 6371008.8;              // metres
    const double speed = 299792458.0 * 2.0 / 3.0; // metres a second
    const double north = std::sin(ToRadians(to.second - from.second) / 2);
    const double east = std::sin(ToRadians(to.first - from.first) / 2);
    const double haversine = north * north + std::cos(ToRadians(from.second)) *
                                                 std::cos(ToRadians(to.second)) * east * east;
    // Rounding may lift it above 1 between points that face each other.
    const double metres = 2 * radius * std::asin(std::sqrt(std::min(1.0, haversine)));
    return NanoSeconds(std::llround(metres / speed * 1e9));
}

Trunk
BackboneNetwork::MakeTrunk(const GraphmlEdge& edge, const NetworkOptions& options) const
{
    const auto& from = m_content.coordinates[edge.source];
    const auto& to = m_content.coordinates[edge.target];
    return {std::min(edge.source, edge.target),
            std::max(edge.source, edge.target),
            edge.speed ? DataRate(std::llround(*edge.speed)) : options.trunkRate,
            from && to ? GetFibreDelay(*from, *to) : options.delay};
}

uint32_t
BackboneNetwork::FindHub() const
{
    const Graph& graph = m_content.graph;
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

RouterPlan
BackboneNetwork::MakePlan(uint32_t learners, const NetworkOptions& options) const
{
    RouterPlan plan;
    plan.routers = m_content.graph.GetSize();
    std::map<std::pair<uint32_t, uint32_t>, Trunk> fastest;
    for (const GraphmlEdge& edge : m_content.edges)
    {
        const Trunk trunk = MakeTrunk(edge, options);
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

    const uint32_t hub = FindHub();
    std::vector<uint32_t> sites; // of the clients
    for (uint32_t router = 0; router < plan.routers; ++router)
    {
        if (!options.server || router != hub || plan.routers == 1)
        {
            sites.push_back(router);
        }
    }
    uint32_t placed = 0;
    for (LearnerId id = 0; id < learners; ++id)
    {
        plan.routerOf.push_back(id == options.server ? hub : sites[placed++ % sites.size()]);
    }
    return plan;
}

} // namespace ns3::dlearn

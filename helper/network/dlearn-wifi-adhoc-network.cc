/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wifi-adhoc-network.h"

#include "dlearn-neighbor-table.h"
#include "dlearn-network-factory.h"
#include "dlearn-radio-graph.h"

#include "ns3/dlearn-check.h"
#include "ns3/wifi-mac-helper.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

const NetworkRegistration g_wifiAdhoc("wifi-adhoc", [](const std::string&) {
    return std::make_unique<WifiAdhocNetwork>();
});

} // namespace

// dot11ShortRetryLimit of the standard.
WifiAdhocNetwork::WifiAdhocNetwork()
    : WifiNetwork(7)
{
}

bool
WifiAdhocNetwork::HasEffect(const std::string& option) const
{
    return option == "routing" || WifiNetwork::HasEffect(option);
}

Time
WifiAdhocNetwork::GetReadyTime() const
{
    return m_routing ? m_routing->GetReadyTime(m_nodes.GetN()) : Time(0);
}

uint32_t
WifiAdhocNetwork::CountRadioHops(LearnerId from, LearnerId to) const
{
    if (!m_reach)
    {
        return 1;
    }
    std::vector<uint32_t> hops(m_reach->GetSize());
    std::vector<LearnerId> found{from}; // nearest first
    for (size_t k = 0; k < found.size() && hops[to] == 0; ++k)
    {
        for (const auto& [neighbor, weight] : m_reach->GetOutNeighbors(found[k]))
        {
            if (hops[neighbor] == 0 && neighbor != from)
            {
                hops[neighbor] = hops[found[k]] + 1;
                found.push_back(neighbor);
            }
        }
    }
    return std::max(hops[to], 1U);
}

int64_t
WifiAdhocNetwork::AssignStreams(int64_t stream)
{
    const int64_t used = WifiNetwork::AssignStreams(stream);
    return used + (m_routing ? m_routing->AssignStreams(m_nodes, stream + used) : 0);
}

void
WifiAdhocNetwork::SetPowers(const std::vector<double>& powers)
{
    const double known = m_routing && !m_routing->FollowsMotion() ? GetPower(0) : 0;
    const bool other =
        std::any_of(powers.begin(), powers.end(), [&](double p) { return p != known; });
    Require(known == 0 || !other,
            GetName(),
            ": static routes are for radios that all send with ",
            known,
            " dBm; use another routing with powers");
    WifiNetwork::SetPowers(powers);
}

void
WifiAdhocNetwork::CheckFits(const Graph& graph, const NetworkOptions& options) const
{
    WifiNetwork::CheckFits(graph, options);
    const auto routing =
        options.routing.IsTypeIdSet() ? options.routing.Create<RadioRouting>() : nullptr;
    Require(!routing || routing->FollowsMotion() || !options.mobility.IsMoving(),
            GetName(),
            ": static routes are for learners that stand still; use another routing with mobility");
}

NodeContainer
WifiAdhocNetwork::MakeNodes(uint32_t learners, const NetworkOptions& options)
{
    if (!options.routing.IsTypeIdSet())
    {
        return WifiNetwork::MakeNodes(learners, options);
    }
    m_routing = options.routing.Create<RadioRouting>();
    NodeContainer nodes;
    nodes.Create(learners);
    m_routing->InstallStack(nodes);
    return nodes;
}

void
WifiAdhocNetwork::Connect(const Graph& graph, const NetworkOptions& options)
{
    WifiNetwork::Connect(graph, options);
    if (m_routing)
    {
        KeepNeighborTables(); // the next hop may be any node
        m_reach = FindReach(options);
        m_routing->SetUp(m_nodes, *m_reach);
    }
}

Graph
WifiAdhocNetwork::FindReach(const NetworkOptions& options) const
{
    std::vector<Ptr<MobilityModel>> places;
    std::vector<double> powers;
    for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
    {
        places.push_back(m_nodes.Get(id)->GetObject<MobilityModel>());
        powers.push_back(GetPower(id));
    }
    const auto loss = options.radio.pathLoss.Create<PropagationLossModel>();
    loss->AssignStreams(options.positionStream + 1); // of a random one
    return RadioGraph(places, powers, loss);
}

NetDeviceContainer
WifiAdhocNetwork::InstallDevices(const WifiHelper& wifi,
                                 const YansWifiPhyHelper& phy,
                                 const NetworkOptions& /* options */)
{
    WifiMacHelper mac;
    mac.SetType("ns3::AdhocWifiMac");
    return wifi.Install(phy, mac, m_nodes);
}

} // namespace ns3::dlearn

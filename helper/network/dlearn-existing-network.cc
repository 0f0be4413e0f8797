/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-existing-network.h"

#include "dlearn-arp-table.h"
#include "dlearn-waiting-queues.h"

#include "ns3/channel.h"
#include "ns3/dlearn-check.h"
#include "ns3/ipv4-routing-helper.h"
#include "ns3/ipv4-static-routing.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/loopback-net-device.h"
#include "ns3/mobility-model.h"
#include "ns3/node.h"

#include <algorithm>
#include <limits>
#include <set>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnExistingNetwork");

ExistingNetwork::ExistingNetwork(const NodeContainer& nodes)
    : m_given(nodes)
{
}

ExistingNetwork::ExistingNetwork(const NodeContainer& nodes,
                                 const std::vector<Ipv4Address>& addresses)
    : m_given(nodes),
      m_addresses(addresses)
{
    RequireSize(GetName(), "addresses", addresses.size(), nodes.GetN());
}

void
ExistingNetwork::SetReadyTime(Time ready)
{
    Require(!ready.IsStrictlyNegative(),
            GetName(),
            ": ready time must be at least 0, got ",
            ready.As(Time::S));
    m_ready = ready;
}

std::string
ExistingNetwork::GetName() const
{
    return "existing";
}

std::vector<ExistingNetwork::Place>
ExistingNetwork::FindPlaces(const Node& node)
{
    std::vector<Place> places;
    const Ptr<Ipv4> ipv4 = node.GetObject<Ipv4>();
    for (uint32_t k = 0; ipv4 && k < ipv4->GetNInterfaces(); ++k)
    {
        const Ptr<NetDevice> device = ipv4->GetNetDevice(k);
        for (uint32_t a = 0; ipv4->IsUp(k) && a < ipv4->GetNAddresses(k); ++a)
        {
            const Ipv4InterfaceAddress address = ipv4->GetAddress(k, a);
            const bool given = address.GetLocal() != Ipv4Address::GetAny(); // else by DHCP, later
            if (given && !DynamicCast<LoopbackNetDevice>(device))
            {
                places.push_back({k, device, address.GetLocal(), address.GetMask()});
            }
        }
    }
    return places;
}

Ipv4Address
ExistingNetwork::GetAddress(LearnerId from, LearnerId to) const
{
    CheckLearner(from);
    CheckLearner(to);
    if (m_nodes.Get(from) == m_nodes.Get(to))
    {
        return Ipv4Address::GetLoopback();
    }
    if (!m_addresses.empty())
    {
        return m_addresses[to];
    }
    const auto targets = FindPlaces(*m_nodes.Get(to));
    for (const Place& own : FindPlaces(*m_nodes.Get(from)))
    {
        for (const Place& target : targets)
        {
            if (own.mask == target.mask && own.mask.IsMatch(own.address, target.address))
            {
                return target.address;
            }
        }
    }
    return targets.at(0).address;
}

bool
ExistingNetwork::HasBroadcast() const
{
    std::set<Ptr<Node>> nodes(m_given.Begin(), m_given.End());
    if (nodes.size() < m_given.GetN() || nodes.empty())
    {
        return false; // what a node broadcasts does not reach its own learners
    }
    const auto first = FindPlaces(*m_given.Get(0));
    return std::any_of(first.begin(), first.end(), [&nodes](const Place& shared) {
        return std::all_of(nodes.begin(), nodes.end(), [&shared](const Ptr<Node>& node) {
            const auto places = FindPlaces(*node);
            return std::any_of(places.begin(), places.end(), [&shared](const Place& place) {
                return place.device->IsBroadcast() && place.device->GetChannel() &&
                       place.device->GetChannel() == shared.device->GetChannel() &&
                       place.mask == shared.mask &&
                       place.mask.IsMatch(place.address, shared.address);
            });
        });
    });
}

bool
ExistingNetwork::HasEffect(const std::string& /* option */) const
{
    return false;
}

int64_t
ExistingNetwork::AssignStreams(int64_t /* stream */)
{
    return 0;
}

MtuRange
ExistingNetwork::GetMtuRange() const
{
    uint16_t least = std::numeric_limits<uint16_t>::max();
    for (auto node = m_given.Begin(); node != m_given.End(); ++node)
    {
        for (const Place& place : FindPlaces(**node))
        {
            least = std::min(least, place.device->GetMtu());
        }
    }
    return {least, least};
}

void
ExistingNetwork::RefuseOptions(const NetworkOptions& options) const
{
    const auto refuse = [this](bool wanted, const std::string& option, const std::string& instead) {
        Require(!wanted, GetName(), ": ", option, " has no effect on nodes of a script; ", instead);
    };
    const bool links =
        std::any_of(options.links.begin(), options.links.end(), [](const auto& link) {
            return link.rate || link.delay || link.loss;
        });
    refuse(options.loss > 0, "loss", "set ReceiveErrorModel of their devices or fading");
    refuse(links, "a rate, delay or loss of one link", "set it on the devices");
    refuse(options.mtu.has_value(), "mtu", "set Mtu of their devices");
    refuse(options.mobility.IsOn(), "mobility", "install a MobilityModel");
    refuse(!options.positions.empty(), "a position", "install a MobilityModel");
}

void
ExistingNetwork::CheckNode(LearnerId id) const
{
    const Node& node = *m_given.Get(id);
    const auto places = FindPlaces(node);
    const Ptr<Ipv4> ipv4 = node.GetObject<Ipv4>();
    const bool six = node.GetObject<Ipv6>() && node.GetObject<Ipv6>()->GetNInterfaces() > 1;
    Require(!places.empty(),
            GetName(),
            ": learner ",
            id,
            " needs an IPv4 address, but node ",
            node.GetId(),
            !ipv4 && !six ? " has no protocol stack (InternetStackHelper)"
            : six         ? " has interfaces with IPv6 only, which the transports do not use"
                          : " has no interface that is up and has one");
    if (m_addresses.empty())
    {
        return;
    }
    const bool known = std::any_of(places.begin(), places.end(), [&](const Place& place) {
        return place.address == m_addresses[id];
    });
    Require(known,
            GetName(),
            ": learner ",
            id,
            " can not have the address ",
            m_addresses[id],
            ", which no interface of node ",
            node.GetId(),
            " that is up has");
}

void
ExistingNetwork::CheckNeighborsOnNode(const Graph& graph) const
{
    for (const auto& [a, b] : graph.GetPairs())
    {
        const Ptr<Node> node = m_given.Get(a);
        if (node != m_given.Get(b))
        {
            continue;
        }
        // Only this protocol is known to route to the loopback interface; OLSR and AODV do not.
        const auto routing = node->GetObject<Ipv4>()->GetRoutingProtocol();
        Require(Ipv4RoutingHelper::GetRouting<Ipv4StaticRouting>(routing) != nullptr,
                GetName(),
                ": learners ",
                a,
                " and ",
                b,
                " are both on node ",
                node->GetId(),
                ", whose routing protocol has no route to 127.0.0.1; add static routing to it "
                "(Ipv4ListRoutingHelper)");
    }
}

void
ExistingNetwork::CheckFits(const Graph& graph, const NetworkOptions& options) const
{
    RequireSize(GetName(), "nodes", m_given.GetN(), graph.GetSize());
    RefuseOptions(options);
    for (LearnerId id = 0; id < m_given.GetN(); ++id)
    {
        CheckNode(id);
    }
    CheckNeighborsOnNode(graph);
}

NodeContainer
ExistingNetwork::MakeNodes(uint32_t /* learners */, const NetworkOptions& /* options */)
{
    return m_given;
}

void
ExistingNetwork::Connect(const Graph& graph, const NetworkOptions& /* options */)
{
    NS_LOG_FUNCTION(this << graph.GetSize());
    OpenWaitingQueues();
    KeepArpTables();
    for (auto node = m_nodes.Begin(); node != m_nodes.End(); ++node)
    {
        if (const auto mobility = (*node)->GetObject<MobilityModel>())
        {
            m_positions.emplace_back(mobility->GetPosition().x, mobility->GetPosition().y);
        }
    }
    if (m_positions.size() < m_nodes.GetN())
    {
        m_positions.clear(); // a part of them draws no map
    }
}

} // namespace ns3::dlearn

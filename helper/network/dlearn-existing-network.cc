/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-existing-network.h"

#include "dlearn-block-ack.h"
#include "dlearn-neighbor-table.h"
#include "dlearn-waiting-queues.h"
#include "dlearn-wifi-check.h"

#include "ns3/channel-list.h"
#include "ns3/channel.h"
#include "ns3/dlearn-check.h"
#include "ns3/ipv4-routing-helper.h"
#include "ns3/ipv4-static-routing.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/mobility-model.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <sstream>
#include <utility>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnExistingNetwork");

namespace
{

/**
 * @param option with an effect on other networks
 * @return what a script does instead
 */
std::string
GetInstead(const std::string& option)
{
    static const std::string links = "set it on the devices or their channel";
    static const std::string queues = "use TrafficControlHelper, or the queues of the devices";
    static const std::string radio = "set it on the radios or their channel";
    static const std::string nodes = "make the nodes for them";
    static const std::map<std::string, std::string> instead{
        {"loss", "set ReceiveErrorModel of their devices or fading"},
        {"rate", links},
        {"delay", links},
        {"trunk-rate", links},
        {"queue-disc", queues},
        {"queue-size", queues},
        {"side", "install a MobilityModel"},
        {"routing", "set the routing of InternetStackHelper"},
        {"access-points", nodes},
        {"base-stations", nodes},
    };
    const auto found = instead.find(option);
    return found == instead.end() ? radio : found->second;
}

} // namespace

ExistingNetwork::ExistingNetwork(const NodeContainer& nodes)
    : m_given(nodes)
{
    for (uint32_t k = 0; k < nodes.GetN(); ++k)
    {
        Require(nodes.Get(k) != nullptr,
                GetName(),
                ": the node of learner ",
                k,
                " must not be null");
    }
}

ExistingNetwork::ExistingNetwork(const NodeContainer& nodes,
                                 const std::vector<Ipv4Address>& addresses)
    : ExistingNetwork(nodes)
{
    m_addresses.assign(addresses.begin(), addresses.end());
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

void
ExistingNetwork::UseIpv6(const std::vector<Ipv6Address>& addresses)
{
    if (!addresses.empty())
    {
        RequireSize(GetName(), "addresses", addresses.size(), m_given.GetN());
    }
    m_addresses.assign(addresses.begin(), addresses.end());
    m_ipv6 = true;
}

bool
ExistingNetwork::IsIpv6() const
{
    if (m_ipv6 || !m_addresses.empty())
    {
        return m_ipv6.value_or(false);
    }
    const auto lacks = [](const Ptr<Node>& node, bool ipv6) {
        const auto addresses = ListAddresses(*node);
        return std::none_of(addresses.begin(), addresses.end(), [ipv6](const NodeAddress& a) {
            return a.up && a.ip.IsIpv6() == ipv6;
        });
    };
    const auto lacks4 = [&](const Ptr<Node>& node) { return lacks(node, false); };
    const auto lacks6 = [&](const Ptr<Node>& node) { return lacks(node, true); };
    return std::any_of(m_given.Begin(), m_given.End(), lacks4) &&
           std::none_of(m_given.Begin(), m_given.End(), lacks6);
}

std::vector<NodeAddress>
ExistingNetwork::FindPlaces(const Node& node) const
{
    auto places = ListAddresses(node);
    const bool ipv6 = IsIpv6();
    places.erase(std::remove_if(places.begin(),
                                places.end(),
                                [ipv6](const NodeAddress& place) {
                                    return !place.up || place.ip.IsIpv6() != ipv6;
                                }),
                 places.end());
    return places;
}

IpAddress
ExistingNetwork::FindAddress(LearnerId from, LearnerId to) const
{
    CheckLearner(from);
    CheckLearner(to);
    if (m_nodes.Get(from) == m_nodes.Get(to))
    {
        return IsIpv6() ? IpAddress(Ipv6Address::GetLoopback())
                        : IpAddress(Ipv4Address::GetLoopback());
    }
    if (!m_addresses.empty())
    {
        return m_addresses[to];
    }
    const auto targets = FindPlaces(*m_nodes.Get(to));
    for (const NodeAddress& own : FindPlaces(*m_nodes.Get(from)))
    {
        for (const NodeAddress& target : targets)
        {
            if (own.prefixLength == target.prefixLength && own.IsNear(target.ip))
            {
                return target.ip;
            }
        }
    }
    Require(!targets.empty(),
            GetName(),
            ": learner ",
            to,
            " cannot be reached: node ",
            m_nodes.Get(to)->GetId(),
            " has no interface any more that is up and has an address");
    return targets.front().ip;
}

Ipv4Address
ExistingNetwork::GetAddress(LearnerId from, LearnerId to) const
{
    const IpAddress address = FindAddress(from, to);
    Require(!address.IsIpv6(), GetName(), ": learner ", to, " has no IPv4 address, got ", address);
    return address.GetIpv4();
}

Address
ExistingNetwork::GetIpAddress(LearnerId from, LearnerId to) const
{
    return FindAddress(from, to);
}

RankGraph
ExistingNetwork::GetRankGraph(const Graph& graph, const NetworkOptions& /* options */) const
{
    RequireSize(GetName(), "nodes", m_given.GetN(), graph.GetSize());
    RankGraph ranks = MakeRankGraph(graph);
    std::map<uint32_t, uint32_t> places; // by the number of the node
    for (LearnerId id = 0; id < m_given.GetN(); ++id)
    {
        places.try_emplace(m_given.Get(id)->GetId(), id);
        ranks.given.push_back(m_given.Get(id)->GetSystemId());
    }
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        if (places.try_emplace((*node)->GetId(), ranks.nodes).second)
        {
            ++ranks.nodes;
            ranks.given.push_back((*node)->GetSystemId());
        }
    }
    for (auto channel = ChannelList::Begin(); channel != ChannelList::End(); ++channel)
    {
        TimeValue delay(Time(0)); // between nodes that cannot be on different ranks
        if (DynamicCast<PointToPointChannel>(*channel))
        {
            (*channel)->GetAttribute("Delay", delay);
        }
        for (size_t k = 1; k < (*channel)->GetNDevices(); ++k)
        {
            ranks.links.push_back({places.at((*channel)->GetDevice(0)->GetNode()->GetId()),
                                   places.at((*channel)->GetDevice(k)->GetNode()->GetId()),
                                   delay.Get()});
        }
    }
    return ranks;
}

bool
ExistingNetwork::HasBroadcast() const
{
    std::set<Ptr<Node>> nodes(m_given.Begin(), m_given.End());
    if (nodes.size() < m_given.GetN() || nodes.empty() || IsIpv6())
    {
        return false; // what a node broadcasts does not reach its own learners
    }
    const auto first = FindPlaces(*m_given.Get(0));
    return std::any_of(first.begin(), first.end(), [&](const NodeAddress& shared) {
        return std::all_of(nodes.begin(), nodes.end(), [&](const Ptr<Node>& node) {
            const auto places = FindPlaces(*node);
            return std::any_of(places.begin(), places.end(), [&shared](const NodeAddress& place) {
                return place.device->IsBroadcast() && place.device->GetChannel() &&
                       place.device->GetChannel() == shared.device->GetChannel() &&
                       place.prefixLength == shared.prefixLength && place.IsNear(shared.ip);
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
        for (const NodeAddress& place : FindPlaces(**node))
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
    for (const std::string& option : options.ListChanged())
    {
        refuse(!HasEffect(option), option, GetInstead(option));
    }
    refuse(options.mtu.has_value(), "mtu", "set Mtu of their devices");
    refuse(options.mobility.IsOn(), "mobility", GetInstead("side"));
    refuse(!options.positions.empty(), "a position", GetInstead("side"));
    refuse(options.speed != NetworkOptions().speed, "speed", GetInstead("side"));
    refuse(links, "a rate, delay or loss of one link", "set it on the devices");
}

void
ExistingNetwork::CheckNode(LearnerId id) const
{
    const Node& node = *m_given.Get(id);
    const auto places = FindPlaces(node);
    const bool stack = node.GetObject<Ipv4>() || node.GetObject<Ipv6>();
    Require(!places.empty(),
            GetName(),
            ": learner ",
            id,
            IsIpv6() ? " needs an IPv6 address" : " needs an IPv4 address",
            ", but node ",
            node.GetId(),
            stack ? " has no interface that is up and has one, link-local ones aside"
                  : " has no protocol stack (InternetStackHelper)");
    if (m_addresses.empty())
    {
        return;
    }
    const bool known = std::any_of(places.begin(), places.end(), [&](const NodeAddress& place) {
        return place.ip == m_addresses[id];
    });
    Require(known,
            GetName(),
            ": learner ",
            id,
            " cannot have the address ",
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
        if (IsIpv6())
        {
            continue; // all routing protocols of IPv6 have a route to ::1
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
    m_ipv6 = IsIpv6();
    return m_given;
}

void
ExistingNetwork::Connect(const Graph& graph, const NetworkOptions& options)
{
    NS_LOG_FUNCTION(this << graph.GetSize());
    CheckRadios(options);
    OpenWaitingQueues();
    KeepNeighborTables();
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

void
ExistingNetwork::CheckRadios(const NetworkOptions& options)
{
    const auto radios = ListRadios();
    const bool moves = std::any_of(radios.begin(), radios.end(), [](const auto& radio) {
        const auto model = radio->GetNode()->template GetObject<MobilityModel>();
        return model &&
               model->GetInstanceTypeId().GetName() != "ns3::ConstantPositionMobilityModel";
    });
    if (m_preparesWifi)
    {
        RepairWifi(radios);
        Simulator::Schedule(m_ready, [name = GetName()] { EnterBlockAcks(name); });
    }
    AddWarnings(CheckWifi(GetName(), radios, moves || options.learnersLeave, m_preparesWifi));
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-existing-network.h"

#include "dlearn-shared-network.h"
#include "dlearn-wifi-stalls.h"

#include "ns3/arp-cache.h"
#include "ns3/channel-list.h"
#include "ns3/channel.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv4-list-routing.h"
#include "ns3/ipv4-routing-helper.h"
#include "ns3/ipv4-static-routing.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-interface.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/ipv6.h"
#include "ns3/log.h"
#include "ns3/ndisc-cache.h"
#include "ns3/node-list.h"
#include "ns3/node.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <sstream>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnExistingNetwork");

namespace
{

/** Make a queue unbounded if its size is the default. */
void
OpenQueue(const Ptr<Object>& object, const std::string& name)
{
    const TypeId type = object->GetInstanceTypeId();
    TypeId::AttributeInformation info;
    if (!type.LookupAttributeByName(name, &info))
    {
        return;
    }
    UintegerValue size;
    object->GetAttribute(name, size);
    if (size.SerializeToString(info.checker) ==
        info.originalInitialValue->SerializeToString(info.checker))
    {
        NS_LOG_INFO(type.GetName() << ": " << name << " was " << size.Get());
        object->SetAttribute(name, UintegerValue(std::numeric_limits<uint32_t>::max()));
    }
}

/** @return the protocols in a list of protocols, or the protocol itself */
std::vector<Ptr<Ipv4RoutingProtocol>>
ListProtocols(const Ptr<Ipv4RoutingProtocol>& routing)
{
    std::vector<Ptr<Ipv4RoutingProtocol>> protocols;
    const auto list = DynamicCast<Ipv4ListRouting>(routing);
    for (uint32_t k = 0; list && k < list->GetNRoutingProtocols(); ++k)
    {
        int16_t priority;
        protocols.push_back(list->GetRoutingProtocol(k, priority));
    }
    if (routing && !list)
    {
        protocols.push_back(routing);
    }
    return protocols;
}

/**
 * On all existing nodes, make the queues unbounded in which packets wait for ARP, neighbour
 * discovery or a route, where their sizes are ns-3's defaults. These suit single packets: ARP and
 * neighbour discovery keep three, DSDV five per destination, AODV 64. A model comes in one burst,
 * of which only the first packets would arrive.
 */
void
OpenWaitingQueues()
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        const auto ipv4 = (*node)->GetObject<Ipv4L3Protocol>();
        for (uint32_t k = 0; ipv4 && k < ipv4->GetNInterfaces(); ++k)
        {
            if (const auto cache = ipv4->GetInterface(k)->GetArpCache())
            {
                OpenQueue(cache, "PendingQueueSize");
            }
        }
        const auto ipv6 = (*node)->GetObject<Ipv6L3Protocol>();
        for (uint32_t k = 0; ipv6 && k < ipv6->GetNInterfaces(); ++k)
        {
            if (const auto cache = ipv6->GetInterface(k)->GetNdiscCache())
            {
                OpenQueue(cache, "UnresolvedQueueSize");
            }
        }
        for (const auto& protocol : ListProtocols(ipv4 ? ipv4->GetRoutingProtocol() : nullptr))
        {
            OpenQueue(protocol, "MaxQueueLen");            // of AODV and DSDV
            OpenQueue(protocol, "MaxQueuedPacketsPerDst"); // of DSDV
        }
    }
}

} // namespace

NS_OBJECT_ENSURE_REGISTERED(ExistingNetwork);

TypeId
ExistingNetwork::GetTypeId()
{
    static const TypeId tid =
        TypeId("ns3::dlearn::ExistingNetwork").SetParent<Network>().SetGroupName("Dlearn");
    return tid;
}

ExistingNetwork::ExistingNetwork(const NodeContainer& nodes)
    : m_given(nodes)
{
    for (uint32_t k = 0; k < nodes.GetN(); ++k)
    {
        Check(nodes.Get(k) != nullptr, "the node of learner ", k, " must not be null");
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
    Check(!ready.IsStrictlyNegative(), "ready time must be at least 0, got ", ready.As(Time::S));
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
    Check(!targets.empty(),
          "learner " + std::to_string(to) + " cannot be reached: node " +
              std::to_string(m_nodes.Get(to)->GetId()) +
              " has no interface any more that is up and has an address");
    return targets.front().ip;
}

Ipv4Address
ExistingNetwork::GetAddress(LearnerId from, LearnerId to) const
{
    const IpAddress address = FindAddress(from, to);
    Check(!address.IsIpv6(), "learner ", to, " has no IPv4 address, got ", address);
    return address.GetIpv4();
}

RankGraph
ExistingNetwork::GetRankGraph(const Graph& graph, const NetworkSetup& /* setup */) const
{
    RequireSize(GetName(), "nodes", m_given.GetN(), graph.GetSize());
    RankGraph ranks = MakeRankGraph(graph);
    std::map<uint32_t, uint32_t> places; // by the id of the node
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
        TimeValue delay(Time(0)); // zero: its nodes must be on one rank
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
        return false; // a broadcast does not reach learners on the sender's node
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
ExistingNetwork::CheckNode(LearnerId id) const
{
    const Node& node = *m_given.Get(id);
    const auto places = FindPlaces(node);
    const bool stack = node.GetObject<Ipv4>() || node.GetObject<Ipv6>();
    Check(!places.empty(),
          "learner " + std::to_string(id),
          IsIpv6() ? " needs an IPv6 address" : " needs an IPv4 address",
          ", but node " + std::to_string(node.GetId()),
          stack ? " has no interface that is up and has one, link-local ones aside"
                : " has no protocol stack (InternetStackHelper)");
    if (m_addresses.empty())
    {
        return;
    }
    const bool known = std::any_of(places.begin(), places.end(), [&](const NodeAddress& place) {
        return place.ip == m_addresses[id];
    });
    Check(known,
          "learner " + std::to_string(id) + " cannot have the address ",
          m_addresses[id],
          ", which no interface of node " + std::to_string(node.GetId()) + " that is up has");
}

void
ExistingNetwork::CheckNeighborsOnNode(const Graph& graph) const
{
    for (const auto& [a, b] : graph.GetPairs())
    {
        const Ptr<Node> node = m_given.Get(a);
        if (node != m_given.Get(b) || IsIpv6()) // all IPv6 protocols have a route to ::1
        {
            continue;
        }
        // Only this protocol is known to route to the loopback interface; OLSR and AODV do not.
        const auto routing = node->GetObject<Ipv4>()->GetRoutingProtocol();
        Check(Ipv4RoutingHelper::GetRouting<Ipv4StaticRouting>(routing) != nullptr,
              "learners " + std::to_string(a) + " and " + std::to_string(b) + " are both on node " +
                  std::to_string(node->GetId()) +
                  ", whose routing protocol has no route to 127.0.0.1; add static routing to it "
                  "(Ipv4ListRoutingHelper)");
    }
}

void
ExistingNetwork::CheckFits(const Graph& graph) const
{
    RequireSize(GetName(), "nodes", m_given.GetN(), graph.GetSize());
    Check(m_setup.positions.empty() && m_setup.links.empty(),
          m_setup.links.empty() ? "a position" : "a rate, delay or loss of one link",
          " has no effect on nodes of a script, which sets it itself");
    for (LearnerId id = 0; id < m_given.GetN(); ++id)
    {
        CheckNode(id);
    }
    CheckNeighborsOnNode(graph);
}

NodeContainer
ExistingNetwork::MakeNodes(uint32_t /* learners */)
{
    m_ipv6 = IsIpv6();
    return m_given;
}

void
ExistingNetwork::Connect(const Graph& graph)
{
    NS_LOG_FUNCTION(this << graph.GetSize());
    CheckRadios();
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
        m_positions.clear(); // positions of some learners are useless for a map
    }
}

void
ExistingNetwork::CheckRadios()
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
    AddWarnings(CheckWifi(GetName(), radios, moves || m_setup.learnersLeave, m_preparesWifi));
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-cellular-network.h"

#include "dlearn-link-network.h"

#include "ns3/dlearn-host-tcp-socket.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/mobility-helper.h"
#include "ns3/node-list.h"
#include "ns3/point-to-point-channel.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnCellularNetwork");

NS_OBJECT_ENSURE_REGISTERED(CellularNetwork);

namespace
{

// Ends of the link between server and gateway. The core network uses 7.0.0.0/8 for the clients, and
// parts of 10.0.0.0/8 to 14.0.0.0/8 internally.
const char* const SERVER_ADDRESS = "1.0.0.1";
const char* const GATEWAY_ADDRESS = "1.0.0.2";

/** Default buffer of each end of a bearer in packets, as of a Wi-Fi queue. */
constexpr uint32_t USUAL_PACKETS = 500;

Ptr<Ipv4StaticRouting>
GetRouting(Ptr<Node> node)
{
    return Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<Ipv4>());
}

/** The way from a node to a neighbour. */
struct Hop
{
    uint32_t number{0}; //!< of the interface of the node
    Ipv4Address next;   //!< of the neighbour
};

/** @return the way over the point-to-point link between two nodes of the core network */
Hop
FindHop(const Ptr<Node>& from, const Ptr<Node>& to)
{
    const auto ipv4 = from->GetObject<Ipv4>();
    const auto other = to->GetObject<Ipv4>();
    for (uint32_t k = 0; k < to->GetNDevices(); ++k)
    {
        const auto device = to->GetDevice(k);
        const auto channel = DynamicCast<PointToPointChannel>(device->GetChannel());
        for (uint32_t end = 0; channel && end < 2; ++end)
        {
            if (channel->GetDevice(end)->GetNode() == from)
            {
                const auto interface = other->GetInterfaceForDevice(device);
                return {static_cast<uint32_t>(ipv4->GetInterfaceForDevice(channel->GetDevice(end))),
                        other->GetAddress(interface, 0).GetLocal()};
            }
        }
    }
    throw std::logic_error("no link between nodes of the core network");
}

} // namespace

TypeId
CellularNetwork::GetTypeId()
{
    static TypeId tid =
        AddAttributes(MakeTypeId<CellularNetwork, Network>("ns3::dlearn::CellularNetwork"),
                      {"Loss",
                       "Delay",
                       "TrunkRate",
                       "Mtu",
                       "QueueDisc",
                       "QueueSize",
                       "Side",
                       "Mobility",
                       "Speed"})
            .AddAttribute("BaseStations",
                          "Base stations, on a grid in the square; lte hands clients that move "
                          "over between them",
                          UintegerValue(1),
                          MakeUintegerAccessor(&CellularNetwork::m_baseStationNumber),
                          MakeUintegerChecker<uint32_t>(1, 16));
    return tid;
}

Ipv4Address
CellularNetwork::GetAddress(LearnerId from, LearnerId to) const
{
    CheckLearner(from);
    CheckLearner(to);
    Check(from == m_setup.server || to == m_setup.server,
          "clients " + std::to_string(from) + " and " + std::to_string(to) +
              " cannot exchange with each other, only with server " +
              std::to_string(*m_setup.server));
    if (to == m_setup.server)
    {
        return Ipv4Address(SERVER_ADDRESS);
    }
    return m_nodes.Get(to)->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal();
}

double
CellularNetwork::GetLoss(LearnerId /* from */, LearnerId /* to */) const
{
    return GetLink(*m_setup.server).loss;
}

Time
CellularNetwork::GetReadyTime() const
{
    // Measured with LTE: the last of 5 clients has its bearer after 0.10 s, of 20 after 0.11 s, of
    // 60 after 0.27 s, of 140 after 0.59 s, of 280 after 1.15 s, at any distance.
    return MilliSeconds(400 + m_clients.GetN() * ATTACH_GAP);
}

int64_t
CellularNetwork::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    int64_t next = stream;
    next += Network::AssignStreams(next);
    next += m_assignStreams(NetDeviceContainer(m_baseDevices, m_clientDevices), next);
    next += InternetStackHelper().AssignStreams(m_baseStations, next);
    next += MobilityHelper().AssignStreams(m_nodes, next);
    return next - stream;
}

std::vector<std::pair<Ptr<Node>, std::vector<LearnerId>>>
CellularNetwork::FindEdges(const std::string& place) const
{
    Check(place == "cells", "edge servers can be at its cells, got ", place);
    return FindNearest(m_baseStations);
}

bool
CellularNetwork::WatchEdges(const EdgeCallback& moved) const
{
    if (!m_placement.mobility.IsMoving())
    {
        return false;
    }
    LearnerId id = 0;
    for (uint32_t k = 0; k < m_controls.size(); ++k, ++id)
    {
        id += id == m_setup.server ? 1 : 0;
        for (const char* trace : {"ConnectionEstablished", "HandoverEndOk"})
        {
            m_controls[k]->TraceConnectWithoutContext(
                trace,
                Callback<void, uint64_t, uint16_t, uint16_t>(
                    [=, cells = m_cells](uint64_t /* imsi */, uint16_t cell, uint16_t /* rnti */) {
                        moved(id, cells.at(cell));
                    }));
        }
        m_controls[k]->TraceConnectWithoutContext(
            "RadioLinkFailure",
            Callback<void, uint64_t, uint16_t, uint16_t>(
                [=](uint64_t, uint16_t, uint16_t) { moved(id, std::nullopt); }));
    }
    return true;
}

Address
CellularNetwork::MakeReachable(const Ptr<Node>& node)
{
    for (uint32_t k = 0; k < m_baseStations.GetN(); ++k)
    {
        if (m_baseStations.Get(k) == node)
        {
            const Hop up = FindHop(node, m_serving);
            const Hop in = FindHop(m_gateway, m_serving);
            const Hop out = FindHop(m_serving, m_gateway);
            const Ipv4Address own = node->GetObject<Ipv4>()->GetAddress(up.number, 0).GetLocal();
            GetRouting(node)->SetDefaultRoute(up.next, up.number);
            GetRouting(m_serving)->SetDefaultRoute(out.next, out.number);
            GetRouting(m_gateway)->AddHostRouteTo(own, in.next, in.number);
            m_baseDevices.Get(k)->SetMtu(GetMtu()); // as that of the clients
            if (m_nodes.Get(0)->GetObject<HostTcpSocketFactory>())
            {
                HostTcpSocketFactory::Install(NodeContainer(node));
            }
            return own;
        }
    }
    return Network::MakeReachable(node);
}

void
CellularNetwork::CheckFits(const Graph& graph) const
{
    Check(m_setup.server.has_value(), "needs a server, the host behind the core network");
    const Radio radio = GetRadio();
    const Grid grid = ChooseGrid(m_baseStationNumber);
    const double side = radio.side * std::min(grid.columns, grid.rows);
    Check(m_placement.side <= side,
          "side must be at most ",
          side,
          " m, which ",
          m_baseStationNumber == 1 ? "the base station covers" : "the base stations cover",
          ", got ",
          m_placement.side);
    CheckPositions(GetName(), m_placement, graph.GetSize(), m_setup.server);
    Check(graph.GetSize() - 1 <= radio.clients,
          "a base station can serve " + std::to_string(radio.clients) + " clients, the graph has " +
              std::to_string(graph.GetSize() - 1));
    for (LearnerId id = 0; id < m_setup.links.size(); ++id)
    {
        const LinkOptions& link = m_setup.links[id];
        Check(id == *m_setup.server || (!link.rate && !link.delay && !link.loss),
              "client " + std::to_string(id) +
                  " can have no rate, delay or loss of its own, its link is the radio");
    }
    for (const std::string& type : radio.buffers)
    {
        Check(!GetQueues().size ||
                  !FindChosenDefault(TypeId::LookupByName(type), "MaxTxBufferSize"),
              "queue-size and ",
              type,
              "::MaxTxBufferSize exclude each other");
    }
    CheckAlone();
}

/** Refuse a second core network in the simulation. */
void
CellularNetwork::CheckAlone() const
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t k = 0; k < (*node)->GetNDevices(); ++k)
        {
            const std::string type = (*node)->GetDevice(k)->GetInstanceTypeId().GetName();
            Check(type != "ns3::LteEnbNetDevice" && type != "ns3::NrGnbNetDevice",
                  "a simulation can have one network of cells only, as ns-3's core network has "
                  "fixed addresses");
        }
    }
}

void
CellularNetwork::Connect(const Graph& /* graph */)
{
    NS_LOG_FUNCTION(this);
    const Radio radio = GetRadio();
    m_placement.height = radio.clientHeight;
    m_positions = PlaceLearners(m_placement, m_nodes.GetN(), m_setup.server);
    for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
    {
        if (id != m_setup.server)
        {
            m_clients.Add(m_nodes.Get(id));
        }
    }
    InstallMobility(GetName(), m_nodes, m_positions, m_placement, m_setup.server, GetReadyTime());
    m_baseStations.Create(m_baseStationNumber);
    PlaceOnGrid(m_baseStations, m_placement.side, radio.stationHeight);
    InstallRadio();
    AddressClients();
    ConnectServer();
    m_attach();
}

/** @return buffer size of each end of a bearer in bytes; 0: unlimited */
uint32_t
CellularNetwork::ChooseBufferSize() const
{
    const QueueSize size =
        GetQueues().size.value_or(QueueSize(QueueSizeUnit::PACKETS, USUAL_PACKETS));
    const uint64_t unit = size.GetUnit() == QueueSizeUnit::PACKETS ? GetMtu() : 1;
    const uint64_t bytes = unit * size.GetValue();
    return bytes > std::numeric_limits<uint32_t>::max() ? 0 : static_cast<uint32_t>(bytes);
}

void
CellularNetwork::AddressClients()
{
    for (uint32_t k = 0; k < m_clients.GetN(); ++k)
    {
        const Ptr<NetDevice> device = m_clientDevices.Get(k);
        device->SetMtu(GetMtu());
        const uint32_t interface =
            AddInterface(device, Ipv4Address(m_clientGateway.Get() + 1 + k), Ipv4Mask("255.0.0.0"));
        GetRouting(m_clients.Get(k))->SetDefaultRoute(m_clientGateway, interface);
    }
}

void
CellularNetwork::ConnectServer()
{
    LinkQuality link = GetLink(*m_setup.server);
    if (m_setup.links.empty() || !m_setup.links[*m_setup.server].rate)
    {
        link.rate = m_trunkRate;
    }
    const Ptr<Node> server = m_nodes.Get(*m_setup.server);
    const NetDeviceContainer ends = MakeP2pLink(server, m_gateway, link, GetMtu(), GetQueues());
    const Ipv4Mask mask("255.255.255.252");
    const uint32_t interface = AddInterface(ends.Get(0), Ipv4Address(SERVER_ADDRESS), mask);
    AddInterface(ends.Get(1), Ipv4Address(GATEWAY_ADDRESS), mask);
    GetRouting(server)->SetDefaultRoute(Ipv4Address(GATEWAY_ADDRESS), interface);
    AddLoss(ends.Get(0), link.loss);
    AddLoss(ends.Get(1), link.loss);
}

} // namespace ns3::dlearn

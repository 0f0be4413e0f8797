/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-link-network.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-host-tcp-socket.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/lte-enb-net-device.h"
#include "ns3/lte-enb-phy.h"
#include "ns3/lte-enb-rrc.h"
#include "ns3/lte-helper.h"
#include "ns3/lte-radio-bearer-info.h"
#include "ns3/lte-rlc-am.h"
#include "ns3/lte-rlc-um.h"
#include "ns3/lte-rlc.h"
#include "ns3/lte-ue-net-device.h"
#include "ns3/lte-ue-phy.h"
#include "ns3/lte-ue-power-control.h"
#include "ns3/lte-ue-rrc.h"
#include "ns3/mobility-helper.h"
#include "ns3/node-list.h"
#include "ns3/object-map.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-epc-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnLteNetwork");

namespace
{

// Ends of the link between server and gateway. The core network uses 7.0.0.0/8 for the clients, and
// parts of 10.0.0.0/8 to 14.0.0.0/8 internally.
const char* const SERVER_ADDRESS = "1.0.0.1";
const char* const GATEWAY_ADDRESS = "1.0.0.2";

/** Milliseconds between the attempts of two clients to attach. */
constexpr uint32_t ATTACH_GAP = 4;

/** Default buffer of each end of a bearer in packets, as of a Wi-Fi queue. */
constexpr uint32_t USUAL_PACKETS = 500;

/** Places for sounding signals reserved for failed attempts to attach. */
constexpr uint32_t SPARE_PLACES = 40;

Ptr<Ipv4StaticRouting>
GetRouting(Ptr<Node> node)
{
    return Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<Ipv4>());
}

/** @return period of the sounding signals in ms, equal to the number of places for them */
uint32_t
ChooseSoundingPeriod(uint32_t clients)
{
    const uint32_t places = clients + std::min(clients, SPARE_PLACES);
    // Periods of the standard from ns-3's default, 40, on.
    const std::initializer_list<uint32_t> periods{40, 80, 160, 320};
    return *std::lower_bound(periods.begin(), periods.end(), places);
}

/** @return buffer size of each end of a bearer in bytes; 0: unlimited */
uint32_t
ChooseBufferSize(const LinkQueues& queues, uint16_t mtu)
{
    const QueueSize size = queues.size.value_or(QueueSize(QueueSizeUnit::PACKETS, USUAL_PACKETS));
    const uint64_t unit = size.GetUnit() == QueueSizeUnit::PACKETS ? mtu : 1;
    const uint64_t bytes = unit * size.GetValue();
    return bytes > std::numeric_limits<uint32_t>::max() ? 0 : static_cast<uint32_t>(bytes);
}

/** Set the buffer size of the bearers at one end of a radio link. */
void
SetBuffers(Ptr<Object> owner, uint32_t size)
{
    ObjectMapValue bearers;
    owner->GetAttribute("DataRadioBearerMap", bearers);
    for (auto entry = bearers.Begin(); entry != bearers.End(); ++entry)
    {
        const auto bearer = DynamicCast<LteDataRadioBearerInfo>(entry->second);
        SetOwnDefault(bearer->m_rlc, "MaxTxBufferSize", UintegerValue(size));
    }
}

/** Set dlearn's defaults of the radio where a user has not changed those of ns-3. */
void
SetRadioDefaults(LteHelper& radio)
{
    const std::pair<const char*, double> losses[] = {{"Exponent", 3.76},
                                                     {"ReferenceDistance", 1},
                                                     {"ReferenceLoss", 15.3}};
    for (const auto& [name, value] : losses)
    {
        if (!FindChosenDefault(LogDistancePropagationLossModel::GetTypeId(), name))
        {
            radio.SetPathlossModelAttribute(name, DoubleValue(value));
        }
    }
    for (const char* width : {"DlBandwidth", "UlBandwidth"})
    {
        if (!FindChosenDefault(LteEnbNetDevice::GetTypeId(), width))
        {
            radio.SetEnbDeviceAttribute(width, UintegerValue(50));
        }
    }
}

/** Refuse defaults that have no effect or contradict an option. */
void
CheckChosenDefaults(const std::string& name, const LinkQueues& queues)
{
    const TypeId client = LteUePhy::GetTypeId();
    const auto control = FindChosenDefault(client, "EnableUplinkPowerControl");
    Require(!FindChosenDefault(client, "TxPower") ||
                (control && !dynamic_cast<const BooleanValue&>(*control).Get()),
            name +
                ": ns3::LteUePhy::TxPower has no effect, as clients control their power, of which "
                "ns3::LteUePowerControl::Pcmax is the most; set "
                "ns3::LteUePhy::EnableUplinkPowerControl=false");
    for (const TypeId& type : {LteRlcAm::GetTypeId(), LteRlcUm::GetTypeId()})
    {
        Require(!queues.size || !FindChosenDefault(type, "MaxTxBufferSize"),
                name + ": queue-size and " + type.GetName() +
                    "::MaxTxBufferSize exclude each other");
    }
}

/**
 * Sink of the trace source DrbCreated of a client: the bearer exists at both ends. A handover
 * creates a new one.
 */
void
HandleBearer(LteUeNetDevice* client,
             std::vector<LteEnbNetDevice*> baseStations,
             uint32_t size,
             uint64_t /* imsi */,
             uint16_t cell,
             uint16_t rnti,
             uint8_t /* bearer */)
{
    SetBuffers(client->GetRrc(), size);
    for (LteEnbNetDevice* const baseStation : baseStations)
    {
        if (baseStation->HasCellId(cell) && baseStation->GetRrc()->HasUeManager(rnti))
        {
            SetBuffers(baseStation->GetRrc()->GetUeManager(rnti), size);
        }
    }
}

/**
 * LTE cells with the clients of a server: ns3::LteHelper with its core network (EPC).
 *
 * The server is a remote host, connected to the core network's gateway (PGW) by a point-to-point
 * link. The rate of this link is TrunkRate and its delay is Delay, unless NetworkSetup::links
 * overrides them for the server. Loss applies to this link, in both directions; the radio loses
 * nothing, see below. The only link of a client is the radio, which options cannot change. Clients
 * reach only the server, not each other.
 *
 * The cell: a base station (eNB) in the centre of the square with 10 MHz (50 resource blocks) in
 * each direction around 2.1 GHz, 43 dBm and a noise figure of 5 dB. Clients (UE): up to 23 dBm with
 * power control, noise figure 9 dB, positions and mobility as in a WifiNetwork; a position of the
 * server is ignored. Antennas are isotropic; there is no fading. Path loss: 128.1 dB + 37.6
 * log10(distance in km), the urban macro cell of 3GPP TR 36.942 at 2 GHz. Round-robin scheduling:
 * all active clients have equal shares of the resources. Near the base station the cell carries
 * about 29 Mbit/s down and 30 Mbit/s up for all clients together; at 707 m, in the corners of the
 * largest square, a single client receives 18 Mbit/s and sends 2 Mbit/s. Beyond about 850 m clients
 * appear connected but cannot transfer data; MAX_SIDE excludes that.
 *
 * BaseStations places several on a grid in a larger square, see ChooseGrid(). Clients attach to the
 * nearest one. All cells use the same carrier and interfere with each other. A moving client is
 * handed over (X2) to a base station that it has received 3 dB better for 0.256 s, see
 * ns3::A3RsrpHandoverAlgorithm.
 *
 * The radio loses nothing: the default bearer retransmits lost data (RLC acknowledged mode). Its
 * buffers at both ends, 10 kB in ns-3, hold 500 packets (750 kB), as a Wi-Fi queue does, or
 * QueueSize; packets that do not fit are lost. A client cannot see how full they are, so its UDP is
 * not paced. The core network has ns-3's queues.
 *
 * Clients attach at intervals of 4 ms, because most simultaneous attempts collide; see
 * GetReadyTime(). MAX_CLIENTS follows from the 320 places for sounding signals (SRS) of a base
 * station, some of which failed attempts to attach occupy for a while.
 *
 * A simulation can have only one such network, and any number of others, because ns-3's core
 * network has fixed addresses, and clients find their base station by its number in the simulation.
 * The base station never stops sending, so a simulation ends by Simulator::Stop() only. A simulated
 * second takes about 0.3 s with ten clients, 5 s with a hundred.
 */
class LteNetwork : public Network
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid =
            AddAttributes(MakeTypeId<LteNetwork, Network>("ns3::dlearn::LteNetwork"),
                          {"Loss",
                           "Delay",
                           "TrunkRate",
                           "Mtu",
                           "QueueDisc",
                           "QueueSize",
                           "Side",
                           "Mobility",
                           "Speed"})
                .AddAttribute(
                    "BaseStations",
                    "Base stations, on a grid in the square; clients that move are handed "
                    "over between them",
                    UintegerValue(1),
                    MakeUintegerAccessor(&LteNetwork::m_baseStationNumber),
                    MakeUintegerChecker<uint32_t>(1, 16));
        return tid;
    }

    std::string GetName() const override { return "lte"; }

    Ipv4Address GetAddress(LearnerId from, LearnerId to) const override
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

    bool HasBroadcast() const override { return false; }

    double GetLoss(LearnerId /* from */, LearnerId /* to */) const override
    {
        return GetLink(*m_setup.server).loss; // of all packets; the radio loses nothing
    }

    Time GetReadyTime() const override
    {
        // Measured: the last of 5 clients has its bearer after 0.10 s, of 20 after 0.11 s, of 60
        // after 0.27 s, of 140 after 0.59 s, of 280 after 1.15 s, at any distance.
        return MilliSeconds(400 + m_clients.GetN() * ATTACH_GAP);
    }

    int64_t AssignStreams(int64_t stream) override
    {
        NS_LOG_FUNCTION(this << stream);
        int64_t next = stream;
        next += Network::AssignStreams(next);
        next += m_radio->AssignStreams(NetDeviceContainer(m_baseDevices, m_clientDevices), next);
        next += InternetStackHelper().AssignStreams(m_baseStations, next);
        next += MobilityHelper().AssignStreams(m_nodes, next);
        return next - stream;
    }

    /** @param place cells: a client's is that of the nearest base station, to which it attaches. A
     *  client that moves is behind the base station that serves it */
    std::vector<std::pair<Ptr<Node>, std::vector<LearnerId>>> FindEdges(
        const std::string& place) const override
    {
        Check(place == "cells", "edge servers can be at its cells, got ", place);
        return FindNearest(m_baseStations);
    }

    bool WatchEdges(const EdgeCallback& moved) const override
    {
        if (!m_placement.mobility.IsMoving())
        {
            return false;
        }
        std::map<uint16_t, size_t> edges;
        for (uint32_t k = 0; k < m_baseDevices.GetN(); ++k)
        {
            edges[DynamicCast<LteEnbNetDevice>(m_baseDevices.Get(k))->GetCellId()] = k;
        }
        LearnerId id = 0;
        for (uint32_t k = 0; k < m_clientDevices.GetN(); ++k, ++id)
        {
            id += id == m_setup.server ? 1 : 0;
            const auto rrc = DynamicCast<LteUeNetDevice>(m_clientDevices.Get(k))->GetRrc();
            for (const char* trace : {"ConnectionEstablished", "HandoverEndOk"})
            {
                rrc->TraceConnectWithoutContext(
                    trace,
                    Callback<void, uint64_t, uint16_t, uint16_t>(
                        [=](uint64_t /* imsi */, uint16_t cell, uint16_t /* rnti */) {
                            moved(id, edges.at(cell));
                        }));
            }
            rrc->TraceConnectWithoutContext(
                "RadioLinkFailure",
                Callback<void, uint64_t, uint16_t, uint16_t>(
                    [=](uint64_t, uint16_t, uint16_t) { moved(id, std::nullopt); }));
        }
        return true;
    }

    /**
     * The IP packets of a client begin and end at the gateway of the core network (PGW), so those
     * between a client and its base station go there and back, without local breakout, over links
     * of 10 Gbit/s without delay (attributes of ns3::PointToPointEpcHelper).
     */
    Address MakeReachable(const Ptr<Node>& node) override
    {
        for (uint32_t k = 0; k < m_baseStations.GetN(); ++k)
        {
            if (m_baseStations.Get(k) == node)
            {
                const auto serving = m_core->GetSgwNode();
                const auto gateway = m_core->GetPgwNode();
                const Hop up = FindHop(node, serving);
                const Hop in = FindHop(gateway, serving);
                const Hop out = FindHop(serving, gateway);
                const Ipv4Address own =
                    node->GetObject<Ipv4>()->GetAddress(up.number, 0).GetLocal();
                GetRouting(node)->SetDefaultRoute(up.next, up.number);
                GetRouting(serving)->SetDefaultRoute(out.next, out.number);
                GetRouting(gateway)->AddHostRouteTo(own, in.next, in.number);
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

  protected:
    MtuRange GetMtuRange() const override { return FRAME_MTU; }

    void CheckFits(const Graph& graph) const override
    {
        Check(m_setup.server.has_value(), "needs a server, the host behind the core network");
        const Grid grid = ChooseGrid(m_baseStationNumber);
        const double side = MAX_SIDE * std::min(grid.columns, grid.rows);
        Check(m_placement.side <= side,
              "side must be at most ",
              side,
              " m, which ",
              m_baseStationNumber == 1 ? "the base station covers" : "the base stations cover",
              ", got ",
              m_placement.side);
        CheckPositions(GetName(), m_placement, graph.GetSize(), m_setup.server);
        Check(graph.GetSize() - 1 <= MAX_CLIENTS,
              "a base station can serve " + std::to_string(MAX_CLIENTS) +
                  " clients, the graph has " + std::to_string(graph.GetSize() - 1));
        for (LearnerId id = 0; id < m_setup.links.size(); ++id)
        {
            const LinkOptions& link = m_setup.links[id];
            Check(id == *m_setup.server || (!link.rate && !link.delay && !link.loss),
                  "client " + std::to_string(id) +
                      " can have no rate, delay or loss of its own, its link is the radio");
        }
        CheckChosenDefaults(GetName(), GetQueues());
        CheckAlone();
    }

    void Connect(const Graph& /* graph */) override
    {
        NS_LOG_FUNCTION(this);
        BuildCells();
        AddressClients();
        ConnectServer();
        AttachClients();
    }

  private:
    static constexpr uint32_t MAX_CLIENTS = 280;
    static constexpr double MAX_SIDE = 1000; //!< of a square for one base station, in metres

    /** The way from a node to a neighbour. */
    struct Hop
    {
        uint32_t number{0}; //!< of the interface of the node
        Ipv4Address next;   //!< of the neighbour
    };

    /** @return the way over the point-to-point link between two nodes of the core network */
    static Hop FindHop(const Ptr<Node>& from, const Ptr<Node>& to)
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
                    return {
                        static_cast<uint32_t>(ipv4->GetInterfaceForDevice(channel->GetDevice(end))),
                        other->GetAddress(interface, 0).GetLocal()};
                }
            }
        }
        throw std::logic_error("lte: no link between nodes of the core network");
    }

    /** Refuse a second LTE network in the simulation. */
    void CheckAlone() const
    {
        for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
        {
            for (uint32_t k = 0; k < (*node)->GetNDevices(); ++k)
            {
                Check(!DynamicCast<LteEnbNetDevice>((*node)->GetDevice(k)),
                      "a simulation can have one LTE network only, as ns-3's core network has "
                      "fixed addresses");
            }
        }
    }

    /** Create base stations and clients at their positions. */
    void BuildCells()
    {
        m_positions = PlaceLearners(m_placement, m_nodes.GetN(), m_setup.server);
        for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
        {
            if (id != m_setup.server)
            {
                m_clients.Add(m_nodes.Get(id));
            }
        }
        InstallMobility(GetName(),
                        m_nodes,
                        m_positions,
                        m_placement,
                        m_setup.server,
                        GetReadyTime());
        m_baseStations.Create(m_baseStationNumber);
        PlaceOnGrid(m_baseStations, m_placement.side);

        m_core = CreateObject<PointToPointEpcHelper>();
        m_radio = CreateObject<LteHelper>();
        m_radio->SetEpcHelper(m_core);
        // The core network uses the helpers during the simulation, but does not own them.
        Simulator::ScheduleDestroy([core = m_core, radio = m_radio] {});
        m_radio->SetSchedulerType("ns3::RrFfMacScheduler");
        m_radio->SetPathlossModelType(LogDistancePropagationLossModel::GetTypeId());
        SetRadioDefaults(*m_radio);
        if (m_baseStationNumber > 1)
        {
            m_radio->SetHandoverAlgorithmType("ns3::A3RsrpHandoverAlgorithm");
        }
        m_baseDevices = m_radio->InstallEnbDevice(m_baseStations);
        for (uint32_t k = 0; k < m_baseDevices.GetN(); ++k)
        {
            const auto device = DynamicCast<LteEnbNetDevice>(m_baseDevices.Get(k));
            SetOwnDefault(device->GetPhy(), "TxPower", DoubleValue(43));
            device->GetRrc()->SetAttribute("SrsPeriodicity",
                                           UintegerValue(ChooseSoundingPeriod(m_clients.GetN())));
            SetOwnDefault(device->GetRrc(), "EpsBearerToRlcMapping", StringValue("RlcAmAlways"));
        }
        m_clientDevices = m_radio->InstallUeDevice(m_clients);
        if (m_baseStationNumber > 1)
        {
            m_radio->AddX2Interface(m_baseStations);
        }
    }

    void AddressClients()
    {
        for (uint32_t k = 0; k < m_clients.GetN(); ++k)
        {
            const Ptr<NetDevice> device = m_clientDevices.Get(k);
            const Ipv4Address gateway = m_core->GetUeDefaultGatewayAddress();
            device->SetMtu(GetMtu());
            const uint32_t interface =
                AddInterface(device, Ipv4Address(gateway.Get() + 1 + k), Ipv4Mask("255.0.0.0"));
            GetRouting(m_clients.Get(k))->SetDefaultRoute(gateway, interface);
        }
    }

    void ConnectServer()
    {
        LinkQuality link = GetLink(*m_setup.server);
        if (m_setup.links.empty() || !m_setup.links[*m_setup.server].rate)
        {
            link.rate = m_trunkRate;
        }
        const Ptr<Node> server = m_nodes.Get(*m_setup.server);
        const NetDeviceContainer ends =
            MakeP2pLink(server, m_core->GetPgwNode(), link, GetMtu(), GetQueues());
        const Ipv4Mask mask("255.255.255.252");
        const uint32_t interface = AddInterface(ends.Get(0), Ipv4Address(SERVER_ADDRESS), mask);
        AddInterface(ends.Get(1), Ipv4Address(GATEWAY_ADDRESS), mask);
        GetRouting(server)->SetDefaultRoute(Ipv4Address(GATEWAY_ADDRESS), interface);
        AddLoss(ends.Get(0), link.loss);
        AddLoss(ends.Get(1), link.loss);
    }

    /** Schedule the attachment of each client, and set the buffer sizes of its bearers. */
    void AttachClients()
    {
        std::vector<LteEnbNetDevice*> baseStations;
        for (uint32_t k = 0; k < m_baseDevices.GetN(); ++k)
        {
            baseStations.push_back(PeekPointer(DynamicCast<LteEnbNetDevice>(m_baseDevices.Get(k))));
        }
        for (uint32_t k = 0; k < m_clientDevices.GetN(); ++k)
        {
            const auto client = DynamicCast<LteUeNetDevice>(m_clientDevices.Get(k));
            client->GetRrc()->TraceConnectWithoutContext(
                "DrbCreated",
                MakeBoundCallback(&HandleBearer,
                                  PeekPointer(client),
                                  baseStations,
                                  ChooseBufferSize(GetQueues(), GetMtu())));
            Simulator::Schedule(MilliSeconds(k * ATTACH_GAP),
                                [radio = m_radio, client, to = m_baseDevices] {
                                    radio->AttachToClosestEnb(client, to);
                                });
        }
    }

    uint32_t m_baseStationNumber{1};
    Ptr<PointToPointEpcHelper> m_core;
    Ptr<LteHelper> m_radio;
    NodeContainer m_clients; //!< all learners except the server, in order
    NodeContainer m_baseStations;
    NetDeviceContainer m_baseDevices;
    NetDeviceContainer m_clientDevices;
};

NS_OBJECT_ENSURE_REGISTERED(LteNetwork);

} // namespace

} // namespace ns3::dlearn

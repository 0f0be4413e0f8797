/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-lte-network.h"

#include "dlearn-network-factory.h"
#include "dlearn-p2p-link.h"
#include "dlearn-placement.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-check.h"
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
#include "ns3/point-to-point-epc-helper.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/propagation-loss-model.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnLteNetwork");

namespace
{

const NetworkRegistration g_lte("lte",
                                [](const std::string&) { return std::make_unique<LteNetwork>(); });

// Ends of the link between server and gateway. The core network has 7.0.0.0/8 for the clients and
// a part of 10.0.0.0/8 to 14.0.0.0/8 for itself.
const char* const SERVER_ADDRESS = "1.0.0.1";
const char* const GATEWAY_ADDRESS = "1.0.0.2";

/** Milliseconds between the attempts of two clients to attach. */
constexpr uint32_t ATTACH_GAP = 4;

/** Packets that wait for the air at each end of a bearer, as many as in a queue of Wi-Fi. */
constexpr uint32_t USUAL_PACKETS = 500;

/** Places for sounding signals that are kept for attempts to attach which fail. */
constexpr uint32_t SPARE_PLACES = 40;

/**
 * @param node has static routing
 * @return its routes
 */
Ptr<Ipv4StaticRouting>
GetRouting(Ptr<Node> node)
{
    return Ipv4StaticRoutingHelper().GetStaticRouting(node->GetObject<Ipv4>());
}

/**
 * @param clients number of clients
 * @return period of the sounding signals, in ms, which is also the number of places for them
 */
uint32_t
ChooseSoundingPeriod(uint32_t clients)
{
    const uint32_t places = clients + std::min(clients, SPARE_PLACES);
    // The standard has these; 40 is ns-3's default.
    const std::initializer_list<uint32_t> periods{40, 80, 160, 320};
    return *std::lower_bound(periods.begin(), periods.end(), places);
}

/**
 * @param queues of the network
 * @param mtu bytes of the largest packet
 * @return bytes that wait for the air at each end of a bearer; 0: any number
 */
uint32_t
ChooseBufferSize(const LinkQueues& queues, uint16_t mtu)
{
    const QueueSize size = queues.size.value_or(QueueSize(QueueSizeUnit::PACKETS, USUAL_PACKETS));
    const uint64_t unit = size.GetUnit() == QueueSizeUnit::PACKETS ? mtu : 1;
    const uint64_t bytes = unit * size.GetValue();
    return bytes > std::numeric_limits<uint32_t>::max() ? 0 : static_cast<uint32_t>(bytes);
}

/**
 * Give the bearers of one end of a radio link their buffers.
 * @param owner has an attribute DataRadioBearerMap
 * @param size in bytes; 0: without bound
 */
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

/**
 * Give the radio what suits dlearn better than the defaults of ns-3, where a user has not chosen
 * those.
 * @param radio makes radio devices
 */
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

/** Refuse defaults that would have no effect, or exclude an option. */
void
CheckChosenDefaults(const std::string& name, const LinkQueues& queues)
{
    const TypeId client = LteUePhy::GetTypeId();
    const auto control = FindChosenDefault(client, "EnableUplinkPowerControl");
    Require(!FindChosenDefault(client, "TxPower") ||
                (control && !dynamic_cast<const BooleanValue&>(*control).Get()),
            name,
            ": ns3::LteUePhy::TxPower has no effect, as clients control their power, of which "
            "ns3::LteUePowerControl::Pcmax is the most; set "
            "ns3::LteUePhy::EnableUplinkPowerControl=false");
    for (const TypeId& type : {LteRlcAm::GetTypeId(), LteRlcUm::GetTypeId()})
    {
        Require(!queues.size || !FindChosenDefault(type, "MaxTxBufferSize"),
                name,
                ": queue-size and ",
                type.GetName(),
                "::MaxTxBufferSize exclude each other");
    }
}

/**
 * Sink of the trace source DrbCreated of a client: the bearer is there, at both ends. After a
 * handover it is another one.
 *
 * @param client device of the client, plain pointers as the trace source belongs to it
 * @param baseStations devices of all base stations
 * @param size of the buffers, see SetBuffers()
 * @param cell number of the cell
 * @param rnti number of the client in the cell
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

} // namespace

LteNetwork::LteNetwork() = default;
LteNetwork::~LteNetwork() = default;

Ipv4Address
LteNetwork::GetAddress(LearnerId from, LearnerId to) const
{
    CheckLearner(from);
    CheckLearner(to);
    Require(from == m_server || to == m_server,
            GetName(),
            ": clients ",
            from,
            " and ",
            to,
            " cannot exchange with each other, only with server ",
            m_server);
    if (to == m_server)
    {
        return Ipv4Address(SERVER_ADDRESS);
    }
    return m_nodes.Get(to)->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal();
}

double
LteNetwork::GetLoss(LearnerId /* from */, LearnerId /* to */) const
{
    return m_losses[m_server]; // the way of all packets; the radio loses nothing
}

MtuRange
LteNetwork::GetMtuRange() const
{
    return FRAME_MTU;
}

Time
LteNetwork::GetReadyTime() const
{
    // Measured: the last of 5 clients has its bearer after 0.10 s, of 20 after 0.11 s, of 60 after
    // 0.27 s, of 140 after 0.59 s, of 280 after 1.15 s; near and far.
    return MilliSeconds(400 + m_clients.GetN() * ATTACH_GAP);
}

void
LteNetwork::CheckFits(const Graph& graph, const NetworkOptions& options) const
{
    Require(options.server.has_value(),
            GetName(),
            ": needs a server, the host behind the core network");
    Require(options.baseStations >= 1 && options.baseStations <= MAX_BASE_STATIONS,
            GetName(),
            ": base stations must be from 1 to ",
            MAX_BASE_STATIONS,
            ", got ",
            options.baseStations);
    const Grid grid = ChooseGrid(options.baseStations);
    const double side = MAX_SIDE * std::min(grid.columns, grid.rows);
    Require(options.side <= side,
            GetName(),
            ": side must be at most ",
            side,
            " m, which ",
            options.baseStations == 1 ? "the base station covers" : "the base stations cover",
            ", got ",
            options.side);
    CheckPositions(GetName(), options, graph.GetSize(), options.server);
    Require(graph.GetSize() - 1 <= MAX_CLIENTS,
            GetName(),
            ": a base station can serve ",
            MAX_CLIENTS,
            " clients, the graph has ",
            graph.GetSize() - 1);
    for (LearnerId id = 0; id < options.links.size(); ++id)
    {
        const LinkOptions& link = options.links[id];
        Require(id == *options.server || (!link.rate && !link.delay && !link.loss),
                GetName(),
                ": client ",
                id,
                " can have no rate, delay or loss of its own, its link is the radio");
    }
    CheckChosenDefaults(GetName(), options.queues);
    CheckAlone();
}

void
LteNetwork::CheckAlone() const
{
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t k = 0; k < (*node)->GetNDevices(); ++k)
        {
            Require(!DynamicCast<LteEnbNetDevice>((*node)->GetDevice(k)),
                    GetName(),
                    ": a simulation can have one LTE network only, as ns-3's core network has "
                    "fixed addresses");
        }
    }
}

void
LteNetwork::Connect(const Graph& /* graph */, const NetworkOptions& options)
{
    NS_LOG_FUNCTION(this);
    m_server = *options.server;
    BuildCells(options);
    AddressClients();
    ConnectServer(options);
    AttachClients();
}

void
LteNetwork::BuildCells(const NetworkOptions& options)
{
    m_positions = PlaceLearners(options, m_nodes.GetN(), m_server);
    for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
    {
        if (id != m_server)
        {
            m_clients.Add(m_nodes.Get(id));
        }
    }
    InstallMobility(GetName(), m_nodes, m_positions, options, m_server, GetReadyTime());
    m_baseStations.Create(options.baseStations);
    PlaceOnGrid(m_baseStations, options);

    m_core = CreateObject<PointToPointEpcHelper>();
    m_radio = CreateObject<LteHelper>();
    m_radio->SetEpcHelper(m_core);
    // The core network uses the helpers during the whole simulation, but does not own them.
    Simulator::ScheduleDestroy([core = m_core, radio = m_radio] {});
    m_radio->SetSchedulerType("ns3::RrFfMacScheduler");
    m_radio->SetPathlossModelType(LogDistancePropagationLossModel::GetTypeId());
    SetRadioDefaults(*m_radio);
    if (options.baseStations > 1)
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
    if (options.baseStations > 1)
    {
        m_radio->AddX2Interface(m_baseStations);
    }
}

void
LteNetwork::AddressClients()
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

void
LteNetwork::ConnectServer(const NetworkOptions& options)
{
    LinkQuality link = GetLink(options, m_server);
    if (options.links.empty() || !options.links[m_server].rate)
    {
        link.rate = options.trunkRate;
    }
    const Ptr<Node> server = m_nodes.Get(m_server);
    const NetDeviceContainer ends =
        MakeP2pLink(server, m_core->GetPgwNode(), link.rate, link.delay, GetMtu(), GetQueues());
    const Ipv4Mask mask("255.255.255.252");
    const uint32_t interface = AddInterface(ends.Get(0), Ipv4Address(SERVER_ADDRESS), mask);
    AddInterface(ends.Get(1), Ipv4Address(GATEWAY_ADDRESS), mask);
    GetRouting(server)->SetDefaultRoute(Ipv4Address(GATEWAY_ADDRESS), interface);
    AddLoss(ends.Get(0), link.loss);
    AddLoss(ends.Get(1), link.loss);
}

void
LteNetwork::AttachClients()
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

int64_t
LteNetwork::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    int64_t next = stream;
    next += Network::AssignStreams(next);
    next += m_radio->AssignStreams(NetDeviceContainer(m_baseDevices, m_clientDevices), next);
    next += InternetStackHelper().AssignStreams(m_baseStations, next);
    next += MobilityHelper().AssignStreams(m_nodes, next);
    return next - stream;
}

bool
LteNetwork::HasEffect(const std::string& option) const
{
    // The link behind the core network has the trunk rate.
    return IsQueueOption(option) || option == "delay" || option == "loss" ||
           option == "trunk-rate" || option == "side" || option == "base-stations";
}

} // namespace ns3::dlearn

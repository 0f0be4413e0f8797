/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network.h"

#include "ns3/boolean.h"
#include "ns3/channel.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-host-tcp-socket.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/mobility-model.h"
#include "ns3/node.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnNetwork");

NS_OBJECT_ENSURE_REGISTERED(Network);

TypeId
Network::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<Network, Object>("ns3::dlearn::Network")
            .AddAttribute(
                "HostTcp",
                "Whether nodes use a TCP with Linux's loss recovery instead of ns-3's TCP",
                BooleanValue(true),
                MakeBooleanAccessor(&Network::m_hostTcp),
                MakeBooleanChecker());
    return tid;
}

TypeId
Network::AddAttributes(TypeId tid, const std::set<std::string>& names)
{
    struct Attribute
    {
        const char* name;
        const char* help;
        Ptr<const AttributeValue> initial;
        Ptr<const AttributeAccessor> accessor;
        Ptr<const AttributeChecker> checker;
    };

    const Attribute attributes[]{
        // Wired: loss of every IP packet, including TCP acknowledgements. Radio: loss of every
        // frame, including beacons and acknowledgements, before the retransmissions of IEEE 802.11;
        // so unicast loses far less and takes longer, while broadcast loses at exactly this rate.
        {"Loss",
         "Probability that a packet is lost, [0, 1)",
         Create<DoubleValue>(0),
         MakeDoubleAccessor(&Network::m_loss),
         MakeDoubleChecker<double>(0, 1)},
        {"Delay",
         "Propagation delay of a wired link",
         Create<TimeValue>(MilliSeconds(1)),
         MakeTimeAccessor(&Network::m_delay),
         MakeTimeChecker(Time(0))},
        {"Rate",
         "Rate of a wired link",
         Create<DataRateValue>(DataRate("100Mbps")),
         MakeDataRateAccessor(&Network::m_rate),
         MakeDataRateChecker()},
        {"TrunkRate",
         "Rate of links between routers, in networks with routers",
         Create<DataRateValue>(DataRate("1Gbps")),
         MakeDataRateAccessor(&Network::m_trunkRate),
         MakeDataRateChecker()},
        {"Mtu",
         "Largest IP packet in bytes; 0: the default of the network, mostly 1500; on wired links, "
         "a larger value means fewer packets to simulate",
         Create<UintegerValue>(0),
         MakeUintegerAccessor(&Network::m_mtuWanted),
         MakeUintegerChecker<uint32_t>(0, 65535)},
        {"QueueDisc",
         "Queue disc of every interface, see GetQueueDiscFamily(); empty: none where neighbours "
         "have separate links, otherwise fq-codel",
         Create<StringValue>(""),
         MakeStringAccessor(&Network::m_queueDisc),
         MakeStringChecker()},
        {"QueueSize",
         "Size of the queue disc or, without one, of the device queue: 100p, 64kB, unlimited; "
         "empty: the default of ns-3",
         Create<StringValue>(""),
         MakeStringAccessor(&Network::m_queueSize),
         MakeStringChecker()},
        {"Side",
         "Side in metres of the square of positions",
         Create<DoubleValue>(60),
         MakeDoubleAccessor(&Network::m_side),
         MakeDoubleChecker<double>(0.001, 1e12)},
        {"Mobility",
         "How learners move, see LearnerMobility::Parse()",
         Create<StringValue>("none"),
         MakeStringAccessor(&Network::m_mobility),
         MakeStringChecker()},
        {"Speed",
         "Default speed of mobility models, in metres per second",
         Create<DoubleValue>(1.5),
         MakeDoubleAccessor(&Network::m_speed),
         MakeDoubleChecker<double>(0.001, 10000)}};
    for (const auto& [name, help, initial, accessor, checker] : attributes)
    {
        if (names.count(name) > 0)
        {
            tid.AddAttribute(name, help, *initial, accessor, checker);
        }
    }
    return tid;
}

LinkQuality
Network::GetLink(const NetworkSetup& setup, LearnerId id) const
{
    const LinkOptions own = setup.links.empty() ? LinkOptions() : setup.links[id];
    return {own.rate.value_or(m_rate), own.delay.value_or(m_delay), own.loss.value_or(m_loss)};
}

bool
Network::HaveAllTheirOwn(const std::string& attribute) const
{
    for (LearnerId id = 0; id < m_setup.links.size(); ++id)
    {
        const LinkOptions& link = m_setup.links[id];
        const bool own = attribute == "Rate"    ? link.rate.has_value()
                         : attribute == "Delay" ? link.delay.has_value()
                                                : attribute == "Loss" && link.loss;
        if (!own && id != m_setup.server)
        {
            return false;
        }
    }
    return !m_setup.links.empty();
}

bool
Network::IsIdle(const std::string& attribute) const
{
    // The attribute is the loss of the packets that a server receives.
    return attribute == "Loss" && !m_setup.server && HaveAllTheirOwn(attribute);
}

void
Network::CheckServer(const Graph& graph, LearnerId server) const
{
    Check(server < graph.GetSize(),
          "server must be a learner, less than " + std::to_string(graph.GetSize()) + ", got " +
              std::to_string(server));
    const std::string star = "with a server the graph must be a star around it, but ";
    std::vector<bool> joined(graph.GetSize());
    joined[server] = true;
    for (const auto& [a, b] : graph.GetPairs())
    {
        Check(a == server || b == server, star, "learners ", a, " and ", b, " are joined");
        joined[a == server ? b : a] = true;
    }
    const auto lonely = std::find(joined.begin(), joined.end(), false);
    Check(lonely == joined.end(),
          star + "learner " + std::to_string(lonely - joined.begin()) +
              " is not joined with server " + std::to_string(server));
}

void
Network::CheckLink(const LinkQuality& link, const std::string& whose) const
{
    // This form also refuses NaN.
    Check(link.loss >= 0 && link.loss < 1, "loss", whose, " must be in [0, 1), got ", link.loss);
    Check(!link.delay.IsStrictlyNegative(),
          "delay" + whose + " must be at least 0, got ",
          link.delay.As(Time::S));
    Check(link.rate.GetBitRate() > 0, "rate", whose, " must be greater than 0, got 0 bit/s");
}

void
Network::CheckSetup(const Graph& graph) const
{
    CheckLink({m_rate, m_delay, m_loss}, "");
    Check(m_trunkRate.GetBitRate() > 0, "trunk rate must be greater than 0, got 0 bit/s");
    if (m_setup.server)
    {
        CheckServer(graph, *m_setup.server);
    }
    if (!m_setup.links.empty())
    {
        RequireSize(GetName(), "links", m_setup.links.size(), graph.GetSize());
    }
    for (LearnerId id = 0; id < m_setup.links.size(); ++id)
    {
        CheckLink(GetLink(id), " of learner " + std::to_string(id));
    }
    Check(m_setup.schedule.GetEvents().empty() || HasPairLinks(),
          "a schedule of links needs a network in which neighbours have links of their own, such "
          "as p2p");
}

void
Network::Build(const Graph& graph, const NetworkSetup& setup)
{
    NS_LOG_FUNCTION(this << GetName() << graph.GetSize());
    Check(m_nodes.GetN() == 0, "a network can be built only once");
    m_setup = setup;
    m_placement = {m_side,
                   LearnerMobility::Parse(m_mobility),
                   m_speed,
                   setup.timesFromReady,
                   setup.positions,
                   setup.positionStream};
    m_queues = LinkQueues::Parse(m_queueDisc, m_queueSize);
    if (!m_queues.disc)
    {
        m_queues.disc = HasPairLinks() ? ObjectFactory() : ObjectFactory("ns3::FqCoDelQueueDisc");
    }
    CheckSetup(graph);
    CheckFits(graph);
    const MtuRange range = GetMtuRange();
    const uint32_t mtu = m_mtuWanted == 0 ? range.usual : m_mtuWanted;
    Check(m_mtuWanted == 0 || (mtu >= MtuRange::LEAST && mtu <= range.largest),
          "mtu must be from " + std::to_string(MtuRange::LEAST) + " to " +
              std::to_string(range.largest) + ", got " + std::to_string(mtu));
    m_mtu = static_cast<uint16_t>(mtu);
    Simulator::ScheduleDestroy([span = m_span] {
        span->discs.clear();
        span->over = true;
    });
    m_nodes = MakeNodes(graph.GetSize());
    Connect(graph);
    if (m_hostTcp)
    {
        HostTcpSocketFactory::Install(m_nodes);
        HostTcpSocketFactory::Install(GetRouters()); // from which other applications may send
    }
    NS_LOG_INFO(GetName() << ": " << m_nodes.GetN() << " learners, " << graph.GetPairs().size()
                          << " pairs of neighbours, MTU " << m_mtu);
}

void
Network::CheckNotOver() const
{
    Check(!m_span->over, "the network has ended with Simulator::Destroy(); build another one");
}

const NodeContainer&
Network::GetNodes() const
{
    CheckNotOver();
    return m_nodes;
}

NodeContainer
Network::MakeNodes(uint32_t learners)
{
    const NodeContainer nodes = CreateNodes(0, learners);
    InstallStack(nodes);
    return nodes;
}

NodeContainer
Network::CreateNodes(uint32_t first, uint32_t number) const
{
    NodeContainer nodes;
    for (uint32_t node = first; node < first + number; ++node)
    {
        nodes.Create(1, m_setup.rankOf.empty() ? 0 : m_setup.rankOf.at(node));
    }
    return nodes;
}

RankGraph
Network::MakeRankGraph(const Graph& graph)
{
    RankGraph ranks;
    ranks.learners = graph.GetSize();
    ranks.nodes = graph.GetSize();
    ranks.work.assign(graph.GetSize(), 0);
    for (const auto& [a, b] : graph.GetPairs())
    {
        ++ranks.work[a];
        ++ranks.work[b];
    }
    return ranks;
}

RankGraph
Network::GetRankGraph(const Graph& /* graph */, const NetworkSetup& /* setup */) const
{
    throw std::invalid_argument("network " + GetName() +
                                " cannot be divided among ranks, which needs point-to-point links "
                                "with a delay: use tree, backbone or p2p");
}

void
Network::InstallStack(const NodeContainer& nodes)
{
    // Static routing only: the topology never changes, and a second protocol would double the time
    // of every lookup.
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
    stack.Install(nodes);
}

Address
Network::MakeReachable(const Ptr<Node>& node)
{
    const auto places = ListAddresses(*node);
    const auto place =
        std::find_if(places.begin(), places.end(), [](const NodeAddress& p) { return p.up; });
    Check(place != places.end(),
          "node " + std::to_string(node->GetId()) +
              " has no address, so it can neither send nor receive");
    return place->ip;
}

std::vector<std::pair<Ptr<Node>, std::vector<LearnerId>>>
Network::FindEdges(const std::string& place) const
{
    throw std::invalid_argument("network " + GetName() + " has no " + place +
                                " at which edge servers could be; tree and backbone have routers, "
                                "wifi-infra access-points, lte and nr cells");
}

std::vector<std::pair<Ptr<Node>, std::vector<LearnerId>>>
Network::FindNearest(const NodeContainer& places) const
{
    std::vector<std::vector<LearnerId>> near(places.GetN());
    for (LearnerId id = 0; id < m_nodes.GetN(); ++id)
    {
        std::map<double, uint32_t> distances;
        for (uint32_t k = 0; k < places.GetN() && id != m_setup.server; ++k)
        {
            const auto from = m_nodes.Get(id)->GetObject<MobilityModel>();
            distances.emplace(from->GetDistanceFrom(places.Get(k)->GetObject<MobilityModel>()), k);
        }
        if (!distances.empty())
        {
            near[distances.begin()->second].push_back(id);
        }
    }
    std::vector<std::pair<Ptr<Node>, std::vector<LearnerId>>> edges;
    for (uint32_t k = 0; k < places.GetN(); ++k)
    {
        if (!near[k].empty() || m_placement.mobility.IsMoving())
        {
            edges.emplace_back(places.Get(k), near[k]);
        }
    }
    return edges;
}

namespace
{

/** @return the first point-to-point device of a node; null: none */
Ptr<PointToPointNetDevice>
FindP2pDevice(const Node& node)
{
    Ptr<PointToPointNetDevice> device;
    for (uint32_t k = 0; k < node.GetNDevices() && !device; ++k)
    {
        device = DynamicCast<PointToPointNetDevice>(node.GetDevice(k));
    }
    return device;
}

} // namespace

Uplink
Network::FindUplink(LearnerId client)
{
    const auto device = FindP2pDevice(*GetNode(client));
    Require(device != nullptr,
            "uplink-allocation and uplink-power need uplinks that the network can set, as those of "
            "p2p, tree and wifi-infra; client {} of network {} has none",
            client,
            GetName());
    DataRateValue rate;
    device->GetAttribute("DataRate", rate);
    m_uplinkRates.emplace(client, rate.Get().GetBitRate()); // later ones are parts of it
    TimeValue delay;
    device->GetChannel()->GetAttribute("Delay", delay);
    return {delay.Get(), {{m_uplinkRates.at(client), 0}}};
}

void
Network::GrantUplinks(const std::vector<UplinkGrant>& grants)
{
    for (const UplinkGrant& grant : grants)
    {
        const double rate = std::max(1.0, grant.share * grant.mode.rate);
        FindP2pDevice(*GetNode(grant.client))->SetDataRate(DataRate(std::llround(rate)));
    }
}

void
Network::AddGuests(const NodeContainer& nodes)
{
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        const auto host = std::find(m_nodes.Begin(), m_nodes.End(), *node);
        Guest guest{*node, std::nullopt, Address()};
        if (host != m_nodes.End())
        {
            guest.host = host - m_nodes.Begin();
        }
        else
        {
            guest.address = MakeReachable(*node);
        }
        m_guests.push_back(guest);
        if (!m_positions.empty())
        {
            const auto mobility = (*node)->GetObject<MobilityModel>();
            m_positions.push_back(
                mobility ? std::make_pair(mobility->GetPosition().x, mobility->GetPosition().y)
                         : m_positions[guest.host.value_or(0)]);
        }
    }
}

Ptr<Node>
Network::GetNode(LearnerId id) const
{
    const uint32_t learners = GetNodes().GetN();
    Check(id < learners + m_guests.size(),
          "learner must be less than ",
          learners + m_guests.size(),
          ", got ",
          id);
    return id < learners ? m_nodes.Get(id) : m_guests[id - learners].node;
}

LearnerId
Network::GetHost(LearnerId id) const
{
    const uint32_t learners = m_nodes.GetN();
    return id < learners ? id : m_guests.at(id - learners).host.value_or(0);
}

Address
Network::FindIpAddress(LearnerId from, LearnerId to) const
{
    const uint32_t learners = m_nodes.GetN();
    if (to >= learners && !m_guests.at(to - learners).host)
    {
        return m_guests[to - learners].address;
    }
    const LearnerId host = GetHost(to);
    const LearnerId source = GetHost(from);
    return GetIpAddress(source == host && source == 0 ? 1 : source, host);
}

int64_t
Network::AssignStreams(int64_t stream)
{
    NS_LOG_FUNCTION(this << stream);
    CheckNotOver();
    Check(m_nodes.GetN() > 0, "AssignStreams must be called after Build");
    int64_t next = stream;
    next += InternetStackHelper().AssignStreams(m_nodes, next);
    for (const auto& model : m_lossModels)
    {
        next += model->AssignStreams(next);
    }
    next += AssignQueueStreams(m_span->discs, next);
    return next - stream;
}

uint32_t
Network::AddInterface(Ptr<NetDevice> device, Ipv4Address address, Ipv4Mask mask)
{
    NS_LOG_FUNCTION(device << address << mask);
    // Not by Ipv4AddressHelper, which remembers addresses for the whole process, so that a second
    // network could not use the same range.
    Ptr<Ipv4> ipv4 = device->GetNode()->GetObject<Ipv4>();
    const uint32_t interface = ipv4->AddInterface(device);
    ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, mask));
    ipv4->SetMetric(interface, 1);
    ipv4->SetUp(interface);
    const auto discs = GetQueues().InstallDisc(device);
    m_span->discs.insert(m_span->discs.end(), discs.begin(), discs.end());
    return interface;
}

Ptr<ErrorModel>
Network::MakeLossModel(double loss)
{
    Ptr<RateErrorModel> model = CreateObject<RateErrorModel>();
    model->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    model->SetRate(loss);
    m_lossModels.push_back(model);
    return model;
}

void
Network::AddLoss(Ptr<NetDevice> device,
                 double loss,
                 const std::vector<std::pair<Time, double>>& changes)
{
    NS_LOG_FUNCTION(this << device << loss << changes.size());
    if (loss == 0 && changes.empty())
    {
        return;
    }
    device->SetAttribute("ReceiveErrorModel", PointerValue(MakeLossModel(loss)));
    for (const auto& [time, rate] : changes)
    {
        Simulator::Schedule(GetDelayUntil("a change of loss", Simulator::Now(), time),
                            &RateErrorModel::SetRate,
                            m_lossModels.back(),
                            rate);
    }
}

void
Network::AddWarnings(const std::vector<std::string>& warnings)
{
    m_warnings.insert(m_warnings.end(), warnings.begin(), warnings.end());
}

void
Network::RequireLossOnly() const
{
    for (LearnerId id = 0; id < m_setup.links.size(); ++id)
    {
        const LinkOptions& link = m_setup.links[id];
        Check(!link.rate && !link.delay,
              "learner " + std::to_string(id) + " can have a loss of its own, but no " +
                  (link.rate ? "rate" : "delay"));
    }
}

void
Network::CheckLearner(LearnerId id) const
{
    CheckNotOver();
    Check(id < m_nodes.GetN(), "learner must be less than ", m_nodes.GetN(), ", got ", id);
}

const ComponentFamily&
GetNetworkFamily()
{
    static const ComponentFamily family{"network", Network::GetTypeId(), {"Network"}, true};
    return family;
}

Ptr<Network>
CreateNetwork(const std::string& text)
{
    const auto require = [&text](const char* network, const char* module) {
        Require(GetComponentName(text) != network || IsComponent(GetNetworkFamily(), text),
                "network ",
                network,
                " needs ns-3's module ",
                module,
                ", without which this ns-3 was built; configure ns-3 with it, build ns-3, then "
                "build dlearn again");
    };
    require("lte", "lte");
    require("nr", "nr (5G-LENA)");
    require("wifi-mesh", "mesh");
    return ParseComponent(GetNetworkFamily(), text).Create<Network>();
}

} // namespace ns3::dlearn

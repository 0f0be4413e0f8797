/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-host-tcp-socket.h"
#include "ns3/dlearn-simulated-time.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnNetwork");

namespace
{

/** @return whether two factories make different objects */
bool
Differ(const ObjectFactory& a, const ObjectFactory& b)
{
    const auto write = [](const ObjectFactory& factory) {
        std::ostringstream text;
        if (factory.IsTypeIdSet()) // else it has no text
        {
            text << factory;
        }
        return text.str();
    };
    return write(a) != write(b);
}

/** @return the options of Network::HasEffect() that have another value than their default */
std::vector<std::string>
ListChanged(const NetworkOptions& own)
{
    const NetworkOptions usual;
    const std::pair<const char*, bool> options[]{
        {"loss", own.loss != usual.loss},
        {"rate", own.rate != usual.rate},
        {"delay", own.delay != usual.delay},
        {"trunk-rate", own.trunkRate != usual.trunkRate},
        {"queue-disc", own.queues.disc.has_value()},
        {"queue-size", own.queues.size.has_value()},
        {"side", own.side != usual.side},
        {"wifi", own.radio.preset != usual.radio.preset},
        {"wifi-standard", own.radio.standard != usual.radio.standard},
        {"wifi-width", own.radio.width != usual.radio.width},
        {"rate-manager", own.radio.rates != usual.radio.rates},
        {"path-loss", Differ(own.radio.pathLoss, usual.radio.pathLoss)},
        {"fading", Differ(own.radio.fading, usual.radio.fading)},
        {"routing", Differ(own.routing, usual.routing)},
        {"access-points", own.accessPoints != usual.accessPoints},
        {"base-stations", own.baseStations != usual.baseStations}};
    std::vector<std::string> changed;
    for (const auto& [option, differs] : options)
    {
        if (differs)
        {
            changed.emplace_back(option);
        }
    }
    return changed;
}

} // namespace

LinkQuality
NetworkOptions::GetLink(LearnerId id) const
{
    const LinkOptions own = links.empty() ? LinkOptions() : links[id];
    return {own.rate.value_or(rate), own.delay.value_or(delay), own.loss.value_or(loss)};
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
    // Written so that NaN is refused too.
    Check(link.loss >= 0 && link.loss < 1, "loss", whose, " must be in [0, 1), got ", link.loss);
    Check(!link.delay.IsStrictlyNegative(),
          "delay" + whose + " must be at least 0, got ",
          link.delay.As(Time::S));
    Check(link.rate.GetBitRate() > 0, "rate", whose, " must be greater than 0, got 0 bit/s");
}

void
Network::CheckOptions(const Graph& graph, const NetworkOptions& options) const
{
    CheckLink({options.rate, options.delay, options.loss}, "");
    Check(options.trunkRate.GetBitRate() > 0, "trunk rate must be greater than 0, got 0 bit/s");
    RequirePositive(GetName(), "side", options.side);
    if (options.mobility.IsOn())
    {
        RequirePositive(GetName(), "speed", options.speed);
    }
    if (options.server)
    {
        CheckServer(graph, *options.server);
    }
    if (!options.links.empty())
    {
        RequireSize(GetName(), "links", options.links.size(), graph.GetSize());
    }
    for (LearnerId id = 0; id < options.links.size(); ++id)
    {
        CheckLink(options.GetLink(id), " of learner " + std::to_string(id));
    }
    Check(options.schedule.GetEvents().empty() || HasPairLinks(),
          "a schedule of links needs a network in which neighbours have links of their own, such "
          "as p2p");
}

void
Network::Build(const Graph& graph, const NetworkOptions& options)
{
    NS_LOG_FUNCTION(this << GetName() << graph.GetSize());
    Check(m_nodes.GetN() == 0, "a network can be built only once");
    CheckOptions(graph, options);
    CheckFits(graph, options);
    const MtuRange range = GetMtuRange();
    const uint32_t mtu = options.mtu.value_or(range.usual);
    Check(!options.mtu || (mtu >= MtuRange::LEAST && mtu <= range.largest),
          "mtu must be from " + std::to_string(MtuRange::LEAST) + " to " +
              std::to_string(range.largest) + ", got " + std::to_string(mtu));
    m_mtu = static_cast<uint16_t>(mtu);
    m_server = options.server;
    m_queues = options.queues;
    if (!m_queues.disc)
    {
        m_queues.disc = HasPairLinks() ? ObjectFactory() : ObjectFactory("ns3::FqCoDelQueueDisc");
    }
    m_ownOfAll = {"rate", "delay", "loss"};
    for (LearnerId id = 0; id < graph.GetSize(); ++id)
    {
        m_losses.push_back(options.GetLink(id).loss);
        const LinkOptions own = options.links.empty() ? LinkOptions() : options.links[id];
        for (const auto& [option, given] : {std::pair("rate", own.rate.has_value()),
                                            std::pair("delay", own.delay.has_value()),
                                            std::pair("loss", own.loss.has_value())})
        {
            if (!given && id != m_server)
            {
                m_ownOfAll.erase(option);
            }
        }
    }
    Simulator::ScheduleDestroy([span = m_span] {
        span->discs.clear();
        span->over = true;
    });
    m_nodes = MakeNodes(graph.GetSize(), options);
    Connect(graph, options);
    if (options.hostTcp)
    {
        HostTcpSocketFactory::Install(m_nodes);
        HostTcpSocketFactory::Install(GetRouters()); // from which others may send
    }
    for (const std::string& option : ListChanged(options))
    {
        if (!options.ignoreUseless)
        {
            RequireEffect(option);
        }
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
Network::MakeNodes(uint32_t learners, const NetworkOptions& options)
{
    const NodeContainer nodes = CreateNodes(options, 0, learners);
    InstallStack(nodes);
    return nodes;
}

NodeContainer
Network::CreateNodes(const NetworkOptions& options, uint32_t first, uint32_t number)
{
    NodeContainer nodes;
    for (uint32_t node = first; node < first + number; ++node)
    {
        nodes.Create(1, options.rankOf.empty() ? 0 : options.rankOf.at(node));
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
Network::GetRankGraph(const Graph& /* graph */, const NetworkOptions& /* options */) const
{
    throw std::invalid_argument("network " + GetName() +
                                " cannot be divided among ranks, which needs point-to-point links "
                                "with a delay: use tree, backbone or p2p");
}

void
Network::InstallStack(const NodeContainer& nodes)
{
    // Static routing only: positions in the topology never change, and a second protocol would
    // double the time of every look-up.
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

void
Network::RequireEffect(const std::string& option) const
{
    // The link of a server loses as the option says, where it has one.
    const bool useless = option == "loss" && !m_server && HaveAllTheirOwn(option);
    Require(HasEffect(option) && !useless,
            "option " + option + " has no effect on network " + GetName(),
            HaveAllTheirOwn(option) ? ", where every link has a " + option + " of its own" : "");
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
    // By hand: Ipv4AddressHelper would remember the address for the whole process, so that a second
    // network in it could not use the same range.
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

bool
Network::IsQueueOption(const std::string& option)
{
    return option == "queue-disc" || option == "queue-size" || option == "cross-traffic";
}

void
Network::RequireStill(const NetworkOptions& options) const
{
    Check(!options.mobility.IsOn(), "mobility needs a radio network");
}

void
Network::RequireLossOnly(const NetworkOptions& options) const
{
    for (LearnerId id = 0; id < options.links.size(); ++id)
    {
        const LinkOptions& link = options.links[id];
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

namespace
{

/** How to make one kind of network. */
struct NetworkKind
{
    std::string argument; //!< with its colon, in capitals; or empty
    NetworkRegistration::Maker make;
};

/** @return all registered networks, by their name before the colon */
std::map<std::string, NetworkKind>&
GetKinds()
{
    static std::map<std::string, NetworkKind> kinds; // here, as registrations are static, too
    return kinds;
}

/** @return what refuses the network */
[[maybe_unused]] NetworkRegistration::Maker
RefuseWithout(const std::string& network, const std::string& module)
{
    return [network, module](const std::string&) -> std::unique_ptr<Network> {
        throw std::invalid_argument("network " + network + " needs ns-3's module " + module +
                                    ", without which this ns-3 was built; configure ns-3 with "
                                    "it, build ns-3, then build dlearn again");
    };
}

#ifndef DLEARN_WITH_LTE
const NetworkRegistration g_noLte("lte", RefuseWithout("lte", "lte"));
#endif

#ifndef DLEARN_WITH_MESH
const NetworkRegistration g_noMesh("wifi-mesh", RefuseWithout("wifi-mesh", "mesh"));
#endif

} // namespace

NetworkRegistration::NetworkRegistration(const std::string& name, Maker make)
{
    const size_t colon = name.find(':');
    const std::string argument = colon == std::string::npos ? "" : name.substr(colon);
    const bool isNew = GetKinds().insert({name.substr(0, colon), {argument, make}}).second;
    Require(isNew, "network ", name, " is registered already");
}

std::string
GetNetworkNames()
{
    std::string names;
    for (const auto& [name, kind] : GetKinds())
    {
        names += (names.empty() ? "" : ", ") + name + kind.argument;
    }
    return names;
}

std::unique_ptr<Network>
CreateNetwork(const std::string& name)
{
    const size_t colon = name.find(':');
    const auto kind = GetKinds().find(name.substr(0, colon));
    Require(kind != GetKinds().end() &&
                kind->second.argument.empty() == (colon == std::string::npos),
            "network must be one of " + GetNetworkNames() + "; got '" + name + "'");
    Require(colon + 1 != name.size(),
            "network must be " + kind->first + kind->second.argument + ", got '" + name + "'");
    auto network = kind->second.make(colon == std::string::npos ? "" : name.substr(colon + 1));
    Require(network != nullptr, "network ", name, ": what it was registered with makes none");
    return network;
}

} // namespace ns3::dlearn

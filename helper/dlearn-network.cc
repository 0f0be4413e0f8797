/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-network.h"

#include "dlearn-csma-network.h"
#include "dlearn-ideal-network.h"
#include "dlearn-p2p-network.h"
#include "dlearn-wifi-adhoc-network.h"
#include "dlearn-wifi-infra-network.h"

#include "ns3/dlearn-check.h"
#include "ns3/double.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-static-routing-helper.h"
#include "ns3/ipv4.h"
#include "ns3/node.h"

namespace ns3
{
namespace dlearn
{

namespace
{

/**
 * Refuse options that no network can give.
 * @param name the network
 * @param options what the user asked for
 */
void
CheckOptions(const std::string& name, const NetworkOptions& options)
{
    // Written so that NaN is refused too.
    Require(options.loss >= 0 && options.loss < 1,
            name,
            ": loss must be in [0, 1), got ",
            options.loss);
    Require(!options.delay.IsStrictlyNegative(),
            name,
            ": delay must be at least 0, got ",
            options.delay.As(Time::S));
    Require(options.rate.GetBitRate() > 0,
            name,
            ": rate must be greater than 0, got ",
            options.rate.GetBitRate(),
            " bit/s");
    RequirePositive(name, "side", options.side);
    if (options.mobility)
    {
        RequirePositive(name, "speed", options.speed);
    }
}

} // namespace

void
Network::Build(const Graph& graph, const NetworkOptions& options)
{
    Require(m_nodes.GetN() == 0, GetName(), ": a network can be built only once");
    CheckOptions(GetName(), options);
    CheckFits(graph, options);
    m_nodes.Create(graph.GetSize());

    // Static routing only: learners talk to neighbours, so the routes to the connected subnets
    // are all there is, and a second protocol would double the time of every look-up.
    InternetStackHelper stack;
    stack.SetIpv6StackInstall(false);
    stack.SetRoutingHelper(Ipv4StaticRoutingHelper());
    stack.Install(m_nodes);

    Connect(graph, options);
}

const NodeContainer&
Network::GetNodes() const
{
    return m_nodes;
}

Time
Network::GetReadyTime() const
{
    return Time(0);
}

const std::vector<std::pair<double, double>>&
Network::GetPositions() const
{
    return m_positions;
}

int64_t
Network::AssignStreams(int64_t stream)
{
    Require(m_nodes.GetN() > 0, GetName(), ": AssignStreams must be called after Build");
    int64_t next = stream;
    next += InternetStackHelper().AssignStreams(m_nodes, next);
    for (const auto& model : m_lossModels)
    {
        next += model->AssignStreams(next);
    }
    return next - stream;
}

void
Network::AddInterface(Ptr<NetDevice> device, Ipv4Address address, Ipv4Mask mask)
{
    // By hand: Ipv4AddressHelper would add a queue disc and remember the address for the whole
    // process, so that a second network in it could not use the same range.
    Ptr<Ipv4> ipv4 = device->GetNode()->GetObject<Ipv4>();
    const uint32_t interface = ipv4->AddInterface(device);
    ipv4->AddAddress(interface, Ipv4InterfaceAddress(address, mask));
    ipv4->SetMetric(interface, 1);
    ipv4->SetUp(interface);
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
Network::CheckLearner(LearnerId id) const
{
    Require(id < m_nodes.GetN(),
            GetName(),
            ": learner must be less than ",
            m_nodes.GetN(),
            ", got ",
            id);
}

std::unique_ptr<Network>
CreateNetwork(const std::string& name)
{
    if (name == "ideal")
    {
        return std::make_unique<IdealNetwork>();
    }
    if (name == "p2p")
    {
        return std::make_unique<P2pNetwork>();
    }
    if (name == "csma")
    {
        return std::make_unique<CsmaNetwork>();
    }
    if (name == "wifi-adhoc")
    {
        return std::make_unique<WifiAdhocNetwork>();
    }
    if (name == "wifi-infra")
    {
        return std::make_unique<WifiInfraNetwork>();
    }
    Require(false,
            "network must be one of ideal, p2p, csma, wifi-adhoc, wifi-infra; got '",
            name,
            "'");
    return nullptr;
}

} // namespace dlearn
} // namespace ns3

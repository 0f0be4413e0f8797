/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-host-tcp-socket-factory.h"

#include "dlearn-host-cubic.h"
#include "dlearn-host-tcp-socket.h"

#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/node.h"
#include "ns3/rtt-estimator.h"
#include "ns3/tcp-cubic.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-recovery-ops.h"
#include "ns3/tcp-socket-state.h"
#include "ns3/uinteger.h"

namespace ns3::dlearn
{

DLEARN_TYPE_WITHOUT_ATTRIBUTES(HostTcpSocketFactory, SocketFactory);

namespace
{

/** @return the type that an attribute of a node's TCP chooses */
TypeId
GetPart(const Node& node, const std::string& attribute)
{
    TypeIdValue type;
    node.GetObject<TcpL4Protocol>()->GetAttribute(attribute, type);
    return type.Get();
}

/** @return a new object of a type */
Ptr<Object>
Make(TypeId type)
{
    ObjectFactory factory;
    factory.SetTypeId(type);
    return factory.Create();
}

} // namespace

void
HostTcpSocketFactory::Install(const NodeContainer& nodes)
{
    for (auto node = nodes.Begin(); node != nodes.End(); ++node)
    {
        if ((*node)->GetObject<TcpL4Protocol>() && !(*node)->GetObject<HostTcpSocketFactory>())
        {
            (*node)->AggregateObject(CreateObject<HostTcpSocketFactory>());
        }
    }
}

std::string
HostTcpSocketFactory::FindObstacle(const Node& node)
{
    const auto find = [](TypeId type, const std::string& name) -> std::string {
        TypeId::AttributeInformation info;
        const auto chosen = FindChosenDefault(type, name);
        return chosen && type.LookupAttributeByName(name, &info)
                   ? chosen->SerializeToString(info.checker)
                   : "";
    };
    const std::string ecn = find(TcpSocketBase::GetTypeId(), "UseEcn");
    if (!ecn.empty() && ecn != "Off")
    {
        return "ns3::TcpSocketBase::UseEcn=" + ecn;
    }
    if (find(TcpSocketBase::GetTypeId(), "Sack") == "false")
    {
        return "ns3::TcpSocketBase::Sack=false";
    }
    if (find(TcpSocketState::GetTypeId(), "EnablePacing") == "true")
    {
        return "ns3::TcpSocketState::EnablePacing=true";
    }
    const TypeId control = GetPart(node, "SocketType");
    const auto ops = DynamicCast<TcpCongestionOps>(Make(control));
    return ops->HasCongControl() ? control.GetName() : "";
}

Ptr<Socket>
HostTcpSocketFactory::CreateSocket()
{
    const auto tcp = GetObject<TcpL4Protocol>();
    const Ptr<Node> node = GetObject<Node>();
    if (!FindObstacle(*node).empty())
    {
        return tcp->CreateSocket();
    }
    const TypeId control = GetPart(*node, "SocketType");
    const auto socket = CreateObject<HostTcpSocket>();
    socket->SetNode(node);
    socket->SetTcp(tcp);
    socket->SetRtt(DynamicCast<RttEstimator>(Make(GetPart(*node, "RttEstimatorType"))));
    socket->SetCongestionControlAlgorithm(DynamicCast<TcpCongestionOps>(
        Make(control == TcpCubic::GetTypeId() ? HostCubic::GetTypeId() : control)));
    socket->SetRecoveryAlgorithm(DynamicCast<TcpRecoveryOps>(Make(GetPart(*node, "RecoveryType"))));
    SetOwnDefault(socket, "MinRto", TimeValue(MilliSeconds(200)));
    SetOwnDefault(socket, "ClockGranularity", TimeValue(MilliSeconds(4)));
    SetOwnDefault(socket, "DelAckTimeout", TimeValue(MilliSeconds(40)));
    SetOwnDefault(socket, "DataRetries", UintegerValue(15));
    SetOwnDefault(socket, "SndBufSize", UintegerValue(4 << 20));
    SetOwnDefault(socket, "RcvBufSize", UintegerValue(4 << 20));
    tcp->AddSocket(socket);
    return socket;
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tcp-listener.h"

#include "ns3/dlearn-check.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-base.h"

#include <utility>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnTcpListener");

TcpListener::TcpListener(Ptr<Node> node,
                         const Endpoint& here,
                         SocketMaker create,
                         RequestCallback request,
                         AcceptCallback accept)
    : m_node(node),
      m_here(here),
      m_create(std::move(create)),
      m_request(request),
      m_accept(accept),
      m_remote(here.ip),
      m_local(here.ip)
{
}

TcpListener::~TcpListener()
{
    Close();
}

void
TcpListener::Open()
{
    NS_LOG_FUNCTION(this);
    Close();
    Listen();
    WatchDelivery(true);
}

void
TcpListener::Close()
{
    NS_LOG_FUNCTION(this);
    Release();
    WatchDelivery(false);
}

void
TcpListener::WatchDelivery(bool on)
{
    const auto watch = [on](const Ptr<Object>& protocol, const CallbackBase& sink) {
        if (protocol && on)
        {
            protocol->TraceConnectWithoutContext("LocalDeliver", sink);
        }
        else if (protocol) // else the node was disposed
        {
            protocol->TraceDisconnectWithoutContext("LocalDeliver", sink);
        }
    };
    if (m_here.ip.IsIpv6())
    {
        watch(m_node->GetObject<Ipv6L3Protocol>(),
              MakeCallback(&TcpListener::HandleDeliver<Ipv6Header>, this));
    }
    else
    {
        watch(m_node->GetObject<Ipv4L3Protocol>(),
              MakeCallback(&TcpListener::HandleDeliver<Ipv4Header>, this));
    }
}

void
TcpListener::Listen()
{
    Release();
    m_socket = m_create();
    Require(m_socket->Bind(m_here.ToSocketAddress()) == 0 && m_socket->Listen() == 0,
            "TcpTransport: port ",
            m_here.port,
            " of node ",
            m_node->GetId(),
            " is in use; give this learner another one by its attribute Port");
    m_socket->SetAcceptCallback(m_request, m_accept);
    m_socket->TraceConnectWithoutContext("Rx", MakeCallback(&TcpListener::HandleRx, this));
}

void
TcpListener::Release()
{
    m_renewEvent.Cancel();
    if (m_socket)
    {
        m_socket->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                    MakeNullCallback<void, Ptr<Socket>, const Address&>());
        m_socket->Close();
        m_socket = nullptr;
    }
}

template <typename Header>
void
TcpListener::HandleDeliver(const Header& header,
                           Ptr<const Packet> /* packet */,
                           uint32_t /* interface */)
{
    m_remote = header.GetSource();
    m_local = header.GetDestination();
}

void
TcpListener::HandleRx(Ptr<const Packet> /* packet */,
                      const TcpHeader& header,
                      Ptr<const TcpSocketBase> socket)
{
    const bool isCall = (header.GetFlags() & TcpHeader::SYN) != 0;
    if (isCall || PeekPointer(DynamicCast<const Socket>(socket)) != PeekPointer(m_socket))
    {
        return;
    }
    // TCP of ns-3 takes the window of the listener for closed by a segment without one, such as
    // the reset of a peer that has just given up a call, and begins to probe, from a socket that
    // has no peer, and asserts when a call comes.
    m_renewEvent.Cancel();
    m_renewEvent = Simulator::ScheduleNow(&TcpListener::Listen, this);
    Reset(header);
}

void
TcpListener::Reset(const TcpHeader& header) const
{
    const bool answers = (header.GetFlags() & TcpHeader::ACK) != 0;
    if (!answers || (header.GetFlags() & TcpHeader::RST) != 0) // a reset is not answered
    {
        return;
    }
    NS_LOG_INFO("node " << m_node->GetId() << " resets a connection of " << m_remote
                        << ", of which it knows nothing");
    TcpHeader reset;
    reset.SetFlags(TcpHeader::RST);
    reset.SetSourcePort(m_here.port);
    reset.SetDestinationPort(header.GetSourcePort());
    reset.SetSequenceNumber(header.GetAckNumber());
    m_node->GetObject<TcpL4Protocol>()->SendPacket(Create<Packet>(), reset, m_local, m_remote);
}

} // namespace ns3::dlearn

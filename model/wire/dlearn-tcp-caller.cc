/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tcp-caller.h"

#include "dlearn-tcp-filling.h"

#include "ns3/log.h"
#include "ns3/packet.h"

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnTcpCaller");

TcpCaller::TcpCaller(Ptr<Socket> socket,
                     IpAddress address,
                     uint16_t port,
                     GreetingCallback greeting)
    : m_socket(socket),
      m_address(address),
      m_port(port),
      m_greeting(greeting)
{
    m_socket->SetRecvCallback(MakeCallback(&TcpCaller::HandleRead, this));
    m_socket->SetCloseCallbacks(MakeCallback(&TcpCaller::HandleClosed, this),
                                MakeCallback(&TcpCaller::HandleClosed, this));
}

TcpCaller::~TcpCaller()
{
    if (const Ptr<Socket> socket = Release())
    {
        socket->Close();
    }
}

Ptr<Socket>
TcpCaller::Release()
{
    const Ptr<Socket> socket = m_socket;
    m_socket = nullptr;
    if (socket)
    {
        socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
        socket->SetCloseCallbacks(MakeNullCallback<void, Ptr<Socket>>(),
                                  MakeNullCallback<void, Ptr<Socket>>());
    }
    return socket;
}

void
TcpCaller::HandleRead(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket << m_address);
    do
    {
        // Not a byte more: what follows is for the connection.
        const uint32_t wanted = m_bytes.empty() ? 1 : TCP_GREETING_SIZE - m_bytes.size();
        const Ptr<Packet> packet = socket->Recv(wanted, 0);
        if (!packet || packet->GetSize() == 0)
        {
            return;
        }
        const size_t held = m_bytes.size();
        m_bytes.resize(held + packet->GetSize());
        packet->CopyData(m_bytes.data() + held, packet->GetSize());
    } while (m_bytes[0] == TCP_GREETING && m_bytes.size() < TCP_GREETING_SIZE);

    std::optional<uint16_t> port;
    if (m_bytes[0] == TCP_FILLER)
    {
        port = m_port;
    }
    else if (m_bytes[0] == TCP_GREETING)
    {
        port = m_bytes[1] << 8 | m_bytes[2];
    }
    Finish(port); // ends this object
}

void
TcpCaller::HandleClosed(Ptr<Socket> /* socket */)
{
    NS_LOG_FUNCTION(this << m_address);
    Finish(std::nullopt); // ends this object
}

void
TcpCaller::Finish(std::optional<uint16_t> port)
{
    const GreetingCallback greeting = m_greeting; // outlives this object
    greeting(*this, port);
}

} // namespace ns3::dlearn

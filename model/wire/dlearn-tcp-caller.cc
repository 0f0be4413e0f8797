/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tcp-caller.h"

namespace ns3::dlearn
{

TcpCaller::TcpCaller(TcpTransport& transport, Ptr<Socket> socket, Ipv4Address address)
    : m_transport(transport),
      m_socket(socket),
      m_address(address)
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
    do
    {
        // Not a byte more: what follows is for the connection.
        const uint32_t wanted = m_bytes.empty() ? 1 : TcpTransport::GREETED_SIZE - m_bytes.size();
        const Ptr<Packet> packet = socket->Recv(wanted, 0);
        if (!packet || packet->GetSize() == 0)
        {
            return;
        }
        const size_t held = m_bytes.size();
        m_bytes.resize(held + packet->GetSize());
        packet->CopyData(m_bytes.data() + held, packet->GetSize());
    } while (m_bytes[0] == TcpTransport::GREETING && m_bytes.size() < TcpTransport::GREETED_SIZE);

    std::optional<LearnerId> peer;
    if (m_bytes[0] == TcpTransport::FILLER)
    {
        peer = m_transport.FindPeer(m_address, m_transport.GetPort());
    }
    else if (m_bytes[0] == TcpTransport::GREETING)
    {
        peer = m_transport.FindPeer(m_address, m_bytes[1] << 8 | m_bytes[2]);
    }
    m_transport.HandleGreeting(*this, peer); // ends this object
}

void
TcpCaller::HandleClosed(Ptr<Socket> /* socket */)
{
    m_transport.HandleGreeting(*this, std::nullopt); // ends this object
}

} // namespace ns3::dlearn

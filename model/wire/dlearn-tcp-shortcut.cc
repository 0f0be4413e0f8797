/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tcp-shortcut.h"

#include "ns3/inet-socket-address.h"
#include "ns3/ipv4-end-point.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-interface.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6-interface.h"
#include "ns3/node.h"
#include "ns3/packet.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/tcp-socket-base.h"

#include <unordered_map>

namespace ns3::dlearn
{

namespace
{

/** Accesses members that ns-3 shows only to classes derived from its sockets. */
struct TcpSocketAccess : TcpSocketBase
{
    /** @return where a socket gets its segments of IPv4; null when it gets none */
    static Ipv4EndPoint* GetEndPoint(const TcpSocketBase& socket)
    {
        return socket.*(&TcpSocketAccess::m_endPoint);
    }
};

/** @return an address and a port as one number */
uint64_t
Join(Ipv4Address address, uint16_t port)
{
    return uint64_t{address.Get()} << 16 | port;
}

/** Spreads connections over a table. */
struct KeyHash
{
    size_t operator()(const TcpShortcut::Key& key) const
    {
        return (key.peer ^ key.own << 16) * 0x9e3779b97f4a7c15; // 2^64 by the golden ratio
    }
};

} // namespace

/** Precedes ns-3's TCP on the interfaces of a node, and passes on segments without a shortcut. */
class TcpDemux : public IpL4Protocol
{
  public:
    /** @param tcp of the node */
    explicit TcpDemux(Ptr<IpL4Protocol> tcp)
        : m_tcp(tcp)
    {
    }

    /** @return that of a node, made by the first call; null where TCP is not ns-3's own */
    static Ptr<TcpDemux> Of(const Node& node);

    void Add(const TcpShortcut::Key& key, const TcpSocketBase* socket) { m_sockets[key] = socket; }

    /** Remove a connection, unless a newer socket has its place. */
    void Remove(const TcpShortcut::Key& key, const Socket* socket)
    {
        const auto found = m_sockets.find(key);
        if (found != m_sockets.end() && found->second == socket)
        {
            m_sockets.erase(found);
        }
    }

    // inherited
    RxStatus Receive(Ptr<Packet> packet,
                     const Ipv4Header& header,
                     Ptr<Ipv4Interface> interface) override;

    RxStatus Receive(Ptr<Packet> packet,
                     const Ipv6Header& header,
                     Ptr<Ipv6Interface> interface) override
    {
        return m_tcp->Receive(packet, header, interface);
    }

    int GetProtocolNumber() const override { return m_tcp->GetProtocolNumber(); }

    void SetDownTarget(DownTargetCallback target) override { m_tcp->SetDownTarget(target); }

    void SetDownTarget6(DownTargetCallback6 target) override { m_tcp->SetDownTarget6(target); }

    DownTargetCallback GetDownTarget() const override { return m_tcp->GetDownTarget(); }

    DownTargetCallback6 GetDownTarget6() const override { return m_tcp->GetDownTarget6(); }

  private:
    /** @return where the segments of a connection go; null: ns-3 has to search */
    Ipv4EndPoint* Find(const TcpShortcut::Key& key) const
    {
        const auto found = m_sockets.find(key);
        const auto endPoint =
            found == m_sockets.end() ? nullptr : TcpSocketAccess::GetEndPoint(*found->second);
        return endPoint && endPoint->IsRxEnabled() && !endPoint->GetBoundNetDevice() ? endPoint
                                                                                     : nullptr;
    }

    Ptr<IpL4Protocol> m_tcp; //!< of the node
    std::unordered_map<TcpShortcut::Key, const TcpSocketBase*, KeyHash>
        m_sockets; //!< with a shortcut
};

Ptr<TcpDemux>
TcpDemux::Of(const Node& node)
{
    const auto ipv4 = node.GetObject<Ipv4>();
    const int number = TcpL4Protocol::PROT_NUMBER;
    if (!ipv4 || ipv4->GetNInterfaces() == 0)
    {
        return nullptr;
    }
    const Ptr<IpL4Protocol> first = ipv4->GetProtocol(number, 0);
    if (!DynamicCast<TcpL4Protocol>(first))
    {
        return DynamicCast<TcpDemux>(first);
    }
    const auto demux = CreateObject<TcpDemux>(first);
    for (uint32_t interface = 0; interface < ipv4->GetNInterfaces(); ++interface)
    {
        if (ipv4->GetProtocol(number, interface) == first)
        {
            ipv4->Insert(demux, interface);
        }
    }
    return demux;
}

IpL4Protocol::RxStatus
TcpDemux::Receive(Ptr<Packet> packet, const Ipv4Header& header, Ptr<Ipv4Interface> interface)
{
    uint8_t ports[4] = {};
    packet->CopyData(ports, sizeof(ports));
    const uint16_t from = ports[0] << 8 | ports[1];
    const uint16_t to = ports[2] << 8 | ports[3];
    const auto endPoint =
        Node::ChecksumEnabled() // TCP drops segments that are not intact
            ? nullptr
            : Find({Join(header.GetSource(), from), Join(header.GetDestination(), to)});
    if (!endPoint)
    {
        return m_tcp->Receive(packet, header, interface);
    }
    endPoint->ForwardUp(packet, header, from, interface);
    return RX_OK;
}

TcpShortcut::TcpShortcut(const Ptr<Socket>& socket)
    : m_socket(socket)
{
    const auto tcp = DynamicCast<TcpSocketBase>(socket);
    Address peer;
    Address own;
    if (!tcp || tcp->GetPeerName(peer) != 0 || tcp->GetSockName(own) != 0 ||
        !InetSocketAddress::IsMatchingType(peer) || !InetSocketAddress::IsMatchingType(own))
    {
        return;
    }
    const auto from = InetSocketAddress::ConvertFrom(peer);
    const auto to = InetSocketAddress::ConvertFrom(own);
    m_key = {Join(from.GetIpv4(), from.GetPort()), Join(to.GetIpv4(), to.GetPort())};
    m_demux = TcpDemux::Of(*socket->GetNode());
    if (m_demux)
    {
        m_demux->Add(m_key, PeekPointer(tcp));
    }
}

TcpShortcut::~TcpShortcut()
{
    if (m_demux)
    {
        m_demux->Remove(m_key, PeekPointer(m_socket));
    }
}

} // namespace ns3::dlearn

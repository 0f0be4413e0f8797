/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-udp-transport.h"

#include "ns3/dlearn-check.h"
#include "ns3/inet-socket-address.h"
#include "ns3/ipv4.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace dlearn
{

NS_OBJECT_ENSURE_REGISTERED(UdpTransport);
NS_OBJECT_ENSURE_REGISTERED(UdpBroadcastTransport);

TypeId
UdpTransport::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::UdpTransport")
            .SetParent<Transport>()
            .SetGroupName("Dlearn")
            .AddConstructor<UdpTransport>()
            .AddAttribute("Port",
                          "UDP port of every learner.",
                          UintegerValue(4660),
                          MakeUintegerAccessor(&UdpTransport::m_port),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("FragmentSize",
                          "Most bytes of payload in a datagram, a multiple of 8. The default "
                          "fills an Ethernet frame: 1500 - 20 (IP) - 8 (UDP) - 32 (dlearn).",
                          UintegerValue(1440),
                          MakeUintegerAccessor(&UdpTransport::m_fragmentSize),
                          MakeUintegerChecker<uint32_t>(8, 65000))
            .AddAttribute("PacingRate",
                          "Rate at which datagrams are handed to the stack; 0bps hands a "
                          "whole message over at once.",
                          DataRateValue(DataRate(0)),
                          MakeDataRateAccessor(&UdpTransport::m_pacingRate),
                          MakeDataRateChecker());
    return tid;
}

void
UdpTransport::DoDispose()
{
    Close();
    Transport::DoDispose();
}

void
UdpTransport::Open()
{
    Require(m_fragmentSize % 8 == 0,
            "UdpTransport: FragmentSize must be a multiple of 8, got ",
            m_fragmentSize);
    m_socket = Socket::CreateSocket(m_node, UdpSocketFactory::GetTypeId());
    Require(m_socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), m_port)) == 0,
            "UdpTransport: port ",
            m_port,
            " of node ",
            m_node->GetId(),
            " is in use");
    m_socket->SetAllowBroadcast(true);
    m_socket->SetRecvCallback(MakeCallback(&UdpTransport::HandleRead, this));
}

void
UdpTransport::Close()
{
    m_queue.clear();
    m_sendEvent.Cancel();
    m_left.clear();
    if (m_socket)
    {
        m_socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
        m_socket->Close();
        m_socket = nullptr;
    }
}

std::vector<Ipv4Address>
UdpTransport::GetDestinations(const std::vector<LearnerId>& recipients) const
{
    std::vector<Ipv4Address> destinations;
    destinations.reserve(recipients.size());
    for (const LearnerId recipient : recipients)
    {
        destinations.push_back(m_peers.at(recipient));
    }
    return destinations;
}

void
UdpTransport::Send(const std::vector<Ptr<const Packet>>& fragments,
                   uint32_t round,
                   const std::vector<LearnerId>& recipients)
{
    Require(m_socket != nullptr, "UdpTransport: Send() needs Open() first");
    const auto destinations = GetDestinations(recipients);
    const bool paced = m_pacingRate.GetBitRate() > 0;
    for (const auto& destination : destinations)
    {
        for (const auto& fragment : fragments)
        {
            const Datagram datagram{fragment, destination, round};
            if (paced)
            {
                m_queue.push_back(datagram);
            }
            else
            {
                Transmit(datagram);
            }
        }
    }
    if (!m_queue.empty() && m_sendEvent.IsExpired())
    {
        SendQueued();
    }
}

void
UdpTransport::SendQueued()
{
    if (m_queue.empty())
    {
        return; // all sent, or withdrawn by Settle() in the meantime
    }
    const Datagram datagram = m_queue.front();
    m_queue.pop_front();
    Transmit(datagram);
    // After the last one as well: the next message must not follow on its heels.
    m_sendEvent = Simulator::Schedule(m_pacingRate.CalculateBytesTxTime(datagram.packet->GetSize()),
                                      &UdpTransport::SendQueued,
                                      this);
}

void
UdpTransport::Transmit(const Datagram& datagram)
{
    const int sent = m_socket->SendTo(datagram.packet->Copy(),
                                      0,
                                      InetSocketAddress(datagram.destination, m_port));
    if (sent < 0)
    {
        ++m_txRefused;
        return;
    }
    m_txBytes += datagram.packet->GetSize();
    m_left.insert(datagram.round);
}

bool
UdpTransport::Settle(uint32_t round)
{
    const bool sent = m_left.count(round) > 0;
    m_left.erase(m_left.begin(), m_left.upper_bound(round)); // none will be asked about again
    if (sent)
    {
        return true;
    }
    m_queue.erase(std::remove_if(m_queue.begin(),
                                 m_queue.end(),
                                 [round](const Datagram& d) { return d.round == round; }),
                  m_queue.end());
    return false;
}

uint32_t
UdpTransport::GetFragmentSize() const
{
    return m_fragmentSize;
}

void
UdpTransport::HandleRead(Ptr<Socket> socket)
{
    Address from;
    while (Ptr<Packet> packet = socket->RecvFrom(from))
    {
        const uint32_t size = packet->GetSize();
        m_rxBytes += size;
        m_readBuffer.resize(size);
        packet->CopyData(m_readBuffer.data(), size);
        Deliver(m_readBuffer.data(), size);
        if (!m_socket)
        {
            return; // closed by whoever was told
        }
    }
}

TypeId
UdpBroadcastTransport::GetTypeId()
{
    static TypeId tid = TypeId("ns3::dlearn::UdpBroadcastTransport")
                            .SetParent<UdpTransport>()
                            .SetGroupName("Dlearn")
                            .AddConstructor<UdpBroadcastTransport>();
    return tid;
}

std::vector<Ipv4Address>
UdpBroadcastTransport::GetDestinations(const std::vector<LearnerId>& recipients) const
{
    if (recipients.empty())
    {
        return {};
    }
    // Interface 0 is loopback; a shared medium gives the node exactly one more.
    const Ptr<Ipv4> ipv4 = m_node->GetObject<Ipv4>();
    Require(ipv4->GetNInterfaces() == 2,
            "UdpBroadcastTransport: node ",
            m_node->GetId(),
            " must have one network interface (a shared medium), it has ",
            ipv4->GetNInterfaces() - 1);
    return {ipv4->GetAddress(1, 0).GetBroadcast()};
}

} // namespace dlearn
} // namespace ns3

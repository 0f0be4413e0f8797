/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-udp-transport.h"

#include "dlearn-interface-line.h"

#include "ns3/dlearn-check.h"
#include "ns3/dlearn-fixed-accessor.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/ipv4.h"
#include "ns3/log.h"
#include "ns3/simulator.h"
#include "ns3/udp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <limits>

namespace ns3::dlearn
{

NS_LOG_COMPONENT_DEFINE("DlearnUdpTransport");

NS_OBJECT_ENSURE_REGISTERED(UdpTransport);

namespace
{

constexpr uint32_t UDP_HEADER = 8; //!< bytes

} // namespace

TypeId
UdpTransport::GetTypeId()
{
    static TypeId tid =
        MakeTypeId<UdpTransport, Transport>("ns3::dlearn::UdpTransport")
            .AddAttribute("Port",
                          "UDP port of the learner. Learners of one node need different ones.",
                          UintegerValue(4660),
                          MakeFixedAccessor(MakeUintegerAccessor(&UdpTransport::m_port),
                                            &UdpTransport::IsSetUp),
                          MakeUintegerChecker<uint16_t>(1))
            .AddAttribute("FragmentSize",
                          "Most bytes of payload in a datagram, a multiple of 8; less where an IP "
                          "packet of the node's devices holds less. The default fills an Ethernet "
                          "frame: 1500 - 20 (IP) - 8 (UDP) - 32 (dlearn).",
                          UintegerValue(1440),
                          MakeFixedAccessor(MakeUintegerAccessor(&UdpTransport::m_fragmentSize),
                                            &UdpTransport::IsSetUp),
                          MakeUintegerChecker<uint32_t>(8, 65000))
            .AddAttribute("PacingRate",
                          "Rate at which datagrams leave by an interface, with the headers that "
                          "they have on the link; 0bps for the rate of its device or channel, or "
                          "none when it has none.",
                          DataRateValue(DataRate(0)),
                          MakeFixedAccessor(MakeDataRateAccessor(&UdpTransport::m_pacingRate),
                                            &UdpTransport::IsSetUp),
                          MakeDataRateChecker());
    return tid;
}

void
UdpTransport::DoDispose()
{
    NS_LOG_FUNCTION(this);
    Close();
    Transport::DoDispose();
}

void
UdpTransport::Open()
{
    NS_LOG_FUNCTION(this);
    if (m_socket)
    {
        return;
    }
    m_payloadSize = ChoosePayloadSize();
    m_socket = Socket::CreateSocket(m_node, UdpSocketFactory::GetTypeId());
    Require(m_socket->Bind(Endpoint::AtAny(IsIpv6(), m_port).ToSocketAddress()) == 0,
            "UdpTransport: port {} of node {} is in use; give this learner another one by its "
            "attribute Port",
            m_port,
            m_node->GetId());
    m_socket->SetAllowBroadcast(true);
    m_socket->SetRecvCallback(MakeCallback(&UdpTransport::HandleRead, this));
}

void
UdpTransport::CheckAttributes() const
{
    Require(m_fragmentSize % 8 == 0,
            "UdpTransport: FragmentSize must be a multiple of 8, got ",
            m_fragmentSize);
}

uint32_t
UdpTransport::ChoosePayloadSize() const
{
    const uint32_t headers = GetIpHeaderSize(IsIpv6()) + UDP_HEADER + ModelHeader::SIZE;
    return std::min(m_fragmentSize, (GetSmallestMtu() - headers) / 8 * 8);
}

void
UdpTransport::Close()
{
    NS_LOG_FUNCTION(this);
    for (auto& [interface, lane] : m_lanes)
    {
        lane.event.Cancel();
    }
    m_lanes.clear();
    m_left.clear();
    if (m_socket)
    {
        m_socket->SetRecvCallback(MakeNullCallback<void, Ptr<Socket>>());
        m_socket->Close();
        m_socket = nullptr;
    }
}

std::vector<Endpoint>
UdpTransport::GetDestinations(const std::vector<LearnerId>& recipients) const
{
    std::vector<Endpoint> destinations;
    destinations.reserve(recipients.size());
    for (const LearnerId recipient : recipients)
    {
        destinations.push_back(GetAddress(recipient));
    }
    return destinations;
}

UdpTransport::Lane&
UdpTransport::GetLane(const IpAddress& destination)
{
    const auto device = FindOutputDevice(*m_node, destination);
    const auto [entry, fresh] = m_lanes.try_emplace(device ? device->GetIfIndex() : NO_DEVICE);
    Lane& lane = entry->second;
    if (fresh)
    {
        const InterfaceLink link = DescribeLink(device);
        lane.rate = m_pacingRate.GetBitRate() > 0 ? m_pacingRate : link.rate.value_or(DataRate(0));
        lane.headers = GetIpHeaderSize(IsIpv6()) + UDP_HEADER + link.headers;
        lane.backlog =
            std::make_unique<InterfaceBacklog>(device, [this, &lane] { SendQueued(&lane, true); });
        if (lane.rate.GetBitRate() == 0)
        {
            lane.burst = std::numeric_limits<uint32_t>::max();
        }
        else if (m_pacingRate.GetBitRate() == 0)
        {
            lane.burst = 16; // the device spaces them itself; fewer events
        }
    }
    return lane;
}

void
UdpTransport::Send(const Message& message, const std::vector<LearnerId>& recipients)
{
    NS_LOG_FUNCTION(this << message->GetRound() << recipients.size());
    Require(m_socket != nullptr, "UdpTransport: Send() needs Open() first");
    const Ptr<Socket> socket = m_socket;
    for (const Endpoint& destination : GetDestinations(recipients))
    {
        Lane& lane = GetLane(destination.ip);
        lane.queue.push_back({message, destination, 0});
        if (lane.event.IsExpired() && !lane.backlog->IsWaiting())
        {
            SendQueued(&lane, false);
        }
        if (m_socket != socket)
        {
            return; // a listener of the trace closed the transport
        }
    }
}

void
UdpTransport::SendQueued(Lane* lane, bool patient)
{
    NS_LOG_FUNCTION(this << lane->queue.size() << patient);
    const uint32_t room = lane->backlog->GetRoom();
    if (room == 0 && !patient && !lane->queue.empty())
    {
        lane->backlog->Wait();
        return;
    }
    const Ptr<Socket> socket = m_socket;
    const uint32_t datagrams = std::min(lane->burst, std::max(room, 1U));
    const bool isFree = lane->free <= Simulator::Now();
    uint64_t bytes = 0; // on the link
    for (uint32_t sent = 0; isFree && sent < datagrams && !lane->queue.empty(); ++sent)
    {
        const Waiting next = lane->queue.front();
        bytes += lane->headers;
        bytes += SendPart(next.message, next.message->CreateFragment(next.next), next.destination);
        if (m_socket != socket)
        {
            return; // a listener of the trace closed the transport, and with it the lane
        }
        Waiting& waiting = lane->queue.front();
        if (++waiting.next == waiting.message->GetFragments())
        {
            lane->queue.pop_front();
        }
    }
    if (bytes > 0 && lane->rate.GetBitRate() > 0)
    {
        // In whole numbers; DataRate computes with 128 bits, for every datagram.
        const uint64_t nanoseconds = bytes * 8 * uint64_t{1000000000} / lane->rate.GetBitRate();
        lane->free = Simulator::Now() + NanoSeconds(nanoseconds);
    }
    if (!lane->queue.empty() && lane->free > Simulator::Now())
    {
        lane->event = Simulator::Schedule(lane->free - Simulator::Now(),
                                          &UdpTransport::SendQueued,
                                          this,
                                          lane,
                                          false);
    }
    else if (!lane->queue.empty())
    {
        lane->backlog->Wait();
    }
}

uint32_t
UdpTransport::SendPart(const Message& message, Ptr<Packet> packet, const Endpoint& destination)
{
    const Message kept = message; // whatever listeners do
    const uint32_t size = packet->GetSize();
    const Ptr<Socket> socket = m_socket;
    if (socket->SendTo(packet, 0, destination.ToSocketAddress()) < 0)
    {
        NS_LOG_INFO("learner " << m_self << ": the socket refused a datagram of " << size
                               << " bytes");
        ++m_txRefused;
        return size;
    }
    if (m_socket == socket)
    {
        m_left.insert(kept->GetRound());
    }
    CountSent(*kept, size);
    return size;
}

void
UdpTransport::SendControl(const std::vector<uint8_t>& bytes, const Endpoint& destination)
{
    if (m_socket->SendTo(Create<Packet>(bytes.data(), bytes.size()),
                         0,
                         destination.ToSocketAddress()) >= 0)
    {
        m_txBytes += bytes.size();
    }
}

bool
UdpTransport::Settle(uint32_t round)
{
    NS_LOG_FUNCTION(this << round);
    const bool sent = m_left.count(round) > 0;
    m_left.erase(m_left.begin(), m_left.upper_bound(round)); // none will be asked about again
    if (sent)
    {
        return true;
    }
    for (auto& [interface, lane] : m_lanes)
    {
        auto& queue = lane.queue;
        queue.erase(
            std::remove_if(queue.begin(),
                           queue.end(),
                           [round](const Waiting& w) { return w.message->GetRound() == round; }),
            queue.end());
    }
    return false;
}

uint32_t
UdpTransport::GetFragmentSize() const
{
    return m_payloadSize > 0 ? m_payloadSize : ChoosePayloadSize(); // also before Open()
}

void
UdpTransport::HandleRead(Ptr<Socket> socket)
{
    NS_LOG_FUNCTION(this << socket);
    Address from;
    while (Ptr<Packet> packet = socket->RecvFrom(from))
    {
        const uint32_t size = packet->GetSize();
        m_rxBytes += size;
        m_readBuffer.resize(size);
        packet->CopyData(m_readBuffer.data(), size);
        const auto source = *Endpoint::Find(from);
        Receive(FindPeer(source), source, m_readBuffer.data(), size);
        if (!m_socket)
        {
            return; // the callback closed the transport
        }
    }
}

void
UdpTransport::Receive(std::optional<LearnerId> from,
                      const Endpoint& /* source */,
                      const uint8_t* bytes,
                      uint32_t size)
{
    Deliver(from, bytes, size);
}

} // namespace ns3::dlearn

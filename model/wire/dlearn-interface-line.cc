/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-interface-line.h"

#include "ns3/channel.h"
#include "ns3/csma-channel.h"
#include "ns3/csma-net-device.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-route.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-route.h"
#include "ns3/ipv6-routing-protocol.h"
#include "ns3/ipv6.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"

#include <algorithm>
#include <limits>

namespace ns3::dlearn
{

Time
InterfaceBacklog::GetLongestWait(const Ptr<NetDevice>& device)
{
    // On slow links, the time of many frames: packets that do not leave within it are dropped.
    const Time frame = device ? GetFrameTime(*device, device->GetMtu()) : Time(0);
    return Max(MilliSeconds(100), frame * 64);
}

InterfaceBacklog::InterfaceBacklog(Ptr<NetDevice> device,
                                   std::function<void()> ready,
                                   uint32_t limit)
    : m_queues(DescribeLink(device).queues),
      m_longestWait(GetLongestWait(device)),
      m_limit(limit),
      m_ready(std::move(ready))
{
    for (const auto& queue : m_queues)
    {
        const QueueSize size = queue->GetMaxSize();
        const bool packets = size.GetUnit() == QueueSizeUnit::PACKETS;
        m_limit = std::min(m_limit, size.GetValue() / (packets ? 1 : device->GetMtu()));
    }
    m_limit = std::max(m_limit, 1U);
}

uint32_t
InterfaceBacklog::GetRoom() const
{
    return m_queues.empty() ? std::numeric_limits<uint32_t>::max()
                            : m_limit - std::min(m_limit, CountPackets());
}

uint32_t
InterfaceBacklog::CountPackets() const
{
    uint32_t packets = 0;
    for (const auto& queue : m_queues)
    {
        packets += queue->GetNPackets();
    }
    return packets;
}

void
InterfaceBacklog::Wait()
{
    if (m_waiting)
    {
        return;
    }
    m_waiting = true;
    m_event = Simulator::Schedule(m_longestWait, &InterfaceBacklog::HandleReady, this);
    for (const auto& queue : m_queues)
    {
        queue->TraceConnectWithoutContext("PacketsInQueue",
                                          MakeCallback(&InterfaceBacklog::HandleChange, this));
    }
}

void
InterfaceBacklog::HandleChange(uint32_t before, uint32_t now)
{
    // In a separate event: the device is in the middle of taking a packet, which the queue still
    // counts.
    if (CountPackets() - before + now <= m_limit / 2 &&
        Simulator::GetDelayLeft(m_event).IsStrictlyPositive())
    {
        m_event.Cancel();
        m_event = Simulator::ScheduleNow(&InterfaceBacklog::HandleReady, this);
    }
}

void
InterfaceBacklog::HandleReady()
{
    StopWaiting();
    const auto ready = m_ready; // may close the transport, and so destroy this object
    ready();
}

void
InterfaceBacklog::StopWaiting()
{
    m_event.Cancel();
    if (!m_waiting)
    {
        return;
    }
    m_waiting = false;
    for (const auto& queue : m_queues)
    {
        queue->TraceDisconnectWithoutContext("PacketsInQueue",
                                             MakeCallback(&InterfaceBacklog::HandleChange, this));
    }
}

namespace
{

/** @return packets that keep a device busy for 10 ms */
uint32_t
ChooseLimit(Time frame)
{
    if (frame.IsZero())
    {
        return InterfaceBacklog::LIMIT;
    }
    const int64_t packets = MilliSeconds(10).GetTimeStep() / frame.GetTimeStep();
    return static_cast<uint32_t>(std::clamp<int64_t>(packets, 1, InterfaceBacklog::LIMIT));
}

} // namespace

InterfaceLine::InterfaceLine(const Ptr<NetDevice>& device, uint32_t packetSize, ServeCallback serve)
    : m_frame(device ? GetFrameTime(*device, device->GetMtu()) : Time(0)),
      m_limit(ChooseLimit(m_frame)),
      m_packetSize(packetSize),
      m_serve(std::move(serve)),
      m_backlog(
          device,
          [this] { Serve(); },
          m_limit)
{
}

uint64_t
InterfaceLine::GetRoom(LearnerId peer) const
{
    if (m_served == peer)
    {
        return m_left;
    }
    return m_waiting.empty() ? uint64_t{m_packetSize} * m_backlog.GetRoom() : 0;
}

void
InterfaceLine::Join(LearnerId peer)
{
    if (std::find(m_waiting.begin(), m_waiting.end(), peer) == m_waiting.end())
    {
        m_waiting.push_back(peer);
    }
    m_backlog.Wait();
}

void
InterfaceLine::Serve()
{
    // At least one packet: those of others can keep the queue full.
    m_left = uint64_t{m_packetSize} * std::max(m_backlog.GetRoom(), 1U);
    for (size_t turns = m_waiting.size(); turns > 0 && m_left > 0 && !m_waiting.empty(); --turns)
    {
        m_served = m_waiting.front();
        m_waiting.pop_front();
        m_serve(*m_served);
    }
    m_served.reset();
    if (!m_waiting.empty())
    {
        m_backlog.Wait();
    }
}

namespace
{

constexpr uint32_t PPP_HEADER = 2;
constexpr uint32_t ETHERNET_HEADERS = 14 + 4; // and the check sequence

/** @return the radio of a mesh point (of ns-3's module mesh, which may be absent); else null */
Ptr<WifiNetDevice>
FindRadioBelow(const NetDevice& device)
{
    const bool meshPoint = device.GetInstanceTypeId().GetName() == "ns3::MeshPointDevice";
    const auto node = meshPoint ? device.GetNode() : nullptr;
    for (uint32_t k = 0; node && k < node->GetNDevices(); ++k)
    {
        if (const auto radio = DynamicCast<WifiNetDevice>(node->GetDevice(k)))
        {
            return radio;
        }
    }
    return nullptr;
}

/** @return the device of an interface in the subnet of an address; null when there is none */
Ptr<NetDevice>
FindNearDevice(const Ptr<Ipv6>& ipv6, Ipv6Address destination)
{
    for (uint32_t k = 1; ipv6 && k < ipv6->GetNInterfaces(); ++k) // interface 0 is loopback
    {
        for (uint32_t a = 0; a < ipv6->GetNAddresses(k); ++a)
        {
            const Ipv6InterfaceAddress own = ipv6->GetAddress(k, a);
            if (own.GetPrefix().IsMatch(own.GetAddress(), destination))
            {
                return ipv6->GetNetDevice(k);
            }
        }
    }
    return nullptr;
}

/**
 * @tparam Header of the version of IP
 * @return the device by which routing sends packets to an address; null for loopback and none
 */
template <typename Header, typename Ip, typename IpVersionAddress>
Ptr<NetDevice>
FindRoutedDevice(const Ptr<Ip>& ip, IpVersionAddress destination)
{
    const auto routing = ip ? ip->GetRoutingProtocol() : nullptr;
    Header header;
    header.SetDestination(destination);
    Socket::SocketErrno error;
    const auto route = routing ? routing->RouteOutput(nullptr, header, nullptr, error) : nullptr;
    const int32_t interface = route ? ip->GetInterfaceForDevice(route->GetOutputDevice()) : 0;
    return interface > 0 ? ip->GetNetDevice(interface) : nullptr;
}

} // namespace

std::optional<DataRate>
FindLinkRate(const NetDevice& device)
{
    DataRateValue rate;
    const Ptr<Channel> channel = device.GetChannel();
    const bool known = device.GetAttributeFailSafe("DataRate", rate) ||
                       (channel && channel->GetAttributeFailSafe("DataRate", rate));
    return known ? std::make_optional(rate.Get()) : std::nullopt;
}

Time
GetHoldTime(const NetDevice& device)
{
    TimeValue delay;
    const auto bus = DynamicCast<CsmaChannel>(device.GetChannel());
    return bus && bus->GetAttributeFailSafe("Delay", delay) ? delay.Get() : Time(0);
}

Time
GetFrameTime(const NetDevice& device, uint32_t bytes)
{
    const auto rate = FindLinkRate(device);
    const bool finite = rate && rate->GetBitRate() > 0;
    return GetHoldTime(device) + (finite ? rate->CalculateBytesTxTime(bytes) : Time(0));
}

InterfaceLink
DescribeLink(const Ptr<const NetDevice>& device)
{
    if (!device)
    {
        return {};
    }
    if (const auto radio = FindRadioBelow(*device))
    {
        return DescribeLink(radio);
    }
    InterfaceLink link{FindLinkRate(*device), 0, {}};
    if (const auto p2p = DynamicCast<const PointToPointNetDevice>(device))
    {
        link.headers = PPP_HEADER;
        link.queues.push_back(p2p->GetQueue());
    }
    else if (const auto csma = DynamicCast<const CsmaNetDevice>(device))
    {
        link.headers = ETHERNET_HEADERS;
        link.queues.push_back(csma->GetQueue());
    }
    else if (const auto wifi = DynamicCast<const WifiNetDevice>(device))
    {
        for (const AcIndex access : {AC_BE, AC_BE_NQOS})
        {
            link.queues.push_back(wifi->GetMac()->GetTxopQueue(access));
        }
    }
    link.queues.erase(std::remove(link.queues.begin(), link.queues.end(), nullptr),
                      link.queues.end());
    return link;
}

uint32_t
FindSharedInterface(const Ipv4& ipv4, const std::vector<Ipv4Address>& destinations)
{
    for (uint32_t k = 1; k < ipv4.GetNInterfaces(); ++k) // interface 0 is loopback
    {
        const auto isNear = [&](Ipv4Address destination) {
            const Ipv4InterfaceAddress own = ipv4.GetAddress(k, 0);
            return own.GetMask().IsMatch(destination, own.GetLocal());
        };
        if (ipv4.GetNAddresses(k) > 0 &&
            std::all_of(destinations.begin(), destinations.end(), isNear))
        {
            return k;
        }
    }
    return 0;
}

Ptr<NetDevice>
FindSubnetDevice(const Node& node, const IpAddress& destination)
{
    if (destination.IsIpv6())
    {
        return FindNearDevice(node.GetObject<Ipv6>(), destination.GetIpv6());
    }
    const auto ipv4 = node.GetObject<Ipv4>();
    const uint32_t interface = ipv4 ? FindSharedInterface(*ipv4, {destination.GetIpv4()}) : 0;
    return interface > 0 ? ipv4->GetNetDevice(interface) : nullptr;
}

Ptr<NetDevice>
FindOutputDevice(const Node& node, const IpAddress& destination)
{
    if (const auto near = FindSubnetDevice(node, destination))
    {
        return near;
    }
    return destination.IsIpv6()
               ? FindRoutedDevice<Ipv6Header>(node.GetObject<Ipv6>(), destination.GetIpv6())
               : FindRoutedDevice<Ipv4Header>(node.GetObject<Ipv4>(), destination.GetIpv4());
}

} // namespace ns3::dlearn

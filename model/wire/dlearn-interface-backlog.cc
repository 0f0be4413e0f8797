/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-interface-backlog.h"

#include "ns3/csma-net-device.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"
#include "ns3/wifi-mac-queue.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"

#include <algorithm>
#include <limits>

namespace ns3::dlearn
{

namespace
{

/** @return the queues of a device from which datagrams leave; none when they are not known */
std::vector<Ptr<QueueBase>>
FindQueues(const Ptr<NetDevice>& device)
{
    std::vector<Ptr<QueueBase>> queues;
    if (const auto p2p = DynamicCast<PointToPointNetDevice>(device))
    {
        queues.push_back(p2p->GetQueue());
    }
    else if (const auto csma = DynamicCast<CsmaNetDevice>(device))
    {
        queues.push_back(csma->GetQueue());
    }
    else if (const auto wifi = DynamicCast<WifiNetDevice>(device))
    {
        for (const AcIndex access : {AC_BE, AC_BE_NQOS})
        {
            queues.push_back(wifi->GetMac()->GetTxopQueue(access));
        }
    }
    queues.erase(std::remove(queues.begin(), queues.end(), nullptr), queues.end());
    return queues;
}

/**
 * @param queue of a device
 * @param mtu of the device
 * @return the least number of packets that it holds when it is full
 */
uint32_t
GetCapacity(const QueueBase& queue, uint16_t mtu)
{
    const QueueSize size = queue.GetMaxSize();
    return size.GetUnit() == QueueSizeUnit::PACKETS ? size.GetValue() : size.GetValue() / mtu;
}

} // namespace

Time
InterfaceBacklog::GetPatience()
{
    return MilliSeconds(100);
}

InterfaceBacklog::InterfaceBacklog(Ptr<NetDevice> device,
                                   std::function<void()> ready,
                                   uint32_t limit)
    : m_queues(FindQueues(device)),
      m_limit(limit),
      m_ready(std::move(ready))
{
    for (const auto& queue : m_queues)
    {
        m_limit = std::min(m_limit, GetCapacity(*queue, device->GetMtu()));
    }
    m_limit = std::max(m_limit, 1U);
}

InterfaceBacklog::~InterfaceBacklog()
{
    StopWaiting();
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
    m_event = Simulator::Schedule(GetPatience(), &InterfaceBacklog::HandleReady, this);
    for (const auto& queue : m_queues)
    {
        queue->TraceConnectWithoutContext("PacketsInQueue",
                                          MakeCallback(&InterfaceBacklog::HandleChange, this));
    }
}

void
InterfaceBacklog::HandleChange(uint32_t before, uint32_t now)
{
    // In an event of its own: the device is in the middle of taking a packet, which the queue still
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
    const auto ready = m_ready; // what it sends may close the transport, and so destroy this
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

} // namespace ns3::dlearn

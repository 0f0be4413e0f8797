/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-interface-backlog.h"

#include "dlearn-interface-link.h"

#include "ns3/simulator.h"

#include <algorithm>
#include <limits>

namespace ns3::dlearn
{

namespace
{

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
InterfaceBacklog::GetLongestWait(const Ptr<NetDevice>& device)
{
    // On slow links, the time of many frames: what does not leave within it has to be dropped.
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

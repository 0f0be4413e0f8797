/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-interface-line.h"

#include "dlearn-interface-link.h"

#include "ns3/nstime.h"

#include <algorithm>

namespace ns3::dlearn
{

namespace
{

/** Packets in the queue of a slow link: one that is sent next. */
constexpr int64_t LEAST_PACKETS = 1;

/**
 * @param frame time of the largest frame; 0: not known
 * @return packets that keep a device busy for 10 ms
 */
uint32_t
ChooseLimit(Time frame)
{
    if (frame.IsZero())
    {
        return InterfaceBacklog::LIMIT;
    }
    const int64_t packets = MilliSeconds(10).GetTimeStep() / frame.GetTimeStep();
    return static_cast<uint32_t>(
        std::clamp<int64_t>(packets, LEAST_PACKETS, InterfaceBacklog::LIMIT));
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

uint64_t
InterfaceLine::GetLeast() const
{
    return uint64_t{m_packetSize} * std::min(m_limit - 1, 2U);
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

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-trace-driven-rate.h"

#include "ns3/data-rate.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/ppp-header.h"
#include "ns3/simulator.h"

#include <utility>

namespace ns3::dlearn
{

Ptr<TraceDrivenRate>
TraceDrivenRate::Install(Ptr<PointToPointNetDevice> device,
                         std::shared_ptr<const CellularTrace> trace,
                         Time delay)
{
    device->SetDataRate(DataRate(1000000000000000000)); // the largest packet in 0.0005 ns
    Ptr<TraceDrivenRate> rate(new TraceDrivenRate(PeekPointer(device), std::move(trace), delay),
                              false);
    device->TraceConnectWithoutContext("PhyTxBegin",
                                       MakeCallback(&TraceDrivenRate::HandleTxBegin, rate));
    return rate;
}

TraceDrivenRate::TraceDrivenRate(PointToPointNetDevice* device,
                                 std::shared_ptr<const CellularTrace> trace,
                                 Time delay)
    : m_device(device),
      m_trace(std::move(trace)),
      m_delay(delay)
{
}

void
TraceDrivenRate::HandleTxBegin(Ptr<const Packet> packet)
{
    const Time now = m_start + Simulator::Now();
    if (m_trace->GetTime(m_next) < now)
    {
        m_next = m_trace->FindFrom(now); // those between were wasted
        m_left = CellularTrace::OPPORTUNITY_BYTES;
    }
    // The trace counts IP packets.
    uint32_t bytes = packet->GetSize() - PppHeader().GetSerializedSize();
    for (; bytes > m_left; ++m_next)
    {
        bytes -= m_left;
        m_left = CellularTrace::OPPORTUNITY_BYTES;
    }
    const Time wait = m_trace->GetTime(m_next) - now;
    m_left -= bytes;
    if (m_left == 0)
    {
        ++m_next;
        m_left = CellularTrace::OPPORTUNITY_BYTES;
    }
    m_device->SetInterframeGap(wait);
    m_device->GetChannel()->SetAttribute("Delay", TimeValue(m_delay + wait));
}

} // namespace ns3::dlearn

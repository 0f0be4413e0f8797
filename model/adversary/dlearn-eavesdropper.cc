/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-eavesdropper.h"

#include "ns3/csma-net-device.h"
#include "ns3/dlearn-check.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/uinteger.h"
#include "ns3/wifi-net-device.h"

namespace ns3::dlearn
{

NS_OBJECT_ENSURE_REGISTERED(Eavesdropper);

TypeId
Eavesdropper::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::dlearn::Eavesdropper")
            .SetParent<Object>()
            .SetGroupName("Dlearn")
            .AddConstructor<Eavesdropper>()
            .AddAttribute("UnfinishedLimit",
                          "Unfinished messages kept of each sender between two addresses; when "
                          "one more begins, the oldest round's is forgotten.",
                          UintegerValue(4),
                          MakeUintegerAccessor(&Eavesdropper::m_unfinishedLimit),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("StreamLimit",
                          "Bytes of a TCP stream that may wait for missing ones before these are "
                          "given up without an acknowledgement.",
                          UintegerValue(1 << 22),
                          MakeUintegerAccessor(&Eavesdropper::m_streamLimit),
                          MakeUintegerChecker<uint32_t>(1))
            .AddAttribute("MaxBytes",
                          "Bytes of memory for unfinished messages and streams in all, and for any "
                          "one vector; when there is more, the oldest is given up.",
                          UintegerValue(1 << 28),
                          MakeUintegerAccessor(&Eavesdropper::m_maxBytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddTraceSource("Overheard",
                            "A whole vector was overheard.",
                            MakeTraceSourceAccessor(&Eavesdropper::m_overheard),
                            "ns3::dlearn::Eavesdropper::OverheardTracedCallback");
    return tid;
}

Eavesdropper::Eavesdropper()
    : m_traffic([this](const Overheard& overheard) { m_overheard(overheard); })
{
}

Eavesdropper::~Eavesdropper() = default;

void
Eavesdropper::DoDispose()
{
    m_disposed = true;
    m_traffic.Clear();
    Object::DoDispose();
}

void
Eavesdropper::Listen(Ptr<NetDevice> device)
{
    Require(device != nullptr, "Eavesdropper: there is no device to listen at");
    // Counted pointers: the object whose trace is connected keeps the listener alive.
    const Ptr<Eavesdropper> self(this);
    if (DynamicCast<PointToPointNetDevice>(device))
    {
        device->TraceConnectWithoutContext("PromiscSniffer",
                                           MakeCallback(&Eavesdropper::HandlePpp, self));
    }
    else if (DynamicCast<CsmaNetDevice>(device))
    {
        device->TraceConnectWithoutContext("PromiscSniffer",
                                           MakeCallback(&Eavesdropper::HandleEthernet, self));
    }
    else if (const auto wifi = DynamicCast<WifiNetDevice>(device))
    {
        // Not PhyRxEnd, which has frames with errors, too.
        wifi->GetPhy()->TraceConnectWithoutContext("MonitorSnifferRx",
                                                   MakeCallback(&Eavesdropper::HandleWifiRx, self));
        wifi->GetPhy()->TraceConnectWithoutContext("MonitorSnifferTx",
                                                   MakeCallback(&Eavesdropper::HandleWifiTx, self));
    }
    else
    {
        Require(false,
                "Eavesdropper: device must be a PointToPointNetDevice, CsmaNetDevice or "
                "WifiNetDevice, got ",
                device->GetInstanceTypeId().GetName(),
                "; ListenAt() its node hears what passes through IP");
    }
}

void
Eavesdropper::ListenAt(Ptr<Node> node)
{
    const auto ipv4 = node ? node->GetObject<Ipv4L3Protocol>() : nullptr;
    const auto ipv6 = node ? node->GetObject<Ipv6L3Protocol>() : nullptr;
    Require(ipv4 || ipv6, "Eavesdropper: node must have a stack of IP");
    const Ptr<Eavesdropper> self(this);
    for (const std::string trace : {"Tx", "Rx"})
    {
        if (ipv4)
        {
            ipv4->TraceConnectWithoutContext(trace,
                                             MakeCallback(&Eavesdropper::HandleIp<Ipv4>, self));
        }
        if (ipv6)
        {
            ipv6->TraceConnectWithoutContext(trace,
                                             MakeCallback(&Eavesdropper::HandleIp<Ipv6>, self));
        }
    }
}

void
Eavesdropper::HandlePpp(Ptr<const Packet> frame)
{
    Read(FrameKind::PPP, frame);
}

void
Eavesdropper::HandleEthernet(Ptr<const Packet> frame)
{
    Read(FrameKind::ETHERNET, frame);
}

void
Eavesdropper::HandleWifiRx(Ptr<const Packet> frame,
                           uint16_t /* frequency */,
                           WifiTxVector /* vector */,
                           MpduInfo mpdu,
                           SignalNoiseDbm /* signal */,
                           uint16_t /* station */)
{
    Read(mpdu.type == NORMAL_MPDU ? FrameKind::WIFI : FrameKind::WIFI_SUBFRAME, frame);
}

void
Eavesdropper::HandleWifiTx(Ptr<const Packet> frame,
                           uint16_t /* frequency */,
                           WifiTxVector /* vector */,
                           MpduInfo mpdu,
                           uint16_t /* station */)
{
    Read(mpdu.type == NORMAL_MPDU ? FrameKind::WIFI : FrameKind::WIFI_SUBFRAME, frame);
}

template <typename Ip>
void
Eavesdropper::HandleIp(Ptr<const Packet> packet, Ptr<Ip> /* ip */, uint32_t /* interface */)
{
    Read(FrameKind::IP, packet);
}

void
Eavesdropper::Read(FrameKind kind, Ptr<const Packet> frame)
{
    if (m_disposed)
    {
        return;
    }
    m_bytes.resize(frame->GetSize());
    frame->CopyData(m_bytes.data(), frame->GetSize());
    m_traffic.Read({m_unfinishedLimit, m_streamLimit, m_maxBytes},
                   kind,
                   m_bytes.data(),
                   m_bytes.size());
}

} // namespace ns3::dlearn

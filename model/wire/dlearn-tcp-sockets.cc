/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-tcp-sockets.h"

#include "dlearn-interface-link.h"

#include "ns3/boolean.h"
#include "ns3/dlearn-attribute-lookup.h"
#include "ns3/dlearn-check.h"
#include "ns3/dlearn-host-tcp-socket-factory.h"
#include "ns3/dlearn-host-tcp-socket.h"
#include "ns3/tcp-socket-base.h"
#include "ns3/tcp-socket-factory.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <optional>

namespace ns3::dlearn
{

namespace
{

/** @return the default of an attribute of ns-3's TCP, where a user has chosen it */
std::optional<uint32_t>
FindChosenSize(const std::string& name)
{
    const auto chosen = FindChosenDefault(TcpSocketBase::GetTypeId(), name);
    return chosen ? std::make_optional<uint32_t>(dynamic_cast<const UintegerValue&>(*chosen).Get())
                  : std::nullopt;
}

} // namespace

void
TcpSockets::Check(uint32_t segmentSize, bool hasCallTimeout)
{
    const auto segment = FindChosenSize("SegmentSize");
    Require(!segment || segmentSize == 0,
            "TcpTransport: SegmentSize and ns3::TcpSocket::SegmentSize exclude each other, got ",
            segmentSize,
            " and ",
            segment.value_or(0));
    Require(!FindChosenDefault(TcpSocketBase::GetTypeId(), "ConnTimeout") || !hasCallTimeout,
            "TcpTransport: CallTimeout and ns3::TcpSocket::ConnTimeout exclude each other");
    const uint32_t least = segment.value_or(LEAST_SEGMENT);
    Require(least >= LEAST_SEGMENT,
            "ns3::TcpSocket::SegmentSize must be at least ",
            LEAST_SEGMENT,
            ", got ",
            least);
    Require(FindChosenSize("InitialCwnd").value_or(1) >= 1,
            "ns3::TcpSocket::InitialCwnd must be at least 1 segment, got 0");
    for (const char* buffer : {"SndBufSize", "RcvBufSize"})
    {
        const uint32_t size = FindChosenSize(buffer).value_or(least);
        Require(size >= least,
                "ns3::TcpSocket::",
                buffer,
                " must be at least a segment, ",
                least,
                " bytes, got ",
                size);
    }
}

uint32_t
TcpSockets::GetSegment() const
{
    // Of IP, of TCP, and the options of most segments.
    const uint32_t headers = GetIpHeaderSize(ipv6) + 20 + 12;
    return segmentSize > 0 ? segmentSize : FindChosenSize("SegmentSize").value_or(mtu - headers);
}

Ptr<Socket>
TcpSockets::Create(uint32_t failures) const
{
    const bool host = node->GetObject<HostTcpSocketFactory>() != nullptr;
    const Ptr<Socket> socket = Socket::CreateSocket(node,
                                                    host ? HostTcpSocketFactory::GetTypeId()
                                                         : TcpSocketFactory::GetTypeId());
    const uint32_t segment = GetSegment();
    socket->SetAttribute("SegmentSize", UintegerValue(segment));
    if (!DynamicCast<HostTcpSocket>(socket))
    {
        // Three segments have to follow a lost one before ns-3 sends it again without a timeout.
        const uint32_t buffer = std::max<uint32_t>(1 << 17, 8 * segment);
        SetOwnDefault(socket, "SndBufSize", UintegerValue(buffer));
        SetOwnDefault(socket, "RcvBufSize", UintegerValue(buffer));
        TimeValue least;
        socket->GetAttribute("MinRto", least);
        SetOwnDefault(socket, "MinRto", TimeValue(Max(least.Get(), GetWindowTime())));
    }
    // With time stamps ns-3 measures the time of a segment that was sent again from its first
    // copy on; so one loss makes the retransmission timeout longer, for good, until it is minutes.
    SetOwnDefault(socket, "Timestamp", BooleanValue(false));
    // A TCP of ns-3 that calls does not take "refused" for an answer; with its own defaults it
    // would wait up to 96 s before it asks a peer that has come back.
    const auto timeout = SetOwnDefault(socket, "ConnTimeout", TimeValue(callTimeout));
    const Time first = dynamic_cast<const TimeValue&>(*timeout).Get();
    socket->SetAttribute("ConnTimeout", TimeValue(first * (1 << std::min(failures, 6U))));
    SetOwnDefault(socket, "ConnCount", UintegerValue(3));
    return socket;
}

Time
TcpSockets::GetWindowTime() const
{
    const uint32_t segment = GetSegment();
    Time longest;
    for (uint32_t index = 0; index < node->GetNDevices(); ++index)
    {
        const auto device = node->GetDevice(index);
        longest = Max(longest, GetFrameTime(*device, segment + 40) * (2 * FIRST_WINDOW));
    }
    return longest;
}

Ptr<Socket>
TcpSockets::CreateListener() const
{
    const Ptr<Socket> socket = Create(0);
    // Each copy of a call that comes before the caller has the answer takes one of these.
    SetOwnDefault(socket, "ConnCount", UintegerValue(8));
    return socket;
}

} // namespace ns3::dlearn

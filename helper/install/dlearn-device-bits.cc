/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-device-bits.h"

#include "ns3/csma-net-device.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/loopback-net-device.h"
#include "ns3/point-to-point-net-device.h"

#include <utility>

namespace ns3::dlearn
{

namespace
{

/** @return whether a device only passes on what other devices of its node send and receive */
bool
IsMadeOf(const NetDevice& device)
{
    const std::string type = device.GetInstanceTypeId().GetName(); // of modules that may be missing
    return type == "ns3::BridgeNetDevice" || type == "ns3::MeshPointDevice";
}

} // namespace

DeviceBits::DeviceBits(Ptr<Node> node, const RadioEnergy& radio)
{
    for (uint32_t k = 0; k < node->GetNDevices(); ++k)
    {
        const auto device = node->GetDevice(k);
        if (!radio.Covers(device) && !DynamicCast<LoopbackNetDevice>(device) && !IsMadeOf(*device))
        {
            m_devices.push_back(device);
        }
    }
}

std::string
DeviceBits::GetDeviceType() const
{
    return m_devices.empty() ? "" : m_devices.back()->GetInstanceTypeId().GetName();
}

void
DeviceBits::Watch(Listener sent, Listener received)
{
    m_sent = std::move(sent);
    m_received = std::move(received);
    for (const auto& device : m_devices)
    {
        if (DynamicCast<PointToPointNetDevice>(device) || DynamicCast<CsmaNetDevice>(device))
        {
            m_wired.Add(device);
            device->TraceConnectWithoutContext("PhyTxEnd",
                                               MakeCallback(&DeviceBits::HandleTx, this));
            device->TraceConnectWithoutContext("MacRx", MakeCallback(&DeviceBits::HandleRx, this));
        }
        else
        {
            WatchPackets(device);
        }
    }
}

void
DeviceBits::WatchPackets(const Ptr<NetDevice>& device)
{
    if (m_counted.empty())
    {
        WatchProtocol<Ipv4>(device->GetNode()->GetObject<Ipv4L3Protocol>());
        WatchProtocol<Ipv6>(device->GetNode()->GetObject<Ipv6L3Protocol>());
    }
    m_counted.insert(device);
}

template <typename Ip>
void
DeviceBits::WatchProtocol(const Ptr<Ip>& protocol)
{
    if (protocol)
    {
        protocol->TraceConnectWithoutContext("Tx", MakeCallback(&DeviceBits::HandleIpTx<Ip>, this));
        protocol->TraceConnectWithoutContext("Rx", MakeCallback(&DeviceBits::HandleIpRx<Ip>, this));
    }
}

void
DeviceBits::HandleTx(Ptr<const Packet> packet)
{
    m_sent(uint64_t{8} * packet->GetSize());
}

void
DeviceBits::HandleRx(Ptr<const Packet> packet)
{
    m_received(uint64_t{8} * packet->GetSize());
}

template <typename Ip>
void
DeviceBits::HandleIpTx(Ptr<const Packet> packet, Ptr<Ip> ip, uint32_t interface)
{
    if (m_counted.count(ip->GetNetDevice(interface)) > 0)
    {
        HandleTx(packet);
    }
}

template <typename Ip>
void
DeviceBits::HandleIpRx(Ptr<const Packet> packet, Ptr<Ip> ip, uint32_t interface)
{
    if (m_counted.count(ip->GetNetDevice(interface)) > 0)
    {
        HandleRx(packet);
    }
}

} // namespace ns3::dlearn

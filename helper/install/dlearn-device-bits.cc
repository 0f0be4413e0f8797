/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-device-bits.h"

#include "ns3/csma-net-device.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/loopback-net-device.h"
#include "ns3/point-to-point-net-device.h"

#include <utility>

namespace ns3::dlearn
{

DeviceBits::DeviceBits(Ptr<Node> node, const RadioEnergy& radio)
{
    for (uint32_t k = 0; k < node->GetNDevices(); ++k)
    {
        const auto device = node->GetDevice(k);
        if (!radio.Covers(device) && !DynamicCast<LoopbackNetDevice>(device))
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
            WatchInterface(device);
        }
    }
}

void
DeviceBits::WatchInterface(const Ptr<NetDevice>& device)
{
    const auto ip = device->GetNode()->GetObject<Ipv4L3Protocol>();
    const int32_t interface = ip ? ip->GetInterfaceForDevice(device) : -1;
    if (interface < 0)
    {
        return;
    }
    if (m_interfaces.empty())
    {
        ip->TraceConnectWithoutContext("Tx", MakeCallback(&DeviceBits::HandleIpTx, this));
        ip->TraceConnectWithoutContext("Rx", MakeCallback(&DeviceBits::HandleIpRx, this));
    }
    m_interfaces.insert(static_cast<uint32_t>(interface));
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

void
DeviceBits::HandleIpTx(Ptr<const Packet> packet, Ptr<Ipv4> /* ip */, uint32_t interface)
{
    if (m_interfaces.count(interface) > 0)
    {
        HandleTx(packet);
    }
}

void
DeviceBits::HandleIpRx(Ptr<const Packet> packet, Ptr<Ipv4> /* ip */, uint32_t interface)
{
    if (m_interfaces.count(interface) > 0)
    {
        HandleRx(packet);
    }
}

} // namespace ns3::dlearn

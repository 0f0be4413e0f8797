/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-wired-devices.h"

#include "ns3/dlearn-interface-line.h"
#include "ns3/node.h"
#include "ns3/pointer.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"
#include "ns3/traffic-control-layer.h"

namespace ns3::dlearn
{

namespace
{

/** Drop what waits to be sent by a device. */
void
DropWaiting(const Ptr<NetDevice>& device)
{
    const auto control = device->GetNode()->GetObject<TrafficControlLayer>();
    const auto disc = control ? control->GetRootQueueDiscOnDevice(device) : nullptr;
    while (disc && disc->Dequeue())
    {
    }
    for (const auto& queue : DescribeLink(device).queues)
    {
        DynamicCast<Queue<Packet>>(queue)->Flush();
    }
}

} // namespace

void
WiredDevices::Add(const Ptr<NetDevice>& device)
{
    const auto deaf = CreateObject<RateErrorModel>();
    deaf->SetUnit(RateErrorModel::ERROR_UNIT_PACKET);
    deaf->SetRate(1);
    m_devices.push_back({device, nullptr, deaf});
}

void
WiredDevices::SwitchOff()
{
    if (m_off)
    {
        return;
    }
    m_off = true;
    for (Entry& entry : m_devices)
    {
        PointerValue errors;
        entry.device->GetAttribute("ReceiveErrorModel", errors);
        if (errors.GetObject() != entry.deaf)
        {
            entry.errors = errors.Get<ErrorModel>();
        }
        entry.deaf->Enable();
        entry.device->SetAttribute("ReceiveErrorModel", PointerValue(entry.deaf));
        DropWaiting(entry.device);
    }
}

void
WiredDevices::SwitchOn()
{
    if (!m_off)
    {
        return;
    }
    m_off = false;
    for (Entry& entry : m_devices)
    {
        entry.deaf->Disable(); // devices cannot be told to have no error model again
        if (entry.errors)
        {
            entry.device->SetAttribute("ReceiveErrorModel", PointerValue(entry.errors));
        }
    }
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-link-statistics.h"

#include "dlearn-device-watch.h"

#ifdef DLEARN_WITH_LTE
#include "dlearn-lte-links.h"
#endif

#include "ns3/csma-channel.h"
#include "ns3/csma-net-device.h"
#include "ns3/ethernet-header.h"
#include "ns3/node-list.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/simulator.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy.h"

#include <optional>

namespace ns3::dlearn
{

namespace
{

/** @return the device at the other end of a link of two; null for a shared medium */
Ptr<NetDevice>
GetOther(Ptr<NetDevice> device)
{
    const auto channel = DynamicCast<PointToPointChannel>(device->GetChannel());
    return channel ? channel->GetDevice(channel->GetDevice(0) == device ? 1 : 0) : nullptr;
}

} // namespace

void
LinkStatistics::HandleBusLoss(const Senders* senders, Address own, Ptr<const Packet> packet)
{
    EthernetHeader header(false);
    packet->PeekHeader(header);
    const Mac48Address to = header.GetDestination();
    const auto sender = senders->find(header.GetSource());
    if (sender != senders->end() && (to.IsGroup() || to == Mac48Address::ConvertFrom(own)))
    {
        sender->second->HandleLoss(packet);
    }
}

LinkStatistics::LinkStatistics(const NodeContainer& learners,
                               ActivityFinder find,
                               Attachments::Listener listener)
    : m_find(std::move(find)),
      m_attachments(learners, std::move(listener))
{
    const LinkEnds ends(learners);
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node)
    {
        for (uint32_t k = 0; k < (*node)->GetNDevices(); ++k)
        {
            const Ptr<NetDevice> device = (*node)->GetDevice(k);
            if (const auto p2p = DynamicCast<PointToPointNetDevice>(device))
            {
                AddWired(p2p, "p2p", ends);
            }
            else if (const auto csma = DynamicCast<CsmaNetDevice>(device))
            {
                AddWired(csma, "csma", ends);
            }
            else if (const auto wifi = DynamicCast<WifiNetDevice>(device))
            {
                if (wifi->GetPhy() && wifi->GetMac() && wifi->GetChannel())
                {
                    AddWatch(wifi, "wifi", ends)->WatchWifi(wifi);
                    m_attachments.WatchWifi(wifi, ends.Name(**node));
                }
            }
        }
    }
#ifdef DLEARN_WITH_LTE
    m_lte = std::make_shared<LteLinks>(learners, m_attachments);
#endif
}

LinkStatistics::~LinkStatistics() = default;

DeviceWatch*
LinkStatistics::AddWatch(const Ptr<NetDevice>& device,
                         const std::string& kind,
                         const LinkEnds& ends)
{
    const auto node = device->GetNode();
    auto& segments = m_segments[node->GetId()];
    if (!segments)
    {
        segments = std::make_unique<TcpSegments>(node);
    }
    m_watches.push_back(std::make_unique<DeviceWatch>(m_find(*node), segments.get()));
    DeviceWatch* const watch = m_watches.back().get();
    watch->record.link = kind + "-" + std::to_string(device->GetChannel()->GetId());
    watch->record.from = ends.Name(*node);
    return watch;
}

template <typename Device>
void
LinkStatistics::AddWired(Ptr<Device> device, const std::string& kind, const LinkEnds& ends)
{
    if (!device->GetChannel() || !device->GetQueue())
    {
        return;
    }
    DeviceWatch* const watch = AddWatch(device, kind, ends);
    watch->WatchWired(device);
    if (DynamicCast<CsmaNetDevice>(device))
    {
        const Address own = device->GetAddress();
        m_senders[Mac48Address::ConvertFrom(own)] = watch;
        m_traces.Add(device,
                     "PhyRxDrop",
                     MakeBoundCallback(&LinkStatistics::HandleBusLoss,
                                       static_cast<const Senders*>(&m_senders),
                                       own));
    }
    if (const auto other = GetOther(device))
    {
        watch->record.to = ends.Name(*other->GetNode());
        m_traces.Add(other, "PhyRxDrop", MakeCallback(&DeviceWatch::HandleLoss, watch));
    }
}

void
LinkStatistics::NoteBegin()
{
    for (const auto& watch : m_watches)
    {
        watch->NoteBegin();
    }
#ifdef DLEARN_WITH_LTE
    m_lte->NoteBegin();
#endif
}

void
LinkStatistics::NoteEnd(bool over)
{
    if (!over) // as it is for each of a thousand clients that has sent its update
    {
        m_end.reset();
        return;
    }
    m_end = Simulator::Now();
    for (const auto& watch : m_watches)
    {
        watch->NoteEnd();
    }
#ifdef DLEARN_WITH_LTE
    m_lte->NoteEnd();
#endif
}

std::vector<LinkRecord>
LinkStatistics::GetRecords() const
{
    std::vector<LinkRecord> records;
    for (const auto& watch : m_watches)
    {
        records.push_back(watch->Finish(m_end));
    }
#ifdef DLEARN_WITH_LTE
    const auto radio = m_lte->GetRecords(m_end);
    records.insert(records.end(), radio.begin(), radio.end());
#endif
    return records;
}

} // namespace ns3::dlearn

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-link-statistics.h"

#include "dlearn-delay-distribution.h"
#include "dlearn-waiting-packets.h"

#ifdef DLEARN_WITH_LTE
#include "dlearn-lte-links.h"
#endif

#include "ns3/csma-channel.h"
#include "ns3/csma-net-device.h"
#include "ns3/ethernet-header.h"
#include "ns3/node-list.h"
#include "ns3/point-to-point-channel.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/pointer.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"
#include "ns3/simulator.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/wifi-mac-header.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-mpdu.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy-state-helper.h"
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

/** Counts what traces of one device tell. */
class LinkStatistics::Watch
{
  public:
    /**
     * @param activity of the node; null when no one asks for it
     * @param segments of the node's TCP
     */
    Watch(NodeActivity* activity, TcpSegments* segments)
        : m_activity(activity),
          m_segments(segments)
    {
    }

    LinkRecord record; //!< but for what is computed at the end

    /** Trace Enqueue of a queue disc. */
    void HandleDiscEnqueue(Ptr<const QueueDiscItem> item)
    {
        m_inDisc.Enter(item->GetPacket()->GetUid(), Simulator::Now());
        AddWaiting(1);
    }

    /** Trace DropBeforeEnqueue of a queue disc. */
    void HandleDiscRefusal(Ptr<const QueueDiscItem> /* item */, const char* /* reason */)
    {
        ++record.queueDrops;
    }

    /** Trace DropAfterDequeue of a queue disc. */
    void HandleDiscDrop(Ptr<const QueueDiscItem> item, const char* /* reason */)
    {
        ++record.queueDrops;
        LeaveDisc(item->GetPacket()->GetUid());
    }

    /** Trace Enqueue of a queue. */
    void HandleEnqueue(Ptr<const Packet> packet)
    {
        const auto since = LeaveDisc(packet->GetUid());
        m_inQueue.Enter(packet->GetUid(), since.value_or(Simulator::Now()));
        AddWaiting(1);
    }

    /** Trace Dequeue of a queue. */
    void HandleDequeue(Ptr<const Packet> packet)
    {
        if (const auto since = m_inQueue.Leave(packet->GetUid()))
        {
            m_delays.Add(Simulator::Now() - *since);
            AddWaiting(-1);
        }
    }

    /** Trace DropBeforeEnqueue of a queue. */
    void HandleRefusal(Ptr<const Packet> packet)
    {
        ++record.queueDrops;
        LeaveDisc(packet->GetUid());
    }

    /** Trace DropAfterDequeue of a queue, which follows Dequeue. */
    void HandleDrop(Ptr<const Packet> /* packet */)
    {
        ++record.queueDrops;
    }

    /** Trace Enqueue of a queue of Wi-Fi. */
    void HandleWifiEnqueue(Ptr<const WifiMpdu> mpdu)
    {
        HandleEnqueue(mpdu->GetPacket());
    }

    /** Trace Dequeue of a queue of Wi-Fi. */
    void HandleWifiDequeue(Ptr<const WifiMpdu> mpdu)
    {
        HandleDequeue(mpdu->GetPacket());
    }

    /** Trace DropBeforeEnqueue of a queue of Wi-Fi. */
    void HandleWifiRefusal(Ptr<const WifiMpdu> mpdu)
    {
        HandleRefusal(mpdu->GetPacket());
    }

    /** Trace DropAfterDequeue of a queue of Wi-Fi. */
    void HandleWifiDrop(Ptr<const WifiMpdu> mpdu)
    {
        HandleDrop(mpdu->GetPacket());
    }

    /** Trace PhyTxBegin. */
    void HandleTxBegin(Ptr<const Packet> packet)
    {
        record.txBytes += packet->GetSize();
        m_begun = Simulator::Now();
        m_again = m_segments->IsRepeated(*packet);
        *record.again += m_again ? 1 : 0;
        if (m_activity)
        {
            m_activity->BeginSending(m_again);
        }
    }

    /** Trace PhyTxEnd. */
    void HandleTxEnd(Ptr<const Packet> /* packet */)
    {
        m_busy += Simulator::Now() - Max(m_begun, m_begin);
        if (m_activity)
        {
            m_activity->EndSending(m_again);
        }
    }

    /** Trace PhyTxBegin of Wi-Fi. */
    void HandleWifiTx(Ptr<const Packet> packet, double /* power */)
    {
        record.txBytes += packet->GetSize();
        if (m_activity)
        {
            WifiMacHeader header;
            packet->PeekHeader(header);
            const bool again = m_segments->IsRepeated(*packet) || header.IsRetry();
            m_again = again && (m_again || m_begun != Simulator::Now()); // all of an A-MPDU
            m_begun = Simulator::Now();
        }
    }

    /** Trace State of Wi-Fi, which follows PhyTxBegin. */
    void HandleWifiState(Time /* start */, Time duration, WifiPhyState state)
    {
        if (state == WifiPhyState::TX)
        {
            m_busy += duration;
            if (m_activity)
            {
                m_activity->Send(duration, m_again);
            }
        }
    }

    /** Trace PhyRxDrop of the other end. */
    void HandleLoss(Ptr<const Packet> /* packet */)
    {
        ++*record.loss;
    }

    /**
     * Trace PhyRxDrop of a device on a bus, which hears all frames.
     *
     * @param senders the devices by address
     * @param own address of the device
     * @param packet with the header of Ethernet
     */
    static void HandleBusLoss(const Senders* senders, Address own, Ptr<const Packet> packet)
    {
        EthernetHeader header(false);
        packet->PeekHeader(header);
        const Mac48Address to = header.GetDestination();
        const auto sender = senders->find(header.GetSource());
        if (sender != senders->end() && (to.IsGroup() || to == Mac48Address::ConvertFrom(own)))
        {
            ++*sender->second->record.loss;
        }
    }

    /** Trace DroppedMpdu of Wi-Fi. */
    void HandleGivenUp(WifiMacDropReason reason, Ptr<const WifiMpdu> /* mpdu */)
    {
        *record.loss += reason == WIFI_MAC_DROP_REACHED_RETRY_LIMIT ? 1 : 0;
    }

    /** Traces MacTxDataFailed and MacTxRtsFailed of Wi-Fi. */
    void HandleFailure(Mac48Address /* receiver */)
    {
        ++*record.again;
    }

    /** Traces MacTxFinalDataFailed and MacTxFinalRtsFailed of Wi-Fi, which follow the former. */
    void HandleLastFailure(Mac48Address /* receiver */)
    {
        *record.again -= *record.again > 0 ? 1 : 0; // as it is not tried again
    }

    /** Count from now on. */
    void NoteBegin()
    {
        m_begin = Simulator::Now();
        m_busy = Time();
        m_delays = DelayDistribution();
        record.txBytes = 0;
        record.queueDrops = 0;
        for (auto* const count : {&record.loss, &record.again})
        {
            *count = *count ? std::optional<uint64_t>(0) : std::nullopt;
        }
    }

    /** Learners have finished. */
    void NoteEnd()
    {
        m_busyAtEnd = m_busy;
    }

    /**
     * @param end of learning; nothing for the present
     * @return the record, complete
     */
    LinkRecord Finish(const std::optional<Time>& end) const
    {
        LinkRecord whole = record;
        const double time = (end.value_or(Simulator::Now()) - m_begin).GetSeconds();
        whole.busy = time > 0 ? (end ? m_busyAtEnd : m_busy).GetSeconds() / time : 0;
        whole.queueMean = m_delays.GetMean();
        whole.queueWorst = m_delays.GetWorst();
        return whole;
    }

  private:
    /**
     * @param uid of a packet that may be in the queue disc
     * @return since when it was there
     */
    std::optional<Time> LeaveDisc(uint64_t uid)
    {
        const auto since = m_inDisc.Leave(uid);
        AddWaiting(since ? -1 : 0);
        return since;
    }

    /** @param count of packets that begin to wait in the device; negative: that do no longer */
    void AddWaiting(int count)
    {
        if (m_activity && count != 0)
        {
            m_activity->AddWaiting(count);
        }
    }

    NodeActivity* m_activity;   //!< of the node; null: not asked for
    TcpSegments* m_segments;    //!< of the node
    bool m_again{false};        //!< whether what is sent has been sent before
    WaitingPackets m_inDisc;    //!< in the queue disc
    WaitingPackets m_inQueue;   //!< in the queue of the device
    DelayDistribution m_delays; //!< of packets that left the queue
    Time m_begin;               //!< of counting
    Time m_begun;               //!< when the last transmission began
    Time m_busy;                //!< sum of the transmissions
    Time m_busyAtEnd;           //!< the same, when learners had finished
};

void
LinkStatistics::WatchDiscs(const Ptr<NetDevice>& device, Watch* watch)
{
    const auto layer = device->GetNode()->GetObject<TrafficControlLayer>();
    const auto root = layer ? layer->GetRootQueueDiscOnDevice(device) : nullptr;
    std::vector<Ptr<QueueDisc>> discs;
    if (root && root->GetWakeMode() == QueueDisc::WAKE_CHILD)
    {
        for (size_t k = 0; k < root->GetNQueueDiscClasses(); ++k)
        {
            discs.push_back(root->GetQueueDiscClass(k)->GetQueueDisc());
        }
    }
    else if (root)
    {
        discs.push_back(root);
    }
    for (const auto& disc : discs)
    {
        disc->TraceConnectWithoutContext("Enqueue", MakeCallback(&Watch::HandleDiscEnqueue, watch));
        disc->TraceConnectWithoutContext("DropBeforeEnqueue",
                                         MakeCallback(&Watch::HandleDiscRefusal, watch));
        disc->TraceConnectWithoutContext("DropAfterDequeue",
                                         MakeCallback(&Watch::HandleDiscDrop, watch));
    }
}

LinkStatistics::LinkStatistics(const NodeContainer& learners, ActivityFinder find)
    : m_find(std::move(find))
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
            else if (DynamicCast<WifiNetDevice>(device))
            {
                AddWifi(device, ends);
            }
        }
    }
#ifdef DLEARN_WITH_LTE
    m_lte = std::make_shared<LteLinks>(learners);
#endif
}

LinkStatistics::~LinkStatistics() = default;

LinkStatistics::Watch*
LinkStatistics::AddWatch(const Ptr<NetDevice>& device, const LinkEnds& ends)
{
    const auto node = device->GetNode();
    auto& segments = m_segments[node->GetId()];
    if (!segments)
    {
        segments = std::make_unique<TcpSegments>(node);
    }
    m_watches.push_back(std::make_unique<Watch>(m_find(*node), segments.get()));
    Watch* const watch = m_watches.back().get();
    watch->record.again = 0;
    watch->record.from = ends.Name(*node);
    WatchDiscs(device, watch);
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
    Watch* const watch = AddWatch(device, ends);
    watch->record.link = kind + "-" + std::to_string(device->GetChannel()->GetId());
    const auto queue = device->GetQueue();
    queue->TraceConnectWithoutContext("Enqueue", MakeCallback(&Watch::HandleEnqueue, watch));
    queue->TraceConnectWithoutContext("Dequeue", MakeCallback(&Watch::HandleDequeue, watch));
    queue->TraceConnectWithoutContext("DropBeforeEnqueue",
                                      MakeCallback(&Watch::HandleRefusal, watch));
    queue->TraceConnectWithoutContext("DropAfterDequeue", MakeCallback(&Watch::HandleDrop, watch));
    device->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Watch::HandleTxBegin, watch));
    device->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&Watch::HandleTxEnd, watch));
    watch->record.loss = 0;
    if (DynamicCast<CsmaNetDevice>(device))
    {
        const Address own = device->GetAddress();
        m_senders[Mac48Address::ConvertFrom(own)] = watch;
        device->TraceConnectWithoutContext(
            "PhyRxDrop",
            MakeBoundCallback(&Watch::HandleBusLoss, static_cast<const Senders*>(&m_senders), own));
    }
    if (const auto other = GetOther(device))
    {
        watch->record.to = ends.Name(*other->GetNode());
        other->TraceConnectWithoutContext("PhyRxDrop", MakeCallback(&Watch::HandleLoss, watch));
    }
}

void
LinkStatistics::AddWifi(Ptr<NetDevice> device, const LinkEnds& ends)
{
    const auto wifi = DynamicCast<WifiNetDevice>(device);
    if (!wifi->GetPhy() || !wifi->GetMac() || !wifi->GetChannel())
    {
        return;
    }
    Watch* const watch = AddWatch(device, ends);
    watch->record.link = "wifi-" + std::to_string(device->GetChannel()->GetId());
    watch->record.loss = 0;
    wifi->GetMac()->TraceConnectWithoutContext("DroppedMpdu",
                                               MakeCallback(&Watch::HandleGivenUp, watch));
    const auto phy = wifi->GetPhy();
    phy->TraceConnectWithoutContext("PhyTxBegin", MakeCallback(&Watch::HandleWifiTx, watch));
    phy->GetState()->TraceConnectWithoutContext("State",
                                                MakeCallback(&Watch::HandleWifiState, watch));
    const auto stations = wifi->GetRemoteStationManager();
    for (const char* trace : {"MacTxDataFailed", "MacTxRtsFailed"})
    {
        stations->TraceConnectWithoutContext(trace, MakeCallback(&Watch::HandleFailure, watch));
    }
    for (const char* trace : {"MacTxFinalDataFailed", "MacTxFinalRtsFailed"})
    {
        stations->TraceConnectWithoutContext(trace, MakeCallback(&Watch::HandleLastFailure, watch));
    }
    for (const char* access : {"Txop", "VO_Txop", "VI_Txop", "BE_Txop", "BK_Txop"})
    {
        PointerValue txop;
        PointerValue queue;
        if (wifi->GetMac()->GetAttributeFailSafe(access, txop) && txop.GetObject() &&
            txop.GetObject()->GetAttributeFailSafe("Queue", queue) && queue.GetObject())
        {
            const auto waiting = queue.GetObject();
            waiting->TraceConnectWithoutContext("Enqueue",
                                                MakeCallback(&Watch::HandleWifiEnqueue, watch));
            waiting->TraceConnectWithoutContext("Dequeue",
                                                MakeCallback(&Watch::HandleWifiDequeue, watch));
            waiting->TraceConnectWithoutContext("DropBeforeEnqueue",
                                                MakeCallback(&Watch::HandleWifiRefusal, watch));
            waiting->TraceConnectWithoutContext("DropAfterDequeue",
                                                MakeCallback(&Watch::HandleWifiDrop, watch));
        }
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

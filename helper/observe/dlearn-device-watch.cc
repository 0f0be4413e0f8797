/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "dlearn-device-watch.h"

#include "ns3/channel.h"
#include "ns3/csma-net-device.h"
#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/dlearn-type-id.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv4-l3-protocol.h"
#include "ns3/ipv6-header.h"
#include "ns3/ipv6-l3-protocol.h"
#include "ns3/mac48-address.h"
#include "ns3/node.h"
#include "ns3/point-to-point-net-device.h"
#include "ns3/pointer.h"
#include "ns3/queue-disc.h"
#include "ns3/queue.h"
#include "ns3/sequence-number.h"
#include "ns3/simulator.h"
#include "ns3/tag.h"
#include "ns3/tcp-header.h"
#include "ns3/tcp-l4-protocol.h"
#include "ns3/traffic-control-layer.h"
#include "ns3/wifi-mac-header.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-mpdu.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy-state-helper.h"
#include "ns3/wifi-phy-state.h"
#include "ns3/wifi-phy.h"
#include "ns3/wifi-tx-vector.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

namespace
{

constexpr double STEP = 1.01; //!< between the bins

/** Marks a retransmitted segment; packets do not get longer by it. */
class RepeatedTag : public Tag
{
  public:
    explicit RepeatedTag(uint32_t node = 0)
        : m_node(node)
    {
    }

    static TypeId GetTypeId()
    {
        static const TypeId tid = MakeTypeId<RepeatedTag, Tag>("ns3::dlearn::RepeatedTag");
        return tid;
    }

    TypeId GetInstanceTypeId() const override { return GetTypeId(); }

    uint32_t GetSerializedSize() const override { return sizeof m_node; }

    void Serialize(TagBuffer buffer) const override { buffer.WriteU32(m_node); }

    void Deserialize(TagBuffer buffer) override { m_node = buffer.ReadU32(); }

    void Print(std::ostream& os) const override { os << "sent again by node " << m_node; }

    uint32_t GetNode() const { return m_node; }

  private:
    uint32_t m_node; //!< whose TCP retransmits it
};

} // namespace

void
DelayDistribution::Add(Time delay)
{
    ++m_count;
    if (!delay.IsStrictlyPositive()) // 0, as that of most packets
    {
        ++m_none;
        return;
    }
    const double milliseconds = delay.GetSeconds() * 1e3;
    m_total += milliseconds;
    // Bin b holds the delays from STEP^(b - 1) to STEP^b nanoseconds.
    ++m_bins[static_cast<int>(std::ceil(std::log(milliseconds * 1e6) / std::log(STEP)))];
}

double
DelayDistribution::GetWorst() const
{
    uint64_t below = m_none;
    double worst = 0;
    for (auto bin = m_bins.begin(); bin != m_bins.end() && below * 100 < m_count * 99; ++bin)
    {
        below += bin->second;
        worst = std::pow(STEP, bin->first) / 1e6;
    }
    return worst;
}

void
LinkWatch::NoteBegin()
{
    m_begin = Simulator::Now();
    m_delays = DelayDistribution();
    record.txBytes = 0;
    record.queueDrops = 0;
}

LinkRecord
LinkWatch::Finish(const std::optional<Time>& end) const
{
    LinkRecord whole = record;
    const double time = (end.value_or(Simulator::Now()) - m_begin).GetSeconds();
    whole.busy = time > 0 ? (end ? m_busyAtEnd : GetBusySeconds()) / time : 0;
    whole.queueMean = m_delays.GetMean();
    whole.queueWorst = m_delays.GetWorst();
    return whole;
}

/** Detects the packets of a node with IPv4 or IPv6 that are segments retransmitted by its TCP. */
class TcpSegments
{
  public:
    explicit TcpSegments(const Ptr<Node>& node)
        : m_node(node->GetId())
    {
        if (const auto ip = node->GetObject<Ipv4L3Protocol>())
        {
            m_traces.Add(ip, "SendOutgoing", MakeCallback(&TcpSegments::HandleSend4, this));
        }
        if (const auto ip = node->GetObject<Ipv6L3Protocol>())
        {
            m_traces.Add(ip, "SendOutgoing", MakeCallback(&TcpSegments::HandleSend6, this));
        }
    }

    /** @return whether a packet that a device of the node begins to send is a retransmission */
    bool IsRepeated(const Packet& packet) const
    {
        RepeatedTag tag;
        return packet.PeekPacketTag(tag) && tag.GetNode() == m_node;
    }

  private:
    /** Destination, and ports of sender and receiver. */
    using Flow = std::tuple<IpAddress, uint16_t, uint16_t>;

    void HandleSend4(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t /* interface */)
    {
        if (header.GetProtocol() == TcpL4Protocol::PROT_NUMBER)
        {
            ReadSegment(header.GetDestination(), packet);
        }
    }

    void HandleSend6(const Ipv6Header& header, Ptr<const Packet> packet, uint32_t /* interface */)
    {
        if (header.GetNextHeader() == TcpL4Protocol::PROT_NUMBER)
        {
            ReadSegment(header.GetDestination(), packet);
        }
    }

    void ReadSegment(const IpAddress& destination, Ptr<const Packet> packet)
    {
        TcpHeader tcp;
        if (packet->PeekHeader(tcp) == 0)
        {
            return;
        }
        const uint32_t size = packet->GetSize() - tcp.GetSerializedSize();
        const SequenceNumber32 begin = tcp.GetSequenceNumber();
        const Flow flow{destination, tcp.GetSourcePort(), tcp.GetDestinationPort()};
        const auto [next, isNew] = m_next.try_emplace(flow, begin);
        if ((tcp.GetFlags() & TcpHeader::SYN) != 0)
        {
            next->second = begin; // of a connection to come
            return;
        }
        if (size > 0 && begin < next->second)
        {
            // The UID is not enough, as segments of one vector share it.
            if (RepeatedTag old; !packet->PeekPacketTag(old))
            {
                packet->AddPacketTag(RepeatedTag(m_node));
            }
        }
        next->second = std::max(next->second, begin + size);
    }

    uint32_t m_node;                         //!< number of the node
    std::map<Flow, SequenceNumber32> m_next; //!< after the last byte sent
    TraceConnections m_traces;
};

namespace
{

class DeviceWatch : public LinkWatch
{
  public:
    DeviceWatch(NodeActivity& activity, TcpSegments& segments)
        : LinkWatch(Simulator::Now()),
          m_activity(activity),
          m_segments(segments)
    {
        record.again = 0;
        record.loss = 0;
    }

    /** @param device with one queue, point-to-point or CSMA */
    template <typename Device>
    void WatchWired(Ptr<Device> device)
    {
        WatchDiscs(device);
        const auto queue = device->GetQueue();
        Connect(queue, "Enqueue", &DeviceWatch::HandleEnqueue);
        Connect(queue, "Dequeue", &DeviceWatch::HandleDequeue);
        Connect(queue, "DropBeforeEnqueue", &DeviceWatch::HandleRefusal);
        Connect(queue, "DropAfterDequeue", &DeviceWatch::HandleDrop);
        Connect(device, "PhyTxBegin", &DeviceWatch::HandleTxBegin);
        Connect(device, "PhyTxEnd", &DeviceWatch::HandleTxEnd);
    }

    /** @param device with a queue for each category of traffic */
    void WatchWifi(Ptr<WifiNetDevice> device)
    {
        WatchDiscs(device);
        const auto mac = device->GetMac();
        Connect(mac, "MacTxDrop", &DeviceWatch::HandleRefusal);
        Connect(mac, "DroppedMpdu", &DeviceWatch::HandleGivenUp);
        const auto phy = device->GetPhy();
        Connect(phy, "PhyTxBegin", &DeviceWatch::HandleWifiTx);
        Connect(phy, "MonitorSnifferTx", &DeviceWatch::HandleSentFrame);
        Connect(phy, "MonitorSnifferRx", &DeviceWatch::HandleReceivedFrame);
        m_address = mac->GetAddress();
        Connect(phy->GetState(), "State", &DeviceWatch::HandleWifiState);
        const auto stations = device->GetRemoteStationManager();
        Connect(stations, "MacTxDataFailed", &DeviceWatch::HandleDataFailure);
        Connect(stations, "MacTxRtsFailed", &DeviceWatch::HandleRtsFailure);
        Connect(stations, "MacTxFinalDataFailed", &DeviceWatch::HandleLastDataFailure);
        Connect(stations, "MacTxFinalRtsFailed", &DeviceWatch::HandleLastRtsFailure);
        for (const char* access : {"Txop", "VO_Txop", "VI_Txop", "BE_Txop", "BK_Txop"})
        {
            PointerValue txop;
            PointerValue queue;
            if (mac->GetAttributeFailSafe(access, txop) && txop.GetObject() &&
                txop.GetObject()->GetAttributeFailSafe("Queue", queue) && queue.GetObject())
            {
                const auto waiting = queue.GetObject();
                Connect(waiting, "Enqueue", &DeviceWatch::HandleMpdu<&DeviceWatch::HandleEnqueue>);
                Connect(waiting, "Dequeue", &DeviceWatch::HandleMpdu<&DeviceWatch::HandleDequeue>);
                Connect(waiting,
                        "DropBeforeEnqueue",
                        &DeviceWatch::HandleMpdu<&DeviceWatch::HandleRefusal>);
                Connect(waiting,
                        "DropAfterDequeue",
                        &DeviceWatch::HandleMpdu<&DeviceWatch::HandleDrop>);
            }
        }
    }

    void NoteBegin() override
    {
        LinkWatch::NoteBegin();
        m_busy = Max(m_until - m_begin, Time(0)); // the rest of a frame by radio
        m_handed.reset();
        record.loss = 0;
        record.again = 0;
        m_rates = Mean();
        m_snrs = Mean();
    }

    LinkRecord Finish(const std::optional<Time>& end) const override
    {
        LinkRecord whole = LinkWatch::Finish(end);
        whole.queueDrops += m_handed ? 1 : 0;
        whole.rate = m_rates.sum / m_rates.count; // NaN without frames
        whole.snr = m_snrs.sum / m_snrs.count;
        return whole;
    }

  private:
    /**
     * UIDs of the packets that wait at one place, as they came, and since when. The segments of one
     * vector in TCP share a UID, and so do fragments of IP: they leave in the order of arrival.
     */
    using WaitingPackets = std::deque<std::pair<uint64_t, Time>>;

    static std::optional<Time> Leave(WaitingPackets& packets, uint64_t uid)
    {
        const auto found = std::find_if(packets.begin(), packets.end(), [uid](const auto& packet) {
            return packet.first == uid;
        });
        if (found == packets.end())
        {
            return std::nullopt;
        }
        const Time since = found->second;
        packets.erase(found); // most queues are in order: the first
        return since;
    }

    struct Mean
    {
        double sum{0};
        double count{0};

        void Add(double value)
        {
            sum += value;
            ++count;
        }
    };

    template <typename Source, typename Handler>
    void Connect(const Source& source, const char* trace, Handler handler)
    {
        m_traces.Add(source, trace, MakeCallback(handler, this));
    }

    void WatchDiscs(const Ptr<NetDevice>& device)
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
            Connect(disc, "Enqueue", &DeviceWatch::HandleDiscEnqueue);
            Connect(disc, "Dequeue", &DeviceWatch::HandleDiscDequeue);
            Connect(disc, "Requeue", &DeviceWatch::HandleDiscRequeue);
            Connect(disc, "DropBeforeEnqueue", &DeviceWatch::HandleDiscRefusal);
            Connect(disc, "DropAfterDequeue", &DeviceWatch::HandleDiscDrop);
        }
    }

    void HandleDiscEnqueue(Ptr<const QueueDiscItem> item)
    {
        m_inDisc.emplace_back(item->GetPacket()->GetUid(), Simulator::Now());
        m_activity.AddWaiting(1);
    }

    void HandleDiscDequeue(Ptr<const QueueDiscItem> item)
    {
        record.queueDrops += m_handed ? 1 : 0; // the device did not take the one before
        const uint64_t uid = item->GetPacket()->GetUid();
        const auto since = Leave(m_inDisc, uid);
        m_activity.AddWaiting(since ? -1 : 0);
        m_handed = {uid, since.value_or(Simulator::Now())};
    }

    void HandleDiscRequeue(Ptr<const QueueDiscItem> item)
    {
        const uint64_t uid = item->GetPacket()->GetUid();
        m_inDisc.emplace_back(uid, LeaveDisc(uid).value_or(Simulator::Now()));
        m_activity.AddWaiting(1);
    }

    void HandleDiscRefusal(Ptr<const QueueDiscItem> /* item */, const char* /* reason */)
    {
        ++record.queueDrops;
    }

    void HandleDiscDrop(Ptr<const QueueDiscItem> item, const char* /* reason */)
    {
        ++record.queueDrops;
        LeaveDisc(item->GetPacket()->GetUid());
    }

    void HandleEnqueue(Ptr<const Packet> packet)
    {
        const auto since = LeaveDisc(packet->GetUid());
        m_inQueue.emplace_back(packet->GetUid(), since.value_or(Simulator::Now()));
        m_activity.AddWaiting(1);
    }

    void HandleDequeue(Ptr<const Packet> packet)
    {
        if (const auto since = Leave(m_inQueue, packet->GetUid()))
        {
            m_delays.Add(Simulator::Now() - *since);
            m_activity.AddWaiting(-1);
        }
    }

    void HandleRefusal(Ptr<const Packet> packet)
    {
        ++record.queueDrops;
        LeaveDisc(packet->GetUid());
    }

    void HandleDrop(Ptr<const Packet> /* packet */)
    {
        ++record.queueDrops; // HandleDequeue() has been called for it
    }

    void HandleTxBegin(Ptr<const Packet> packet)
    {
        record.txBytes += packet->GetSize();
        m_begun = Simulator::Now();
        m_sending = true;
        m_again = m_segments.IsRepeated(*packet);
        *record.again += m_again ? 1 : 0;
        m_activity.BeginSending(m_again);
    }

    void HandleTxEnd(Ptr<const Packet> /* packet */)
    {
        m_busy = GetBusy();
        m_sending = false;
        m_activity.EndSending(m_again);
    }

    /** A trace of a queue of Wi-Fi. */
    template <void (DeviceWatch::*handle)(Ptr<const Packet>)>
    void HandleMpdu(Ptr<const WifiMpdu> mpdu)
    {
        (this->*handle)(mpdu->GetPacket());
    }

    void HandleWifiTx(Ptr<const Packet> packet, double /* power */)
    {
        record.txBytes += packet->GetSize();
        WifiMacHeader header;
        packet->PeekHeader(header);
        // ns-3 does not mark an RTS that is sent again.
        const bool retry =
            header.IsRts() ? m_failedRts.erase(header.GetAddr1()) > 0 : header.IsRetry();
        const bool again = m_segments.IsRepeated(*packet) || retry;
        m_again = again && (m_again || m_begun != Simulator::Now()); // all of an A-MPDU
        m_begun = Simulator::Now();
    }

    /** The rates of frames with data: those of management and control are the lowest. */
    void HandleSentFrame(Ptr<const Packet> frame,
                         uint16_t /* frequency */,
                         WifiTxVector vector,
                         MpduInfo /* mpdu */,
                         uint16_t station)
    {
        WifiMacHeader header;
        frame->PeekHeader(header);
        if (header.IsData() && !header.GetAddr1().IsGroup())
        {
            m_rates.Add(vector.GetMode(station).GetDataRate(vector, station) / 1e6);
        }
    }

    void HandleReceivedFrame(Ptr<const Packet> frame,
                             uint16_t /* frequency */,
                             WifiTxVector /* vector */,
                             MpduInfo /* mpdu */,
                             SignalNoiseDbm power,
                             uint16_t /* station */)
    {
        WifiMacHeader header;
        frame->PeekHeader(header);
        if (header.GetAddr1() == m_address)
        {
            m_snrs.Add(power.signal - power.noise);
        }
    }

    void HandleWifiState(Time /* start */, Time duration, WifiPhyState state)
    {
        if (state == WifiPhyState::TX) // it follows PhyTxBegin
        {
            m_busy += duration;
            m_until = Simulator::Now() + duration;
            m_activity.Send(duration, m_again);
        }
    }

    void HandleGivenUp(WifiMacDropReason reason, Ptr<const WifiMpdu> /* mpdu */)
    {
        *record.loss += reason == WIFI_MAC_DROP_REACHED_RETRY_LIMIT ? 1 : 0;
    }

    void HandleDataFailure(Mac48Address /* receiver */) { ++*record.again; }

    void HandleRtsFailure(Mac48Address receiver)
    {
        ++*record.again;
        m_failedRts.insert(receiver);
    }

    void HandleLastDataFailure(Mac48Address /* receiver */)
    {
        // It follows HandleDataFailure(), and the frame is not tried again.
        *record.again -= *record.again > 0 ? 1 : 0;
    }

    void HandleLastRtsFailure(Mac48Address receiver)
    {
        HandleLastDataFailure(receiver);
        m_failedRts.erase(receiver);
    }

    std::optional<Time> LeaveDisc(uint64_t uid)
    {
        if (m_handed && m_handed->first == uid)
        {
            const Time since = m_handed->second;
            m_handed.reset();
            return since;
        }
        const auto since = Leave(m_inDisc, uid); // one that was requeued
        m_activity.AddWaiting(since ? -1 : 0);
        return since;
    }

    Time GetBusy() const
    {
        const Time now = Simulator::Now();
        const Time underWay = m_sending ? now - Max(m_begun, m_begin) : Time(0);
        return m_busy + underWay - Max(m_until - now, Time(0));
    }

    double GetBusySeconds() const override { return GetBusy().GetSeconds(); }

    NodeActivity& m_activity;
    TcpSegments& m_segments;
    bool m_again{false};                //!< whether the frame that is sent is a retransmission
    std::set<Mac48Address> m_failedRts; //!< receivers to which an RTS will be sent again
    Mac48Address m_address;             //!< of a Wi-Fi device
    Mean m_rates;                       //!< of frames sent, in Mbit/s
    Mean m_snrs;                        //!< of frames received for this device, in decibels
    WaitingPackets m_inDisc;            //!< in the queue disc
    /** The packet that left the queue disc last, until it is known whether the device took it. */
    std::optional<std::pair<uint64_t, Time>> m_handed;
    WaitingPackets m_inQueue; //!< in the queue of the device
    Time m_begun;             //!< when the last transmission began
    bool m_sending{false};    //!< whether it is under way, on a wire
    Time m_until;             //!< when the last transmission by radio ends
    Time m_busy;              //!< sum of the transmissions that have ended, or, by radio, begun
    TraceConnections m_traces;
};

} // namespace

std::unique_ptr<LinkWatch>
WatchDevice(const Ptr<NetDevice>& device,
            const std::function<NodeActivity&()>& findActivity,
            std::shared_ptr<TcpSegments>& segments)
{
    const auto p2p = DynamicCast<PointToPointNetDevice>(device);
    const auto csma = DynamicCast<CsmaNetDevice>(device);
    const auto wifi = DynamicCast<WifiNetDevice>(device);
    if (!(p2p && p2p->GetQueue()) && !(csma && csma->GetQueue()) &&
        !(wifi && wifi->GetPhy() && wifi->GetMac()))
    {
        return nullptr;
    }
    if (!device->GetChannel())
    {
        return nullptr;
    }
    if (!segments)
    {
        segments = std::make_shared<TcpSegments>(device->GetNode());
    }
    auto watch = std::make_unique<DeviceWatch>(findActivity(), *segments);
    watch->record.link = (p2p    ? "p2p-"
                          : csma ? "csma-"
                                 : "wifi-") +
                         std::to_string(device->GetChannel()->GetId());
    if (p2p)
    {
        watch->WatchWired(p2p);
    }
    else if (csma)
    {
        watch->WatchWired(csma);
    }
    else
    {
        watch->WatchWifi(wifi);
    }
    return watch;
}

} // namespace ns3::dlearn

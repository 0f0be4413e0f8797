/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DEVICE_WATCH_H
#define DLEARN_DEVICE_WATCH_H

#include "dlearn-round-phases.h"
#include "dlearn-run-results.h"

#include "ns3/dlearn-endpoint.h"
#include "ns3/dlearn-trace-connections.h"
#include "ns3/ipv4-header.h"
#include "ns3/ipv6-header.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/node.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/queue-disc.h"
#include "ns3/sequence-number.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-mpdu.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy-state.h"

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Mean and 99th percentile of any number of delays, in little memory: their logarithms are counted
 * in bins of 1 %.
 */
class DelayDistribution
{
  public:
    /** @param delay at least 0 */
    void Add(Time delay);

    /** @return mean in milliseconds; 0 without delays */
    double GetMean() const { return m_count > 0 ? m_total / static_cast<double>(m_count) : 0; }

    /** @return 99th percentile in milliseconds, at most 1 % too large; 0 without delays */
    double GetWorst() const;

  private:
    boost::container::flat_map<int, uint64_t> m_bins; //!< delays by their logarithm, but those of 0
    uint64_t m_none{0};                               //!< number of delays of 0
    double m_total{0};                                //!< sum in milliseconds
    uint64_t m_count{0};                              //!< number of delays
};

/** Detects the packets of a node that are segments retransmitted by its TCP. @ingroup dlearn */
class TcpSegments
{
  public:
    /** @param node with IPv4 or IPv6 */
    explicit TcpSegments(const Ptr<Node>& node);

    TcpSegments(const TcpSegments&) = delete;
    TcpSegments& operator=(const TcpSegments&) = delete;

    /** @return whether a packet that a device of the node begins to send is a retransmission */
    bool IsRepeated(const Packet& packet) const;

  private:
    /** Destination, and ports of sender and receiver. */
    using Flow = std::tuple<IpAddress, uint16_t, uint16_t>;

    void HandleSend4(const Ipv4Header& header, Ptr<const Packet> packet, uint32_t interface);
    void HandleSend6(const Ipv6Header& header, Ptr<const Packet> packet, uint32_t interface);
    void ReadSegment(const IpAddress& destination, Ptr<const Packet> packet);

    uint32_t m_node;                         //!< number of the node
    std::map<Flow, SequenceNumber32> m_next; //!< after the last byte sent
    TraceConnections m_traces;
};

/** Measures what one sender puts on a link. @ingroup dlearn */
class LinkWatch
{
  public:
    /** @param begin time from which the share of busy time counts */
    explicit LinkWatch(Time begin)
        : m_begin(begin)
    {
    }

    virtual ~LinkWatch() = default;
    LinkWatch(const LinkWatch&) = delete;
    LinkWatch& operator=(const LinkWatch&) = delete;

    /** Count from now on. */
    virtual void NoteBegin();

    /** Learners have finished. */
    void NoteEnd() { m_busyAtEnd = GetBusySeconds(); }

    /** @return the complete record; @param end of learning; absent: the present */
    virtual LinkRecord Finish(const std::optional<Time>& end) const;

    LinkRecord record; //!< without the figures that Finish() adds

  protected:
    DelayDistribution m_delays; //!< of packets that have left
    Time m_begin;               //!< of counting

  private:
    /** @return the time of sending since the beginning */
    virtual double GetBusySeconds() const = 0;

    double m_busyAtEnd{0}; //!< seconds, when learners had finished
};

/**
 * @ingroup dlearn
 * Counts by the traces of one device, its queues and its queue discs. Other devices see the losses
 * on a wire or a bus, and count them in the record.
 */
class DeviceWatch : public LinkWatch
{
  public:
    /**
     * @param activity of the node
     * @param segments of the node's TCP
     */
    DeviceWatch(NodeActivity& activity, TcpSegments& segments);

    /** @param device with one queue, point-to-point or CSMA */
    template <typename Device>
    void WatchWired(Ptr<Device> device);

    /** @param device with a queue for each category of traffic */
    void WatchWifi(Ptr<WifiNetDevice> device);

    /** Trace PhyRxDrop of the other end of a link. */
    void HandleLoss(Ptr<const Packet> packet);

    void NoteBegin() override;
    LinkRecord Finish(const std::optional<Time>& end) const override;

  private:
    /**
     * UIDs of the packets that wait at one place, as they came, and since when. The segments of one
     * vector in TCP share a UID, and so do fragments of IP: they leave in the order of arrival.
     */
    using WaitingPackets = std::deque<std::pair<uint64_t, Time>>;

    static std::optional<Time> Leave(WaitingPackets& packets, uint64_t uid);

    template <typename Source, typename Handler>
    void Connect(const Source& source, const char* trace, Handler handler)
    {
        m_traces.Add(source, trace, MakeCallback(handler, this));
    }

    void WatchDiscs(const Ptr<NetDevice>& device);
    void HandleDiscEnqueue(Ptr<const QueueDiscItem> item);
    void HandleDiscDequeue(Ptr<const QueueDiscItem> item);
    void HandleDiscRequeue(Ptr<const QueueDiscItem> item);
    void HandleDiscRefusal(Ptr<const QueueDiscItem> item, const char* reason);
    void HandleDiscDrop(Ptr<const QueueDiscItem> item, const char* reason);
    void HandleEnqueue(Ptr<const Packet> packet);
    void HandleDequeue(Ptr<const Packet> packet);
    void HandleRefusal(Ptr<const Packet> packet);
    void HandleDrop(Ptr<const Packet> packet);
    void HandleTxBegin(Ptr<const Packet> packet);
    void HandleTxEnd(Ptr<const Packet> packet);

    /** A trace of a queue of Wi-Fi. */
    template <void (DeviceWatch::*handle)(Ptr<const Packet>)>
    void HandleMpdu(Ptr<const WifiMpdu> mpdu)
    {
        (this->*handle)(mpdu->GetPacket());
    }

    void HandleWifiTx(Ptr<const Packet> packet, double power);
    void HandleWifiState(Time start, Time duration, WifiPhyState state);
    void HandleGivenUp(WifiMacDropReason reason, Ptr<const WifiMpdu> mpdu);
    void HandleDataFailure(Mac48Address receiver);
    void HandleRtsFailure(Mac48Address receiver);
    void HandleLastDataFailure(Mac48Address receiver);
    void HandleLastRtsFailure(Mac48Address receiver);
    std::optional<Time> LeaveDisc(uint64_t uid);
    Time GetBusy() const;

    double GetBusySeconds() const override { return GetBusy().GetSeconds(); }

    NodeActivity& m_activity;
    TcpSegments& m_segments;
    bool m_again{false};                //!< whether the frame that is sent is a retransmission
    std::set<Mac48Address> m_failedRts; //!< receivers to which an RTS will be sent again
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

} // namespace ns3::dlearn

#endif // DLEARN_DEVICE_WATCH_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_DEVICE_WATCH_H
#define DLEARN_DEVICE_WATCH_H

#include "dlearn-delay-distribution.h"
#include "dlearn-link-record.h"
#include "dlearn-node-activity.h"
#include "dlearn-tcp-segments.h"
#include "dlearn-waiting-packets.h"

#include "ns3/dlearn-trace-connections.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/queue-disc.h"
#include "ns3/wifi-mac.h"
#include "ns3/wifi-mpdu.h"
#include "ns3/wifi-net-device.h"
#include "ns3/wifi-phy-state.h"

#include <optional>
#include <set>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Counts what the traces of one device, its queues and its queue discs tell. Losses on a wire or a
 * bus are seen by other devices, which count them in the record.
 */
class DeviceWatch
{
  public:
    /**
     * @param activity of the node; null when no one asks for it
     * @param segments of the node's TCP
     */
    DeviceWatch(NodeActivity* activity, TcpSegments* segments);

    DeviceWatch(const DeviceWatch&) = delete;
    DeviceWatch& operator=(const DeviceWatch&) = delete;

    /**
     * Watch a device with one queue.
     *
     * @param device point-to-point or CSMA
     */
    template <typename Device>
    void WatchWired(Ptr<Device> device);

    /** @param device to watch, with a queue for each category of traffic */
    void WatchWifi(Ptr<WifiNetDevice> device);

    /** Trace PhyRxDrop of the other end of a link. */
    void HandleLoss(Ptr<const Packet> packet);

    /** Count from now on. */
    void NoteBegin();

    /** Learners have finished. */
    void NoteEnd();

    /**
     * @param end of learning; nothing for the present
     * @return the record, complete
     */
    LinkRecord Finish(const std::optional<Time>& end) const;

    LinkRecord record; //!< but for what Finish() adds

  private:
    /** A packet that a queue disc has given to its device, which may keep it or not. */
    struct Handed
    {
        uint64_t uid; //!< of the packet
        Time since;   //!< when it has waited
    };

    /** @param device whose queue discs to watch, if it has any; of Wi-Fi one a category */
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

    void HandleWifiEnqueue(Ptr<const WifiMpdu> mpdu);
    void HandleWifiDequeue(Ptr<const WifiMpdu> mpdu);
    void HandleWifiRefusal(Ptr<const WifiMpdu> mpdu);
    void HandleWifiDrop(Ptr<const WifiMpdu> mpdu);
    void HandleWifiTx(Ptr<const Packet> packet, double power);
    void HandleWifiState(Time start, Time duration, WifiPhyState state);
    void HandleGivenUp(WifiMacDropReason reason, Ptr<const WifiMpdu> mpdu);
    void HandleDataFailure(Mac48Address receiver);
    void HandleRtsFailure(Mac48Address receiver);
    void HandleLastDataFailure(Mac48Address receiver);
    void HandleLastRtsFailure(Mac48Address receiver);

    /**
     * @param header of a frame that is sent
     * @return whether it was sent before
     */
    bool IsRetry(const WifiMacHeader& header);

    /**
     * @param uid of a packet that may have come from the queue disc
     * @return since when it was there
     */
    std::optional<Time> LeaveDisc(uint64_t uid);

    /** @param count of packets that begin to wait in the device; negative: that do no longer */
    void AddWaiting(int count);

    /** @return time of sending until the present */
    Time GetBusy() const;

    NodeActivity* m_activity;           //!< of the node; null: not asked for
    TcpSegments* m_segments;            //!< of the node
    bool m_again{false};                //!< whether what is sent has been sent before
    std::set<Mac48Address> m_failedRts; //!< receivers to which an RTS will be sent again
    WaitingPackets m_inDisc;            //!< in the queue disc
    std::optional<Handed> m_handed;     //!< left the queue disc last, and is nowhere yet
    WaitingPackets m_inQueue;           //!< in the queue of the device
    DelayDistribution m_delays;         //!< of packets that left the queue
    Time m_begin;                       //!< of counting
    Time m_begun;                       //!< when the last transmission began
    bool m_sending{false};              //!< whether it is under way, on a wire
    Time m_until;                       //!< when the last transmission by radio ends
    Time m_busy;                        //!< sum of the transmissions that have ended, or of
                                        //!< those by radio that have begun
    Time m_busyAtEnd;                   //!< of sending, when learners had finished
    TraceConnections m_traces;          //!< all that call this
};

} // namespace ns3::dlearn

#endif // DLEARN_DEVICE_WATCH_H

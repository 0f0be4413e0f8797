/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINK_STATISTICS_H
#define DLEARN_LINK_STATISTICS_H

#include "dlearn-attachments.h"
#include "dlearn-link-record.h"
#include "dlearn-node-activity.h"
#include "dlearn-tcp-segments.h"

#include "ns3/dlearn-trace-connections.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/node-container.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

class DeviceWatch;
class LteLinks;

/**
 * @ingroup dlearn
 * Watches the devices of all nodes that there are: point-to-point, CSMA, Wi-Fi and the radio of
 * LTE, see LteLinks. Other devices (of the network `ideal`) are left out. It changes nothing in the
 * simulation.
 */
class LinkStatistics
{
  public:
    /** Gives the activity of a node, for a device of which it will be told; null for none. */
    using ActivityFinder = std::function<NodeActivity*(const Node& node)>;

    /**
     * @param learners nodes of the learners, in their order; those of all others are watched, too
     * @param find activities that are told what devices do; must outlive this object
     * @param listener is told when a learner joins or leaves an access point or a base station
     */
    explicit LinkStatistics(
        const NodeContainer& learners,
        ActivityFinder find = [](const Node&) { return nullptr; },
        Attachments::Listener listener = nullptr);
    ~LinkStatistics();

    LinkStatistics(const LinkStatistics&) = delete;
    LinkStatistics& operator=(const LinkStatistics&) = delete;

    /** Count from now on. Without this, all that was sent since the beginning counts. */
    void NoteBegin();

    /**
     * Shares of time are those until learners have finished; without this, until the present.
     * @param over whether they have now, or go on after all
     */
    void NoteEnd(bool over);

    /**
     * @return one record a device, by node and device, then those of LTE; before
     * Simulator::Destroy()
     */
    std::vector<LinkRecord> GetRecords() const;

  private:
    /** Watches of devices on a bus, by address. */
    using Senders = std::map<Mac48Address, DeviceWatch*>;

    /**
     * Trace PhyRxDrop of a device on a bus, which hears all frames.
     *
     * @param senders the devices by address
     * @param own address of the device
     * @param packet with the header of Ethernet
     */
    static void HandleBusLoss(const Senders* senders, Address own, Ptr<const Packet> packet);

    /**
     * @param device to watch
     * @param kind of its link
     * @param ends names the ends of links
     * @return a watch of it, which tells the activity of its node
     */
    DeviceWatch* AddWatch(const Ptr<NetDevice>& device,
                          const std::string& kind,
                          const LinkEnds& ends);

    template <typename Device>
    void AddWired(Ptr<Device> device, const std::string& kind, const LinkEnds& ends);

    ActivityFinder m_find;                                       //!< finds activities
    Attachments m_attachments;                                   //!< of learners
    std::map<uint32_t, std::unique_ptr<TcpSegments>> m_segments; //!< by node
    Senders m_senders;                                           //!< of all buses
    std::vector<std::unique_ptr<DeviceWatch>> m_watches;         //!< one a device
    std::optional<Time> m_end;                                   //!< of learning
    std::shared_ptr<LteLinks> m_lte; //!< of the radio of LTE; null where ns-3 has none
    TraceConnections m_traces;       //!< all that call this
};

} // namespace ns3::dlearn

#endif // DLEARN_LINK_STATISTICS_H

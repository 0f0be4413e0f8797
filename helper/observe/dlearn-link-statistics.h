/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINK_STATISTICS_H
#define DLEARN_LINK_STATISTICS_H

#include "dlearn-device-watch.h"
#include "dlearn-round-phases.h"
#include "dlearn-run-results.h"

#include "ns3/dlearn-trace-connections.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/node-container.h"
#include "ns3/wifi-net-device.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Watches the devices of all nodes that there are: point-to-point, CSMA, Wi-Fi and the radio of
 * LTE. Other devices (of the network `ideal`) are left out. It also knows to which access point or
 * base station each learner belongs, and tells when that changes: `associated`, `handed-over` or
 * `disassociated` (RunEvent). It changes nothing in the simulation.
 *
 * The links of LTE are those of each client with each base station that it has had a bearer of, in
 * both directions. Their figures come from the sublayers RLC and PDCP of ns-3: bytes of the PDUs of
 * the RLC, with their retransmissions, but without those of HARQ; packets that its buffer dropped;
 * and the time of packets from the buffer to the other end. Losses are not known: the blocks that
 * ns-3's physical layer reports as wrong include those that a client never sent, as it did not hear
 * that it may.
 */
class LinkStatistics
{
  public:
    /** Returns the activity of a node, for a device whose watch will tell it; null: none. */
    using ActivityFinder = std::function<NodeActivity*(const Node& node)>;

    /** Gets each event when it happens. */
    using EventListener = std::function<void(const RunEvent&)>;

    /**
     * @param learners nodes of the learners, in their order; those of all others are watched, too
     * @param find activities of nodes; must outlive this object
     * @param listener is told when a learner joins or leaves an access point or a base station
     */
    explicit LinkStatistics(
        const NodeContainer& learners,
        ActivityFinder find = [](const Node&) { return nullptr; },
        EventListener listener = nullptr);
    ~LinkStatistics();

    LinkStatistics(const LinkStatistics&) = delete;
    LinkStatistics& operator=(const LinkStatistics&) = delete;

    /** Count from now on. Without this, all that was sent since the beginning counts. */
    void NoteBegin();

    /**
     * Shares of time are those until learners have finished; without this, until the present.
     * @param over whether they have now, or resume after all
     */
    void NoteEnd(bool over);

    /**
     * @return one record a device, by node and device, then those of LTE, by client and cell;
     *         before Simulator::Destroy()
     */
    std::vector<LinkRecord> GetRecords() const;

  private:
    class LteClient;

    /** Watches of devices on a bus, by address. */
    using Senders = std::map<Mac48Address, DeviceWatch*>;

    static void HandleBusLoss(const Senders* senders, Address own, Ptr<const Packet> packet);
    void HandleAssociation(uint32_t node, Mac48Address accessPoint);
    void HandleDisassociation(uint32_t node, Mac48Address accessPoint);

    std::string Name(const Node& node) const;
    DeviceWatch* AddWatch(const Ptr<NetDevice>& device, const std::string& kind);
    template <typename Device>
    void AddWired(Ptr<Device> device, const std::string& kind);
    void AddWifi(const Ptr<WifiNetDevice>& device);
    void AddLte(const Ptr<NetDevice>& device);
    void Join(uint32_t node, const std::string& to);
    void Tell(uint32_t node, const std::string& event, const std::string& detail) const;

    std::map<uint32_t, LearnerId> m_learners; //!< by node: the first there
    ActivityFinder m_find;
    EventListener m_listener;                       //!< may be empty
    std::map<uint32_t, std::string> m_at;           //!< access point or base station of each node
    std::map<Mac48Address, std::string> m_stations; //!< names of nodes by address
    std::map<uint32_t, std::unique_ptr<TcpSegments>> m_segments; //!< by node
    Senders m_senders;                                           //!< of all buses
    std::vector<std::unique_ptr<DeviceWatch>> m_watches;
    std::vector<std::unique_ptr<LteClient>> m_clients;
    Time m_begin;              //!< of counting, for LTE
    std::optional<Time> m_end; //!< of learning
    TraceConnections m_traces;
};

} // namespace ns3::dlearn

#endif // DLEARN_LINK_STATISTICS_H

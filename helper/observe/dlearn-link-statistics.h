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

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Watches the devices of all nodes that exist: point-to-point, CSMA, Wi-Fi and the radio of LTE.
 * Other devices (of the network `ideal`) are left out. It also knows the access point or base
 * station of each learner, and reports changes: `associated`, `handed-over` or `disassociated`
 * (RunEvent). It changes nothing in the simulation.
 *
 * The links of LTE are those of each client with each base station of which it has had a bearer, in
 * both directions. Their figures come from the sublayers RLC and PDCP of ns-3: bytes of the PDUs of
 * the RLC, with their retransmissions, but without those of HARQ; packets that its buffer dropped;
 * and the time of packets from the buffer to the other end. Losses are not known: the blocks that
 * ns-3's physical layer reports as wrong include those that a client never sent, because it missed
 * the grant.
 */
class LinkStatistics
{
  public:
    /** Returns the activity of a node, which the watches of its devices report to; null: none. */
    using ActivityFinder = std::function<NodeActivity*(const Node& node)>;

    /** Gets each event when it happens. */
    using EventListener = std::function<void(const RunEvent&)>;

    /**
     * @param learners nodes of the learners, in their order; all other nodes are watched, too
     * @param find activities of nodes; these must outlive this object
     * @param listener gets an event when a learner joins or leaves an access point or base station
     */
    explicit LinkStatistics(
        const NodeContainer& learners,
        ActivityFinder find = [](const Node&) { return nullptr; },
        EventListener listener = nullptr);

    /** Count from now on; without this, from the beginning. */
    void NoteBegin();

    /**
     * Shares of time end when learners have finished; without this, now.
     * @param over whether they have finished, or resume after all
     */
    void NoteEnd(bool over);

    /**
     * To be called before Simulator::Destroy().
     * @return one record a device, by node and device, then those of LTE, by client and cell
     */
    std::vector<LinkRecord> GetRecords() const;

  private:
    void HandleBusLoss(Address own, Ptr<const Packet> packet);
    void HandleBearer(NetDevice* client, uint64_t imsi, uint16_t cell, uint16_t rnti, uint8_t id);
    void HandleAssociation(uint32_t node, Mac48Address accessPoint);
    void HandleDisassociation(uint32_t node, Mac48Address accessPoint);

    std::string Name(const Node& node) const;
    void AddDevice(const Ptr<NetDevice>& device);
    void AddLte(const Ptr<NetDevice>& device);
    void Join(uint32_t node, const std::string& to);
    void Report(uint32_t node, const std::string& event, const std::string& detail) const;
    std::vector<LinkWatch*> ListWatches() const;

    std::map<uint32_t, LearnerId> m_learners; //!< by node: the first there
    ActivityFinder m_find;
    NodeActivity m_unread;                          //!< of all nodes without a reader
    EventListener m_listener;                       //!< may be empty
    std::map<uint32_t, std::string> m_at;           //!< access point or base station of each node
    std::map<Mac48Address, std::string> m_stations; //!< names of nodes by address
    std::map<uint32_t, std::shared_ptr<TcpSegments>> m_segments; //!< by node
    std::map<Mac48Address, LinkWatch*> m_senders;                //!< of all buses
    std::vector<std::unique_ptr<LinkWatch>> m_watches;
    /** Up and down, by the client's node and device, and the cell. */
    std::map<std::tuple<uint32_t, uint32_t, uint16_t>, std::array<std::unique_ptr<LinkWatch>, 2>>
        m_lte;
    Time m_begin;              //!< of counting, for LTE
    std::optional<Time> m_end; //!< of learning
    TraceConnections m_traces;
};

} // namespace ns3::dlearn

#endif // DLEARN_LINK_STATISTICS_H

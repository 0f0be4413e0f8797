/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ATTACHMENTS_H
#define DLEARN_ATTACHMENTS_H

#include "dlearn-run-event.h"

#include "ns3/dlearn-trace-connections.h"
#include "ns3/mac48-address.h"
#include "ns3/node-container.h"
#include "ns3/wifi-net-device.h"

#include <functional>
#include <map>
#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Knows to which access point or base station each learner belongs, and tells when that changes:
 * `associated`, `handed-over` or `disassociated` (RunEvent).
 */
class Attachments
{
  public:
    /** Gets each event when it happens. */
    using Listener = std::function<void(const RunEvent&)>;

    /**
     * @param learners nodes of the learners, in their order; others are not watched
     * @param listener gets the events; may be empty
     */
    Attachments(const NodeContainer& learners, Listener listener);

    Attachments(const Attachments&) = delete;
    Attachments& operator=(const Attachments&) = delete;

    /**
     * @param device of an access point or of a station, complete
     * @param name of its node
     */
    void WatchWifi(const Ptr<WifiNetDevice>& device, const std::string& name);

    /**
     * @param node that belongs to another one from now on
     * @param to name of that one
     */
    void Join(uint32_t node, const std::string& to);

  private:
    void HandleAssociation(uint32_t node, Mac48Address accessPoint); //!< trace Assoc
    void HandleLoss(uint32_t node, Mac48Address accessPoint);        //!< trace DeAssoc

    /**
     * @param node of a learner; of others nothing is told
     * @param event what happened
     * @param detail more of it
     */
    void Tell(uint32_t node, const std::string& event, const std::string& detail) const;

    std::map<uint32_t, LearnerId> m_learners;       //!< by the number of the node
    std::map<uint32_t, std::string> m_at;           //!< where each node was last
    std::map<Mac48Address, std::string> m_stations; //!< names of nodes by address
    Listener m_listener;                            //!< gets the events
    TraceConnections m_traces;                      //!< of stations
};

} // namespace ns3::dlearn

#endif // DLEARN_ATTACHMENTS_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_REPAIR_REPORTS_H
#define DLEARN_REPAIR_REPORTS_H

#include "dlearn-repair-datagram.h"

#include "ns3/dlearn-types.h"
#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <functional>
#include <map>
#include <utility>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * When a learner answers the polls of others: the receiver's part of a repaired broadcast. The
 * learners that a poll names report one after the other, in its order.
 */
class RepairReports
{
  public:
    /** Sends a report to a learner; what is missing is still to be added to it. */
    using Outlet = std::function<void(LearnerId to, RepairDatagram report)>;

    /** @param outlet for reports, when their time has come */
    explicit RepairReports(Outlet outlet);

    ~RepairReports();

    RepairReports(const RepairReports&) = delete;
    RepairReports& operator=(const RepairReports&) = delete;

    /**
     * @param poll that was heard
     * @param slot time between two reports
     * @return how long the reports take; bounded, however many learners the poll names
     */
    static Time GetSpan(const RepairDatagram& poll, Time slot);

    /**
     * Report when it is the learner's turn, if a poll names it; once for the newest poll of a
     * channel.
     *
     * @param self the local learner
     * @param from who polls
     * @param poll of its message
     * @param slot time between two reports
     */
    void Schedule(LearnerId self, LearnerId from, const RepairDatagram& poll, Time slot);

    /** Send none of those that are still to be sent. */
    void Clear();

  private:
    Outlet m_outlet;                                                //!< see constructor
    std::map<std::pair<LearnerId, ModelChannel>, EventId> m_events; //!< send them, by who polls
};

} // namespace ns3::dlearn

#endif // DLEARN_REPAIR_REPORTS_H

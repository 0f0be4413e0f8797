/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_PENDING_EVENTS_H
#define DLEARN_PENDING_EVENTS_H

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Events that were pending when a state was saved, to be scheduled again when all of it is loaded:
 * in the order in which they had been scheduled, as events of one time run in this order.
 */
class PendingEvents
{
  public:
    /** Schedules an event after a delay, as its owner does. */
    using Scheduler = std::function<EventId(Time delay)>;

    /**
     * @param uid number of the event then, which grows with each event that is scheduled
     * @param time when it runs
     * @param event where its owner keeps it; must outlive Schedule()
     * @param schedule schedules it
     */
    void Add(uint32_t uid, Time time, EventId& event, Scheduler schedule);

    /**
     * Schedule them all.
     * @throw std::invalid_argument for an event in the past
     */
    void Schedule();

  private:
    /** An event. */
    struct Entry
    {
        uint32_t uid;       //!< see Add()
        Time time;          //!< see Add()
        EventId* event;     //!< see Add()
        Scheduler schedule; //!< see Add()
    };

    std::vector<Entry> m_entries; //!< all
};

} // namespace ns3::dlearn

#endif // DLEARN_PENDING_EVENTS_H

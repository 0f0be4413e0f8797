/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_ALARM_H
#define DLEARN_ALARM_H

#include "ns3/event-id.h"
#include "ns3/nstime.h"

#include <functional>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * A simulated time at which a learner does something.
 */
class Alarm
{
  public:
    /** @param ring what is done at the time that Set() says */
    explicit Alarm(std::function<void()> ring);
    Alarm(const Alarm&) = delete;
    Alarm& operator=(const Alarm&) = delete;
    ~Alarm();

    /** @param delay from now on; a time that was set before no longer counts */
    void Set(Time delay);

    /**
     * Ring later than it was set, if that time is still to come.
     *
     * @param delay from now on
     * @return whether it was set; no when the delay is 0
     */
    bool PutOff(Time delay);

    /** Do nothing at the time that was set, if any was. */
    void Cancel() { m_event.Cancel(); }

  private:
    std::function<void()> m_ring; //!< what is done
    EventId m_event;              //!< when
};

} // namespace ns3::dlearn

#endif // DLEARN_ALARM_H

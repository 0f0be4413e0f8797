/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_CHURN_SCHEDULE_H
#define DLEARN_CHURN_SCHEDULE_H

#include "ns3/dlearn-learner-application.h"
#include "ns3/nstime.h"

#include <string>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * When learners come and go.
 *
 * As text, the events of a schedule are separated by commas: `ACTION:LEARNER@TIME`, such as
 * `crash:3@2.5s,restart:3@4s`. ACTION is crash, leave or restart; TIME is an ns-3 time.
 */
class ChurnSchedule
{
  public:
    /** What happens to a learner. */
    enum class Action
    {
        CRASH,  //!< LearnerApplication::Crash()
        LEAVE,  //!< LearnerApplication::Leave()
        RESTART //!< LearnerApplication::Restart()
    };

    /** One event. */
    struct Event
    {
        Time time;            //!< when
        LearnerId learner{0}; //!< who
        Action action;        //!< what
    };

    /**
     * @param text as described above; empty for no events
     * @return the schedule
     * @throw std::invalid_argument naming the event that cannot be read
     */
    static ChurnSchedule Parse(const std::string& text);

    /**
     * @param time when
     * @param learner who
     * @param action what
     */
    void Add(Time time, LearnerId learner, Action action);

    /** @return the events, in the order given */
    const std::vector<Event>& GetEvents() const { return m_events; }

    /** @return time of the last event; 0 when there is none */
    Time GetEnd() const;

    /**
     * Schedule the events.
     *
     * @param learners the applications, in the order of the graph
     * @param origin simulated time from which the times of events count
     * @throw std::invalid_argument for an event of a learner that there is not
     */
    void Install(const std::vector<Ptr<LearnerApplication>>& learners, Time origin = Time(0)) const;

  private:
    std::vector<Event> m_events; //!< in the order given
};

} // namespace ns3::dlearn

#endif // DLEARN_CHURN_SCHEDULE_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LEARNER_CLOCK_H
#define DLEARN_LEARNER_CLOCK_H

#include "ns3/nstime.h"

#include <string>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * The clock of a learner, which may run too fast or too slow, and tells since when its round is
 * open.
 */
class LearnerClock
{
  public:
    /**
     * Let the clock run too fast or too slow from the next BeginRound() on: a timer that runs is
     * not wound up again.
     *
     * @param ppm by how many seconds in a million the clock is fast; negative when it is slow, more
     *        than -1000000
     */
    void SetDrift(double ppm) { m_nextRate = 1 + ppm / 1e6; }

    /** A round begins now. */
    void BeginRound();

    /** @return simulated time since the round began */
    Time GetDuration() const;

    /** @return the same by this clock */
    Time GetElapsed() const;

    /**
     * @param what lasts so long, for the message
     * @param span a time by this clock, from the beginning of the round on
     * @return how much simulated time is left of it; 0 when it is over
     * @throw std::invalid_argument when it ends beyond the end of time
     */
    Time GetLeft(const std::string& what, Time span) const;

    /**
     * @param what lasts so long, for the message
     * @param span a time by this clock
     * @return how long that is
     * @throw std::invalid_argument when it ends beyond the end of time
     */
    Time ToSimulated(const std::string& what, Time span) const;

    /**
     * @param span a time, at least 0
     * @return how long that is by this clock; at least a span that became this time by
     *         ToSimulated()
     */
    Time ToLocal(Time span) const;

  private:
    double m_rate{1};     //!< seconds of this clock in a second
    double m_nextRate{1}; //!< the same from the next round on
    Time m_opened;        //!< when the round began
};

} // namespace ns3::dlearn

#endif // DLEARN_LEARNER_CLOCK_H

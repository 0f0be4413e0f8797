/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_EVENT_EFFECTS_H
#define DLEARN_EVENT_EFFECTS_H

#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Which events of a schedule change something. The events are told in the order of time; each
 * changes what holds on some links, or of some learners.
 */
class EventEffects
{
  public:
    /** Who sends and who receives; of what holds for one learner this learner, twice. */
    using Link = std::pair<LearnerId, LearnerId>;

    /** @param time of the event whose changes follow, at least that of the one before */
    void Begin(Time time);

    /**
     * @param subject what is changed, such as "loss"
     * @param link where
     * @param value what holds from now on; empty for what holds without events
     * @return whether another value has held so far
     */
    bool Set(const std::string& subject, const Link& link, const std::vector<double>& value);

    /**
     * @param subject what could hold
     * @param link where
     * @return its value; empty when no event has set it, or one has ended it
     */
    std::vector<double> Get(const std::string& subject, const Link& link) const;

    /**
     * @return an earlier event, of which nothing is left since the newest one has changed all at
     *         the same time; counted from 0
     */
    const std::optional<size_t>& GetReplaced() const { return m_replaced; }

  private:
    /** What holds, and the event that set it. */
    struct Held
    {
        std::vector<double> value; //!< empty for nothing
        size_t event{0};           //!< counted from 0
    };

    std::map<std::pair<std::string, Link>, Held> m_held; //!< what events have set
    std::vector<Time> m_times;                           //!< of the events
    std::vector<size_t> m_left;       //!< of what an event has changed, how much no other has since
                                      //!< changed at the same time
    std::optional<size_t> m_replaced; //!< see GetReplaced()
};

} // namespace ns3::dlearn

#endif // DLEARN_EVENT_EFFECTS_H

/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef DLEARN_LINK_SCHEDULE_H
#define DLEARN_LINK_SCHEDULE_H

#include "ns3/dlearn-types.h"
#include "ns3/nstime.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ns3::dlearn
{

/**
 * @ingroup dlearn
 * Changes of the links between learners during a run, separately for each direction.
 *
 * As text, the events of a schedule are separated by commas: `ACTION:LINK@TIME`. LINK is `A-B` for
 * both directions of the link of learners A and B, or `AtoB` for what A sends to B. TIME is an
 * ns-3 time. ACTION is one of
 *
 *  - `down`: from now on nothing arrives;
 *  - `up`: ends this;
 *  - `loss=P`: from now on a packet is lost with probability P, in [0, 1], when the link is up.
 *
 * So `loss=0.3:1to2@0s` makes a link asymmetric, and `down:0-3@1s,up:0-3@2.5s` is an outage. A
 * packet is lost when it arrives at a time at which the link is down, whenever it was sent.
 *
 * An event that can have no effect is refused: `up` of what is not down at its time, one that sets
 * what holds already, and one at the same time as another that it undoes or replaces.
 */
class LinkSchedule
{
  public:
    /** What happens to one direction of a link. */
    struct Event
    {
        Time time;                  //!< when
        LearnerId from{0};          //!< who sends
        LearnerId to{0};            //!< who receives
        std::optional<bool> up;     //!< whether it is up from now on; nothing: as before
        std::optional<double> loss; //!< probability of loss when it is up; nothing: as before
    };

    /**
     * @param text as described above; empty for no events
     * @return the schedule
     * @throw std::invalid_argument naming the event that cannot be read, or has no effect
     */
    static LinkSchedule Parse(const std::string& text);

    /**
     * @param time when, at least 0
     * @param from who sends
     * @param to who receives
     * @param up whether what is sent can arrive
     */
    void SetUp(Time time, LearnerId from, LearnerId to, bool up);

    /**
     * @param time when, at least 0
     * @param from who sends
     * @param to who receives
     * @param loss probability that a packet is lost when the link is up, [0, 1]
     * @throw std::invalid_argument when it is none
     */
    void SetLoss(Time time, LearnerId from, LearnerId to, double loss);

    /** @return the events, in the order given */
    const std::vector<Event>& GetEvents() const { return m_events; }

    /**
     * @param from who sends
     * @param to who receives
     * @param loss probability of loss while no event says otherwise
     * @return times at which something happens to this direction, in order, and its probability of
     *         loss from then on; empty when nothing ever does. Of events at the same time the
     *         one given last has the last word.
     */
    std::vector<std::pair<Time, double>> GetLosses(LearnerId from, LearnerId to, double loss) const;

    /**
     * @param from who sends
     * @param to who receives
     * @param loss probability of loss while no event says otherwise
     * @return the largest probability of loss that this direction ever has while it is up
     */
    double GetLargestLoss(LearnerId from, LearnerId to, double loss) const;

  private:
    /** @return the events of one direction, by time */
    std::vector<Event> GetEvents(LearnerId from, LearnerId to) const;

    std::vector<Event> m_events; //!< in the order given
};

} // namespace ns3::dlearn

#endif // DLEARN_LINK_SCHEDULE_H
